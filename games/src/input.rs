//! Input representations, as packed rows of small integers that the network's device expands.
//!
//! A packed row is what travels from the loader to the device: first one piece code per square, then one byte per
//! [`Feature`]. How the bytes become channels is fixed by the layout, so the expansion is the same for every game.

use crate::geometry::Geometry;
use crate::position::Game;
use serde::{Deserialize, Serialize};

/// The inputs, by name. Names are versioned: a change of meaning is a new name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InputName {
    /// One token per square; everything else (hands, castling, clocks, repetition, check) is broadcast to all of
    /// them as features. The game-agnostic default.
    PieceTokens,
    /// One token per square, and one auxiliary token per feature that has no square.
    PieceTokensAux,
}

impl InputName {
    /// Every input, in the order of declaration.
    pub const ALL: [Self; 2] = [Self::PieceTokens, Self::PieceTokensAux];

    /// Its name in YAML and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::PieceTokens => "piece_tokens",
            Self::PieceTokensAux => "piece_tokens_aux",
        }
    }
}

/// How a feature's byte is read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FeatureKind {
    /// A number for the whole board: the channel is `byte / scale`.
    Scalar {
        /// The divisor that brings the usual range to 0…1.
        scale: f32,
    },
    /// A marked square: 0 for none, else `square + 1`; the channel is 1 on that square, 0 elsewhere.
    Square,
}

/// One byte of a packed row behind the board.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Feature {
    /// Its name, e.g. `castling.own.king_side` or `hand.own.pawn`.
    pub name: &'static str,
    /// How its byte is read.
    pub kind: FeatureKind,
}

/// What a packed row holds and how it becomes tokens.
#[derive(Debug, Clone, PartialEq)]
pub struct InputLayout {
    /// The input's name.
    pub name: InputName,
    /// The board.
    pub geometry: Geometry,
    /// How many piece codes a square can hold, 0 (empty) included.
    pub piece_codes: usize,
    /// The bytes behind the board, in order.
    pub features: Vec<Feature>,
}

impl InputLayout {
    /// The layouts of a game whose rows hold its board and `features`, in the order of [`InputName::ALL`].
    pub(crate) fn all<G: Game>(features: &[Feature]) -> [Self; InputName::ALL.len()] {
        InputName::ALL.map(|name| Self {
            name,
            geometry: G::GEOMETRY,
            piece_codes: 1 + 2 * G::PIECES.len(),
            features: features.to_vec(),
        })
    }

    /// Bytes of a packed row: one per square, one per feature.
    #[must_use]
    pub fn row_bytes(&self) -> usize {
        self.geometry.squares() + self.features.len()
    }

    /// The scalar features, as `(byte offset in the row, feature)`.
    pub fn scalars(&self) -> impl Iterator<Item = (usize, &Feature)> {
        self.features_of(|kind| matches!(kind, FeatureKind::Scalar { .. }))
    }

    /// The square-valued features, as `(byte offset in the row, feature)`.
    pub fn squares(&self) -> impl Iterator<Item = (usize, &Feature)> {
        self.features_of(|kind| matches!(kind, FeatureKind::Square))
    }

    fn features_of(&self, keep: fn(&FeatureKind) -> bool) -> impl Iterator<Item = (usize, &Feature)> {
        let offset = self.geometry.squares();
        self.features
            .iter()
            .enumerate()
            .filter(move |(_, feature)| keep(&feature.kind))
            .map(move |(i, feature)| (offset + i, feature))
    }

    /// The auxiliary tokens behind the squares: one per scalar feature in [`InputName::PieceTokensAux`], else none.
    #[must_use]
    pub fn aux_tokens(&self) -> Vec<&'static str> {
        match self.name {
            InputName::PieceTokens => Vec::new(),
            InputName::PieceTokensAux => self.scalars().map(|(_, feature)| feature.name).collect(),
        }
    }

    /// Tokens of the sequence: squares, then auxiliary tokens.
    #[must_use]
    pub fn tokens(&self) -> usize {
        self.geometry.squares() + self.aux_tokens().len()
    }
}
