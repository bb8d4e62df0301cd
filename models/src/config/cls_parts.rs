//! The tokens of the input `cls_tokens`, and the parts of each ([`EmbeddingConfig::Parts`](super::EmbeddingConfig)).

use super::defaults::is_default;
use serde::{Deserialize, Serialize};

/// The tokens and their forms. Values as in the texts are not written, so that names of rows stay short.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PartsConfig {
    /// How a square's piece becomes a vector.
    #[serde(skip_serializing_if = "is_default")]
    pub pieces: Pieces,
    /// Whether a token encodes the side to move.
    #[serde(skip_serializing_if = "bool::clone")]
    pub turn: bool,
    /// Whether four tokens encode the castling rights.
    #[serde(skip_serializing_if = "bool::clone")]
    pub castling: bool,
    /// Which tokens speak of en passant.
    #[serde(skip_serializing_if = "is_default")]
    pub en_passant: EnPassant,
    /// The form of the tokens of yes and no (turn, castling, en passant).
    #[serde(skip_serializing_if = "is_default")]
    pub flags: Flags,
    /// Whether a token encodes how often the position occurred before.
    #[serde(skip_serializing_if = "bool::clone")]
    pub repetition: bool,
    /// The moves since the last capture or pawn's move.
    #[serde(skip_serializing_if = "is_default")]
    pub half_move: HalfMove,
    /// The number of the move.
    #[serde(skip_serializing_if = "is_default")]
    pub full_move: FullMove,
}

impl Default for PartsConfig {
    fn default() -> Self {
        Self {
            pieces: Pieces::default(),
            turn: true,
            castling: true,
            en_passant: EnPassant::default(),
            flags: Flags::default(),
            repetition: true,
            half_move: HalfMove::default(),
            full_move: FullMove::default(),
        }
    }
}

/// How a square's piece becomes a vector, by how many embeddings there are in chess.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pieces {
    /// One for each content of a square.
    #[default]
    Thirteen,
    /// One for each kind of piece, the empty square's among them, plus one of two for whose it is.
    Nine,
    /// The same, and the empty square has one for nobody's: the form in the projects' code.
    Ten,
    /// The same as two tokens of the square instead of a sum.
    Apart,
}

/// Which tokens speak of en passant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EnPassant {
    /// Whether there is one, and one for each file.
    #[default]
    All,
    /// One for each file.
    Files,
    /// No token.
    None,
}

/// The form of the tokens of yes and no.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Flags {
    /// Each has a vector for no and one for yes.
    #[default]
    Learned,
    /// All numbers of the token are 0 or 1, as in the projects' code: only an encoding distinguishes two such tokens.
    Raw,
}

/// How the half-move clock n becomes tokens; more than 100 looks like 100, in digits more than 255 like 255.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HalfMove {
    /// No token.
    None,
    /// n/50 times a vector.
    Linear,
    /// p(n/50) times a vector; p has degree 8, learned coefficients, and starts as the identity.
    #[default]
    Polynomial,
    /// The same with negative values set to 0.
    PolynomialRelu,
    /// Three tokens, each a vector for its digit (padded on the right, as a FEN's text in searchless_chess) plus one for its
    /// place.
    Digits,
}

/// How the number n of the move becomes tokens; more than 255 looks like 255.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FullMove {
    /// No token.
    None,
    /// (n/100 times a vector of 16 numbers) times a matrix. As a function this is n/100 times one vector of full width: the
    /// direction does not depend on n, contrary to the document.
    #[default]
    Matrix,
    /// As [`HalfMove::Digits`].
    Digits,
}
