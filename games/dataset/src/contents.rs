//! Compares the content of a dataset's shards with its manifest.

use crate::error::DatasetError;
use crate::manifest::{Counts, Manifest, RatingBucket, Shard, SplitSummary, Unit};
use crate::split::{PerSplit, Split, group, without_counters};
use crate::store::GameRow;
use games::map_labels::NO_LABEL;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// Tolerance of a share that was written as text.
const ROUNDING: f64 = 1e-9;

/// The content of all rows read so far.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct ShardContents {
    games: PerSplit<u64>,
    positions: PerSplit<u64>,
    /// Plies of all games, used or not.
    plies: u64,
    /// Used positions of validation and test games that occur in no training game.
    novel: PerSplit<u64>,
    /// Whether a game of validation or test lacks the marks of `novel`.
    unmarked: bool,
    /// Rows that are single positions.
    single: u64,
    /// Those of them whose group is a random game and not the position itself, see [`Self::add_described`].
    of_games: u64,
    /// The first ply that is a policy target in any row.
    pub(crate) policy_from_ply: Option<u16>,
    results: BTreeMap<String, u64>,
    terminations: BTreeMap<String, u64>,
    buckets: BTreeMap<String, u64>,
    map_classes: Vec<u64>,
    /// By the number of cells of a ply's map, 0 without a map.
    maps: BTreeMap<u64, MapRows>,
    /// Rows and plies of each shard read so far.
    shards: Vec<[u64; 2]>,
}

/// The plies whose maps have the same number of cells.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct MapRows {
    /// The first game with such a ply.
    game: u32,
    /// The lowest and the highest label, each with its game.
    labels: Option<[(i8, u32); 2]>,
}

impl ShardContents {
    /// Adds a row of a dataset that a manifest describes.
    pub(crate) fn add_described(&mut self, manifest: &Manifest, row: &GameRow) {
        self.add(row);
        if row.plies == 1
            && let Some(number) = row.group
        {
            let own = row.start.as_deref().map(|start| group(&without_counters(manifest.game, start)));
            self.of_games += u64::from(own != Some(number));
        }
    }

    pub(crate) fn add(&mut self, row: &GameRow) {
        self.games[row.split] += 1;
        self.positions[row.split] += row.positions();
        self.plies += u64::from(row.plies);
        self.add_novel(row);
        self.single += u64::from(row.group.is_some() && row.plies == 1);
        let first = self.policy_from_ply.unwrap_or(u16::MAX);
        self.policy_from_ply = Some(first.min(row.policy_from_ply));
        *self.results.entry(row.result.name().to_owned()).or_default() += 1;
        *self.terminations.entry(row.termination.name().to_owned()).or_default() += 1;
        if let Some(bucket) = &row.rating_bucket {
            *self.buckets.entry(bucket.clone()).or_default() += 1;
        }
        self.add_maps(row);
        for &label in row.map.iter().flatten().flatten() {
            let Ok(class) = usize::try_from(label) else { continue };
            if class >= self.map_classes.len() {
                self.map_classes.resize(class + 1, 0);
            }
            self.map_classes[class] += 1;
        }
    }

    fn add_maps(&mut self, row: &GameRow) {
        let without = [Vec::new()];
        for labels in row.map.as_deref().unwrap_or(&without) {
            let rows = self.maps.entry(labels.len() as u64).or_insert(MapRows { game: row.id, labels: None });
            for &label in labels {
                let [lowest, highest] = rows.labels.get_or_insert([(label, row.id); 2]);
                if label < lowest.0 {
                    *lowest = (label, row.id);
                }
                if label > highest.0 {
                    *highest = (label, row.id);
                }
            }
        }
    }

    fn add_novel(&mut self, row: &GameRow) {
        if row.split == Split::Train {
            return;
        }
        let Some(seen) = &row.seen_in_train else {
            self.unmarked = true;
            return;
        };
        self.novel[row.split] +=
            seen.iter().enumerate().filter(|&(ply, &seen)| !seen && row.is_used(ply)).count() as u64;
    }

