//! Operations that compute their own value and gradient.
//!
//! tch has no counterpart of `torch::autograd::Function`; the shim `shim/differentiable.cpp` makes one. An operation
//! becomes one node of the graph, whatever it does inside, and nothing but its inputs is kept for the backward pass.

use std::ffi::{CStr, CString, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use tch::{TchError, Tensor};
use torch_sys::C_tensor;

/// An operation with one output.
///
/// LibTorch keeps the operation as long as the graph that it is part of, and records nothing that either function does.
pub trait Differentiable: Send + Sync + 'static {
    /// The output for these inputs: a new tensor, none of the inputs.
    ///
    /// # Errors
    /// If LibTorch fails, for example if memory runs out.
    fn forward(&self, inputs: &[Tensor]) -> Result<Tensor, TchError>;

    /// The gradient of each input, in its shape and element type, given that of the output (in any layout). Those of
    /// which `wanted` is false may be `None`.
    ///
    /// # Errors
    /// As for [`Self::forward`].
    fn backward(&self, inputs: &[Tensor], gradient: &Tensor, wanted: &[bool]) -> Result<Vec<Option<Tensor>>, TchError>;
}

/// The operation's output, through which gradients flow to the inputs.
///
/// # Errors
/// If the operation fails. A failure in the backward pass is one of `backward` or `run_backward`.
pub fn apply<D: Differentiable>(operation: D, inputs: &[&Tensor]) -> Result<Tensor, TchError> {
    let inputs: Vec<*const C_tensor> = inputs.iter().map(|input| input.as_ptr()).collect();
    let operation = Box::into_raw(Box::new(operation)).cast();
    let mut output = std::ptr::null_mut();
    // SAFETY: the inputs live until the call returns, and the shim owns the operation from here on.
    let message =
        unsafe { posenc_differentiable(operation, &callbacks::<D>(), inputs.as_ptr(), inputs.len(), &mut output) };
    if message.is_null() {
        // SAFETY: without a message the shim gives a tensor, which is ours.
        return Ok(unsafe { Tensor::from_ptr(output) });
    }
    // SAFETY: a message is a C string that is ours to hand back.
    let text = unsafe { CStr::from_ptr(message) }.to_string_lossy().into_owned();
    unsafe { posenc_free_message(message) };
    Err(TchError::Torch(text))
}

/// The same as in the shim.
#[repr(C)]
struct Callbacks {
    forward: unsafe extern "C" fn(*const c_void, *const *const C_tensor, usize, *mut *mut C_tensor) -> *mut c_char,
    backward: unsafe extern "C" fn(
        *const c_void,
        *const *const C_tensor,
        usize,
        *const C_tensor,
        *const bool,
        *mut *mut C_tensor,
    ) -> *mut c_char,
    drop: unsafe extern "C" fn(*mut c_void),
    free_message: unsafe extern "C" fn(*mut c_char),
}

unsafe extern "C" {
    fn posenc_differentiable(
        operation: *mut c_void,
        callbacks: *const Callbacks,
        inputs: *const *const C_tensor,
        count: usize,
        output: *mut *mut C_tensor,
    ) -> *mut c_char;
    fn posenc_free_message(message: *mut c_char);
}

fn callbacks<D: Differentiable>() -> Callbacks {
    Callbacks { forward: forward::<D>, backward: backward::<D>, drop: drop_operation::<D>, free_message }
}

unsafe extern "C" fn forward<D: Differentiable>(
    operation: *const c_void,
    inputs: *const *const C_tensor,
    count: usize,
    output: *mut *mut C_tensor,
) -> *mut c_char {
    guarded(|| {
        // SAFETY: the shim hands back the pointer that `apply` gave it, and `count` live tensors.
        let (operation, inputs) = unsafe { (&*operation.cast::<D>(), tensors(inputs, count)) };
        let value = operation.forward(&inputs)?;
        // SAFETY: `output` is the place for it.
        unsafe { *output = owned_by_shim(&value) };
        Ok(())
    })
}

unsafe extern "C" fn backward<D: Differentiable>(
    operation: *const c_void,
    inputs: *const *const C_tensor,
    count: usize,
    gradient: *const C_tensor,
    wanted: *const bool,
    gradients: *mut *mut C_tensor,
) -> *mut c_char {
    guarded(|| {
        // SAFETY: as in `forward`; `wanted` has as many entries as there are inputs.
        let (operation, inputs) = unsafe { (&*operation.cast::<D>(), tensors(inputs, count)) };
        let wanted = unsafe { std::slice::from_raw_parts(wanted, count) };
        let gradient = unsafe { Tensor::clone_from_ptr(gradient.cast_mut()) };
        let all = operation.backward(&inputs, &gradient, wanted)?;
        for (number, gradient) in all.iter().enumerate().take(count) {
            if let Some(gradient) = gradient {
                // SAFETY: there is a place for each input's.
                unsafe { *gradients.add(number) = owned_by_shim(gradient) };
            }
        }
        Ok(())
    })
}

unsafe extern "C" fn drop_operation<D>(operation: *mut c_void) {
    // SAFETY: the box of `apply`, dropped once.
    drop(unsafe { Box::from_raw(operation.cast::<D>()) });
}

unsafe extern "C" fn free_message(message: *mut c_char) {
    // SAFETY: made by `guarded`.
    drop(unsafe { CString::from_raw(message) });
}

/// Runs a callback; neither errors nor panics may pass through C++ as such.
fn guarded(run: impl FnOnce() -> Result<(), TchError>) -> *mut c_char {
    let text = match catch_unwind(AssertUnwindSafe(run)) {
        Ok(Ok(())) => return std::ptr::null_mut(),
        Ok(Err(error)) => error.to_string(),
        Err(_) => "an operation of posenc panicked".to_owned(),
    };
    CString::new(text.replace('\0', " ")).unwrap_or_default().into_raw()
}

/// Handles of our own on the shim's tensors.
unsafe fn tensors(addresses: *const *const C_tensor, count: usize) -> Vec<Tensor> {
    // SAFETY: the caller says so.
    let addresses = unsafe { std::slice::from_raw_parts(addresses, count) };
    addresses.iter().map(|address| unsafe { Tensor::clone_from_ptr(address.cast_mut()) }).collect()
}

/// A handle that the shim deletes.
fn owned_by_shim(tensor: &Tensor) -> *mut C_tensor {
    let mut handle = std::mem::ManuallyDrop::new(tensor.shallow_clone());
    handle.as_mut_ptr()
}
