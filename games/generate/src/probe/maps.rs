//! Positions whose label is a map of the board.

use super::Unseen;
use super::random_play::{LATEST_PLY, PLY_CAP, RandomPlay};
use dataset::{MapInfo, MappedPosition, SplitPlan};
use games::attacks::Tactics;
use games::maps::MapTask;
use games::{Position as _, Referee};
use streams::below;

/// The description of a task's labels, for `dataset.yaml`.
pub(super) fn info<G: Tactics>(task: MapTask) -> MapInfo {
    MapInfo {
        task: task.name().to_owned(),
        classes: task.classes::<G>(),
        shape: task.shape(),
        names: task.class_names().iter().map(|&name| name.to_owned()).collect(),
    }
}

/// A position of a random game at a random ply. For pins, which are rare, the first position from there on with a
/// pinned piece, of the side to move in games with an even number and of the opponent in the others. `None` if the game
/// ends before.
pub(super) fn mapped<G: Referee + Tactics>(
    task: MapTask,
    unseen: Option<(Unseen, &SplitPlan)>,
    seed: u64,
    number: u64,
) -> Option<MappedPosition> {
    let mut play = RandomPlay::<G>::begin(seed, task.name(), number);
    for _ in 0..below(&mut play.stream, LATEST_PLY as u64) {
        if !play.step() {
            return None;
        }
    }
    while !is_wanted::<G>(task, number, play.position()) {
        if play.plies() >= PLY_CAP || !play.step() {
            return None;
        }
    }
    let mut position = play.position().clone();
    if let Some((unseen, plan)) = unseen {
        position = unseen.version::<G>(&position, plan, &mut play.stream)?;
    }
    let mut legal = Vec::new();
    position.legal_moves(&mut legal);
    let mv = position.move_text(*legal.first()?);
    Some(MappedPosition { start: position.to_text(), mv, map: task.labels::<G>(&position) })
}

fn is_wanted<G: Tactics>(task: MapTask, number: u64, position: &G::Position) -> bool {
    if task != MapTask::Pins {
        return true;
    }
    let pieces = G::pieces(position);
    let side = if number.is_multiple_of(2) { pieces.own } else { pieces.opponent };
    !pieces.pinned.and(side).is_empty()
}
