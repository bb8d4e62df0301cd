//! Checks a dataset by replaying every game.

use crate::WorkDone;
use crate::build::{KEYS_IN_MEMORY, KnownGames, SortedKeys, TrainingKeys, fingerprint};
use crate::contents::ShardContents;
use crate::derived::scratch;
use crate::error::DatasetError;
use crate::loader::StoredGame;
use crate::manifest::{Manifest, MapInfo, Unit};
use crate::split::{PerSplit, Split};
use crate::store::{self, ShardRows};
use games::attacks::Tactics;
use games::map_labels::MapTask;
use games::{Position as _, with_game};
use serde::Serialize;
use std::path::{Path, PathBuf};

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

/// Checks the dataset in a folder: hashes of its shards and everything that `dataset.yaml` states of them. Replays every
/// row, checks every policy, value, draw and mean result, and recomputes the overlap of the splits. With `by_position`, no
/// position of validation or test may occur in training, which usually holds only for datasets of positions. Memory does not
/// grow with the dataset: shards are read row by row, games and positions are sorted in a folder of temporary files.
/// `progress` is called after every row.
pub fn verify(
    dir: &Path,
    by_position: bool,
    progress: &mut dyn FnMut(WorkDone),
) -> Result<(Manifest, Verification), DatasetError> {
    let manifest = Manifest::read(dir)?;
    let shards = checked_shards(dir, &manifest, progress)?;
    let (kind, unit, total) = (manifest.game, manifest.unit, manifest.counts.kept);
    let mut found = Verification::default();
    let task = map_task(&manifest, &mut found);
    let folder = scratch()?;
    let mut games = KnownGames::resume(folder.path(), 0)?;
    let mut trained = TrainingKeys::resume(folder.path(), 0)?;
    let mut keys = Vec::new();
    let mut check_rows = |split: Split, found: &mut Verification, take: &mut TakeKeys<'_>| {
        let mut shared = 0u64;
        for (path, _) in shards.iter().filter(|(_, splits)| splits[split]) {
            for stored in ShardRows::open(path)? {
                let stored = stored?;
                if stored.split != split {
                    continue;
                }
                let game = StoredGame::from(stored);
                keys.clear();
                with_game!(kind, G => row::<G>(&game, split, task, &mut keys, found))?;
                take(&game, &keys, found)?;
                if unit == Unit::Game {
                    let fingerprint = fingerprint(game.start.text(kind).as_deref(), &game.moves);
                    let first = games.find_or_add(fingerprint, split as u32)?;
                    shared += u64::from(first.is_some_and(|first| first != split as u32));
                }
                progress(WorkDone { what: "rows checked", done: found.rows, total });
            }
        }
        if shared > 0 {
            found.games_in_two_splits += shared;
            found.problem(format!("{shared} games of {} are in another split too", split.name()));
        }
        Ok::<(), DatasetError>(())
    };
    check_rows(Split::Train, &mut found, &mut |_, keys, _| trained.train(keys))?;
    let trained = trained.sorted()?;
    for split in [Split::Validation, Split::Test] {
        let mut held = HeldPlies::default();
        check_rows(split, &mut found, &mut |game, keys, found| {
            held.push(game, keys);
            if held.keys.len() < KEYS_IN_MEMORY { Ok(()) } else { held.compare(&trained, split, found) }
        })?;
        held.compare(&trained, split, &mut found)?;
    }
    compare(&manifest, by_position, &mut found);
    Ok((manifest, found))
}

/// The shards of a dataset, each with the splits of its rows, after checking that they are what the manifest states.
fn checked_shards(
    dir: &Path,
    manifest: &Manifest,
    progress: &mut dyn FnMut(WorkDone),
) -> Result<Vec<(PathBuf, PerSplit<bool>)>, DatasetError> {
    let (mut contents, mut shards, mut done) = (ShardContents::default(), Vec::new(), 0);
    for shard in &manifest.shards {
        store::verify(dir, shard)?;
        let path = dir.join(&shard.file);
        let mut splits = PerSplit::<bool>::default();
        for row in ShardRows::open(&path)? {
            let row = row?;
            contents.add_described(manifest, &row);
            splits[row.split] = true;
            done += 1;
            progress(WorkDone { what: "rows read", done, total: manifest.counts.kept });
        }
        contents.end_shard(dir, manifest, shard)?;
        shards.push((path, splits));
    }
    contents.check(dir, manifest)?;
    Ok(shards)
}

/// Takes the keys of a row's positions.
type TakeKeys<'a> = dyn FnMut(&StoredGame, &[u64], &mut Verification) -> Result<(), DatasetError> + 'a;

/// Positions of validation or test that are not yet compared with those of training.
#[derive(Default)]
struct HeldPlies {
    keys: Vec<u64>,
    /// Of each, the row, the ply, whether it is used, and whether it is marked as a position of training.
    plies: Vec<(u32, u16, bool, Option<bool>)>,
}

impl HeldPlies {
    fn push(&mut self, game: &StoredGame, keys: &[u64]) {
        self.keys.extend_from_slice(keys);
        self.plies.extend((0..game.plies).map(|ply| {
            let i = usize::from(ply);
            (game.id, ply, game.is_used(i), game.seen_in_train.get(i).copied())
        }));
    }

    fn compare(&mut self, trained: &SortedKeys, split: Split, found: &mut Verification) -> Result<(), DatasetError> {
        let seen = trained.seen(&self.keys)?;
        for (&(row, ply, used, marked), known) in self.plies.iter().zip(seen) {
            found.also_in_train[split] += u64::from(used && known);
            if marked.is_some_and(|marked| marked != known) {
                found.problem(format!("row {row}, ply {ply}: seen_in_train should be {known}"));
            }
        }
        self.keys.clear();
        self.plies.clear();
        Ok(())
    }
}

/// The task of the dataset's maps; reports descriptions that differ from the rules' definition.
fn map_task(manifest: &Manifest, found: &mut Verification) -> Option<MapTask> {
    let map = manifest.map.as_ref()?;
    let task = MapTask::named(&map.task);
    match task {
        None => found.problem(format!("unknown map \"{}\"", map.task)),
        Some(task) => {
            if MapInfo::of(task, manifest.game) != *map {
                found.problem(format!("dataset.yaml describes the map \"{}\" in another way than the rules", map.task));
            }
        }
    }
    // Only compared cells are counted; maps of another shape were reported above.
    task.filter(|task| task.shape() == map.shape)
}

/// Checks a row and adds the keys of its positions.
fn row<G: Tactics>(
    game: &StoredGame,
    split: Split,
    task: Option<MapTask>,
    keys: &mut Vec<u64>,
    found: &mut Verification,
) -> Result<(), DatasetError> {
    found.rows += 1;
    let mut plies = game.policy.as_ref().map(|policy| policy.plies());
    game.play_through::<G>(|line, _| {
        let (position, ply) = (line.position(), line.plies());
        found.positions += 1;
        keys.push(line.key());
        found.handed_out[split] += u64::from(game.is_used(ply));
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
        for (column, all) in [("value", &game.value), ("draw", &game.draw), ("mean_result", &game.mean_result)] {
            let known = all.get(ply).filter(|number| !number.is_nan());
            if let Some(number) = known.filter(|&number| !(0.0..=1.0).contains(number)) {
                found.problem(format!("row {}, ply {ply}: the {column} {number} does not lie in 0…1", game.id));
            }
        }
    })
}

fn compare(manifest: &Manifest, by_position: bool, found: &mut Verification) {
    let stated = &manifest.split;
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
