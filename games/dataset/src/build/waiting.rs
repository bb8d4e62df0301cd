//! Validation and test games, waiting on the disk until all training positions are known.

use crate::error::DatasetError;
use crate::split::Split;
use crate::store::{GameRow, ShardWriter, read_shard};
use std::fs::{self, File};
use std::io::{BufReader, BufWriter, Read as _, Write as _};
use std::path::{Path, PathBuf};

/// Keys that are looked up at a time.
const KEYS_AT_A_TIME: usize = 1 << 20;

pub(super) struct Waiting {
    split: Split,
    rows_path: PathBuf,
    keys_path: PathBuf,
    open: Option<(ShardWriter, BufWriter<File>)>,
}

impl Waiting {
    pub(super) fn new(dir: &Path, split: Split) -> Self {
        let path = |what| dir.join(format!(".waiting-{}-{what}", split.name()));
        Self { split, rows_path: path("rows"), keys_path: path("keys"), open: None }
    }

    pub(super) fn split(&self) -> Split {
        self.split
    }

    pub(super) fn push(&mut self, row: &GameRow, keys: &[u64]) -> Result<(), DatasetError> {
        let (rows, file) = match &mut self.open {
            Some(open) => open,
            none => {
                let file = File::create(&self.keys_path).map_err(DatasetError::io("create", &self.keys_path))?;
                none.insert((ShardWriter::create_for_now(&self.rows_path)?, BufWriter::new(file)))
            }
        };
        rows.push(row)?;
        keys.iter()
            .try_for_each(|key| file.write_all(&key.to_le_bytes()))
            .map_err(DatasetError::io("write", &self.keys_path))
    }

    /// Hands the rows back in their order, some at a time and with the keys of all their plies, and removes the files.
    pub(super) fn release(
        self,
        mut take: impl FnMut(Vec<GameRow>, Vec<u64>) -> Result<(), DatasetError>,
    ) -> Result<(), DatasetError> {
        let Some((rows, mut keys)) = self.open else { return Ok(()) };
        rows.finish()?;
        keys.flush().map_err(DatasetError::io("write", &self.keys_path))?;
        let file = File::open(&self.keys_path).map_err(DatasetError::io("open", &self.keys_path))?;
        let mut keys = BufReader::new(file);
        let mut batch = (Vec::new(), Vec::new());
        let mut outcome = Ok(());
        read_shard(&self.rows_path, &mut |row| {
            if outcome.is_err() {
                return;
            }
            for _ in 0..row.plies {
                let mut bytes = [0; size_of::<u64>()];
                outcome = keys.read_exact(&mut bytes).map_err(DatasetError::io("read", &self.keys_path));
                batch.1.push(u64::from_le_bytes(bytes));
            }
            batch.0.push(row);
            if outcome.is_ok() && batch.1.len() >= KEYS_AT_A_TIME {
                let (rows, keys) = std::mem::take(&mut batch);
                outcome = take(rows, keys);
            }
        })?;
        outcome?;
        take(batch.0, batch.1)?;
        for path in [&self.rows_path, &self.keys_path] {
            fs::remove_file(path).map_err(DatasetError::io("remove", path))?;
        }
        Ok(())
    }
}
