//! The memory and disk that training on a dataset needs, from its manifest and the footers of its shards.

use super::DerivedOptions;
use super::cache::CacheEntry;
use super::{rows_of_unit, rows_together};
use crate::error::DatasetError;
use crate::loader::LoaderConfig;
use crate::manifest::{EXACT_BELOW, Manifest, Unit};
use crate::split::Split;
use crate::store::{self, ColumnSize};
use games::map_labels::MapTask;
use games::with_game;
use serde::Serialize;
use std::path::Path;

#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct DataCost {
    /// Bytes of memory of each process: rows or an index of them, and two blocks of replayed positions.
    pub memory: u64,
    /// Bytes of the derived file; 0 if rows stay in memory.
    pub disk: u64,
    /// Seconds until rows can be read, at the assumed rate: of every process if they stay in memory, otherwise once.
    pub seconds: f64,
    pub is_made: bool,
}

impl DataCost {
    /// Bytes of rows that are made of shards in a second. An assumption: `posenc bench data` measures it.
    pub const ASSUMED_BYTES_A_SECOND: f64 = 4e7;

    /// An estimate; exact for the bytes of a file that exists. The counts of the manifest may be any numbers.
    pub fn of(dir: &Path, manifest: &Manifest, options: &DerivedOptions) -> Result<Self, DatasetError> {
        let blocks = 2 * with_game!(manifest.game, G => G::BLOCK_BYTES);
        let entry = CacheEntry::of(manifest, options);
        let made = entry.path.as_ref().and_then(|path| path.metadata().ok()).map(|metadata| metadata.len());
        let bytes = match made {
            Some(bytes) => bytes,
            None => row_bytes(dir, manifest)?,
        };
        let seconds = if made.is_some() { 0.0 } else { bytes as f64 / Self::ASSUMED_BYTES_A_SECOND };
        let (is_made, in_memory) = (made.is_some(), made.is_none() && bytes <= options.in_memory);
        if in_memory || options.cache.is_none() {
            return Ok(Self { memory: bytes.saturating_add(blocks), disk: 0, seconds, is_made });
        }
        let of_split = |&split: &Split| {
            let rows = manifest.split.games[split];
            let units = rows.div_ceil(rows_of_unit(manifest.unit, split, rows, options.exact_below) as u64);
            // A unit's place and its number in the order; a row's size where rows differ.
            let sizes = if manifest.unit == Unit::Game { rows.saturating_mul(8) } else { 0 };
            units.saturating_mul(16).saturating_add(sizes)
        };
        let memory = Split::ALL.iter().map(of_split).fold(blocks, u64::saturating_add);
        Ok(Self { memory, disk: bytes, seconds, is_made })
    }

    /// The same with the labels of a computed map for the positions of two blocks.
    pub fn with_map(self, manifest: &Manifest, task: MapTask) -> Self {
        let cells = task.shape().cells(manifest.game.geometry().squares()) as u64;
        let (games, positions) = (manifest.split.games[Split::Train], manifest.split.positions[Split::Train]);
        let most = LoaderConfig::BLOCK_GAMES as u64;
        let rows = match manifest.unit {
            Unit::Game => most,
            Unit::Position => most * rows_together(Unit::Position, games, EXACT_BELOW) as u64,
        };
        let of_block = games.min(rows).saturating_mul(positions.div_ceil(games.max(1)));
        Self { memory: self.memory.saturating_add(of_block.saturating_mul(2 * cells)), ..self }
    }
}

/// About the bytes of all rows as [`super::row`] encodes them. The columns of a shard are smaller even before they are
/// compressed, because equal values stand once.
fn row_bytes(dir: &Path, manifest: &Manifest) -> Result<u64, DatasetError> {
    // What every row has.
    const FIXED: u128 = 12;
    let bits = store::sum_of_groups(dir, manifest, |column| {
        let known = |name: &str| column(name).known;
        // A list is written whole if one of its values is known.
        let whole = |name: &str| Some(column(name)).filter(|column| column.known > 0).map_or(0, |column| column.values);
        let (rows, plies) = (column("id").values, column("value").values);
        let ColumnSize { bytes: start, known: starts, .. } = column("start");
        let counts = if known("policy_moves") > 0 { plies } else { 0 };
        8 * (FIXED * rows + known("map") + if starts > 0 { start } else { 0 })
            + 16 * (plies + counts + known("policy_moves") + known("rating_bucket"))
            + 32 * (whole("value") + whole("draw") + whole("mean_result") + known("policy_probs"))
            + 32 * (known("first_rating") + known("second_rating"))
            + known("seen_in_train")
            + known("used")
    })?;
    Ok(u64::try_from(bits / 8).unwrap_or(u64::MAX))
}
