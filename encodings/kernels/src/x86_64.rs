//! The kernels for AVX-512 and AVX2.

mod buffer;
mod lanes;
mod matrices;
mod products;

pub(crate) use products::{with_avx2, with_avx512};
