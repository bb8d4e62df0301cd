//! Operations that posenc's kernels compute on CPUs, each one node of autograd's graph.
//!
//! Layers choose between these and LibTorch's by the [`Backend`]; nothing outside this crate calls a kernel.

pub(crate) mod attention;
pub(crate) mod dense;
pub(crate) mod mish;
pub(crate) mod norm;
mod operands;
pub(crate) mod pair_logits;
pub(crate) mod pair_products;
pub(crate) mod rotation;
pub(crate) mod token_layers;

use crate::Backend;
use kernels::{Instructions, Workers};
use tch::{Device, Kind, Tensor};

/// Whether a tensor can be an operand of one, and shall be.
pub fn supports(tensor: &Tensor) -> bool {
    tensor.kind() == Kind::Float && tensor.numel() > 0 && supports_device(tensor.device())
}

/// Whether kernels compute on a device.
pub(crate) fn supports_device(device: Device) -> bool {
    device == Device::Cpu && Backend::on(device) == Backend::Kernels
}

/// The tensor in f32 if it is bf16 for an operation: these compute in f32, and their callers round the result.
/// Otherwise the tensor itself.
pub(crate) fn widened(tensor: &Tensor) -> Tensor {
    match tensor.kind() {
        Kind::BFloat16 if supports_device(tensor.device()) => tensor.to_kind(Kind::Float),
        _ => tensor.shallow_clone(),
    }
}

/// This processor's fastest instructions, on as many threads as LibTorch may use.
fn workers() -> Workers {
    workers_with(Instructions::fastest())
}

/// These instructions, on as many threads.
fn workers_with(instructions: Instructions) -> Workers {
    Workers { instructions, threads: usize::try_from(tch::get_num_threads()).unwrap_or(1) }
}
