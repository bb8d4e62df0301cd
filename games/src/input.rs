//! Input representations: packed rows of small integers, which the network's device expands.
//!
//! A packed row is transferred from the loader to the device: one piece code per square of each board that the input
//! shows, with history one byte per board that marks a repetition, then one byte per [`Feature`]. The layout determines
//! how the bytes become channels, so the expansion is the same for every game.

use crate::geometry::{Frame, Geometry};
use crate::ratings;
use serde::{Deserialize, Serialize};

crate::named! {
    /// The inputs, by name. Names are versioned: a change of meaning is a new name.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum InputName {
        /// One token per square; everything else (hands, castling, clocks, repetition, check) is broadcast to all of them
        /// as features. The default of every game.
        PieceTokens = "piece_tokens",
        /// One token per square, and one auxiliary token per feature without a square.
        PieceTokensAux = "piece_tokens_aux",
        /// `piece_tokens`, and the ratings of the mover and of the opponent, which the dataset must have.
        PieceTokensRated = "piece_tokens_rated",
        /// Lc0's 112 planes as channels of the squares: the last eight positions, castling, side to move, rule 50. Chess
        /// only.
        Lc0_112 = "lc0_112",
        /// `lc0_112` as the Chessformer paper lists it (A.1): the en-passant square in place of the side to move, as in Lc0's
        /// canonical formats, and rule 50 divided by 100. Chess only.
        #[serde(rename = "lc0_112_en_passant")]
        Lc0_112EnPassant = "lc0_112_en_passant",
        /// dlshogi's 62 and 57 planes as channels of the squares: pieces, which of them attack a square and how many do,
        /// hands and check. Shogi only.
        #[serde(rename = "dlshogi_62_57")]
        Dlshogi62_57 = "dlshogi_62_57",
        /// ChessDecoder's 68 tokens: `start_pos`, the squares from White's view, `end_pos`, castling rights and side to
        /// move. No en passant, no clock and no repetition. Chess only.
        #[serde(rename = "tokens_68")]
        Tokens68 = "tokens_68",
        /// One token per square, and one for everything else in a FEN or the game: a summary token, the side to move, four
        /// castling rights, nine for en passant, repetitions, both move counters. The board is from the mover's view. Chess
        /// only.
        ClsTokens = "cls_tokens",
        /// Like `cls_tokens`, with the board from White's view, whoever moves; moves are numbered as on that board.
        ClsTokensWhite = "cls_tokens_white",
    }
}

impl InputName {
    /// How it numbers squares. Moves of its datasets are numbered in the same way.
    pub const fn frame(self) -> Frame {
        match self {
            Self::PieceTokens
            | Self::PieceTokensAux
            | Self::PieceTokensRated
            | Self::Lc0_112
            | Self::Lc0_112EnPassant
            | Self::Dlshogi62_57
            | Self::ClsTokens => Frame::SideToMove,
            Self::Tokens68 | Self::ClsTokensWhite => Frame::FirstPlayer,
        }
    }

    /// Whether its features are separate tokens.
    pub const fn has_aux_tokens(self) -> bool {
        matches!(self, Self::PieceTokensAux | Self::ClsTokens | Self::ClsTokensWhite)
    }
}

/// How a feature's byte is decoded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FeatureKind {
    /// A number for the whole board: the channel is `byte / scale`.
    Scalar {
        /// The divisor that maps the usual range to 0…1.
        scale: f32,
    },
    /// A marked square: 0 for none, else `square + 1`; the channel is 1 on that square, 0 elsewhere.
    Square,
    /// A number for the whole board as a row of channels: the n-th, from 1, is 1 if the byte is n or more, else 0.
    Thermometer {
        /// The number of channels; larger bytes are encoded like this one.
        steps: u8,
    },
    /// One of several values, by its index in the list: a separate token after the squares.
    Token {
        /// The names of the values.
        values: &'static [&'static str],
    },
}

/// One byte of a packed row after the board.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Feature {
    /// Its name, e.g. `castling.own.king_side` or `hand.own.pawn`.
    pub name: &'static str,
    /// How its byte is decoded.
    pub kind: FeatureKind,
}

/// The last features of [`InputName::PieceTokensRated`]: the ratings of the mover and of the opponent.
const RATINGS: [Feature; 2] = [rating("rating.own"), rating("rating.opponent")];

const fn rating(name: &'static str) -> Feature {
    Feature { name, kind: FeatureKind::Thermometer { steps: ratings::STEPS } }
}

