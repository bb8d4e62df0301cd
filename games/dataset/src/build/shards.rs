//! The shards of a dataset; each holds games of one split.

use crate::error::DatasetError;
use crate::manifest::{Shard, Unit};
use crate::split::Split;
use crate::store::{GameRow, ShardWriter};
use std::path::Path;

/// Games in a shard: files of some 10 MB, which are easy to move and to fetch again.
const SHARD_GAMES: u64 = 16_384;

/// Single positions in a shard: the same size.
const SHARD_POSITIONS: u64 = 1 << 20;

pub(super) struct Shards<'a> {
    dir: &'a Path,
    open: Option<(Split, ShardWriter)>,
    done: Vec<Shard>,
}

impl<'a> Shards<'a> {
    pub(super) fn new(dir: &'a Path) -> Self {
        Self { dir, open: None, done: Vec::new() }
    }

    pub(super) fn push(&mut self, row: &GameRow) -> Result<(), DatasetError> {
        let unit = if row.group.is_some() { Unit::Position } else { Unit::Game };
        let most = match unit {
            Unit::Game => SHARD_GAMES,
            Unit::Position => SHARD_POSITIONS,
        };
        if self.open.as_ref().is_some_and(|(split, writer)| *split != row.split || writer.games() >= most) {
            self.close()?;
        }
        let writer = match &mut self.open {
            Some((_, writer)) => writer,
            none => {
                let file = format!("{:05}-{}.parquet", self.done.len(), row.split.name());
                &mut none.insert((row.split, ShardWriter::create(&self.dir.join(file))?)).1
            }
        };
        writer.push(row)
    }

    fn close(&mut self) -> Result<(), DatasetError> {
        if let Some((_, writer)) = self.open.take() {
            self.done.push(writer.finish()?);
        }
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<Vec<Shard>, DatasetError> {
        self.close()?;
        Ok(self.done)
    }
}
