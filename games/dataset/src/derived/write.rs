//! Opening a dataset's rows: found in the cache, or made from the shards and written to a derived file or to memory.

use super::cache::{CacheEntry, DerivedOptions, Partial};
use super::index::{Facts, Index, OptionalColumns, RowSize, RowSizes, SplitIndex};
use super::read::{Bytes, Derived};
use super::row;
use super::{DIGEST, MAGIC, digest, rows_of_unit};
use crate::contents::ShardContents;
use crate::error::DatasetError;
use crate::loader::StoredGame;
use crate::manifest::{EXACT_BELOW, Manifest};
use crate::split::{PerSplit, Split};
use crate::store::{self, GameRow, ShardRows};
use crate::work_done::WorkDone;
use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

impl Derived {
    /// The rows of a dataset whose manifest was checked: from the cache, or from the shards, which are checked and whose
    /// rows are put into the cache if there are many. `progress` is called while rows are read from the shards.
    pub(crate) fn open(
        dir: &Path,
        manifest: &Manifest,
        options: &DerivedOptions,
        progress: &mut dyn FnMut(WorkDone),
    ) -> Result<Self, DatasetError> {
        let entry = CacheEntry::of(manifest, options);
        if let Some(path) = entry.path.as_ref().filter(|path| path.exists()) {
            // The rows are not read from the shards, but a dataset without them is not complete.
            manifest.check_shards(dir)?;
            return Self::of_file(path, dir, manifest);
        }
        match Self::made(dir, manifest, entry, progress)? {
            Some(made) => Ok(made),
            None => Self::open(dir, manifest, options, progress),
        }
    }

    /// Rows that are stored nowhere, and the manifest with what they determine.
    pub(crate) fn of_rows(manifest: &Manifest, rows: Vec<GameRow>) -> Result<(Self, Manifest), DatasetError> {
        let options = DerivedOptions { cache: None, in_memory: u64::MAX, exact_below: EXACT_BELOW };
        let mut writer = CacheWriter::new(manifest, CacheEntry::of(manifest, &options));
        writer.push(rows)?;
        let described = writer.contents.describe(manifest.clone());
        let derived = writer.finish()?.expect("no other process writes what has no cache");
        Ok((derived, described))
    }

    /// Makes the rows from the shards; `None` if another process has completed the file.
    fn made(
        dir: &Path,
        manifest: &Manifest,
        entry: CacheEntry<'_>,
        progress: &mut dyn FnMut(WorkDone),
    ) -> Result<Option<Self>, DatasetError> {
        let mut writer = CacheWriter::new(manifest, entry);
        let mut done = 0;
        for shard in &manifest.shards {
            store::verify(dir, shard)?;
            let mut rows = ShardRows::open(&dir.join(&shard.file))?;
            while let Some(some) = rows.more()? {
                done += some.len() as u64;
                if let Pushed::Found = writer.push(some)? {
                    return Ok(None);
                }
                progress(WorkDone { what: "rows prepared", done, total: manifest.counts.kept });
            }
            writer.contents.end_shard(dir, manifest, shard)?;
        }
        writer.contents.check(dir, manifest)?;
        writer.finish()
    }
}

/// Rows become units, in memory until they are many and then in a file.
struct CacheWriter<'a> {
    manifest: &'a Manifest,
    entry: CacheEntry<'a>,
    /// The bytes so far that are not in a file.
    memory: Vec<u8>,
    partial: Option<Partial>,
    written: u64,
    contents: ShardContents,
    buckets: BTreeMap<String, u16>,
    /// The first row of each random game outside of training.
    clusters: HashMap<u64, u32>,
    splits: PerSplit<SplitWriter>,
}

#[derive(Default)]
struct SplitWriter {
    index: SplitIndex,
    /// The rows of the unit that is not complete.
    unit: Vec<u8>,
    rows: usize,
}

/// What became of the rows.
enum Pushed {
    Kept,
    /// Another process has completed the file.
    Found,
}

impl<'a> CacheWriter<'a> {
    fn new(manifest: &'a Manifest, entry: CacheEntry<'a>) -> Self {
        let mut splits = PerSplit::<SplitWriter>::default();
        for split in Split::ALL {
            let rows = manifest.split.games[split];
            let together = rows_of_unit(manifest.unit, split, rows, entry.options.exact_below);
            splits[split].index.facts.together = together as u32;
        }
        let contents = ShardContents::default();
        let (memory, buckets, clusters) = (MAGIC.to_vec(), BTreeMap::new(), HashMap::new());
        let written = MAGIC.len() as u64;
        Self { manifest, entry, memory, partial: None, written, contents, buckets, clusters, splits }
    }

