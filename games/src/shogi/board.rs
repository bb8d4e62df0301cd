//! A position as arrays of squares and hands, for binary records.
//!
//! rsshogi keeps bitboards, keys and a history, which take two microseconds to set up. A file has many millions of
//! records with one move each, so they are checked here on an array; rsshogi is used only for the rare pawn drop that
//! gives check. A test compares both on every conceivable move of the oracle's positions.

mod attacks;
mod key;
mod legality;
mod text;

use super::ShogiPosition;
use super::frame::{self, HAND, HAND_TOTALS};
use super::piece_numbers::{EMPTY, HAND_MEN, Man, RANKS, SQUARES, WHITE, man, piece};
use rsshogi::board::{BoardArray, PositionState};
use rsshogi::types as rules;
use shogi_core::{Color, Piece, PieceKind, Square};

/// A position of shogi: squares, hands and side to move, with one king on each side. It has neither ply nor history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Board {
    /// File by file from 1a: `(file − 1)·9 + rank − 1`.
    pub(super) squares: [Man; SQUARES],
    /// Pieces in hand of Black and White, in [`HAND`]'s order.
    pub(super) hands: [[u8; HAND.len()]; 2],
    /// The squares of Black's and White's king.
    pub(super) kings: [u8; 2],
    pub(super) turn: Color,
}

/// Why a board is not a legal position, or a packed one cannot be read or written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages document the variants")]
pub enum BadPosition {
    /// A king is missing: tsume problems with one king are not games.
    #[error("{color:?} has no king on the board (square number {square})")]
    NoKing { color: Color, square: u8 },
    #[error("both kings stand on square number {0}")]
    KingsCoincide(u8),
    #[error("the bits from {at} are not a piece code")]
    NoSuchCode { at: usize },
    #[error("the position takes {0} bits instead of 256: its set is not complete, or it is cut off")]
    Length(usize),
    #[error("more than {allowed} pieces of the kind {kind:?}")]
    TooMany { kind: PieceKind, allowed: u8 },
    #[error("two unpromoted pawns of {color:?} on file {file}")]
    TwoPawns { color: Color, file: u8 },
    #[error("the piece on {file}{rank} could never move again")]
    Stuck { file: u8, rank: char },
    #[error("{0:?} is to move and could capture the king")]
    KingCapturable(Color),
}

impl Board {
    /// A position's board.
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

    /// The position for further play; `ply` is the number of its next move, from 1.
    pub fn position(&self, ply: u32) -> Result<ShogiPosition, BadPosition> {
        self.check()?;
        Ok(self.unchecked_position(ply))
    }

    /// The colour to move.
    pub fn turn(&self) -> Color {
        self.turn
    }

    /// The piece on a square.
    pub fn piece_at(&self, square: Square) -> Option<Piece> {
        piece(self.squares[square.array_index()])
    }

    /// Checks that this is a legal position: no more pieces than a set has, no two unpromoted pawns of a side on one
    /// file, no piece that could never move, no king that could be captured. [`ShogiPosition`] applies the same rules
    /// to SFEN. Fewer pieces than a set are allowed (handicaps), but some packed formats refuse them. An error at the first
    /// violation.
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

    pub(super) fn empty(kings: [u8; 2], turn: Color) -> Self {
        Self { squares: [EMPTY; SQUARES], hands: [[0; HAND.len()]; 2], kings, turn }
    }

    /// For a board that was checked.
    pub(super) fn unchecked_position(&self, ply: u32) -> ShogiPosition {
        let mut array = BoardArray::empty();
        for (index, &man) in self.squares.iter().enumerate() {
            if let Some(piece) = piece(man) {
                array.set(rules::Square::from_index(index), frame::rules_piece(piece));
            }
        }
        let hands = self.hands.map(frame::hand);
        let side_to_move = frame::rules_color(self.turn);
        ShogiPosition::from_state(&PositionState { board: array, hands, side_to_move, ply: 1 }, ply)
    }
}

/// Checks that every piece of a file can move, and that neither side has two unpromoted pawns there.
fn check_column(file: u8, column: &[Man]) -> Result<(), BadPosition> {
    for rank in IMMOBILE_RANKS {
        if IMMOBILE[rank] >> column[rank] & 1 == 1 {
            return Err(BadPosition::Stuck { file, rank: char::from(b'a' + rank as u8) });
        }
    }
    // Black's pawns are counted in the lower half, White's in the upper; a file has too few squares to overflow.
    let pawns = column.iter().fold(0u8, |pawns, &man| pawns.wrapping_add(PAWNS[usize::from(man) % PAWNS.len()]));
    for (count, color) in [(pawns & 0xf, Color::Black), (pawns >> 4, Color::White)] {
        if count > 1 {
            return Err(BadPosition::TwoPawns { color, file });
        }
    }
    Ok(())
}

/// What each piece adds to the pawn counts of a file.
static PAWNS: [u8; 2 * WHITE as usize] = {
    let mut pawns = [0; 2 * WHITE as usize];
    pawns[1] = 1;
    pawns[1 + WHITE as usize] = 1 << 4;
    pawns
};

/// The number of pieces of each unpromoted kind. Entry 0 holds kings and empty squares.
fn count_kinds(squares: &[Man; SQUARES]) -> [u8; 8] {
    // Eight counters in one word: they stay in a register, and none can reach 256.
    squares.iter().fold(0u64, |counts, &man| counts.wrapping_add(1 << (8 * (man & 7)))).to_le_bytes()
}

/// The ranks for which [`IMMOBILE`] is not empty.
const IMMOBILE_RANKS: [usize; 4] = [0, 1, RANKS - 2, RANKS - 1];

/// By rank, the set of pieces that could never move from it, as bits.
const IMMOBILE: [u32; RANKS] = {
    let mut stuck = [0; RANKS];
    let (needs_one, needs_two) = ((1 << 1) | (1 << 2) | (1 << 3), 1 << 3);
    stuck[0] |= needs_one;
    stuck[1] |= needs_two;
    stuck[RANKS - 1] |= needs_one << WHITE;
    stuck[RANKS - 2] |= needs_two << WHITE;
    stuck
};
