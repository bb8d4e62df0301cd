//! Networks, games and heads as plain data: the settings of experiments, their defaults and checks.

mod body;
mod chessformer;
mod decoder;
mod defaults;
mod error;
mod heads;
mod model;
pub mod parts;
mod preset;
mod resnet;
mod resnet_transformer;
mod spec;

pub use body::{FeedForwardKind, InitKind, NormPlace};
pub use chessformer::{ChessformerConfig, Edge, EmbeddingConfig, Pool, RefinementConfig, ValueConfig};
pub use decoder::{DecoderConfig, SequenceMask};
pub use error::ModelError;
pub use heads::{
    FurtherPolicy, MovesLeft, NoOptions, Outputs, Pairs, PerSquare, PlaneBias, PolicyConfig, PolicyOptions,
    RewardOptions, RightsOptions, SoftPolicy,
};
pub use model::{ModelConfig, ModelDescription, models};
pub use preset::{Preset, presets};
pub use resnet::{BatchNormConfig, ResnetConfig, ResnetPolicy, ResnetValue, SqueezeConfig, Stem};
pub use resnet_transformer::{AttentionConfig, EmbedAt, ResnetTransformerConfig};
pub use spec::Spec;

pub(crate) use body::BodyConfig;
pub(crate) use chessformer::MOST_REGISTERS;
