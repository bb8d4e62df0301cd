//! Tests of the crate `generate`, in one binary.

mod endless;
mod probe;