    /// Ends a shard and checks its rows.
    pub(crate) fn end_shard(&mut self, dir: &Path, manifest: &Manifest, shard: &Shard) -> Result<(), DatasetError> {
        let before = self.shards.iter().fold([0, 0], |[rows, plies], shard| [rows + shard[0], plies + shard[1]]);
        let found = [total(&self.games) - before[0], self.plies - before[1]];
        self.shards.push(found);
        check_shard(dir, manifest, shard, found)
    }

    /// Checks every field of the manifest that the shards determine.
    pub(crate) fn check(&self, dir: &Path, manifest: &Manifest) -> Result<(), DatasetError> {
        manifest
            .shards
            .iter()
            .zip(&self.shards)
            .try_for_each(|(shard, &found)| check_shard(dir, manifest, shard, found))?;
        match self.difference(manifest) {
            None => self.check_maps(dir, manifest),
            Some((field, stated, found)) => Err(differs(dir, manifest, &field, &stated, &found)),
        }
    }

    /// Checks that every ply has the map that the manifest describes, with valid labels.
    fn check_maps(&self, dir: &Path, manifest: &Manifest) -> Result<(), DatasetError> {
        let map = manifest.map.as_ref();
        let cells = map.map_or(0, |map| map.shape.cells(manifest.game.geometry().squares()));
        let classes = map.map_or(0, |map| i32::from(map.classes));
        let valid = i32::from(NO_LABEL)..classes;
        let wrong = |(&found, rows): (&u64, &MapRows)| match rows.labels {
            _ if found != cells as u64 => Some(rows.game),
            None => None,
            Some(labels) => labels.iter().find(|(label, _)| !valid.contains(&i32::from(*label))).map(|&(_, game)| game),
        };
        match self.maps.iter().find_map(wrong) {
            None => Ok(()),
            Some(game) => {
                let reason = format!(
                    "the map of game {game} is not what dataset.yaml describes ({cells} cells, {classes} classes): {}",
                    manifest.remedy()
                );
                Err(DatasetError::Manifest { dir: dir.to_owned(), reason })
            }
        }
    }

    /// The manifest of these rows: every field that they determine, and the content hash.
    pub(crate) fn describe(&self, manifest: Manifest) -> Manifest {
        let kept = total(&self.games);
        let novel = |part: Split| self.novel[part] as f64 / self.positions[part].max(1) as f64;
        Manifest {
            counts: Counts {
                read: manifest.counts.read.max(kept),
                kept,
                positions: total(&self.positions),
                results: self.results.clone(),
                terminations: self.terminations.clone(),
                map_classes: self.map_classes.clone(),
                ..manifest.counts.clone()
            },
            rating_buckets: self.rating_buckets(manifest.rating_buckets.iter().map(|bucket| bucket.name.clone())),
            split: SplitSummary {
                games: self.games,
                positions: self.positions,
                novel_validation_positions: novel(Split::Validation),
                novel_test_positions: novel(Split::Test),
                ..manifest.split.clone()
            },
            ..manifest
        }
        .sealed()
    }

    /// The number of rows in each of these rating buckets.
    pub(crate) fn rating_buckets(&self, names: impl IntoIterator<Item = String>) -> Vec<RatingBucket> {
        let games = |name: &String| self.buckets.get(name).copied().unwrap_or(0);
        names.into_iter().map(|name| RatingBucket { games: games(&name), name }).collect()
    }

