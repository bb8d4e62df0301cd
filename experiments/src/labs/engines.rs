//! Commands of `posenc data generate` that start an engine.

pub(super) mod forced;
pub(super) mod games;
pub(super) mod openings;
pub(super) mod relabelled;
