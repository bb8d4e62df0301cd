//! A network as experiments write it.

use super::chessformer::{ChessformerConfig, RefinementConfig};
use super::decoder::DecoderConfig;
use super::error::ModelError;
use super::heads::Outputs;
use super::resnet::ResnetConfig;
use super::resnet_transformer::ResnetTransformerConfig;
use facts::HeadName;
use serde::{Deserialize, Serialize};

/// A network with every size written out. Published ones have names ([`crate::presets`]).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ModelConfig {
    /// The encoder of Chessformer with any of its heads.
    Chessformer(Box<ChessformerConfig>),
    /// Convolutions with residual connections, and heads of their own.
    Resnet(Box<ResnetConfig>),
    /// The same with attention layers after the convolutions.
    ResnetTransformer(Box<ResnetTransformerConfig>),
    /// Blocks over the boards and moves of a game.
    Decoder(Box<DecoderConfig>),
}

impl ModelConfig {
    /// The name of its architecture in YAML.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Chessformer(_) => "chessformer",
            Self::Resnet(_) => "resnet",
            Self::ResnetTransformer(_) => "resnet_transformer",
            Self::Decoder(_) => "decoder",
        }
    }

    /// The number of consecutive plies of a game that it reads at once; rows of batches form sequences of this length.
    pub fn plies(&self) -> usize {
        if let Self::Decoder(config) = self { config.plies } else { 1 }
    }

    /// The number of attention heads of each layer; 0 without attention.
    pub fn attention_heads(&self) -> usize {
        match self {
            Self::Chessformer(config) => config.heads,
            Self::Resnet(_) => 0,
            Self::ResnetTransformer(config) => config.attention.heads,
            Self::Decoder(config) => config.heads,
        }
    }

    /// Which heads it has.
    pub fn outputs(&self) -> &Outputs {
        match self {
            Self::Chessformer(config) => &config.outputs,
            Self::Resnet(config) => &config.outputs,
            Self::ResnetTransformer(config) => &config.resnet.outputs,
            Self::Decoder(config) => &config.outputs,
        }
    }

    /// The same as [`Self::outputs`], to be changed.
    pub fn outputs_mut(&mut self) -> &mut Outputs {
        match self {
            Self::Chessformer(config) => &mut config.outputs,
            Self::Resnet(config) => &mut config.outputs,
            Self::ResnetTransformer(config) => &mut config.resnet.outputs,
            Self::Decoder(config) => &mut config.outputs,
        }
    }

    /// Its second pass over the likeliest moves, if it takes one.
    pub fn refinement(&self) -> Option<RefinementConfig> {
        if let Self::Chessformer(config) = self { config.refinement } else { None }
    }

    /// The heads that its networks have, in the order of [`HeadName`].
    pub fn heads(&self) -> Vec<HeadName> {
        let refined = self.refinement().map(|_| HeadName::Refined);
        self.outputs().heads().into_iter().chain(refined).collect()
    }

    /// Refuses sizes that contradict each other.
    pub fn check(&self) -> Result<(), ModelError> {
        match self {
            Self::Chessformer(config) => config.check_sizes(),
            Self::Resnet(config) => config.check_sizes(self.name()),
            Self::ResnetTransformer(config) => config.check_sizes(),
            Self::Decoder(config) => config.check_sizes(),
        }
    }

    /// The same network in its one spelling: sizes that repeat the network's width are left out.
    pub fn normalised(mut self) -> Self {
        if let Self::Chessformer(network) = &mut self {
            let width = network.width;
            network.policy.embedding = network.policy.embedding.filter(|&size| size != width);
            network.policy.depth = network.policy.depth.filter(|&size| size != width);
        }
        self
    }
}

/// An architecture that [`ModelConfig`] can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ModelDescription {
    /// Its name in YAML.
    pub name: &'static str,
    /// A description in one line.
    pub description: &'static str,
    /// Where it comes from.
    pub source: &'static str,
}

/// Every architecture, for `posenc list models`.
pub fn models() -> &'static [ModelDescription] {
    &[
        ModelDescription {
            name: "chessformer",
            description: "encoder with one token per square; attention policy, value, moves-left and map heads (`outputs`)",
            source: "Monroe & Chalmers 2024, arXiv 2409.12272",
        },
        ModelDescription {
            name: "resnet",
            description: "convolutions with residual connections and batch normalisation; policy, result, win-rate and moves-left heads",
            source: "AlphaZero (doi 10.1126/science.aar6404) with Lc0's squeeze-and-excitation; Maia is 6 x 64, se 8",
        },
        ModelDescription {
            name: "resnet_transformer",
            description: "a resnet (`resnet`) and attention layers after its blocks (`attention`), with the resnet's heads",
            source: "Yamaoka, dlshogi feature/resnet-transformer; dlshogi's article of 5 June 2024",
        },
        ModelDescription {
            name: "decoder",
            description: "boards and moves of a game in a sequence; policy, result and next-board heads",
            source: "maxlegrec1/ChessDecoder@405b565",
        },
    ]
}
