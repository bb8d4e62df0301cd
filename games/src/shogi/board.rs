//! A position as bare squares and hands: what binary records hold.
//!
//! rsshogi keeps bitboards, keys and a history, which take two microseconds to set up. A file of records has many
//! millions of positions with one move each, so they are checked here, on an array; rsshogi is asked only about the
//! rare pawn drop that gives check. Both agree on every conceivable move of the oracle's positions (a test).

mod attacks;
mod key;
mod legality;
mod text;

use super::frame::{self, HAND, HAND_TOTALS};
use super::{Shogi, ShogiPosition};
use crate::position::Game as _;
use rsshogi::board::{BoardArray, PositionState};
use rsshogi::types as rules;
use shogi_core::{Color, Piece, PieceKind, Square};

pub(super) const SQUARES: usize = Shogi::GEOMETRY.squares();
const FILES: usize = Shogi::GEOMETRY.files();
const RANKS: usize = Shogi::GEOMETRY.ranks();

/// What stands on a square: 0 for nothing, 1 to 14 for Black's pawn, lance, knight, silver, bishop, rook, gold, king
/// and the six promoted kinds in the same order, 16 more for White's. The numbers of Apery, YaneuraOu and rsshogi.
pub(super) type Man = u8;

/// An empty square.
pub(super) const EMPTY: Man = 0;
/// Black's king.
pub(super) const KING: Man = 8;
/// What White's men have more than Black's.
pub(super) const WHITE: Man = 16;
/// What promoted men have more than unpromoted ones.
pub(super) const PROMOTED: Man = 8;

/// Black's man of each hand piece, in [`HAND`]'s order.
pub(super) const HAND_MEN: [Man; 7] = [1, 2, 3, 4, 7, 5, 6];

/// A position of shogi: squares, hands and turn, with one king on each side. It knows neither its ply nor its past.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Board {
    /// File by file from 1a: `(file − 1)·9 + rank − 1`.
    pub(super) squares: [Man; SQUARES],
    /// Pieces in hand of Black and White, in [`HAND`]'s order.
    pub(super) hands: [[u8; HAND.len()]; 2],
    /// Where the kings of Black and White stand.
    pub(super) kings: [u8; 2],
    /// Whose turn it is.
    pub(super) turn: Color,
}

/// Why a board is no position of shogi, or a packed one cannot be read or written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadPosition {
    /// A king is nowhere: tsume problems with one king are no games.
    #[error("{color:?} has no king on the board (square number {square})")]
    NoKing {
        /// Whose.
        color: Color,
        /// The number where a square's number should be.
        square: u8,
    },
    /// Both kings are said to stand on one square.
    #[error("both kings stand on square number {0}")]
    KingsCoincide(u8),
    /// No piece has this code.
    #[error("the bits from {at} are no piece's code")]
    NoSuchCode {
        /// The place in the stream of bits.
        at: usize,
    },
    /// The pieces take more or fewer bits than there are.
    #[error("the position takes {0} bits instead of 256: its set is not complete, or it is cut off")]
    Length(usize),
    /// A set has fewer pieces of the kind.
    #[error("more than {allowed} pieces of the kind {kind:?}")]
    TooMany {
        /// The kind, unpromoted.
        kind: PieceKind,
        /// How many a set has.
        allowed: u8,
    },
    /// Two unpromoted pawns of one side on a file.
    #[error("two unpromoted pawns of {color:?} on file {file}")]
    TwoPawns {
        /// Whose.
        color: Color,
        /// File 1 to 9.
        file: u8,
    },
    /// A piece that could never move again.
    #[error("the piece on {file}{rank} could never move again")]
    Stuck {
        /// File 1 to 9.
        file: u8,
        /// Rank a to i.
        rank: char,
    },
    /// The side to move could capture the king.
    #[error("{0:?} is to move and could capture the king")]
    KingCapturable(Color),
}

