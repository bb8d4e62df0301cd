//! Opening a dataset's rows: found in the cache, or made from the shards.

use super::cache::{CacheEntry, DerivedOptions};
use super::read::Derived;
use super::write::{Pushed, Writer};
use crate::error::DatasetError;
use crate::manifest::{EXACT_BELOW, Manifest};
use crate::store::{self, GameRow, ShardRows};
use std::path::Path;

impl Derived {
    /// The rows of a dataset whose manifest was checked: from the cache, or from the shards, which are checked and whose
    /// rows are put into the cache if there are many.
    pub(crate) fn open(dir: &Path, manifest: &Manifest, options: &DerivedOptions) -> Result<Self, DatasetError> {
        let entry = CacheEntry::of(manifest, options);
        if let Some(path) = entry.path.as_ref().filter(|path| path.exists()) {
            // The rows are not read from the shards, but a dataset without them is not complete.
            manifest.check_shards(dir)?;
            return Self::of_file(path, dir, manifest);
        }
        let path = entry.path.clone();
        match Self::made(dir, manifest, entry)? {
            Some(made) => Ok(made),
            None => {
                manifest.check_shards(dir)?;
                Self::of_file(&path.unwrap_or_default(), dir, manifest)
            }
        }
    }

    /// Rows that are stored nowhere, and the manifest with what they determine.
    pub(crate) fn of_rows(manifest: &Manifest, rows: Vec<GameRow>) -> Result<(Self, Manifest), DatasetError> {
        let options = DerivedOptions { cache: None, in_memory: u64::MAX, exact_below: EXACT_BELOW };
        let mut writer = Writer::new(manifest, CacheEntry::of(manifest, &options));
        writer.push(rows)?;
        let described = writer.contents().describe(manifest.clone());
        let derived = writer.finish()?.expect("no other process writes what has no cache");
        Ok((derived, described))
    }

    /// Makes the rows from the shards; `None` if another process has completed the file.
    fn made(dir: &Path, manifest: &Manifest, entry: CacheEntry<'_>) -> Result<Option<Self>, DatasetError> {
        let mut writer = Writer::new(manifest, entry);
        for shard in &manifest.shards {
            store::verify(dir, shard)?;
            let mut rows = ShardRows::open(&dir.join(&shard.file))?;
            while let Some(some) = rows.more()? {
                if let Pushed::Found = writer.push(some)? {
                    return Ok(None);
                }
            }
            writer.contents().end_shard(dir, manifest, shard)?;
        }
        writer.contents().check(dir, manifest)?;
        writer.finish()
    }
}
