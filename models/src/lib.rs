//! Networks for board games, their losses and optimisers.
//!
//! A [`Network`] is declared from a [`ModelConfig`], a list of position encodings and a [`Spec`] of the game: an input
//! expansion, an embedding, a body of attention blocks that asks the encodings at their injection points, and the heads that the
//! configuration names. Nothing here reads files, knows rules or draws batches.
//!
//! The network is ChessFormer's (Monroe & Chalmers 2024, arXiv 2409.12272; reference code: the `tf/` directory of
//! Ergodice/lczero-training), each part with its deviations named where it is defined. Beside it there is a residual
//! network of convolutions ([`resnet`]), which takes no encodings, and dlshogi's, which has attention behind them.
//!
//! Shape suffixes: `b` batch, `l` tokens, `n` squares, `d` width, `h` heads, `k` head width, `c` input channels, `v`
//! moves of the vocabulary.

#![warn(missing_docs)]

mod attention;
pub mod average;
mod block;
mod body;
mod chessformer;
pub mod clip;
pub mod config;
pub mod decoder;
mod description;
mod edge;
mod embedding;
pub mod examples;
mod feed_forward;
pub mod heads;
pub mod input;
pub mod loss;
pub mod macs;
pub mod measure;
pub mod network;
pub mod optimizer;
pub mod preset;
pub mod refine;
mod registers;
mod residual;
pub mod resnet;
mod resnet_transformer;
pub mod schedule;
mod start;
mod trunk;

pub use average::{Average, AverageConfig};
pub use clip::clip_global_norm;
pub use config::{
    AttentionConfig, BatchNormConfig, ChessformerConfig, DecoderConfig, Edge, EmbedAt, EmbeddingConfig,
    FeedForwardKind, FurtherPolicy, InitKind, ModelConfig, ModelDescription, ModelError, MovesLeft, NoOptions,
    NormPlace, Outputs, Pairs, PerSquare, PlaneBias, PolicyConfig, PolicyOptions, Pool, ResnetConfig, ResnetPolicy,
    ResnetTransformerConfig, ResnetValue, RewardOptions, RightsOptions, SequenceMask, SoftPolicy, SqueezeConfig, Stem,
    ValueConfig, models,
};
pub use embedding::parts;
pub use examples::{Column, Examples};
pub use facts::{Aggregation, Direction, HeadName, Loss, Metric, Target};
pub use heads::{Answer, BoardTokens, HeadDeclaration, Need, Output, Reading, Refined};
pub use macs::{HeadMacs, Macs};
pub use measure::{Masking, Measure, Term};
pub use network::{Network, Spec};
pub use optimizer::{Optimizer, OptimizerConfig, OptimizerError, OptimizerProgress};
pub use preset::{Preset, presets};
pub use refine::{MoveContext, RefinementConfig};
pub use schedule::{Cosine, Schedule, ScheduleError};
