//! Operations that compute their own value and gradient.
//!
//! tch has no counterpart of `torch::autograd::Function`; the shim `shim/differentiable.cpp` makes one. An operation
//! becomes one node of the graph, whatever it does inside. Nothing is kept for the backward pass but its inputs and what it
//! names.

use std::ffi::{CStr, CString, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use tch::{TchError, Tensor};
use torch_sys::C_tensor;

/// An operation of tensors.
///
/// LibTorch keeps the operation as long as the graph that it is part of, and records nothing that either function does.
pub trait Differentiable: Send + Sync + 'static {
    /// The outputs for these inputs: new tensors, none of the inputs. `keeps` is whether a backward pass may follow, so that
    /// something needs to be kept for it.
    fn forward(&self, inputs: &[Tensor], keeps: bool) -> Result<Results, TchError>;

    /// The gradient of each input, in its shape and element type. Those of which `wanted` is false may be `None`.
    fn backward(&self, context: BackwardContext<'_>, wanted: &[bool]) -> Result<Vec<Option<Tensor>>, TchError>;
}

/// What a forward pass gives; at most four tensors together.
#[derive(Debug)]
pub struct Results {
    /// The outputs, at least one.
    pub outputs: Vec<Tensor>,
    /// What the backward pass gets beside the inputs; an output may be among them. Freed with the graph's inputs.
    pub kept: Vec<Tensor>,
}

impl Results {
    /// One output, and nothing kept.
    pub fn one(output: Tensor) -> Self {
        Self { outputs: vec![output], kept: vec![] }
    }
}

/// What a backward pass gets.
#[derive(Debug, Clone, Copy)]
pub struct BackwardContext<'a> {
    /// The inputs of the forward pass.
    pub inputs: &'a [Tensor],
    /// What the forward pass kept: [`Results::kept`].
    pub kept: &'a [Tensor],
    /// The gradient of each output, in any layout; `None` where nothing depends on it.
    pub gradients: &'a [Option<Tensor>],
}

impl BackwardContext<'_> {
    /// The gradient of an operation's only output, contiguous.
    pub(crate) fn gradient(self) -> Result<Tensor, TchError> {
        self.gradients[0].as_ref().expect("a backward pass starts from the only output").f_contiguous()
    }
}

/// The outputs of an operation, through which gradients flow to the inputs. A failure in the backward pass is an error of
/// `backward` or `run_backward`.
pub fn apply<D: Differentiable>(operation: D, inputs: &[&Tensor]) -> Result<Vec<Tensor>, TchError> {
    let inputs: Vec<*const C_tensor> = inputs.iter().map(|input| input.as_ptr()).collect();
    let operation = Box::into_raw(Box::new(operation)).cast();
    let mut results = Handles { tensors: [std::ptr::null_mut(); MOST_RESULTS], outputs: 0, kept: 0 };
    // SAFETY: the inputs live until the call returns, and the shim owns the operation from here on.
    let message =
        unsafe { posenc_differentiable(operation, &callbacks::<D>(), inputs.as_ptr(), inputs.len(), &mut results) };
    checked(message)?;
    // SAFETY: without a message the shim gives this many tensors, which are ours.
    let owned = |&tensor: &*mut C_tensor| unsafe { Tensor::from_ptr(tensor) };
    Ok(results.tensors[..results.outputs].iter().map(owned).collect())
}

/// A message of the shim's as an error; null is none.
pub(crate) fn checked(message: *mut c_char) -> Result<(), TchError> {
    taken(message).map_or(Ok(()), |text| Err(TchError::Torch(text)))
}

/// A text of the shim's, which is then freed; `None` for null.
pub(crate) fn taken(text: *mut c_char) -> Option<String> {
    if text.is_null() {
        return None;
    }
    // SAFETY: the shim's texts are C strings that are ours to hand back.
    let copy = unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned();
    // SAFETY: it is handed back once, and `copy` is a copy.
    unsafe { posenc_free_message(text) };
    Some(copy)
}

/// The output of an operation that has one.
///
/// # Panics
/// If the operation has no output.
pub fn apply_one<D: Differentiable>(operation: D, inputs: &[&Tensor]) -> Result<Tensor, TchError> {
    Ok(apply(operation, inputs)?.remove(0))
}

/// Outputs and kept tensors of an operation, together.
const MOST_RESULTS: usize = 4;

