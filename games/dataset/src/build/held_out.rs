//! Validation and test games, buffered on disk until all training positions are known.

use super::append_log::AppendLog;
use super::training_keys::{KEYS_IN_MEMORY, SortedKeys, read_keys};
use crate::error::DatasetError;
use crate::split::Split;
use crate::store::{GameRow, ShardRows, ShardWriter};
use serde::{Deserialize, Serialize};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(crate) struct HeldOutState {
    files: usize,
    /// Bytes of the key file.
    keys: u64,
}

/// Rows in files that end at checkpoints, and the keys of all their plies in one file.
pub(super) struct HeldOutRows {
    split: Split,
    dir: PathBuf,
    files: usize,
    open: Option<ShardWriter>,
    keys: AppendLog,
}

impl HeldOutRows {
    pub(super) fn resume(dir: &Path, split: Split, state: HeldOutState) -> Result<Self, DatasetError> {
        let keys = AppendLog::resume(dir.join(format!(".waiting-{}-keys", split.name())), state.keys)?;
        Ok(Self { split, dir: dir.to_owned(), files: state.files, open: None, keys })
    }

    pub(super) fn push(&mut self, row: &GameRow, keys: &[u64]) -> Result<(), DatasetError> {
        let path = self.rows_path(self.files);
        let rows = match &mut self.open {
            Some(open) => open,
            none => none.insert(ShardWriter::create_temporary(&path)?),
        };
        rows.push(row)?;
        keys.iter().try_for_each(|key| self.keys.append(&key.to_le_bytes()))
    }

    pub(super) fn sync(&mut self) -> Result<HeldOutState, DatasetError> {
        if let Some(rows) = self.open.take() {
            rows.finish()?;
            self.files += 1;
        }
        Ok(HeldOutState { files: self.files, keys: self.keys.sync()? })
    }

    /// Passes the rows on in order, each with a mark for every ply whose position occurs in training. The files stay,
    /// in case the step is repeated.
    pub(super) fn release(
        mut self,
        trained: &SortedKeys,
        mut take: impl FnMut(GameRow, Vec<bool>) -> Result<(), DatasetError>,
    ) -> Result<(), DatasetError> {
        self.sync()?;
        let (mut keys, mut seen) = (self.keys.read()?, Vec::new().into_iter());
        for number in 0..self.files {
            for row in ShardRows::open(&self.rows_path(number))? {
                let row = row?;
                let plies = usize::from(row.plies);
                let mut marks = Vec::with_capacity(plies);
                while marks.len() < plies {
                    match seen.next() {
                        Some(mark) => marks.push(mark),
                        None => seen = self.next_seen(&mut keys, trained)?.into_iter(),
                    }
                }
                take(row, marks)?;
            }
        }
        Ok(())
    }

    /// For each of the next keys, whether the position occurs in training.
    fn next_seen(&self, keys: &mut impl Read, trained: &SortedKeys) -> Result<Vec<bool>, DatasetError> {
        let unreadable = DatasetError::io("read", &self.keys.path);
        match read_keys(keys, KEYS_IN_MEMORY) {
            Ok(block) if !block.is_empty() => trained.seen(&block),
            Ok(_) => Err(unreadable(ErrorKind::UnexpectedEof.into())),
            Err(error) => Err(unreadable(error)),
        }
    }

    fn rows_path(&self, number: usize) -> PathBuf {
        self.dir.join(format!(".waiting-{}-rows-{number}", self.split.name()))
    }
}
