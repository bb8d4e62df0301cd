//! Counts the operators that LibTorch runs: what a step asks of a device, without a clock.
//!
//! Operators are not kernels: one may launch several. posenc's own kernels are no operators of LibTorch's and are not counted.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::{Mutex, PoisonError};

/// What an operator does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OperatorKind {
    /// Reads and writes tensors on one device.
    Other,
    /// Multiplies matrices: a product, a convolution or attention.
    Product,
    /// Copies from the host's memory to a GPU.
    Upload,
    /// Copies from a GPU to the host's memory.
    Read,
}

/// An operator that ran.
#[derive(Debug, Clone, PartialEq)]
pub struct Operator {
    /// Its name in LibTorch.
    pub name: String,
    /// The bytes of its inputs and outputs, which it moves if no cache keeps them.
    pub bytes: f64,
    /// Multiplications and additions, if it is a product.
    pub operations: f64,
    /// What it does.
    pub kind: OperatorKind,
    /// Whether the host waits for it, if it is a copy between host and GPU.
    pub waits: bool,
    /// Whether some of its inputs are bf16.
    pub bf16: bool,
}

/// Runs something, and gives the operators that it ran, those of backward passes included, in the order in which they ended.
pub fn operators_of<T>(run: impl FnOnce() -> T) -> (T, Vec<Operator>) {
    /// Ends the counting, also where `run` panics.
    struct Counting;
    impl Drop for Counting {
        fn drop(&mut self) {
            // SAFETY: the shim removes its callback.
            unsafe { posenc_stop_counting() };
        }
    }
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: the shim adds its callback.
    unsafe { posenc_start_counting() };
    let result = {
        let _counting = Counting;
        run()
    };
    let mut found: Vec<Operator> = Vec::new();
    // SAFETY: `take` is given this list, for this call only.
    unsafe { posenc_each_call((&raw mut found).cast(), take) };
    (result, found)
}

/// The most bytes in use on a GPU since the last call; `None` without a GPU.
pub fn peak_bytes(gpu: usize) -> Option<f64> {
    let gpu = c_int::try_from(gpu).ok()?;
    // SAFETY: plain values; the shim catches LibTorch's errors.
    let peak = unsafe { posenc_peak_bytes(gpu, true) };
    (peak >= 0.0).then_some(peak)
}

/// The same as in the shim.
#[repr(C)]
struct Call {
    name: *const c_char,
    bytes: f64,
    operations: f64,
    kind: i32,
    waits: bool,
    bf16: bool,
}

unsafe extern "C" fn take(to: *mut c_void, call: *const Call) {
    // SAFETY: `operators_of` passes its list, which nothing else uses meanwhile, and the shim a call that lives.
    let (to, call) = unsafe { (&mut *to.cast::<Vec<Operator>>(), &*call) };
    // SAFETY: names of operators are C strings that LibTorch keeps.
    let name = unsafe { CStr::from_ptr(call.name) }.to_string_lossy().into_owned();
    let kind = match call.kind {
        1 => OperatorKind::Product,
        2 => OperatorKind::Upload,
        3 => OperatorKind::Read,
        _ => OperatorKind::Other,
    };
    let &Call { bytes, operations, waits, bf16, .. } = call;
    to.push(Operator { name, bytes, operations, kind, waits, bf16 });
}

// SAFETY: the shim is compiled with this crate and declares the same functions.
unsafe extern "C" {
    fn posenc_start_counting();
    fn posenc_stop_counting();
    fn posenc_each_call(to: *mut c_void, take: unsafe extern "C" fn(*mut c_void, *const Call));
    fn posenc_peak_bytes(device: c_int, starts_anew: bool) -> f64;
}

#[cfg(test)]
mod tests {
    use super::*;
    use tch::{Device, Kind, Tensor};

    fn ones(shape: &[i64], kind: Kind) -> Tensor {
        Tensor::ones(shape, (kind, Device::Cpu))
    }

    fn names(found: &[Operator]) -> Vec<&str> {
        found.iter().map(|operator| operator.name.as_str()).collect()
    }

    #[test]
    fn products_have_their_bytes_and_operations_and_views_cost_nothing() {
        let (a, b) = (ones(&[3, 4], Kind::Float), ones(&[4, 5], Kind::Float));
        let (_, found) = operators_of(|| a.transpose(0, 1).transpose(0, 1).matmul(&b).view([15]));
        assert_eq!(names(&found), ["aten::mm"]);
        assert_eq!((found[0].bytes, found[0].operations), (4.0 * (12 + 20 + 15) as f64, 2.0 * (3 * 4 * 5) as f64));
        assert_eq!((found[0].kind, found[0].bf16, found[0].waits), (OperatorKind::Product, false, false));
    }

    #[test]
    fn an_operator_that_is_made_of_others_is_not_counted_twice() {
        let x = ones(&[6], Kind::Float);
        let (_, found) = operators_of(|| (x.to_kind(Kind::BFloat16), x.expand([5, 6], false) + &x));
        assert_eq!(names(&found), ["aten::copy_", "aten::add"]);
        // Read in f32, written in bf16; then two rows that stand for themselves, and five that are written.
        assert_eq!((found[0].bytes, found[1].bytes), (6.0 * (4 + 2) as f64, 4.0 * (6 + 6 + 30) as f64));
    }

    #[test]
    fn a_tensor_that_is_given_for_the_result_is_only_written() {
        let [a, b, product] = [[2, 3, 4], [2, 4, 5], [2, 3, 5]].map(|shape| ones(&shape, Kind::Float));
        let (_, found) = operators_of(|| a.bmm_out(&product, &b));
        assert_eq!(names(&found), ["aten::bmm"]);
        assert_eq!((found[0].bytes, found[0].operations), (4.0 * (24 + 40 + 30) as f64, 2.0 * (30 * 4) as f64));
    }

    #[test]
    fn backward_passes_are_counted() {
        let x = ones(&[2, 3], Kind::Float).set_requires_grad(true);
        let weight = ones(&[3, 4], Kind::Float);
        let (_, found) = operators_of(|| {
            let loss = x.matmul(&weight).sum(Kind::Float);
            Tensor::run_backward(&[&loss], &[&x], false, false)
        });
        assert_eq!(names(&found).iter().filter(|&&name| name == "aten::mm").count(), 2, "{:?}", names(&found));
    }

    #[test]
    fn counting_ends_with_what_is_counted() {
        let panics = std::panic::catch_unwind(|| operators_of::<()>(|| panic!("inside")));
        assert!(panics.is_err());
        let x = ones(&[6], Kind::Float);
        let (_, found) = operators_of(|| ());
        drop(&x + &x);
        let (_, after) = operators_of(|| ());
        assert_eq!((found, after), (vec![], vec![]));
    }

    #[test]
    fn only_a_gpu_has_a_peak() {
        assert_eq!(peak_bytes(0).is_some(), tch::Cuda::is_available());
    }
}
