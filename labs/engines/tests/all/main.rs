//! Tests of the crate `engines`, in one binary.

mod balanced;
mod engines;
mod fake;
mod forced;
mod relabelled;
