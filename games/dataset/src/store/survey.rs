//! Facts about shards without reading their games: from footers and single columns.

use super::read::{file_error, footer, guarded};
use crate::error::DatasetError;
use crate::manifest::Manifest;
use crate::split::{PerSplit, Split};
use arrow_array::cast::AsArray as _;
use arrow_array::types::UInt16Type;
use arrow_array::{Array as _, RecordBatch};
use parquet::arrow::ProjectionMask;
use parquet::file::metadata::{ColumnChunkMetaData, RowGroupMetaData};
use std::path::Path;

/// Whether any position of a dataset has a value in a per-ply column of numbers (`value`, `draw`, …). Only the shards'
/// footers are read.
pub fn has_values(dir: &Path, manifest: &Manifest, column: &str) -> Result<bool, DatasetError> {
    for shard in &manifest.shards {
        let footer = footer(&dir.join(&shard.file))?;
        if footer.metadata().row_groups().iter().any(|group| ColumnSize::of(group, column).known > 0) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A column of a row group by its footer; all 0 if the group does not have it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ColumnSize {
    /// Values with those that are null; an empty list counts as one of these.
    pub(crate) values: u128,
    /// Values that are not null; all of them if the footer has no count.
    pub(crate) known: u128,
    /// Bytes before they are compressed.
    pub(crate) bytes: u128,
}

impl ColumnSize {
    fn of(group: &RowGroupMetaData, name: &str) -> Self {
        let is_called =
            |chunk: &&ColumnChunkMetaData| chunk.column_path().parts().first().is_some_and(|part| part == name);
        let Some(chunk) = group.columns().iter().find(is_called) else { return Self::default() };
        let [values, bytes] =
            [chunk.num_values(), chunk.uncompressed_size()].map(|count| u128::try_from(count).unwrap_or(0));
        let nulls = chunk.statistics().and_then(|statistics| statistics.null_count_opt()).unwrap_or(0);
        Self { values, known: values.saturating_sub(nulls.into()), bytes }
    }
}

/// The sum over the row groups of all shards of a number that follows from the sizes of their columns.
pub(crate) fn sum_of_groups(
    dir: &Path,
    manifest: &Manifest,
    of_group: impl Fn(&dyn Fn(&str) -> ColumnSize) -> u128,
) -> Result<u128, DatasetError> {
    let mut sum = 0;
    for shard in &manifest.shards {
        let footer = footer(&dir.join(&shard.file))?;
        let groups = footer.metadata().row_groups().iter();
        sum += groups.map(|group| of_group(&|name: &str| ColumnSize::of(group, name))).sum::<u128>();
    }
    Ok(sum)
}

/// The number of positions of each split in these rating buckets. Only the needed columns are read.
pub fn positions_of(dir: &Path, manifest: &Manifest, buckets: &[String]) -> Result<PerSplit<u64>, DatasetError> {
    let mut positions = PerSplit::<u64>::default();
    for shard in &manifest.shards {
        let path = dir.join(&shard.file);
        let builder = footer(&path)?;
        let open = || {
            let columns = ["split", "plies", "used", "rating_bucket"];
            let mask = ProjectionMask::columns(builder.parquet_schema(), columns);
            builder.with_projection(mask).build().map_err(|error| error.to_string())
        };
        let mut batches = guarded(open).map_err(file_error(&path))?;
        let mut next = || guarded(|| batches.next().transpose().map_err(|error| error.to_string()));
        while let Some(batch) = next().map_err(file_error(&path))? {
            guarded(|| count(&batch, buckets, &mut positions)).map_err(file_error(&path))?;
        }
    }
    Ok(positions)
}

fn count(batch: &RecordBatch, buckets: &[String], positions: &mut PerSplit<u64>) -> Result<(), String> {
    // A shard without the column has no games in a bucket.
    let Some(named) = batch.column_by_name("rating_bucket") else { return Ok(()) };
    let column = |name: &str| batch.column_by_name(name).ok_or_else(|| format!("no column \"{name}\""));
    let (named, splits) = (named.as_string::<i32>(), column("split")?.as_string::<i32>());
    let plies = column("plies")?.as_primitive::<UInt16Type>();
    let used = batch.column_by_name("used").map(|used| used.as_list::<i32>());
    for row in (0..batch.num_rows()).filter(|&row| !named.is_null(row)) {
        if !buckets.iter().any(|bucket| bucket == named.value(row)) {
            continue;
        }
        let split = Split::ALL.into_iter().find(|split| split.name() == splits.value(row));
        let split = split.ok_or_else(|| format!("unknown split \"{}\"", splits.value(row)))?;
        positions[split] += match used.filter(|used| !used.is_null(row)) {
            Some(used) => used.value(row).as_boolean().true_count() as u64,
            None => plies.value(row).into(),
        };
    }
    Ok(())
}
