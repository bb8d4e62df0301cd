//! Tensors `[b,h,l,…]` as kernels read and write them: contiguous rows in any layout.

use kernels::attention::Strided;
use tch::{Device, Kind, TchError, Tensor};

/// A tensor whose rows are contiguous.
pub(crate) fn with_rows(tensor: Tensor) -> Result<Tensor, TchError> {
    if has_rows(&tensor) { Ok(tensor) } else { tensor.f_contiguous() }
}

fn has_rows(tensor: &Tensor) -> bool {
    tensor.stride().last() == Some(&1) || tensor.size().last() == Some(&1)
}

/// Where the rows of a tensor lie.
///
/// # Panics
/// If it is not f32, not on the CPU, or has not four dimensions, or if its rows are not contiguous ([`with_rows`]).
pub(crate) fn rows(tensor: &Tensor) -> Strided {
    let fits = tensor.kind() == Kind::Float && tensor.device() == Device::Cpu && tensor.dim() == 4;
    assert!(
        fits && has_rows(tensor),
        "kernels need f32 tensors of four dimensions with rows on the CPU, got {tensor:?}"
    );
    let stride = tensor.stride();
    // SAFETY: the tensor has memory for its sizes at these distances, and the numbers of a row lie side by side.
    unsafe { Strided::new(tensor.data_ptr().cast(), [0, 1, 2].map(|i| stride[i] as usize)) }
}
