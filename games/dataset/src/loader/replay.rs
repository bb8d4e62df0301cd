//! Replays games into positions, in a compact form.

use super::stored::StoredGame;
use super::targets::{self, TargetLists};
use super::used_plies::{LegalMoves, VisitedPly};
use crate::error::DatasetError;
use crate::playback::Move;
use games::attacks::Tactics;
use games::map_labels::{MapTask, NO_LABEL};
use games::{Frame, Game, GameResult, InputLayout, InputName, Line, MovesName, Position as _, Side};

pub(super) const NO_PLY: u16 = u16::MAX;

/// Options for reading positions from games.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reading {
    pub(super) moves: MovesName,
    /// Consecutive plies of a game per sequence.
    pub(super) plies: usize,
    pub(super) rights: bool,
    pub(super) repeats: bool,
    /// The map whose labels are computed from positions; `None` for those that rows have.
    pub(super) map: Option<MapTask>,
}

/// Replayed positions, one entry per position in every list (except `packed` and `legal`).
#[derive(Debug, Default)]
pub(super) struct Positions {
    pub(super) row_bytes: usize,
    pub(super) packed: Vec<u8>,
    /// The policy indices of the legal moves, concatenated.
    pub(super) legal: Vec<u16>,
    pub(super) legal_end: Vec<u32>,
    /// For each legal move, how often the position after it occurred before; empty unless requested.
    pub(super) repeats: Vec<u8>,
    /// The rights after the played move, −1 if it is not a policy target; empty unless requested.
    pub(super) rights: Vec<i64>,
    /// Policy indices and probabilities of the targets, concatenated.
    pub(super) policy: Vec<(u16, f32)>,
    pub(super) policy_end: Vec<u32>,
    /// 0 win, 1 draw, 2 loss of the side to move, −1 unknown.
    pub(super) outcome: Vec<i8>,
    /// Winning probability of the side to move, NaN if unknown.
    pub(super) value: Vec<f32>,
    /// The requested targets of further heads.
    pub(super) further: TargetLists,
    pub(super) phase: Vec<u8>,
    pub(super) game: Vec<u32>,
    pub(super) ply: Vec<u16>,
    pub(super) novel: Vec<bool>,
    /// Labels of a position's map; 0 without a map.
    pub(super) map_cells: usize,
    pub(super) map: Vec<i8>,
}

impl Positions {
    pub(super) fn len(&self) -> usize {
        self.ply.len()
    }

    pub(super) fn packed_row(&self, i: usize) -> &[u8] {
        &self.packed[i * self.row_bytes..][..self.row_bytes]
    }

    pub(super) fn legal_moves(&self, i: usize) -> &[u16] {
        part(&self.legal, &self.legal_end, i)
    }

    fn pad(&mut self, game: &StoredGame, reading: Reading) {
        self.packed.resize(self.packed.len() + self.row_bytes - InputLayout::MOVE_BYTES, 0);
        self.packed.extend(InputLayout::NO_MOVE.to_le_bytes());
        self.legal_end.push(self.legal.len() as u32);
        self.policy_end.push(self.policy.len() as u32);
        if reading.rights {
            self.rights.push(-1);
        }
        self.outcome.push(UNKNOWN);
        self.value.push(f32::NAN);
        if let Some(targets) = &game.targets {
            targets::push(&mut self.further, targets, None);
        }
        self.phase.push(0);
        self.game.push(game.cluster);
        self.ply.push(NO_PLY);
        self.novel.push(false);
        self.map.extend(std::iter::repeat_n(NO_LABEL, self.map_cells));
    }

    /// The legal moves of a position that lead to one that occurred before, with how often.
    pub(super) fn repeated_moves(&self, i: usize) -> impl Iterator<Item = (u16, u8)> {
        let repeats = if self.repeats.is_empty() { &[][..] } else { part(&self.repeats, &self.legal_end, i) };
        let repeats = self.legal_moves(i).iter().copied().zip(repeats.iter().copied());
        repeats.filter(|&(_, times)| times > 0)
    }

    pub(super) fn map_row(&self, i: usize) -> &[i8] {
        &self.map[i * self.map_cells..][..self.map_cells]
    }

