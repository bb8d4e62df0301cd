//! The sets of instructions that kernels are written in.

/// A set of instructions that this processor has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Instructions(pub(crate) Set);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Set {
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    Avx2,
}

impl Instructions {
    /// The sets of this processor for which there are kernels, the fastest first.
    #[must_use]
    pub fn available() -> Vec<Self> {
        available().into_iter().map(Self).collect()
    }

    /// The fastest one, if there is any.
    #[must_use]
    pub fn fastest() -> Option<Self> {
        Self::available().into_iter().next()
    }
}

#[cfg(target_arch = "x86_64")]
fn available() -> Vec<Set> {
    let fma = is_x86_feature_detected!("fma");
    let sets = [
        (Set::Avx512, fma && is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx2")),
        (Set::Avx2, fma && is_x86_feature_detected!("avx2")),
    ];
    sets.into_iter().filter(|&(_, is_there)| is_there).map(|(set, _)| set).collect()
}

#[cfg(not(target_arch = "x86_64"))]
fn available() -> Vec<Set> {
    Vec::new()
}
