//! Tensors as the kernels read and write them.

use kernels::Numbers;
use kernels::attention::Strided;
use tch::{Device, Kind, TchError, Tensor};

/// The numbers of a contiguous f32 tensor on the CPU.
///
/// # Panics
/// If it is another tensor.
pub(super) fn numbers(tensor: &Tensor) -> Numbers {
    let fits = tensor.kind() == Kind::Float && tensor.device() == Device::Cpu && tensor.is_contiguous();
    assert!(fits, "kernels need contiguous f32 tensors on the CPU");
    // SAFETY: the tensor has memory for its numbers.
    unsafe { Numbers::new(tensor.data_ptr().cast()) }
}

/// The four last dimensions, with ones where there are none.
pub(super) fn shape_of(tensor: &Tensor) -> [i64; 4] {
    let size = tensor.size();
    assert!(size.len() <= 4, "kernels need tensors of at most four dimensions, got {size:?}");
    std::array::from_fn(|i| (i + size.len()).checked_sub(4).map_or(1, |i| size[i]))
}

/// A new tensor of this one's shape.
pub(super) fn writable(like: &Tensor) -> Result<Tensor, TchError> {
    Tensor::f_empty(like.size(), (Kind::Float, Device::Cpu))
}

/// Contiguous tensors of the same numbers.
pub(super) fn contiguous(tensors: &[Tensor]) -> Result<Vec<Tensor>, TchError> {
    tensors.iter().map(Tensor::f_contiguous).collect()
}

/// A tensor whose rows are contiguous.
pub(super) fn with_rows(tensor: Tensor) -> Result<Tensor, TchError> {
    if has_rows(&tensor) { Ok(tensor) } else { tensor.f_contiguous() }
}

fn has_rows(tensor: &Tensor) -> bool {
    tensor.stride().last() == Some(&1) || tensor.size().last() == Some(&1)
}

/// Where the rows of a tensor `[b,h,l,…]` lie, in any layout.
///
/// # Panics
/// If it is not f32, not on the CPU, or has not four dimensions, or if its rows are not contiguous ([`with_rows`]).
pub(super) fn rows(tensor: &Tensor) -> Strided {
    let fits = tensor.kind() == Kind::Float && tensor.device() == Device::Cpu && tensor.dim() == 4;
    assert!(
        fits && has_rows(tensor),
        "kernels need f32 tensors of four dimensions with rows on the CPU, got {tensor:?}"
    );
    let stride = tensor.stride();
    // SAFETY: the tensor has memory for its sizes at these distances, and the numbers of a row lie side by side.
    unsafe { Strided::new(tensor.data_ptr().cast(), [0, 1, 2].map(|i| stride[i] as usize)) }
}
