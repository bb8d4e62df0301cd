//! The parts of a record that a game needs.

use super::in_record;
use super::record::{Record, RecordedEvaluation};
use super::state::{State, in_frame};
use crate::chess::ChessPosition;
use crate::position::Position as _;
use crate::record::{RejectKind, Rejected};
use serde::{Deserialize, Serialize};
use shakmaty::{Color, Move};

crate::named! {
    /// Which of a record's values becomes the value of its position.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum ValueSource {
        /// The search's mean over the whole tree.
        #[default]
        Root = "root",
        /// After the move with most visits.
        Best = "best",
        /// After the played move (V6).
        Played = "played",
        /// The network's value before the search (V6, if recorded).
        Original = "original",
    }
}

/// The parts of a record that its game needs.
#[derive(Debug)]
pub(super) struct RecordData {
    pub(super) state: State,
    /// The pieces of the step before, in the same frame.
    pub(super) before: [u64; 12],
    /// The policy index of the played move, if the record has it.
    pub(super) played: Option<u16>,
    pub(super) policy: Vec<(u16, f32)>,
    /// Winning probability and draw probability.
    pub(super) value: Option<(f32, f32)>,
    pub(super) result: RecordedEvaluation,
    pub(super) ending: u8,
}

impl RecordData {
    pub(super) fn new(record: &Record<'_>, number: usize, value: ValueSource) -> Result<Self, Rejected> {
        let state = State::of_record(record).map_err(|reason| in_record(number, RejectKind::StartPosition, reason))?;
        let played = record.search().filter(|search| search.visits > 0).map(|search| search.played);
        Ok(Self {
            state,
            before: record.pieces(1),
            played,
            policy: policy(record, number)?,
            value: valued(record, number, value)?,
            result: result(record, number)?,
            ending: record.invariance_info(),
        })
    }

    /// Whether this can be the played move, according to the record.
    pub(super) fn may_be_played(&self, position: &ChessPosition, mv: Move) -> bool {
        self.played.is_none_or(|played| position.move_index(mv) == played)
    }

    /// Whether the previous step of the history shows `state`'s board, or is empty.
    pub(super) fn follows(&self, state: &State) -> bool {
        let empty = self.before.iter().all(|&plane| plane == 0);
        // The opponent was to move then: sides and ranks are exchanged.
        let turned = |i: usize| in_frame(state.pieces()[(i + 6) % 12], Color::Black);
        empty || (0..12).all(|i| self.before[i] == turned(i))
    }

    /// The position that record number `number` shows.
    pub(super) fn position(&self, number: usize) -> Result<ChessPosition, Rejected> {
        self.state.position(&self.before).map_err(|reason| in_record(number, RejectKind::StartPosition, reason))
    }
}

/// The largest difference between the sum of a policy and 1.
const POLICY_TOLERANCE: f32 = 0.01;

fn policy(record: &Record<'_>, number: usize) -> Result<Vec<(u16, f32)>, Rejected> {
    // Illegal moves are −1 or NaN: neither is above 0.
    let entries: Vec<(u16, f32)> = (0u16..).zip(record.policy()).filter(|&(_, share)| share > 0.0).collect();
    let sum: f32 = entries.iter().map(|&(_, share)| share).sum();
    if (1.0 - POLICY_TOLERANCE..=1.0 + POLICY_TOLERANCE).contains(&sum) {
        Ok(entries)
    } else {
        Err(in_record(number, RejectKind::Syntax, format!("the sum of the policy is {sum}")))
    }
}

fn valued(record: &Record<'_>, number: usize, source: ValueSource) -> Result<Option<(f32, f32)>, Rejected> {
    let found = match source {
        ValueSource::Root => record.root(),
        ValueSource::Best => record.best(),
        ValueSource::Played => record.played(),
        ValueSource::Original => record.original(),
    };
    let valued = |found: RecordedEvaluation| {
        let win = (ranged(found.q, "q", number)? + 1.0) / 2.0;
        Ok((win, ranged(found.d, "d", number)?.max(0.0)))
    };
    found.map(valued).transpose()
}

fn result(record: &Record<'_>, number: usize) -> Result<RecordedEvaluation, Rejected> {
    let result = record.result();
    let q = ranged(result.q, "the result's q", number)?;
    Ok(RecordedEvaluation { q, d: ranged(result.d, "the result's d", number)?, m: None })
}

/// Rounded values may exceed −1…1 by this much.
pub(super) const RANGE_TOLERANCE: f32 = 1e-3;

fn ranged(found: f32, field: &str, number: usize) -> Result<f32, Rejected> {
    if found.abs() <= 1.0 + RANGE_TOLERANCE {
        Ok(found.clamp(-1.0, 1.0))
    } else {
        Err(in_record(number, RejectKind::Syntax, format!("{field} is {found}")))
    }
}
