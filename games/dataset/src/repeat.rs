//! A dataset repeated to any size, for measurements of large ones.

use crate::WorkDone;
use crate::build::Output;
use crate::contents::ShardContents;
use crate::error::DatasetError;
use crate::manifest::{Counts, Manifest, Shard};
use crate::on_disk::OnDisk;
use crate::split::Split;
use crate::store::{self, ShardWriter};
use std::path::Path;

const SHARD_ROWS: u64 = 1 << 18;

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
    let none = || DatasetError::EmptySplit { dataset: source.manifest.name.clone(), split: Split::Train };
    if source.manifest.counts.positions == 0 {
        return Err(none());
    }
    let output = Output::create(output)?;
    let mut repeated = Repeated::new(output.dir());
    let mut written = 0;
    'rounds: loop {
        for row in source.manifest.rows(&source.dir) {
            let mut row = row?;
            row.id = u32::try_from(repeated.rows).map_err(|_| DatasetError::Option {
                option: "positions",
                reason: format!("a dataset has at most {} rows", u32::MAX),
            })?;
            written += row.positions();
            repeated.push(&row)?;
            if repeated.rows.is_multiple_of(ROWS_A_REPORT) {
                progress(WorkDone { what: "positions", done: written.min(positions), total: positions });
            }
            if written >= positions {
                break 'rounds;
            }
        }
        if written == 0 {
            return Err(none());
        }
    }
    let (shards, contents) = repeated.finish()?;
    let manifest = contents.describe(Manifest {
        name: format!("{} repeated", source.manifest.name),
        made_by: format!("posenc bench data, from {}", source.manifest.content_hash),
        counts: Counts::default(),
        shards,
        ..source.manifest.clone()
    });
    output.publish(&manifest)?;
    Ok(manifest)
}

struct Repeated<'a> {
    dir: &'a Path,
    open: Option<(Split, ShardWriter)>,
    shards: Vec<Shard>,
    contents: ShardContents,
    rows: u64,
}

impl<'a> Repeated<'a> {
    fn new(dir: &'a Path) -> Self {
        Self { dir, open: None, shards: Vec::new(), contents: ShardContents::default(), rows: 0 }
    }

    fn push(&mut self, row: &store::GameRow) -> Result<(), DatasetError> {
        if self.open.as_ref().is_some_and(|(split, writer)| *split != row.split || writer.games() >= SHARD_ROWS) {
            self.close()?;
        }
        let (_, writer) = match &mut self.open {
            Some(open) => open,
            none => {
                let file = format!("{:05}-{}.parquet", self.shards.len(), row.split.name());
                none.insert((row.split, ShardWriter::create_temporary(&self.dir.join(file))?))
            }
        };
        writer.push(row)?;
        self.contents.add(row);
        self.rows += 1;
        Ok(())
    }

    fn close(&mut self) -> Result<(), DatasetError> {
        if let Some((_, writer)) = self.open.take() {
            self.shards.push(writer.finish()?);
        }
        Ok(())
    }

    fn finish(mut self) -> Result<(Vec<Shard>, ShardContents), DatasetError> {
        self.close()?;
        Ok((self.shards, self.contents))
    }
}
