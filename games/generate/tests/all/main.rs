//! Tests of the crate `generate`, in one binary.

mod probe;
mod unseen;
