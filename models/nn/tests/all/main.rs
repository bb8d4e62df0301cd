//! The tests of parameters and layers, in one binary.

#![allow(clippy::disallowed_methods, reason = "tests draw from LibTorch")]

mod arena;
mod batch_norm;
mod differentiable;
mod layers;
