//! Tests of the crate `generate`, in one binary.

mod balanced;
mod engines;
mod fake;
mod forced;
mod probe;
mod relabelled;
mod unseen;
