//! Networks for board games, their losses and optimisers.
//!
//! A [`Network`] is declared from a [`ModelConfig`], a list of position encodings and a [`GameSpec`] of the game: an input
//! expansion, an embedding, a body of attention blocks that asks the encodings at their injection points, and the heads that the
//! configuration names. Nothing here reads files, applies rules or draws batches.
//!
//! The network is ChessFormer's (Monroe & Chalmers 2024, arXiv 2409.12272; reference code: the `tf/` directory of
//! Ergodice/lczero-training), each part with its deviations named where it is defined. Beside it there is a residual
//! network of convolutions ([`resnet`]), which takes no encodings, and dlshogi's, in which attention follows them.
//!
//! Floors, each of which uses only those before it:
//!
//! | floor | holds |
//! |---|---|
//! | [`config`] | networks, games and heads as plain data |
//! | `layers` | from packed rows to tokens, and blocks over tokens |
//! | [`loss`] | examples, the formulas of losses |
//! | [`heads`] | the outputs of a network, and their measures |
//! | `trunks` | the architectures |
//! | [`network`], [`measure`] | the whole network, and its answers against targets |
//!
//! [`optimizer`] steps over flat parameters and uses none of them. The names of heads, losses and metrics are plain data below
//! this crate, in `facts`.
//!
//! Shape suffixes: `b` batch, `l` tokens, `n` squares, `d` width, `h` heads, `k` head width, `c` input channels, `v`
//! moves of the vocabulary.

#![warn(missing_docs)]

pub mod config;
pub mod heads;
mod layers;
pub mod loss;
pub mod macs;
pub mod measure;
pub mod network;
pub mod optimizer;
mod trunks;

pub use config::{
    AttentionConfig, BatchNormConfig, ChessformerConfig, DecoderConfig, Edge, EmbedAt, EmbeddingConfig,
    FeedForwardKind, FurtherPolicy, GameSpec, InitKind, ModelConfig, ModelDescription, ModelError, MovesLeft,
    NoOptions, NormPlace, Outputs, Pairs, PerSquare, PlaneBias, PolicyConfig, PolicyOptions, Pool, Preset,
    RefinementConfig, ResnetConfig, ResnetPolicy, ResnetTransformerConfig, ResnetValue, RewardOptions, RightsOptions,
    SequenceMask, SoftPolicy, SqueezeConfig, Stem, ValueConfig, cls_parts, models, presets,
};
pub use facts::{Aggregation, Direction, HeadName, Loss, Metric, Target};
pub use heads::visit::{Masking, Term};
pub use heads::{Answer, BoardTokens, HeadDeclaration, Need, Output, Reading};
pub use layers::input;
pub use loss::Refined;
pub use loss::examples::{Column, Examples};
pub use macs::{HeadMacs, Macs};
pub use measure::Measure;
pub use network::Network;
pub use optimizer::average::{self, Average, AverageConfig};
pub use optimizer::schedule::{Cosine, Schedule, ScheduleError};
pub use optimizer::{
    Optimizer, OptimizerConfig, OptimizerError, OptimizerProgress, clip_global_norm, clip_global_norm_on_device,
};
pub use trunks::refine::MoveContext;
pub use trunks::resnet;
