//! Sorts records into the order of their game.

use super::in_record;
use super::record_data::RecordData;
use super::state::State;
use crate::chess::ChessPosition;
use crate::position::Position as _;
use crate::record::{RejectKind, Rejected};
use shakmaty::Move;
use std::collections::HashMap;

/// The indices of `records` in game order: each position follows by a move from the one before.
pub(super) fn restore(records: &[RecordData]) -> Result<Vec<usize>, Rejected> {
    let by_state = index(records)?;
    let mut next = vec![None; records.len()];
    let mut has_earlier = vec![false; records.len()];
    for (i, record) in records.iter().enumerate() {
        let Some(follower) = follower(record, i, &by_state, records)? else { continue };
        if std::mem::replace(&mut has_earlier[follower], true) {
            return Err(wrong(follower, "two records lead to it"));
        }
        next[i] = Some(follower);
    }
    let first = has_earlier.iter().position(|&has| !has).unwrap_or(0);
    let order: Vec<usize> = std::iter::successors(Some(first), |&i| next[i]).take(records.len()).collect();
    if order.len() < records.len() {
        let last = order[order.len() - 1];
        return Err(wrong(last, "no record follows it, and others are left: records are missing or of several games"));
    }
    Ok(order)
}

fn index(records: &[RecordData]) -> Result<HashMap<&State, usize>, Rejected> {
    let mut by_state = HashMap::with_capacity(records.len());
    for (i, record) in records.iter().enumerate() {
        if by_state.insert(&record.state, i).is_some() {
            return Err(wrong(i, "another record shows the same position at the same count of rule 50"));
        }
    }
    Ok(by_state)
}

/// The record that follows by a move from this one; `None` for the game's last.
fn follower(
    record: &RecordData,
    i: usize,
    by_state: &HashMap<&State, usize>,
    records: &[RecordData],
) -> Result<Option<usize>, Rejected> {
    let position = record.position(i)?;
    let moves = position.list_moves().into_iter();
    let led_to = moves.filter(|&mv| record.may_be_played(&position, mv)).find_map(|mv| {
        let found = *by_state.get(&after(&position, mv))?;
        records[found].follows(&record.state).then_some(found)
    });
    Ok(led_to)
}

pub(super) fn after(position: &ChessPosition, mv: Move) -> State {
    State::of_position(&position.after(mv))
}

fn wrong(record: usize, reason: &str) -> Rejected {
    in_record(record, RejectKind::Syntax, reason)
}
