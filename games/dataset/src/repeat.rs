//! A dataset repeated to any size, for measurements of large ones.

use crate::WorkDone;
use crate::build::{Output, Shards};
use crate::contents::ShardContents;
use crate::error::DatasetError;
use crate::manifest::{Counts, Manifest};
use crate::on_disk::OnDisk;
use crate::split::Split;
use crate::store::ShardWriter;
use std::path::Path;

/// Rows between two reports of progress.
const ROWS_A_REPORT: u64 = 1 << 12;

/// Writes the rows of a dataset repeatedly, with new numbers, until it has this number of positions. Its duplicates make
/// it useless for training.
pub fn repeat(
    source: &OnDisk,
    output: &Path,
    positions: u64,
    progress: &mut dyn FnMut(WorkDone),
) -> Result<Manifest, DatasetError> {
    source.manifest.verify_shards(&source.dir)?;
    let output = Output::create(output)?;
    let mut shards = Shards::new(output.dir(), ShardWriter::create_temporary);
    let mut contents = ShardContents::default();
    let (mut rows, mut written) = (0_u64, 0);
    'rounds: loop {
        for row in source.manifest.rows(&source.dir) {
            let mut row = row?;
            row.id = u32::try_from(rows).map_err(|_| DatasetError::Option {
                option: "positions",
                reason: format!("a dataset has at most {} rows", u32::MAX),
            })?;
            written += row.positions();
            shards.push(&row)?;
            contents.add(&row);
            rows += 1;
            if rows.is_multiple_of(ROWS_A_REPORT) {
                progress(WorkDone { what: "positions", done: written.min(positions), total: positions });
            }
            if written >= positions {
                break 'rounds;
            }
        }
        if written == 0 {
            return Err(DatasetError::EmptySplit { dataset: source.manifest.name.clone(), split: Split::Train });
        }
    }
    let manifest = contents.describe(Manifest {
        name: format!("{} repeated", source.manifest.name),
        made_by: format!("posenc bench data, from {}", source.manifest.content_hash),
        counts: Counts::default(),
        shards: shards.finish()?,
        ..source.manifest.clone()
    });
    output.publish(&manifest)?;
    Ok(manifest)
}
