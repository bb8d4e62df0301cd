//! Networks for board games, their losses and optimisers.
//!
//! A [`Network`] is declared from a [`ModelConfig`], a list of position encodings and a [`Spec`] of the game: an input
//! expansion, an embedding, a body of attention blocks that asks the encodings at their seams, a policy head and a
//! win/draw/loss head. Nothing here reads files, knows rules or draws batches.
//!
//! The network is ChessFormer's (Monroe & Chalmers 2024, arXiv 2409.12272; reference code: the `tf/` directory of
//! Ergodice/lczero-training), each part with its deviations named where it is defined.
//!
//! Shape suffixes: `b` batch, `l` tokens, `n` squares, `d` width, `h` heads, `k` head width, `c` input channels, `v`
//! moves of the vocabulary.

mod attention;
mod block;
mod body;
pub mod clip;
pub mod config;
mod embedding;
mod feed_forward;
pub mod input;
pub mod loss;
pub mod macs;
pub mod network;
pub mod optimizer;
mod policy;
pub mod preset;
pub mod schedule;
mod value;

pub use clip::clip_global_norm;
pub use config::{
    ChessformerConfig, ModelConfig, ModelDescription, ModelError, NormPlace, PolicyConfig, Pool, ValueConfig, models,
};
pub use macs::Macs;
pub use network::{Network, Output, Spec};
pub use optimizer::{Optimizer, OptimizerConfig, OptimizerError, OptimizerProgress};
pub use preset::{Preset, PresetDescription, presets};
pub use schedule::{Schedule, ScheduleError};
