//! Replaying games into positions, as compact as they can wait for their batch.

use super::StoredGame;
use crate::error::DatasetError;
use crate::playback::Move;
use games::{Game, GameResult, InputName, Phase, Position as _, Side};

/// Replayed positions, one entry in every list (but `packed` and `legal`) for each.
#[derive(Debug, Default)]
pub(super) struct Positions {
    pub(super) row_bytes: usize,
    /// [`games::InputLayout::row_bytes`] for each position.
    pub(super) packed: Vec<u8>,
    /// The policy indices of the legal moves, one position after the other.
    pub(super) legal: Vec<u16>,
    /// Where each position's legal moves end.
    pub(super) legal_end: Vec<u32>,
    /// The policy index of the move played, −1 where it is no target.
    pub(super) policy_index: Vec<i32>,
    /// 0 win, 1 draw, 2 loss of the side to move, −1 unknown.
    pub(super) outcome: Vec<i8>,
    /// Winning probability of the side to move, NaN where there is none.
    pub(super) value: Vec<f32>,
    /// Index in [`Phase::ALL`].
    pub(super) phase: Vec<u8>,
    pub(super) game: Vec<u32>,
    pub(super) ply: Vec<u16>,
    pub(super) novel: Vec<bool>,
}

impl Positions {
    pub(super) fn len(&self) -> usize {
        self.ply.len()
    }

    pub(super) fn packed_row(&self, i: usize) -> &[u8] {
        &self.packed[i * self.row_bytes..][..self.row_bytes]
    }

    pub(super) fn legal_moves(&self, i: usize) -> &[u16] {
        let start = i.checked_sub(1).map_or(0, |before| self.legal_end[before]);
        &self.legal[start as usize..self.legal_end[i] as usize]
    }
}

/// Replays games, in their order.
pub(super) fn replay<'a, G: Game>(
    games: impl IntoIterator<Item = &'a StoredGame>,
    input: InputName,
) -> Result<Positions, DatasetError> {
    let mut positions = Positions { row_bytes: G::input(input).row_bytes(), ..Positions::default() };
    let mut legal = Vec::new();
    for game in games {
        replay_game::<G>(game, input, &mut legal, &mut positions)?;
    }
    Ok(positions)
}

fn replay_game<G: Game>(
    game: &StoredGame,
    input: InputName,
    legal: &mut Vec<Move<G>>,
    out: &mut Positions,
) -> Result<(), DatasetError> {
    game.play_through::<G>(|line, played| {
        let position = line.position();
        let ply = line.plies();
        let row = out.packed.len();
        out.packed.resize(row + out.row_bytes, 0);
        position.pack(input, line.repetitions(), &mut out.packed[row..]);
        position.legal_moves(legal);
        out.legal.extend(legal.iter().map(|&mv| position.move_index(mv)));
        out.legal_end.push(out.legal.len() as u32);
        let target = ply >= usize::from(game.policy_from_ply);
        out.policy_index.push(if target { i32::from(position.move_index(played)) } else { -1 });
        out.outcome.push(outcome(game.result, position.side_to_move()));
        out.value.push(game.value.get(ply).copied().unwrap_or(f32::NAN));
        out.phase.push(phase_index(position.phase()));
        out.game.push(game.id);
        out.ply.push(ply as u16);
        out.novel.push(game.seen_in_train.get(ply).is_some_and(|seen| !seen));
    })
}

fn outcome(result: GameResult, side: Side) -> i8 {
    match (result, side) {
        (GameResult::FirstWins, Side::First) | (GameResult::SecondWins, Side::Second) => 0,
        (GameResult::Draw, _) => 1,
        (GameResult::FirstWins, Side::Second) | (GameResult::SecondWins, Side::First) => 2,
        (GameResult::Unknown, _) => -1,
    }
}

fn phase_index(phase: Phase) -> u8 {
    match phase {
        Phase::Opening => 0,
        Phase::Middlegame => 1,
        Phase::Endgame => 2,
    }
}
