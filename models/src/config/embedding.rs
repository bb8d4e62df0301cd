//! How an input becomes tokens.

use super::parts::PartsConfig;
use serde::{Deserialize, Serialize};

/// Which embedding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum EmbeddingConfig {
    /// `embed(activation(W·x + b))`: CF-6M's, `embedding_style: old` in Lc0's training code.
    #[default]
    Old,
    /// `embed(W·x + b)`: the linear projection of the Chessformer paper's text (arXiv 2409.12272, A.1).
    Linear,
    /// As `old`, with a fixed map after the channels: a channel for each square, 1 where the vocabulary has a move from
    /// the token's square there, −1 for the square itself, else 0. `PE_MAP` in Lc0's networks (`kPosEncoding`): before
    /// smolgen it was what distinguished their squares. Auxiliary tokens have zeros.
    Reach,
    /// Each token sees a summary of where all pieces stand, made for it alone, and a norm and a feed-forward layer follow:
    /// CF-240M's, `embedding_style: new` in Lc0's training code.
    ///
    /// ```text
    /// s = P·pieces + c                                 pieces of all squares, now; s has `dense` numbers a token
    /// y = embed(Norm(activation(W·[x, s] + b)))
    /// z = Norm(y + α·FeedForward(y))                   α and first weights as in the body's blocks
    /// ```
    New {
        /// Numbers of the summary per token; 512 in CF-240M and in Lc0's BT4.
        dense: usize,
        /// Width of its feed-forward layer's inside; the body's by default.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ff: Option<usize>,
    },
    /// `embed(W·x)`, W from a standard normal as in PyTorch's `Embedding`: a row of a table for each word where every token
    /// has one channel that is 1 (`tokens_68`).
    Table,
    /// Each token of `cls_tokens` from its own embeddings, without a dense layer: see [`PartsConfig`].
    Parts(PartsConfig),
}

impl EmbeddingConfig {
    /// Its sizes, `dense` and `ff`; 1 where it has or names none.
    pub(crate) fn sizes(self) -> [usize; 2] {
        match self {
            Self::Old | Self::Linear | Self::Reach | Self::Table | Self::Parts(_) => [1, 1],
            Self::New { dense, ff } => [dense, ff.unwrap_or(1)],
        }
    }
}

/// Whether the network sees where the board ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Edge {
    /// Attention sees the squares of the board only.
    #[default]
    Shown,
    /// Empty squares outside the board hide it; for `none` and encodings that see displacements only.
    Hidden,
}
