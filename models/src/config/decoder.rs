//! Sizes and choices of a decoder, as experiments write them.

use super::chessformer::ChessformerConfig;
use super::defaults::{is_rms, plies, rms};
use super::error::{MOST_LAYERS, ModelError, check_limits};
use super::heads::{NoOptions, Outputs, check_offered};
use facts::HeadName;
use nn::NormKind;
use nn::layout::LARGEST_SIZE;
use serde::{Deserialize, Deserializer, Serialize};

/// Sizes and choices of the decoder. The sizes that an experiment is about have no default.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DecoderConfig {
    /// Attention blocks.
    pub layers: usize,
    /// Width `d` of every token.
    pub width: usize,
    /// Attention heads; they divide the width.
    pub heads: usize,
    /// Width of the inside of the feed-forward layers, SwiGLU.
    pub ff: usize,
    /// Plies in a sequence, each a board and the move that was played. Three are what ChessDecoder's 256 tokens hold whole.
    #[serde(default = "plies")]
    pub plies: usize,
    /// The tokens that a token attends to.
    #[serde(default)]
    pub mask: SequenceMask,
    /// The root mean square's ε: `rms` (1e-5), or `rms_1e-6`, torchtune's default.
    #[serde(default = "rms", skip_serializing_if = "is_rms", deserialize_with = "root_mean_square")]
    pub normalisation: NormKind,
    /// Which heads it has; `policy`, `result` and `board` by default.
    #[serde(default = "all_heads")]
    pub outputs: Outputs,
}

/// The tokens that a token of a sequence attends to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SequenceMask {
    /// Earlier tokens, and all of its own board.
    #[default]
    Prefix,
    /// Earlier tokens and itself.
    Causal,
}

const HEADS: [HeadName; 6] = [
    HeadName::Policy,
    HeadName::Result,
    HeadName::ResultShares,
    HeadName::ValueResult,
    HeadName::ValueShares,
    HeadName::Board,
];

/// Attention logits grow with the square of the plies: a sequence of more does not fit any device.
const MOST_PLIES: usize = 256;

/// A norm that a decoder can have.
fn root_mean_square<'de, D: Deserializer<'de>>(deserializer: D) -> Result<NormKind, D::Error> {
    #[derive(Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Name {
        Rms,
        #[serde(rename = "rms_1e-6")]
        RmsFine,
    }
    Ok(match Name::deserialize(deserializer)? {
        Name::Rms => NormKind::Rms,
        Name::RmsFine => NormKind::RmsFine,
    })
}

fn all_heads() -> Outputs {
    Outputs { board: Some(NoOptions {}), ..Outputs::default() }
}

impl DecoderConfig {
    /// Its blocks and the heads that it shares with a Chessformer.
    pub(crate) fn blocks(&self) -> ChessformerConfig {
        let blocks = ChessformerConfig::llama_style(self.width, self.heads, self.ff);
        let (layers, normalisation, outputs) = (self.layers, self.normalisation, self.outputs.clone());
        ChessformerConfig { layers, normalisation, outputs, ..blocks }
    }

    pub(crate) fn check_sizes(&self) -> Result<(), ModelError> {
        let sizes = [("width", self.width), ("heads", self.heads), ("ff", self.ff)];
        check_limits(MOST_LAYERS, &[("layers", self.layers)])?;
        check_limits(MOST_PLIES, &[("plies", self.plies)])?;
        check_limits(LARGEST_SIZE, &sizes)?;
        if self.plies == 1 {
            return Err(ModelError::OnePly);
        }
        if !self.width.is_multiple_of(self.heads) {
            return Err(ModelError::heads_do_not_divide(self.width, self.heads));
        }
        check_offered("decoder", &self.outputs, &HEADS)
    }
}