    /// Adds the requested targets about the moves of a position.
    fn push_of_moves<G: Game>(
        &mut self,
        line: &Line<G::Position>,
        legal: &[Move<G>],
        target: Option<Move<G>>,
        frame: Frame,
        reading: Reading,
    ) {
        if reading.rights {
            let rights = target.and_then(|played| line.position().rights_after(played, frame));
            self.rights.push(rights.map_or(-1, i64::from));
        }
        if reading.repeats {
            // Fewer plies repeat nothing: both players must have gone and come back.
            let times = |&mv: &Move<G>| if line.plies() < 3 { 0 } else { line.repetitions_after(mv) };
            self.repeats.extend(legal.iter().map(times));
        }
    }

    /// The policy targets of a position; none where it has no policy target.
    pub(super) fn targets(&self, i: usize) -> &[(u16, f32)] {
        part(&self.policy, &self.policy_end, i)
    }
}

fn part<'a, T>(all: &'a [T], ends: &[u32], i: usize) -> &'a [T] {
    let start = i.checked_sub(1).map_or(0, |before| ends[before]);
    &all[start as usize..ends[i] as usize]
}

pub(super) fn replay<G: Tactics>(
    games: impl IntoIterator<Item = Result<StoredGame, DatasetError>>,
    input: InputName,
    reading: Reading,
) -> Result<Positions, DatasetError> {
    let (layout, plies) = (G::input(input), reading.plies);
    let played = if plies > 1 { InputLayout::MOVE_BYTES } else { 0 };
    let mut positions = Positions { row_bytes: layout.row_bytes() + played, ..Positions::default() };
    let mut legal = LegalMoves::default();
    for game in games {
        let game = game?;
        replay_game::<G>(&game, layout, reading, &mut legal, &mut positions)?;
        while !positions.len().is_multiple_of(plies) {
            positions.pad(&game, reading);
        }
    }
    Ok(positions)
}

fn replay_game<G: Tactics>(
    game: &StoredGame,
    layout: &InputLayout,
    reading: Reading,
    legal: &mut LegalMoves<G>,
    out: &mut Positions,
) -> Result<(), DatasetError> {
    let in_sequence = reading.plies > 1;
    out.map_cells = reading.map.map_or_else(|| game.map_cells(), |task| task.shape().cells(G::GEOMETRY.squares()));
    let values = game.target_value();
    let frame = layout.name.frame();
    game.visit::<G>(layout, in_sequence, |VisitedPly { line, played, candidates, used, is_target }| {
        let (position, ply) = (line.position(), line.plies());
        let row = out.packed.len();
        out.packed.resize(row + out.row_bytes, 0);
        let (packed, played_move) = out.packed[row..].split_at_mut(layout.row_bytes());
        line.pack(layout, packed);
        let label = |mv| position.label(mv, reading.moves, frame);
        if in_sequence {
            played_move.copy_from_slice(&label(played).to_le_bytes());
        }
        legal.fill(position);
        let first = out.legal.len();
        out.legal.extend(legal.moves.iter().map(|&mv| label(mv)));
        out.legal_end.push(out.legal.len() as u32);
        out.push_of_moves::<G>(line, &legal.moves, is_target.then_some(played), frame, reading);
        if is_target {
            if candidates.is_empty() {
                out.policy.push((label(played), 1.0));
            }
            for (text, probability) in candidates.iter() {
                let label = out.legal[first + legal.find(position, text)?];
                out.policy.push((label, probability));
            }
        }
        out.policy_end.push(out.policy.len() as u32);
        out.outcome.push(if used { outcome(game.result, position.side_to_move()) } else { UNKNOWN });
        out.value.push(values.get(ply).copied().filter(|_| used).unwrap_or(f32::NAN));
        if let Some(targets) = &game.targets {
            targets::push(&mut out.further, targets, used.then_some(ply));
        }
        out.phase.push(position.phase() as u8);
        out.game.push(game.cluster);
        out.ply.push(ply as u16);
        out.novel.push(game.seen_in_train.get(ply).is_some_and(|seen| !seen));
        match reading.map {
            _ if !used => out.map.extend(std::iter::repeat_n(NO_LABEL, out.map_cells)),
            Some(task) => out.map.extend(task.labels::<G>(position)),
            None => out.map.extend_from_slice(game.map_of(ply)),
        }
        Ok(())
    })
}

/// The outcome of a game whose result is not known.
pub(super) const UNKNOWN: i8 = -1;

/// 0 win, 1 draw, 2 loss of this side.
pub(super) fn outcome(result: GameResult, side: Side) -> i8 {
    match result {
        GameResult::Unknown => UNKNOWN,
        GameResult::Draw => 1,
        won if won == GameResult::won_by(side) => 0,
        _ => 2,
    }
}
