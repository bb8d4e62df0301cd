//! The sets of instructions that kernels are compiled for, and the threads that they run on.

use crate::lanes::{Lanes, Portable};

/// A set of instructions that this processor has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Instructions(Set);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Set {
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// What every processor of the target has.
    Portable,
}

impl Instructions {
    /// The sets of this processor, the fastest first. The last one is there on every processor.
    pub fn available() -> Vec<Self> {
        available().into_iter().map(Self).collect()
    }

    pub fn fastest() -> Self {
        Self(available()[0])
    }

    /// Whether they have registers of several numbers.
    pub fn are_vectors(self) -> bool {
        self.0 != Set::Portable
    }

    /// Whether they are AVX2 and FMA.
    pub fn are_avx2(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        let found = self.0 == Set::Avx2;
        #[cfg(not(target_arch = "x86_64"))]
        let found = false;
        found
    }

    pub(crate) fn lanes(self) -> usize {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Set::Avx512 => <std::arch::x86_64::__m512 as Lanes>::COUNT,
            #[cfg(target_arch = "x86_64")]
            Set::Avx2 => <std::arch::x86_64::__m256 as Lanes>::COUNT,
            Set::Portable => Portable::COUNT,
        }
    }

    /// Runs a kernel with these instructions.
    ///
    /// # Safety
    /// As for the kernel's [`Kernel::run`].
    pub(crate) unsafe fn run(self, kernel: impl Kernel) {
        // SAFETY: the set is one of `available`, so the processor has it.
        unsafe {
            match self.0 {
                #[cfg(target_arch = "x86_64")]
                Set::Avx512 => with_avx512(kernel),
                #[cfg(target_arch = "x86_64")]
                Set::Avx2 => with_avx2(kernel),
                Set::Portable => kernel.run::<Portable, ROWS_PORTABLE>(),
            }
        }
    }
}

/// Work that is written once for all sets.
pub(crate) trait Kernel {
    /// Does it, with tiles of `ROWS` rows of two registers each. An implementation is `#[inline(always)]`, as is what it
    /// calls, so that it is compiled for the instructions of its caller.
    ///
    /// # Safety
    /// The processor has the instructions of `L`; the rest is the kernel's own.
    unsafe fn run<L: Lanes, const ROWS: usize>(self);
}

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

/// Rows of a tile of two registers' width: what the registers hold.
#[cfg(target_arch = "x86_64")]
const ROWS_AVX512: usize = 8;
#[cfg(target_arch = "x86_64")]
const ROWS_AVX2: usize = 6;
const ROWS_PORTABLE: usize = 2;

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx2,fma")]
unsafe fn with_avx512(kernel: impl Kernel) {
    // SAFETY: the caller vouches for the kernel, and for a processor with AVX-512F, which are the instructions of
    // `__m512`.
    unsafe { kernel.run::<std::arch::x86_64::__m512, ROWS_AVX512>() }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn with_avx2(kernel: impl Kernel) {
    // SAFETY: the caller vouches for the kernel, and for a processor with AVX2 and FMA, which are the instructions of
    // `__m256`.
    unsafe { kernel.run::<std::arch::x86_64::__m256, ROWS_AVX2>() }
}

#[cfg(target_arch = "x86_64")]
fn available() -> Vec<Set> {
    let fma = is_x86_feature_detected!("fma");
    let sets = [
        (Set::Avx512, fma && is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx2")),
        (Set::Avx2, fma && is_x86_feature_detected!("avx2")),
        (Set::Portable, true),
    ];
    sets.into_iter().filter(|&(_, is_there)| is_there).map(|(set, _)| set).collect()
}

#[cfg(not(target_arch = "x86_64"))]
fn available() -> Vec<Set> {
    vec![Set::Portable]
}