    /// The first field that differs, with the values of the manifest and of the shards.
    fn difference(&self, manifest: &Manifest) -> Option<(String, String, String)> {
        let (counts, split) = (&manifest.counts, &manifest.split);
        let buckets: BTreeMap<String, u64> =
            manifest.rating_buckets.iter().map(|bucket| (bucket.name.clone(), bucket.games)).collect();
        let field = |name: &str, stated: String, found: String| (name.to_owned(), stated, found);
        let mut fields = vec![
            field("unit", unit(Some(manifest.unit)), unit(self.unit())),
            field("sampled", presence(manifest.sampled.is_some()), presence(self.of_games > 0)),
            field("counts.kept", counts.kept.to_string(), total(&self.games).to_string()),
            field("counts.positions", counts.positions.to_string(), total(&self.positions).to_string()),
            field("counts.results", listed(&counts.results), listed(&self.results)),
            field("counts.terminations", listed(&counts.terminations), listed(&self.terminations)),
            field("rating_buckets", listed(&buckets), listed(&self.buckets)),
            field("counts.map_classes", classes(&counts.map_classes), classes(&self.map_classes)),
        ];
        for part in Split::ALL {
            let of = |what: &str, stated: u64, found: u64| {
                field(&format!("split.{what}.{}", part.name()), stated.to_string(), found.to_string())
            };
            fields.push(of("games", split.games[part], self.games[part]));
            fields.push(of("positions", split.positions[part], self.positions[part]));
        }
        let first = self.policy_from_ply.unwrap_or(manifest.policy_from_ply);
        if !self.allows(manifest.policy_from_ply, first) {
            fields.push(field("policy_from_ply", manifest.policy_from_ply.to_string(), first.to_string()));
        }
        for (part, stated) in
            [(Split::Validation, split.novel_validation_positions), (Split::Test, split.novel_test_positions)]
        {
            let found = self.novel[part] as f64 / self.positions[part].max(1) as f64;
            if !self.unmarked && (found - stated).abs() > ROUNDING {
                let name = format!("split.novel_{}_positions", part.name());
                fields.push(field(&name, stated.to_string(), found.to_string()));
            }
        }
        fields.into_iter().find(|(_, stated, found)| stated != found)
    }

    /// Games, single positions, or `None` for a mixture of both.
    fn unit(&self) -> Option<Unit> {
        match self.single {
            0 => Some(Unit::Game),
            single if single == total(&self.games) => Some(Unit::Position),
            _ => None,
        }
    }

    /// Whether a manifest may state this first ply of policy targets. In games it is a lower bound, as in datasets that
    /// were merged or lost duplicates; for positions it decides whether they have a policy target.
    fn allows(&self, stated: u16, found: u16) -> bool {
        match self.unit() {
            Some(Unit::Position) => (stated == 0) == (found == 0),
            _ => stated <= found,
        }
    }
}

/// Compares a shard's rows and plies with the manifest's.
fn check_shard(dir: &Path, manifest: &Manifest, shard: &Shard, found: [u64; 2]) -> Result<(), DatasetError> {
    let stated = [shard.games, shard.positions];
    if stated == found {
        return Ok(());
    }
    let field = format!("games, positions of {}", shard.file);
    Err(differs(dir, manifest, &field, &format!("{stated:?}"), &format!("{found:?}")))
}

fn total(counts: &PerSplit<u64>) -> u64 {
    Split::ALL.iter().map(|&split| counts[split]).sum()
}

fn differs(dir: &Path, manifest: &Manifest, field: &str, stated: &str, found: &str) -> DatasetError {
    let remedy = manifest.remedy();
    let reason = format!(
        "`{field}` is {stated}, but the shards hold {found}: correct the field if you trust the shards, fetch the dataset \
         again, or {remedy}"
    );
    DatasetError::Manifest { dir: dir.to_owned(), reason }
}

fn unit(unit: Option<Unit>) -> String {
    let name = match unit {
        Some(Unit::Game) => "game",
        Some(Unit::Position) => "position",
        None => "games and single positions",
    };
    name.to_owned()
}

/// Whether the field `sampled` is in the manifest: several positions of a random game are one cluster of an interval.
fn presence(sampled: bool) -> String {
    (if sampled { "present" } else { "absent" }).to_owned()
}

/// Counts by name, without zeros.
fn listed(counts: &BTreeMap<String, u64>) -> String {
    let listed: BTreeMap<&String, &u64> = counts.iter().filter(|&(_, &count)| count > 0).collect();
    format!("{listed:?}")
}

/// Counts by class, without zeros at the end.
fn classes(counts: &[u64]) -> String {
    let end = counts.iter().rposition(|&count| count > 0).map_or(0, |last| last + 1);
    format!("{:?}", &counts[..end])
}
