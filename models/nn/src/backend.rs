//! What computes layers: posenc's kernels, LibTorch's elementary operations, or LibTorch's fused ones.
//!
//! A GPU has LibTorch's operations only, a norm or attention being one of them. `POSENC_KERNELS=fused` makes a CPU compute with the
//! same ones, so that the tests of networks and encodings reach the code of a GPU; `POSENC_KERNELS=off` makes any device compute
//! with elementary operations. The last digits of a cell depend on it: it is a part of the instruction set in manifests, and a
//! cell is not resumed under another value.

use std::cell::Cell;
use std::sync::OnceLock;
use tch::Device;

/// What computes layers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backend {
    /// posenc's kernels on CPUs; on other devices as [`Self::Fused`].
    Kernels,
    /// LibTorch's elementary operations: products, sums, a softmax.
    Operations,
    /// LibTorch's operations, of which a root-mean-square norm is one, and attention whose weights nothing reads.
    Fused,
}

/// A value of [`Backend::VARIABLE`] that names no back end.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{variable} is {0:?}; set it to \"off\" or \"fused\", or leave it out", variable = Backend::VARIABLE)]
pub struct UnknownBackend(String);

thread_local! {
    static CURRENT: Cell<Backend> = Cell::new(Backend::of_process());
}

impl Backend {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Kernels, Self::Operations, Self::Fused];

    /// The environment variable that sets it for a process, `off` or `fused`.
    pub const VARIABLE: &'static str = "POSENC_KERNELS";

    /// What [`Self::VARIABLE`] names; the kernels where it is not set or empty. An error shows its value, if it names none.
    pub fn of_environment() -> Result<Self, UnknownBackend> {
        let value = std::env::var_os(Self::VARIABLE).unwrap_or_default();
        Self::named(&value.to_string_lossy())
    }

    fn named(value: &str) -> Result<Self, UnknownBackend> {
        match value {
            "" => Ok(Self::Kernels),
            "off" => Ok(Self::Operations),
            "fused" => Ok(Self::Fused),
            other => Err(UnknownBackend(other.to_owned())),
        }
    }

    /// The backend of this process, unless [`Self::run`] is given another.
    ///
    /// # Panics
    /// If [`Self::of_environment`] fails, which programs ask first.
    pub fn of_process() -> Self {
        static OF_PROCESS: OnceLock<Backend> = OnceLock::new();
        *OF_PROCESS.get_or_init(|| Self::of_environment().unwrap_or_else(|error| panic!("{error}")))
    }

    /// What computes on a device in this thread.
    pub fn on(device: Device) -> Self {
        match CURRENT.get() {
            Self::Kernels if device != Device::Cpu => Self::Fused,
            here => here,
        }
    }

    /// Runs something with this back end in this thread.
    pub fn run<T>(self, run: impl FnOnce() -> T) -> T {
        /// Puts the former one back, also where `run` panics.
        struct Before(Backend);
        impl Drop for Before {
            fn drop(&mut self) {
                CURRENT.set(self.0);
            }
        }
        let _before = Before(CURRENT.replace(self));
        run()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_former_back_end_comes_back() {
        let before = CURRENT.get();
        for backend in Backend::ALL {
            backend.run(|| {
                assert_eq!(CURRENT.get(), backend);
                let panics = std::panic::catch_unwind(|| Backend::Operations.run(|| panic!("{:?}", CURRENT.get())));
                assert!(panics.is_err());
                assert_eq!(CURRENT.get(), backend);
            });
            assert_eq!(CURRENT.get(), before);
        }
    }

    #[test]
    fn a_name_is_known_or_refused() {
        let known = ["", "off", "fused"].map(Backend::named);
        assert_eq!(known, [Backend::Kernels, Backend::Operations, Backend::Fused].map(Ok));
        for wrong in ["on", "OFF", "fused ", "0"] {
            let error = Backend::named(wrong).expect_err(wrong).to_string();
            assert!(error.contains(&format!("{wrong:?}")) && error.contains("\"off\" or \"fused\""), "{error}");
        }
    }

    #[test]
    fn kernels_are_of_cpus_and_gpus_have_fused_operations_unless_told_otherwise() {
        let on = |backend: Backend| backend.run(|| [Device::Cpu, Device::Cuda(0)].map(Backend::on));
        assert_eq!(on(Backend::Kernels), [Backend::Kernels, Backend::Fused]);
        for other in [Backend::Operations, Backend::Fused] {
            assert_eq!(on(other), [other; 2]);
        }
    }
}
