//! Tensors as the kernels read and write them.

use kernels::Numbers;
use tch::{Device, Kind, TchError, Tensor};

/// The numbers of a contiguous f32 tensor on the CPU.
///
/// # Panics
/// If it is another tensor.
pub(crate) fn numbers(tensor: &Tensor) -> Numbers {
    let fits = tensor.kind() == Kind::Float && tensor.device() == Device::Cpu && tensor.is_contiguous();
    assert!(fits, "kernels need contiguous f32 tensors on the CPU");
    // SAFETY: the tensor has memory for its numbers.
    unsafe { Numbers::new(tensor.data_ptr().cast()) }
}

/// A new tensor of this one's shape.
pub(crate) fn writable(like: &Tensor) -> Result<Tensor, TchError> {
    Tensor::f_empty(like.size(), (Kind::Float, Device::Cpu))
}

/// Contiguous tensors of the same numbers.
pub(crate) fn contiguous(tensors: &[Tensor]) -> Result<Vec<Tensor>, TchError> {
    tensors.iter().map(Tensor::f_contiguous).collect()
}
