//! What the shards of a dataset hold, compared with what its manifest states of them.

use crate::error::DatasetError;
use crate::manifest::{Manifest, Shard, Unit};
use crate::split::{PerSplit, Split};
use crate::store::GameRow;
use std::collections::BTreeMap;
use std::path::Path;

/// Tolerance of a share that was written as text.
const ROUNDING: f64 = 1e-9;

/// What the rows of all shards read so far hold.
#[derive(Debug, Default)]
pub(super) struct ShardContents {
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
    /// The first ply that is a policy target in any row.
    policy_from_ply: Option<u16>,
    results: BTreeMap<String, u64>,
    terminations: BTreeMap<String, u64>,
    buckets: BTreeMap<String, u64>,
    map_classes: Vec<u64>,
}

impl ShardContents {
    pub(super) fn add(&mut self, row: &GameRow) {
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
        for &label in row.map.iter().flatten().flatten() {
            let Ok(class) = usize::try_from(label) else { continue };
            if class >= self.map_classes.len() {
                self.map_classes.resize(class + 1, 0);
            }
            self.map_classes[class] += 1;
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
        let used = |ply: usize| row.used.as_ref().is_none_or(|used| used[ply]);
        self.novel[row.split] += seen.iter().enumerate().filter(|&(ply, &seen)| !seen && used(ply)).count() as u64;
    }

    pub(super) fn size(&self) -> [u64; 2] {
        [total(&self.games), self.plies]
    }

    /// Checks the rows of a shard; `before` is the size before they were added.
    pub(super) fn check_shard(
        &self,
        dir: &Path,
        manifest: &Manifest,
        shard: &Shard,
        before: [u64; 2],
    ) -> Result<(), DatasetError> {
        let [rows, plies] = self.size();
        let (stated, found) = ([shard.games, shard.positions], [rows - before[0], plies - before[1]]);
        if stated == found {
            return Ok(());
        }
        let field = format!("games, positions of {}", shard.file);
        Err(differs(dir, manifest, &field, &format!("{stated:?}"), &format!("{found:?}")))
    }

    /// Checks every field of the manifest that the shards determine.
    pub(super) fn check(&self, dir: &Path, manifest: &Manifest) -> Result<(), DatasetError> {
        match self.difference(manifest) {
            None => Ok(()),
            Some((field, stated, found)) => Err(differs(dir, manifest, &field, &stated, &found)),
        }
    }

    /// The first field that differs, with what the manifest states and what the shards hold.
    fn difference(&self, manifest: &Manifest) -> Option<(String, String, String)> {
        let (counts, split) = (&manifest.counts, &manifest.split);
        let buckets: BTreeMap<String, u64> =
            manifest.rating_buckets.iter().map(|bucket| (bucket.name.clone(), bucket.games)).collect();
        let field = |name: &str, stated: String, found: String| (name.to_owned(), stated, found);
        let mut fields = vec![
            field("unit", unit(Some(manifest.unit)), unit(self.unit())),
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
