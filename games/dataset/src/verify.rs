//! Checks a dataset by replaying every game.

use crate::WorkDone;
use crate::build::fingerprint;
use crate::error::DatasetError;
use crate::loader::{Dataset, StoredGame};
use crate::manifest::Unit;
use crate::split::{PerSplit, Split};
use games::attacks::Tactics;
use games::maps::MapTask;
use games::{Position as _, with_game};
use serde::Serialize;
use std::collections::HashSet;

/// Tolerance for the sum of a policy's probabilities.
const ROUNDING: f32 = 1e-3;

/// Problems that are described; further ones are only counted.
const DESCRIBED: usize = 20;

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Verification {
    /// Rows replayed, with every move legal.
    pub rows: u64,
    pub positions: u64,
    /// Candidate moves of soft policies, all legal.
    pub candidates: u64,
    /// Labels of maps, all as the rules define them.
    pub labels: u64,
    /// Games (start and moves) in several splits.
    pub games_in_two_splits: u64,
    pub handed_out: PerSplit<u64>,
    /// Those of them that also occur in a training row; 0 for training.
    pub also_in_train: PerSplit<u64>,
    pub problems: u64,
    pub described: Vec<String>,
}

impl Verification {
    /// The share of a split's positions that occur in no training row.
    pub fn novel_share(&self, split: Split) -> f64 {
        1.0 - self.also_in_train[split] as f64 / self.handed_out[split].max(1) as f64
    }

    fn problem(&mut self, what: String) {
        self.problems += 1;
        if self.described.len() < DESCRIBED {
            self.described.push(what);
        }
    }
}

/// Checks an opened dataset, whose hashes are already checked: replays every row, checks every policy and value, and
/// recomputes the overlap of the splits. With `by_position`, no position of validation or test may occur in training,
/// which usually holds only for datasets of positions. `progress` is called after every row.
pub fn verify_content(
    dataset: &Dataset,
    by_position: bool,
    progress: &mut dyn FnMut(WorkDone),
) -> Result<Verification, DatasetError> {
    let total = dataset.manifest().counts.kept;
    let mut found = Verification::default();
    let mut train = Seen::default();
    let task = map_task(dataset, &mut found);
    for split in Split::ALL {
        let mut own = HashSet::new();
        for game in dataset.stored(split) {
            with_game!(dataset.game(), G => row::<G>(game, split, task, &mut train, &mut found))?;
            own.insert(fingerprint(game.start.as_deref(), &game.moves));
            progress(WorkDone { what: "rows", done: found.rows, total });
        }
        if dataset.unit() == Unit::Game {
            let shared = own.iter().filter(|game| train.games.contains(game)).count() as u64;
            found.games_in_two_splits += shared;
            if shared > 0 {
                found.problem(format!("{shared} games of {} are in another split too", split.name()));
            }
        }
        train.games.extend(own);
    }
    compare(dataset, by_position, &mut found);
    Ok(found)
}

/// The task of the dataset's maps; reports descriptions that differ from the rules' definition.
fn map_task(dataset: &Dataset, found: &mut Verification) -> Option<MapTask> {
    let map = dataset.manifest().map.as_ref()?;
    let task = MapTask::named(&map.task);
    match task {
        None => found.problem(format!("the rules know no map \"{}\"", map.task)),
        Some(task) => {
            let classes = with_game!(dataset.game(), G => task.classes::<G>());
            if (classes, task.shape()) != (map.classes, map.shape) || task.class_names() != map.names {
                found.problem(format!("dataset.yaml describes the map \"{}\" in another way than the rules", map.task));
            }
        }
    }
    let labels = Split::ALL.iter().flat_map(|&split| dataset.stored(split)).flat_map(|game| &game.map);
    let mut cells = vec![0; map.classes.into()];
    labels.filter_map(|&label| usize::try_from(label).ok()).for_each(|class: usize| cells[class] += 1);
    let stated = map.counted(&dataset.manifest().counts.map_classes);
    if !stated.iter().map(|(_, count)| *count).eq(cells.iter().copied()) {
        found.problem(format!("dataset.yaml states other cells by class than there are: {cells:?}"));
    }
    // Only compared cells are counted; maps of another shape were reported above.
    task.filter(|task| task.shape() == map.shape)
}

#[derive(Default)]
struct Seen {
    games: HashSet<u128>,
    positions: HashSet<u64>,
}

fn row<G: Tactics>(
    game: &StoredGame,
    split: Split,
    task: Option<MapTask>,
    seen: &mut Seen,
    found: &mut Verification,
) -> Result<(), DatasetError> {
    found.rows += 1;
    let mut plies = game.policy.as_ref().map(|policy| policy.plies());
    game.play_through::<G>(|line, _| {
        let (position, ply) = (line.position(), line.plies());
        found.positions += 1;
        let key = line.key();
        let used = game.used.as_ref().is_none_or(|used| used[ply]);
        found.handed_out[split] += u64::from(used);
        if split == Split::Train {
            seen.positions.insert(key);
        } else {
            let known = seen.positions.contains(&key);
            found.also_in_train[split] += u64::from(used && known);
            if game.seen_in_train.get(ply).is_some_and(|&marked| marked != known) {
                found.problem(format!("row {}, ply {ply}: seen_in_train should be {known}", game.id));
            }
        }
        let candidates = plies.as_mut().and_then(Iterator::next).unwrap_or_default();
        found.candidates += candidates.iter().count() as u64;
        let sum: f32 = candidates.iter().map(|(_, probability)| probability).sum();
        if !candidates.is_empty() && (sum - 1.0).abs() > ROUNDING {
            found.problem(format!("row {}, ply {ply}: the policy adds up to {sum}", game.id));
        }
        for (text, _) in candidates.iter() {
            if let Err(error) = position.parse_move(text) {
                found.problem(format!("row {}, ply {ply}: {error}", game.id));
            }
        }
        if let Some(task) = task {
            let right = task.labels::<G>(position);
            found.labels += right.len() as u64;
            if let Some(cell) = (0..right.len()).find(|&cell| game.map_of(ply)[cell] != right[cell]) {
                let (found_label, right) = (game.map_of(ply)[cell], right[cell]);
                found.problem(format!(
                    "row {}, ply {ply}: cell {cell} has label {found_label} instead of {right}",
                    game.id
                ));
            }
        }
        let value = game.value[ply];
        if !value.is_nan() && !(0.0..=1.0).contains(&value) {
            found.problem(format!("row {}, ply {ply}: the value {value} is not a probability", game.id));
        }
    })
}

fn compare(dataset: &Dataset, by_position: bool, found: &mut Verification) {
    let stated = &dataset.manifest().split;
    for (split, novel) in
        [(Split::Validation, stated.novel_validation_positions), (Split::Test, stated.novel_test_positions)]
    {
        let share = if found.handed_out[split] == 0 { 0.0 } else { found.novel_share(split) };
        if (share - novel).abs() > 1e-9 {
            found.problem(format!("{}: dataset.yaml states {novel} novel positions, there are {share}", split.name()));
        }
        let shared = found.also_in_train[split];
        if by_position && shared > 0 {
            found.problem(format!("{shared} positions of {} occur in training too", split.name()));
        }
    }
}
