//! The end of a game of shogi. A player without a legal move has lost, in check or not.

use super::repetition::{OCCURRENCES, Repetition, judge_line};
use super::{Shogi, ShogiPosition};
use crate::position::Position as _;
use crate::record::{GameResult, Termination};
use crate::referee::{Played, Referee};
use shogi_core::{Color, PieceKind, Square};

const CAMP_RANKS: u8 = 3;

/// Pieces besides the king that a declaration needs in the camp.
const PIECES_IN_CAMP: usize = 10;

impl Referee for Shogi {
    fn verdict_with_moves(played: &Played<ShogiPosition>) -> Option<(GameResult, Termination)> {
        if usize::from(played.line().repetitions()) + 1 < OCCURRENCES {
            return None;
        }
        judge_line(played.start(), played.moves()).map(|repetition| match repetition {
            Repetition::Draw => (GameResult::Draw, Termination::Repetition),
            Repetition::PerpetualCheck { loser } => (GameResult::won_by(loser.other()), Termination::PerpetualCheck),
        })
    }

    /// The 27-point rule of computer shogi (CSA): not in check, the king and at least ten other pieces in the
    /// opponent's camp, and at least 28 points for Black or 27 for White, counting pieces in the camp and in hand;
    /// rooks and bishops count five, all others one.
    fn may_declare_win(position: &ShogiPosition) -> bool {
        let us = position.turn();
        if position.in_check() {
            return false;
        }
        let in_camp: Vec<PieceKind> = Square::all()
            .filter(|square| square.relative_rank(us) <= CAMP_RANKS)
            .filter_map(|square| position.piece_at(square))
            .filter(|piece| piece.color() == us)
            .map(|piece| piece.piece_kind())
            .collect();
        let king = in_camp.contains(&PieceKind::King);
        let in_hand = PieceKind::all().into_iter().map(|kind| u32::from(position.in_hand(us, kind)) * points(kind));
        let total = in_camp.iter().copied().map(points).sum::<u32>() + in_hand.sum::<u32>();
        let needed = match us {
            Color::Black => 28,
            Color::White => 27,
        };
        king && in_camp.len() > PIECES_IN_CAMP && total >= needed
    }
}

const fn points(kind: PieceKind) -> u32 {
    match kind {
        PieceKind::King => 0,
        PieceKind::Bishop | PieceKind::Rook | PieceKind::ProBishop | PieceKind::ProRook => 5,
        _ => 1,
    }
}