/// Which boards a packed row shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Boards {
    /// The current position. A square has one channel for each piece code, including the empty square's.
    Current,
    /// The current position and those before it, the latest first, all from the current side to move's view. Per step a
    /// square has one channel for each piece code except the empty square's, then one that is 1 everywhere if that
    /// position was a repetition. Steps before the known history are empty boards.
    History {
        /// The number of positions, including the current one.
        steps: usize,
    },
    /// The current position, and the attackers of each square ([`crate::attacks`] defines attacks). For the side to
    /// move and then for its opponent, a square has one channel for each of `kinds` on it, one for each kind that
    /// attacks it, and [`Boards::ATTACKERS`] that count its attackers: the n-th is 1 if there are n or more.
    ///
    /// After the pieces a row has [`InputLayout::attack_bytes`] bytes for each square, whose bits, the lowest first,
    /// are the attacking own kinds, the attacking kinds of the opponent, and for either side whether there are 2 or
    /// more and 3 or more attackers.
    Attacked {
        /// The kinds in the order of their channels, as indices into [`Game::PIECES`](crate::Game::PIECES).
        kinds: &'static [u8],
    },
}

impl Boards {
    /// The largest counted number of attackers of a square.
    pub const ATTACKERS: usize = 3;
}

/// The attackers of a square are a function of its place: a network reads the rules' geometry from them.
pub const ATTACKS: &str = "attack channels (they follow from the squares of the pieces by the rules)";

/// Earlier positions distinguish squares with equal content, and show which two squares a move connects. They name no
/// square.
pub const HISTORY: &str = "earlier positions (they tell equal pieces apart and show the squares of the last moves)";

/// A channel of [`FeatureKind::Square`] is 1 on one square. En passant, the only one so far, marks a square of one rank.
pub const MARK: &str = "en-passant channel (it marks a square, always of the same rank)";

/// The content of a packed row and its conversion to tokens.
#[derive(Debug, Clone, PartialEq)]
pub struct InputLayout {
    /// The input's name.
    pub name: InputName,
    /// The board.
    pub geometry: Geometry,
    /// The number of piece codes of a square, including 0 (empty).
    pub piece_codes: usize,
    /// The boards at the beginning.
    pub boards: Boards,
    /// The bytes after the boards, in order.
    pub features: Vec<Feature>,
}

impl InputLayout {
    /// Bytes after a packed row of a sequence that hold the played move, as its index in the vocabulary, little-endian.
    pub const MOVE_BYTES: usize = 2;

    /// The value of these bytes without a move, as in padding; larger than any vocabulary.
    pub const NO_MOVE: u16 = u16::MAX;

    /// An input of a game with this board and number of piece kinds.
    pub(crate) fn new(
        name: InputName,
        geometry: Geometry,
        pieces: usize,
        boards: Boards,
        features: &[Feature],
    ) -> Self {
        Self { name, geometry, piece_codes: 1 + 2 * pieces, boards, features: features.to_vec() }
    }

    /// The inputs that every game has, whose rows hold its current board and `features`.
    pub(crate) fn piece_tokens(geometry: Geometry, pieces: usize, features: &[Feature]) -> [Self; 3] {
        let rated = [features, &RATINGS].concat();
        let inputs = [
            (InputName::PieceTokens, features),
            (InputName::PieceTokensAux, features),
            (InputName::PieceTokensRated, &rated),
        ];
        inputs.map(|(name, features)| Self::new(name, geometry, pieces, Boards::Current, features))
    }

    /// Which channels of a square show the pieces of the current position: one channel for each piece code except the
    /// empty square's, in the order that [`Boards`] defines.
    pub fn current_pieces(&self) -> Vec<usize> {
        match self.boards {
            Boards::Current => (1..self.piece_codes).collect(),
            Boards::History { .. } => (0..self.piece_codes - 1).collect(),
            Boards::Attacked { kinds } => {
                let opponent = self.board_channels() / 2;
                (0..kinds.len()).chain(opponent..opponent + kinds.len()).collect()
            }
        }
    }

    /// Channels of a square that come from the boards.
    pub fn board_channels(&self) -> usize {
        match self.boards {
            Boards::Current => self.piece_codes,
            // After the pieces of each step comes the repetition channel.
            Boards::History { steps } => steps * self.piece_codes,
            Boards::Attacked { kinds } => 2 * (2 * kinds.len() + Boards::ATTACKERS),
        }
    }

    /// Boards in a row, including the current one.
    pub fn steps(&self) -> usize {
        match self.boards {
            Boards::Current | Boards::Attacked { .. } => 1,
            Boards::History { steps } => steps,
        }
    }

