//! The tests of parameters and layers, in one binary.

#![allow(clippy::disallowed_methods, reason = "tests draw from LibTorch")]

mod arena;
mod batch_norm;
mod differentiable;
mod layers;

use tch::Tensor;

fn numbers(tensor: &Tensor) -> Vec<f32> {
    Vec::try_from(tensor.detach().flatten(0, -1)).expect("numbers")
}
