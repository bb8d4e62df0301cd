//! The shards of a dataset; each holds games of one split.

use crate::error::DatasetError;
use crate::manifest::Shard;
use crate::split::Split;
use crate::store::{GameRow, ShardWriter, verify};
use std::path::Path;

/// Games per shard: files of about 10 MB, which are easy to copy.
const SHARD_GAMES: u64 = 16_384;

/// Single positions per shard, for the same size.
const SHARD_POSITIONS: u64 = 1 << 20;

pub(crate) struct Shards<'a> {
    dir: &'a Path,
    create: fn(&Path) -> Result<ShardWriter, DatasetError>,
    open: Option<(Split, ShardWriter)>,
    done: Vec<Shard>,
}

impl<'a> Shards<'a> {
    /// No shards so far; `create` begins each.
    pub(crate) fn new(dir: &'a Path, create: fn(&Path) -> Result<ShardWriter, DatasetError>) -> Self {
        Self { dir, create, open: None, done: Vec::new() }
    }

    pub(super) fn resume(dir: &'a Path, done: Vec<Shard>) -> Result<Self, DatasetError> {
        done.iter().try_for_each(|shard| verify(dir, shard))?;
        Ok(Self { done, ..Self::new(dir, ShardWriter::create) })
    }

    /// The complete shards, if none is open.
    pub(super) fn between(&self) -> Option<&[Shard]> {
        self.open.is_none().then_some(self.done.as_slice())
    }

    pub(crate) fn push(&mut self, row: &GameRow) -> Result<(), DatasetError> {
        let most = if row.group.is_some() { SHARD_POSITIONS } else { SHARD_GAMES };
        if self.open.as_ref().is_some_and(|(split, _)| *split != row.split) {
            self.close()?;
        }
        let writer = match &mut self.open {
            Some((_, writer)) => writer,
            none => {
                let file = format!("{:05}-{}.parquet", self.done.len(), row.split.name());
                &mut none.insert((row.split, (self.create)(&self.dir.join(file))?)).1
            }
        };
        writer.push(row)?;
        if writer.games >= most { self.close() } else { Ok(()) }
    }

    /// Closes the open shard: the next row starts another.
    pub(super) fn close(&mut self) -> Result<(), DatasetError> {
        if let Some((_, writer)) = self.open.take() {
            self.done.push(writer.finish()?);
        }
        Ok(())
    }

    pub(crate) fn finish(mut self) -> Result<Vec<Shard>, DatasetError> {
        self.close()?;
        Ok(self.done)
    }
}
