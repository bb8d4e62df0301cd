//! Networks as players: `posenc eval`, `posenc play`, `posenc match`, and `evaluate:` of experiment files.

pub(super) mod engine;
pub(super) mod eval;
pub(crate) mod evaluation;
pub(super) mod matches;
mod opponent;
