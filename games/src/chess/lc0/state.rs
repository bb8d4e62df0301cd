//! The position that a record shows, and the part of it that identifies positions of one game.

use super::record::Record;
use crate::chess::ChessPosition;
use crate::chess::history::double_step;
use crate::position::{Position as _, Side};
use shakmaty::{Bitboard, Board, ByColor, ByRole, CastlingMode, CastlingSide, Color, File, Position as _, Rank};
use shakmaty::{FromSetup as _, Role, Setup, Square};
use std::num::NonZeroU32;

/// All recorded properties of a position, in the frame of the side to move. They differ between any two positions of a
/// game: moves without capture or pawn move increase the rule-50 counter, and the others cannot be undone.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct State {
    /// Own pieces by role, then the opponent's.
    pieces: [u64; 12],
    /// Own queen side, own king side, the opponent's likewise.
    castling: [bool; 4],
    side_to_move: Side,
    rule_50: u8,
}

impl State {
    pub(super) fn of_record(record: &Record<'_>) -> Result<Self, String> {
        let side_to_move = match record.side_to_move() {
            0 => Side::First,
            1 => Side::Second,
            other => return Err(format!("the side to move is {other}, not 0 or 1")),
        };
        Ok(Self {
            pieces: record.pieces(0),
            castling: record.castling().map(|right| right != 0),
            side_to_move,
            rule_50: record.rule_50(),
        })
    }

    pub(super) fn of_position(position: &ChessPosition) -> Self {
        let rules = position.as_shakmaty();
        let (board, turn) = (rules.board(), rules.turn());
        let mut pieces = [0; 12];
        let owners = [turn, turn, turn, turn, turn, turn, !turn, !turn, !turn, !turn, !turn, !turn];
        for ((plane, role), owner) in pieces.iter_mut().zip(Role::ALL.into_iter().cycle()).zip(owners) {
            *plane = in_frame((board.by_role(role) & board.by_color(owner)).0, turn);
        }
        let right = |color, side| rules.castles().has(color, side);
        let castling =
            [turn, !turn].map(|color| [CastlingSide::QueenSide, CastlingSide::KingSide].map(|side| right(color, side)));
        Self {
            pieces,
            castling: [castling[0][0], castling[0][1], castling[1][0], castling[1][1]],
            side_to_move: position.side_to_move(),
            rule_50: rules.halfmoves().min(u32::from(u8::MAX)) as u8,
        }
    }

    /// The position. `before` holds the pieces of the step before in the same frame, which give the en-passant square.
    pub(super) fn position(&self, before: &[u64; 12]) -> Result<ChessPosition, String> {
        let setup = Setup {
            board: self.board()?,
            turn: self.turn(),
            castling_rights: self.castling_rights(),
            ep_square: self.passed_square(before),
            halfmoves: self.rule_50.into(),
            fullmoves: NonZeroU32::MIN,
            ..Setup::empty()
        };
        let rules = shakmaty::Chess::from_setup(setup, CastlingMode::Standard);
        rules.map(ChessPosition::from_rules).map_err(|error| format!("the planes show no legal position: {error}"))
    }

    pub(super) fn is_game_start(&self) -> bool {
        self.rule_50 == 0
    }

    pub(super) fn pieces(&self) -> &[u64; 12] {
        &self.pieces
    }

    pub(super) fn side_to_move(&self) -> Side {
        self.side_to_move
    }

    fn turn(&self) -> Color {
        match self.side_to_move {
            Side::First => Color::White,
            Side::Second => Color::Black,
        }
    }

    fn board(&self) -> Result<Board, String> {
        let turn = self.turn();
        let plane = |i: usize| Bitboard(in_frame(self.pieces[i], turn));
        let roles = Role::ALL.len();
        let kinds = ByRole::new_with(|role| {
            let i = Role::ALL.iter().position(|&one| one == role).expect("every role is one of them all");
            plane(i) | plane(roles + i)
        });
        let sides = ByColor::new_with(|side| {
            let first = if side == turn { 0 } else { roles };
            (first..first + roles).fold(Bitboard::EMPTY, |all, i| all | plane(i))
        });
        Board::try_from_bitboards(kinds, sides).map_err(|_| "two pieces stand on one square".to_owned())
    }

    fn castling_rights(&self) -> Bitboard {
        let rook = |color: Color, file| Square::from_coords(file, color.relative_rank(Rank::First));
        let turn = self.turn();
        let rooks = [rook(turn, File::A), rook(turn, File::H), rook(!turn, File::A), rook(!turn, File::H)];
        rooks.into_iter().zip(self.castling).filter(|&(_, right)| right).map(|(rook, _)| rook).collect()
    }

    /// The square that the opponent's pawn just passed in a double step.
    fn passed_square(&self, before: &[u64; 12]) -> Option<Square> {
        let opposing_pawns = Role::ALL.len();
        let (now, then) = (self.pieces[opposing_pawns], before[opposing_pawns]);
        let mover = !self.turn();
        File::ALL.into_iter().map(|file| Square::from_coords(file, mover.relative_rank(Rank::Third))).find(|&passed| {
            let (from, to) = double_step(passed, mover);
            let [from, to] = [from, to].map(|square| in_frame(Bitboard::from_square(square).0, self.turn()));
            self.rule_50 == 0 && now & to != 0 && now & from == 0 && then & from != 0 && then & to == 0
        })
    }
}

/// Converts a bitboard to `turn`'s frame or back: Black's ranks are mirrored.
pub(super) fn in_frame(bits: u64, turn: Color) -> u64 {
    if turn.is_white() { bits } else { bits.swap_bytes() }
}