/// The same as `Results` in the shim.
#[repr(C)]
struct Handles {
    tensors: [*mut C_tensor; MOST_RESULTS],
    outputs: usize,
    kept: usize,
}

/// The same as in the shim.
#[repr(C)]
struct Callbacks {
    forward: unsafe extern "C" fn(*const c_void, *const *const C_tensor, usize, bool, *mut Handles) -> *mut c_char,
    backward: unsafe extern "C" fn(
        *const c_void,
        *const *const C_tensor,
        usize,
        *const *const C_tensor,
        usize,
        *const *const C_tensor,
        usize,
        *const bool,
        *mut *mut C_tensor,
    ) -> *mut c_char,
    drop: unsafe extern "C" fn(*mut c_void),
    free_message: unsafe extern "C" fn(*mut c_char),
}

// SAFETY: the shim is compiled with this crate and declares the same functions.
unsafe extern "C" {
    fn posenc_differentiable(
        operation: *mut c_void,
        callbacks: *const Callbacks,
        inputs: *const *const C_tensor,
        count: usize,
        results: *mut Handles,
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
    keeps: bool,
    results: *mut Handles,
) -> *mut c_char {
    guarded(|| {
        // SAFETY: the shim hands back the pointer that `apply` gave it, and `count` live tensors.
        let (operation, inputs) = unsafe { (&*operation.cast::<D>(), tensors(inputs, count)) };
        let Results { outputs, kept } = operation.forward(&inputs, keeps)?;
        if outputs.len() + kept.len() > MOST_RESULTS {
            return Err(TchError::Torch(format!("an operation of posenc gave more than {MOST_RESULTS} tensors")));
        }
        // SAFETY: `results` is the place for them.
        let results = unsafe { &mut *results };
        (results.outputs, results.kept) = (outputs.len(), kept.len());
        for (handle, tensor) in results.tensors.iter_mut().zip(outputs.iter().chain(&kept)) {
            *handle = owned_by_shim(tensor);
        }
        Ok(())
    })
}

unsafe extern "C" fn backward<D: Differentiable>(
    operation: *const c_void,
    inputs: *const *const C_tensor,
    count: usize,
    kept: *const *const C_tensor,
    kept_count: usize,
    of_outputs: *const *const C_tensor,
    outputs: usize,
    wanted: *const bool,
    gradients: *mut *mut C_tensor,
) -> *mut c_char {
    guarded(|| {
        // SAFETY: as in `forward`; `wanted` has as many entries as there are inputs.
        let (operation, inputs) = unsafe { (&*operation.cast::<D>(), tensors(inputs, count)) };
        // SAFETY: as said, and the shim writes each as 0 or 1.
        let wanted = unsafe { std::slice::from_raw_parts(wanted, count) };
        // SAFETY: the shim gives this many addresses of each, null or of live tensors.
        let (kept, of_outputs) = unsafe { (tensors(kept, kept_count), present(of_outputs, outputs)) };
        let all =
            operation.backward(BackwardContext { inputs: &inputs, kept: &kept, gradients: &of_outputs }, wanted)?;
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

/// New handles on the shim's tensors.
///
/// # Safety
/// As for [`present`].
unsafe fn tensors(addresses: *const *const C_tensor, count: usize) -> Vec<Tensor> {
    // SAFETY: the caller vouches for it.
    unsafe { present(addresses, count) }.into_iter().flatten().collect()
}

/// The same; `None` for a null pointer.
///
/// # Safety
/// `addresses` are `count` addresses, each null or that of a tensor that lives until the call returns.
unsafe fn present(addresses: *const *const C_tensor, count: usize) -> Vec<Option<Tensor>> {
    if count == 0 {
        // An empty vector of the shim may have no address at all.
        return vec![];
    }
    // SAFETY: the caller vouches for it, and there is at least one.
    let addresses = unsafe { std::slice::from_raw_parts(addresses, count) };
    // SAFETY: only addresses that are not null are given to it.
    let handle = |address: &*const C_tensor| unsafe { Tensor::clone_from_ptr(address.cast_mut()) };
    addresses.iter().map(|address| (!address.is_null()).then(|| handle(address))).collect()
}

/// A handle that the shim deletes.
fn owned_by_shim(tensor: &Tensor) -> *mut C_tensor {
    let mut handle = std::mem::ManuallyDrop::new(tensor.shallow_clone());
    handle.as_mut_ptr()
}
