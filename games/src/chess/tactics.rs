//! Attacks and pins of chess, from shakmaty's tables.

use super::moves::in_frame;
use super::{Chess, ChessPosition};
use crate::attacks::{Attacked, Pieces, SquareSet, Tactics};
use crate::position::Game as _;
use shakmaty::attacks::{between, bishop_attacks, rook_attacks};
use shakmaty::{Bitboard, Board, Color, Position as _};

impl Tactics for Chess {
    const MAX_TARGETS: u16 = 27;
    const WORTH: &'static [u8] = &[1, 3, 3, 5, 9, 100];
    const SLIDERS: &'static [&'static str] = &["B", "R", "Q"];

    fn pieces(position: &ChessPosition) -> Pieces {
        let (board, turn) = (position.as_shakmaty().board(), position.as_shakmaty().turn());
        Pieces {
            own: set(board.by_color(turn), turn),
            opponent: set(board.by_color(!turn), turn),
            pinned: set(pinned(board, turn) | pinned(board, !turn), turn),
        }
    }

    fn attacks(position: &ChessPosition) -> Vec<SquareSet> {
        let (board, turn) = (position.as_shakmaty().board(), position.as_shakmaty().turn());
        let mut by = vec![SquareSet::default(); Self::GEOMETRY.squares()];
        for square in board.occupied() {
            by[in_frame(square, turn)] = set(board.attacks_from(square), turn);
        }
        by
    }

    fn attacked(position: &ChessPosition) -> Attacked {
        let (board, turn) = (position.as_shakmaty().board(), position.as_shakmaty().turn());
        let by = |color| {
            let from = board.by_color(color).into_iter();
            set(from.fold(Bitboard::EMPTY, |all, square| all | board.attacks_from(square)), turn)
        };
        Attacked { own: by(turn), opponent: by(!turn) }
    }
}

/// Squares in the frame of the side to move, which mirrors the ranks for Black.
fn set(squares: Bitboard, turn: Color) -> SquareSet {
    let seen = match turn {
        Color::White => squares,
        Color::Black => squares.flip_vertical(),
    };
    SquareSet::of_bits(u64::from(seen).into())
}

/// The pieces of a colour that are pinned to its king.
fn pinned(board: &Board, color: Color) -> Bitboard {
    let Some(king) = board.king_of(color) else { return Bitboard::EMPTY };
    let on_lines = rook_attacks(king, Bitboard::EMPTY) & board.rooks_and_queens();
    let on_diagonals = bishop_attacks(king, Bitboard::EMPTY) & board.bishops_and_queens();
    let sliders = (on_lines | on_diagonals) & board.by_color(!color);
    let alone = |slider| Some(between(king, slider) & board.occupied()).filter(|pieces| pieces.count() == 1);
    sliders.into_iter().filter_map(alone).fold(Bitboard::EMPTY, |all, one| all | one) & board.by_color(color)
}
