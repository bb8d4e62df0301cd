//! The architectures in words.

use serde::Serialize;

/// An architecture that [`super::ModelConfig`] can name.
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