impl Board {
    /// A position's board.
    #[must_use]
    pub fn of(position: &ShogiPosition) -> Self {
        let mut board = Self::empty([0; 2], position.turn());
        for square in Square::all() {
            let Some(piece) = position.piece_at(square) else { continue };
            let index = square.array_index();
            board.squares[index] = man(piece);
            if piece.piece_kind() == PieceKind::King {
                board.kings[piece.color().array_index()] = index as u8;
            }
        }
        for (i, &(kind, _)) in HAND.iter().enumerate() {
            board.hands[0][i] = position.in_hand(Color::Black, kind);
            board.hands[1][i] = position.in_hand(Color::White, kind);
        }
        board
    }

    /// The position, which can be played on; `ply` is the number of its next move, from 1.
    ///
    /// # Errors
    /// If the board is no position of shogi, see [`Board::check`].
    pub fn position(&self, ply: u32) -> Result<ShogiPosition, BadPosition> {
        self.check()?;
        Ok(self.unchecked_position(ply))
    }

    /// The colour to move.
    #[must_use]
    pub fn turn(&self) -> Color {
        self.turn
    }

    /// The piece on a square.
    #[must_use]
    pub fn piece_at(&self, square: Square) -> Option<Piece> {
        piece(self.squares[square.array_index()])
    }

    /// Whether this is a position of shogi: no more pieces than a set has, no two unpromoted pawns of a side on one
    /// file, no piece that could never move, no king that could be captured. [`ShogiPosition`] reads the same from
    /// SFEN. Fewer pieces than a set are fine here (handicaps); the packed formats say what they hold.
    ///
    /// # Errors
    /// Names the first of these that is broken.
    pub fn check(&self) -> Result<(), BadPosition> {
        for (file, column) in (1..).zip(self.squares.chunks_exact(RANKS)) {
            check_column(file, column)?;
        }
        let counts = count_kinds(&self.squares);
        for (i, &(kind, _)) in HAND.iter().enumerate() {
            let on_board = u16::from(counts[usize::from(HAND_MEN[i])]);
            if on_board + u16::from(self.hands[0][i]) + u16::from(self.hands[1][i]) > u16::from(HAND_TOTALS[i]) {
                return Err(BadPosition::TooMany { kind, allowed: HAND_TOTALS[i] });
            }
        }
        let waiting = self.turn.flip();
        if attacks::attacked(&self.squares, self.kings[waiting.array_index()], self.turn) {
            return Err(BadPosition::KingCapturable(self.turn));
        }
        Ok(())
    }

    /// Nothing but two kings.
    pub(super) fn empty(kings: [u8; 2], turn: Color) -> Self {
        Self { squares: [EMPTY; SQUARES], hands: [[0; HAND.len()]; 2], kings, turn }
    }

    /// For a board that is known to be a position.
    pub(super) fn unchecked_position(&self, ply: u32) -> ShogiPosition {
        let mut array = BoardArray::empty();
        for (index, &man) in self.squares.iter().enumerate() {
            if let Some(piece) = piece(man) {
                array.set(rules::Square::from_index(index), frame::rules_piece(piece));
            }
        }
        let hands = self.hands.map(|counts| {
            HAND.iter().zip(counts).fold(rules::Hand::ZERO, |mut hand, (&(_, piece), count)| {
                hand.add(piece, u32::from(count));
                hand
            })
        });
        let side_to_move = frame::rules_color(self.turn);
        ShogiPosition::from_state(PositionState { board: array, hands, side_to_move, ply: 1 }, ply)
    }
}

