//! What kernels run on.

use crate::instructions::{Instructions, Kernel};

/// Instructions and threads. No number depends on how many threads there are.
#[derive(Debug, Clone, Copy)]
pub struct Workers {
    pub instructions: Instructions,
    pub threads: usize,
}

impl Workers {
    /// Runs a kernel for each unit of work, each on one of the threads.
    ///
    /// # Safety
    /// As for each kernel's [`Kernel::run`]; the kernels of two units write to different places.
    pub(crate) unsafe fn run<K: Kernel>(self, units: usize, kernel: impl Fn(usize) -> K + Sync) {
        let threads = self.threads.clamp(1, units.max(1));
        let of_thread = |thread: usize| {
            for unit in (thread..units).step_by(threads) {
                // SAFETY: the caller vouches for it.
                unsafe { self.instructions.run(kernel(unit)) };
            }
        };
        std::thread::scope(|scope| {
            for thread in 1..threads {
                scope.spawn(move || of_thread(thread));
            }
            of_thread(0);
        });
    }
}