    fn push(&mut self, rows: Vec<GameRow>) -> Result<Pushed, DatasetError> {
        let mut places = Vec::with_capacity(rows.len());
        for row in &rows {
            self.contents.add_described(self.manifest, row);
            places.push((row.rating_bucket.as_ref().map(|name| self.bucket(name)).transpose()?, self.cluster(row)));
        }
        let kind = self.manifest.game;
        let encode = |(row, (bucket, cluster)): (GameRow, (Option<u16>, u32))| {
            let split = row.split;
            let game = StoredGame { cluster, ..StoredGame::from(row) };
            let mut bytes = Vec::new();
            row::encode(&game, kind, bucket, &mut bytes);
            let (positions, has) = (game.positions as u16, game.has());
            let of_bucket = if bucket.is_some() { has } else { OptionalColumns::default() };
            (split, RowSize { plies: game.plies, positions, bucket, has: of_bucket }, has, bytes)
        };
        let encoded: Vec<_> = rows.into_iter().zip(places).collect::<Vec<_>>().into_par_iter().map(encode).collect();
        for (split, size, has, bytes) in encoded {
            let writer = &mut self.splits[split];
            writer.index.facts.has = writer.index.facts.has.or(has);
            writer.index.add(size);
            writer.unit.extend((bytes.len() as u32).to_le_bytes());
            writer.unit.extend(bytes);
            writer.rows += 1;
            if writer.rows == writer.index.facts.together as usize
                && let Pushed::Found = self.end_unit(split)?
            {
                return Ok(Pushed::Found);
            }
        }
        Ok(Pushed::Kept)
    }

    /// The game that a row counts to: where random games give several positions, the first of them. Training positions are not
    /// evaluated, so each counts to itself.
    fn cluster(&mut self, row: &GameRow) -> u32 {
        let is_of_several = self.manifest.sampled.is_some() && row.split != Split::Train;
        match row.group.filter(|_| is_of_several) {
            Some(group) => *self.clusters.entry(group).or_insert(row.id),
            None => row.id,
        }
    }

    /// The place of a rating bucket.
    fn bucket(&mut self, name: &str) -> Result<u16, DatasetError> {
        if let Some(&place) = self.buckets.get(name) {
            return Ok(place);
        }
        // The last number marks rows without a bucket.
        let place = u16::try_from(self.buckets.len()).ok().filter(|&place| place < u16::MAX);
        let place = place.ok_or_else(|| DatasetError::Option {
            option: "rating buckets",
            reason: format!("a dataset has at most {}", u16::MAX),
        })?;
        self.buckets.insert(name.to_owned(), place);
        Ok(place)
    }

    fn end_unit(&mut self, split: Split) -> Result<Pushed, DatasetError> {
        let writer = &mut self.splits[split];
        let rows = std::mem::take(&mut writer.unit);
        writer.rows = 0;
        let length = u32::try_from(rows.len() + DIGEST).map_err(|_| DatasetError::Option {
            option: "rows",
            reason: format!("{} rows take {} bytes: that is too long", writer.index.facts.together, rows.len()),
        })?;
        writer.index.offsets.push(self.written);
        writer.index.lengths.push(length);
        self.put(&digest(&rows))?;
        self.put(&rows)?;
        if self.partial.is_some() || self.written <= self.entry.options.in_memory {
            return Ok(Pushed::Kept);
        }
        self.spill()
    }

    /// Moves the bytes so far to a file; they stay in memory if the cache cannot be written.
    fn spill(&mut self) -> Result<Pushed, DatasetError> {
        let Some(mut partial) = self.entry.begin() else {
            self.entry.path = None;
            return Ok(Pushed::Kept);
        };
        if self.entry.path.as_ref().is_some_and(|path| path.exists()) {
            return Ok(Pushed::Found);
        }
        partial.put(&std::mem::take(&mut self.memory))?;
        self.partial = Some(partial);
        Ok(Pushed::Kept)
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), DatasetError> {
        self.written += bytes.len() as u64;
        match &mut self.partial {
            Some(partial) => partial.put(bytes),
            None => {
                self.memory.extend_from_slice(bytes);
                Ok(())
            }
        }
    }

    /// Ends the last units and makes the rows readable; `None` if another process has completed the file.
    fn finish(mut self) -> Result<Option<Derived>, DatasetError> {
        for split in Split::ALL {
            if self.splits[split].rows > 0
                && let Pushed::Found = self.end_unit(split)?
            {
                return Ok(None);
            }
        }
        let end = self.written;
        let Self { manifest, memory, partial, contents, buckets, mut splits, .. } = self;
        let mut names = vec![String::new(); buckets.len()];
        buckets.into_iter().for_each(|(name, place)| names[usize::from(place)] = name);
        let mut facts = Facts {
            content_hash: manifest.content_hash.clone(),
            game: manifest.game,
            contents,
            buckets: names,
            splits: PerSplit::default(),
        };
        let mut indices = PerSplit::<SplitIndex>::default();
        for split in Split::ALL {
            let mut index = std::mem::take(&mut splits[split].index);
            index.facts.same = match &index.sizes {
                RowSizes::Same(size) => Some(*size),
                RowSizes::Each(_) => None,
            };
            facts.splits[split] = index.facts;
            indices[split] = index;
        }
        let index = Index { facts, splits: indices };
        let Some(partial) = partial else { return Ok(Some(Derived::new(Bytes::Memory(memory), index))) };
        let (file, path) = partial.finish(&index, end)?;
        Ok(Some(Derived::new(Bytes::File { file, path }, index)))
    }
}
