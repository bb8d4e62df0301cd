//! Memory of the host from which a GPU copies by itself.

use crate::differentiable::checked;
use std::ffi::c_char;
use tch::{TchError, Tensor};
use torch_sys::C_tensor;

/// A copy in pinned memory. Copies from it to a GPU can be asynchronous; LibTorch keeps the memory until they are done. An
/// error if there is no GPU, or no memory.
pub fn pinned(tensor: &Tensor) -> Result<Tensor, TchError> {
    let mut copy = std::ptr::null_mut();
    // SAFETY: the tensor lives until the call returns, and there is a place for its copy.
    let message = unsafe { posenc_pinned(tensor.as_ptr(), &raw mut copy) };
    checked(message)?;
    // SAFETY: without a message the shim gives a tensor, which is ours.
    Ok(unsafe { Tensor::from_ptr(copy) })
}

// SAFETY: the shim is compiled with this crate and declares the same function.
unsafe extern "C" {
    fn posenc_pinned(tensor: *const C_tensor, pinned: *mut *mut C_tensor) -> *mut c_char;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_has_the_same_numbers_and_needs_a_gpu() {
        let numbers = Tensor::from_slice(&[1i64, 2, 3]);
        match pinned(&numbers) {
            Ok(copy) => assert!(copy.equal(&numbers) && copy.data_ptr() != numbers.data_ptr()),
            Err(error) => assert!(!tch::Cuda::is_available(), "{error}"),
        }
    }
}
