//! The architectures: each declares a trunk with its encodings, and the heads on it.

mod chessformer;
mod decoder;
pub(crate) mod refine;
pub mod resnet;
mod resnet_transformer;
pub(crate) mod trunk;

use crate::config::{GameSpec, ModelConfig, ModelError};
use encodings::EncodingConfig;
use nn::LayoutBuilder;
use trunk::Declared;

pub(crate) fn declare(
    model: &ModelConfig,
    builder: &mut LayoutBuilder,
    encodings: &[EncodingConfig],
    spec: &GameSpec,
) -> Result<Declared, ModelError> {
    match model {
        ModelConfig::Chessformer(config) => chessformer::declare(builder, encodings, spec, config),
        ModelConfig::Resnet(config) => resnet::declare(builder, encodings, spec, config),
        ModelConfig::ResnetTransformer(config) => resnet_transformer::declare(builder, encodings, spec, config),
        ModelConfig::Decoder(config) => decoder::declare(builder, encodings, spec, config),
    }
}
