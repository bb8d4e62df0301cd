//! Whether networks compute with posenc's own operations on CPUs, where there is one, or with LibTorch's only: a switch for
//! developers, who compare the two.

use std::cell::Cell;
use std::sync::LazyLock;
use tch::{Device, Kind, Tensor};

/// The variable of the environment: `1` switches them on, `0` off.
const VARIABLE: &str = "POSENC_FUSED";

/// Without the variable.
const DEFAULT: bool = false;

static AT_START: LazyLock<bool> =
    LazyLock::new(|| std::env::var(VARIABLE).map_or(DEFAULT, |value| value.trim() == "1"));

thread_local! {
    static HERE: Cell<Option<bool>> = const { Cell::new(None) };
}

/// Whether they are on in this thread.
#[must_use]
pub fn is_on() -> bool {
    HERE.get().unwrap_or(*AT_START)
}

/// Whether a tensor can be an operand of one, and shall be.
#[must_use]
pub fn serves(tensor: &Tensor) -> bool {
    tensor.kind() == Kind::Float && tensor.device() == Device::Cpu && tensor.numel() > 0 && is_on()
}

/// As many threads as LibTorch may use.
#[must_use]
pub fn threads() -> usize {
    usize::try_from(tch::get_num_threads()).unwrap_or(1)
}

/// Runs something with the switch on or off in this thread, whatever it is otherwise.
pub fn with<T>(on: bool, run: impl FnOnce() -> T) -> T {
    /// Puts the switch back, also where `run` panics.
    struct Before(Option<bool>);
    impl Drop for Before {
        fn drop(&mut self) {
            HERE.set(self.0);
        }
    }
    let _before = Before(HERE.replace(Some(on)));
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