/// Checks that every piece of a file can move, and that neither side has two pawns there.
fn check_column(file: u8, column: &[Man]) -> Result<(), BadPosition> {
    for rank in IMMOBILE_RANKS {
        if IMMOBILE[rank] >> column[rank] & 1 == 1 {
            return Err(BadPosition::Stuck { file, rank: char::from(b'a' + rank as u8) });
        }
    }
    // Black's pawns are counted in the lower half, White's in the upper; a file has too few squares to run over.
    let pawns = column.iter().fold(0u8, |pawns, &man| pawns.wrapping_add(PAWNS[usize::from(man) % PAWNS.len()]));
    for (count, color) in [(pawns & 0xf, Color::Black), (pawns >> 4, Color::White)] {
        if count > 1 {
            return Err(BadPosition::TwoPawns { color, file });
        }
    }
    Ok(())
}

/// What each man adds to the pawns of a file.
static PAWNS: [u8; 2 * WHITE as usize] = {
    let mut pawns = [0; 2 * WHITE as usize];
    pawns[1] = 1;
    pawns[1 + WHITE as usize] = 1 << 4;
    pawns
};

/// How many men of each unpromoted kind, by number, stand on the board. Number 0 holds kings and empty squares.
fn count_kinds(squares: &[Man; SQUARES]) -> [u8; 8] {
    // Eight counters in one word: they stay in a register, and none can reach 256.
    squares.iter().fold(0u64, |counts, &man| counts.wrapping_add(1 << (8 * (man & 7)))).to_le_bytes()
}

/// Whose man it is.
pub(super) fn color(man: Man) -> Color {
    if man >= WHITE { Color::White } else { Color::Black }
}

/// shogi_core's kinds by number.
const KINDS: [PieceKind; 14] = [
    PieceKind::Pawn,
    PieceKind::Lance,
    PieceKind::Knight,
    PieceKind::Silver,
    PieceKind::Bishop,
    PieceKind::Rook,
    PieceKind::Gold,
    PieceKind::King,
    PieceKind::ProPawn,
    PieceKind::ProLance,
    PieceKind::ProKnight,
    PieceKind::ProSilver,
    PieceKind::ProBishop,
    PieceKind::ProRook,
];

/// The kind behind a number, without its colour.
pub(super) fn kind(man: Man) -> Option<PieceKind> {
    KINDS.get(usize::from(man & !WHITE).wrapping_sub(1)).copied()
}

fn piece(man: Man) -> Option<Piece> {
    Some(Piece::new(kind(man)?, color(man)))
}

/// The number of a kind, as Black's.
pub(super) fn man_of_kind(kind: PieceKind) -> Man {
    match kind {
        PieceKind::Pawn => 1,
        PieceKind::Lance => 2,
        PieceKind::Knight => 3,
        PieceKind::Silver => 4,
        PieceKind::Bishop => 5,
        PieceKind::Rook => 6,
        PieceKind::Gold => 7,
        PieceKind::King => KING,
        PieceKind::ProPawn => 9,
        PieceKind::ProLance => 10,
        PieceKind::ProKnight => 11,
        PieceKind::ProSilver => 12,
        PieceKind::ProBishop => 13,
        PieceKind::ProRook => 14,
    }
}

/// The number of a piece.
pub(super) fn man(piece: Piece) -> Man {
    let (kind, color) = piece.to_parts();
    man_of_kind(kind) + side(color)
}

/// What is added for a colour.
pub(super) fn side(color: Color) -> Man {
    match color {
        Color::Black => 0,
        Color::White => WHITE,
    }
}

/// The ranks that [`IMMOBILE`] has men for.
const IMMOBILE_RANKS: [usize; 4] = [0, 1, RANKS - 2, RANKS - 1];

/// By rank, the set of men that could never move from it, as bits.
pub(super) const IMMOBILE: [u32; RANKS] = {
    let mut stuck = [0; RANKS];
    let (needs_one, needs_two) = ((1 << 1) | (1 << 2) | (1 << 3), 1 << 3);
    stuck[0] |= needs_one;
    stuck[1] |= needs_two;
    stuck[RANKS - 1] |= needs_one << WHITE;
    stuck[RANKS - 2] |= needs_two << WHITE;
    stuck
};
