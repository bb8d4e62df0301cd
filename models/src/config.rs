//! Networks, games and heads as plain data: the settings of experiments, their defaults and checks.

mod body;
mod chessformer;
pub mod cls_parts;
mod decoder;
mod defaults;
mod error;
mod game_spec;
mod heads;
mod model;
mod preset;
mod resnet;
mod resnet_transformer;

pub use body::{FeedForwardKind, InitKind, NormPlace};
pub use chessformer::{ChessformerConfig, Edge, EmbeddingConfig, Pool, RefinementConfig, ValueConfig};
pub use decoder::{DecoderConfig, SequenceMask};
pub use error::ModelError;
pub use game_spec::GameSpec;
pub use heads::{
    FurtherPolicy, MovesLeft, NoOptions, Outputs, Pairs, PerSquare, PlaneBias, PolicyConfig, PolicyOptions,
    RewardOptions, RightsOptions, SoftPolicy,
};
pub use model::{ModelConfig, ModelDescription, models};
pub use preset::{Preset, presets};
pub use resnet::{BatchNormConfig, ResnetConfig, ResnetPolicy, ResnetValue, SqueezeConfig, Stem};
pub use resnet_transformer::{AttentionConfig, EmbedAt, ResnetTransformerConfig};

pub(crate) use body::BodyConfig;
pub(crate) use chessformer::MOST_REGISTERS;