    /// Bytes of a row for each square's attackers.
    pub fn attack_bytes(&self) -> usize {
        match self.boards {
            Boards::Current | Boards::History { .. } => 0,
            Boards::Attacked { kinds } => (2 * (kinds.len() + Boards::ATTACKERS - 1)).div_ceil(u8::BITS as usize),
        }
    }

    /// Whether rows show more than the current position. Datasets of single positions do not support such inputs.
    pub fn needs_history(&self) -> bool {
        self.steps() > 1
    }

    /// Whether rows show the ratings of the players. Datasets without ratings do not support such inputs.
    pub fn shows_ratings(&self) -> bool {
        self.name == InputName::PieceTokensRated
    }

    /// The bytes of a row that show the ratings, the last ones; empty if the input has none.
    pub(crate) fn ratings_of<'a>(&self, row: &'a mut [u8]) -> &'a mut [u8] {
        let count = if self.shows_ratings() { RATINGS.len() } else { 0 };
        let first = row.len() - count;
        &mut row[first..]
    }

    /// Bytes of a packed row: one per square of each board, the additional bytes of [`Boards`], one per feature.
    pub fn row_bytes(&self) -> usize {
        self.features_at() + self.features.len()
    }

    /// The offset of the features in a row.
    pub fn features_at(&self) -> usize {
        let squares = self.geometry.squares();
        match self.boards {
            Boards::Current => squares,
            Boards::History { steps } => steps * squares + steps,
            Boards::Attacked { .. } => squares + squares * self.attack_bytes(),
        }
    }

    /// The scalar features, as `(byte offset in the row, feature)`.
    pub fn scalars(&self) -> impl Iterator<Item = (usize, &Feature)> {
        self.features_of(|kind| matches!(kind, FeatureKind::Scalar { .. }))
    }

    /// The square-valued features, as `(byte offset in the row, feature)`.
    pub fn squares(&self) -> impl Iterator<Item = (usize, &Feature)> {
        self.features_of(|kind| matches!(kind, FeatureKind::Square))
    }

    /// The thermometers, as `(byte offset in the row, feature)`.
    pub fn thermometers(&self) -> impl Iterator<Item = (usize, &Feature)> {
        self.features_of(|kind| matches!(kind, FeatureKind::Thermometer { .. }))
    }

    /// The features with separate tokens, as `(byte offset in the row, feature)`.
    pub fn token_features(&self) -> impl Iterator<Item = (usize, &Feature)> {
        self.features_of(|kind| matches!(kind, FeatureKind::Token { .. }))
    }

    fn features_of(&self, keep: fn(&FeatureKind) -> bool) -> impl Iterator<Item = (usize, &Feature)> {
        let offset = self.features_at();
        self.features
            .iter()
            .enumerate()
            .filter(move |(_, feature)| keep(&feature.kind))
            .map(move |(i, feature)| (offset + i, feature))
    }

    /// The token before the squares that represents the whole position: `start_pos` in [`InputName::Tokens68`].
    pub fn summary_token(&self) -> Option<&'static str> {
        (self.name == InputName::Tokens68).then_some("start_pos")
    }

    /// The auxiliary tokens after the squares: one per scalar feature if the input [has such
    /// tokens](InputName::has_aux_tokens), `end_pos` and the token features in [`InputName::Tokens68`], else none.
    pub fn aux_tokens(&self) -> Vec<&'static str> {
        if self.name == InputName::Tokens68 {
            return std::iter::once("end_pos").chain(self.token_features().map(|(_, feature)| feature.name)).collect();
        }
        let scalars = self.scalars().map(|(_, feature)| feature.name);
        scalars.filter(|_| self.name.has_aux_tokens()).collect()
    }

    /// What gives squares with equal pieces different channels: [`ATTACKS`], [`HISTORY`], [`MARK`]. Everything else is
    /// the same on all squares or a separate token.
    pub fn position_sources(&self) -> Vec<&'static str> {
        let of_boards = match self.boards {
            Boards::Current => None,
            Boards::History { .. } => Some(HISTORY),
            Boards::Attacked { .. } => Some(ATTACKS),
        };
        of_boards.into_iter().chain(self.squares().next().map(|_| MARK)).collect()
    }

    /// The offset of a feature's byte in a row; `None` if there is no such feature.
    pub fn byte_of(&self, feature: &str) -> Option<usize> {
        let place = self.features.iter().position(|own| own.name == feature)?;
        Some(self.features_at() + place)
    }

    /// Tokens of the sequence: the summary token, squares, then auxiliary tokens.
    pub fn tokens(&self) -> usize {
        usize::from(self.summary_token().is_some()) + self.geometry.squares() + self.aux_tokens().len()
    }
}
