//! Tests of crate `inspect`.

mod calibration;
mod masks;
mod observed;
mod planted;
