//! Operations that posenc's kernels compute on CPUs, each one node of autograd's graph, and the switch between them and
//! LibTorch's.
//!
//! Layers choose between the two; nothing outside this crate calls a kernel.
//!
//! A GPU computes with LibTorch's operations only. `POSENC_KERNELS=off` makes a CPU do the same, so that the tests of
//! networks and encodings reach the code that a GPU runs. The numbers of a cell depend on it in their last digits: it is a
//! part of the instruction set in manifests, and a cell is not resumed under the other value.

pub(crate) mod attention;
pub(crate) mod dense;
pub(crate) mod mish;
pub(crate) mod norm;
mod operands;
pub(crate) mod pair_logits;
pub(crate) mod pair_products;
pub(crate) mod rotation;
pub(crate) mod token_layers;

use kernels::{Instructions, Workers};
use std::cell::Cell;
use std::sync::OnceLock;
use tch::{Device, Kind, Tensor};

/// The environment variable that switches them off for a process, with the value `off`.
pub const VARIABLE: &str = "POSENC_KERNELS";

thread_local! {
    static HERE: Cell<bool> = Cell::new(of_process());
}

/// Whether they are on in this process, unless [`with`] says otherwise.
pub fn of_process() -> bool {
    static ON: OnceLock<bool> = OnceLock::new();
    *ON.get_or_init(|| std::env::var_os(VARIABLE).is_none_or(|value| value != "off"))
}

/// Whether they are on in this thread.
pub(crate) fn is_on() -> bool {
    HERE.get()
}

/// Whether a tensor can be an operand of one, and shall be.
pub fn supports(tensor: &Tensor) -> bool {
    tensor.kind() == Kind::Float && tensor.device() == Device::Cpu && tensor.numel() > 0 && is_on()
}

/// The tensor in f32 if it is bf16 that an operation shall serve: these compute in f32, and their callers round the result.
/// Otherwise the tensor itself.
pub(crate) fn widened(tensor: &Tensor) -> Tensor {
    match tensor.kind() {
        Kind::BFloat16 if tensor.device() == Device::Cpu && is_on() => tensor.to_kind(Kind::Float),
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

/// Runs something with the switch on or off in this thread, whatever it is otherwise.
pub fn with<T>(on: bool, run: impl FnOnce() -> T) -> T {
    /// Puts the switch back, also where `run` panics.
    struct Before(bool);
    impl Drop for Before {
        fn drop(&mut self) {
            HERE.set(self.0);
        }
    }
    let _before = Before(HERE.replace(on));
    run()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_switch_goes_back_to_where_it_was() {
        let before = is_on();
        with(!before, || {
            assert_eq!(is_on(), !before);
            let panics = std::panic::catch_unwind(|| with(before, || panic!("{}", is_on())));
            assert!(panics.is_err());
            assert_eq!(is_on(), !before);
        });
        assert_eq!(is_on(), before);
    }
}
