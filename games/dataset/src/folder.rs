//! Datasets on disk: a folder with a `dataset.yaml` and its shards.

use crate::error::DatasetError;
use crate::manifest::{MANIFEST_FILE, Manifest, Shard};
use crate::store::{self, GameRows, ShardRows};
use crate::{bounded, yaml};
use serde_yaml::with::singleton_map_recursive;
use std::io;
use std::path::{Path, PathBuf};

/// The limit of a `dataset.yaml`: the shards of 400 million games.
const MOST_BYTES: u64 = 4 << 20;

#[derive(Debug, Clone)]
pub struct DatasetFolder {
    pub dir: PathBuf,
    pub manifest: Manifest,
}

impl DatasetFolder {
    /// Reads the manifest of the dataset in a folder.
    pub fn read(dir: &Path) -> Result<Self, DatasetError> {
        Ok(Self { dir: dir.to_owned(), manifest: Manifest::read(dir)? })
    }
}

impl Manifest {
    /// Reads the `dataset.yaml` of a folder. Its fields are not yet compared with the shards.
    pub fn read(dir: &Path) -> Result<Self, DatasetError> {
        let path = dir.join(MANIFEST_FILE);
        if !dir.is_dir() {
            return Err(DatasetError::NoFolder(dir.to_owned()));
        }
        if !path.is_file() {
            return Err(DatasetError::NoManifest(dir.to_owned()));
        }
        let text = bounded::read_text(&path, MOST_BYTES).map_err(DatasetError::io("read", &path))?;
        let manifest: Self = yaml::from_text(&text)
            .map_err(|error| DatasetError::InvalidManifest { path, reason: error.to_string() })?;
        manifest.check(dir)?;
        Ok(manifest)
    }

    pub fn to_yaml(&self) -> io::Result<Vec<u8>> {
        let mut text = Vec::new();
        singleton_map_recursive::serialize(self, &mut serde_yaml::Serializer::new(&mut text))
            .map_err(io::Error::other)?;
        Ok(text)
    }

    /// All rows, shard by shard. Whether the shards are those that the manifest describes is not checked.
    pub fn rows<'a>(&'a self, dir: &'a Path) -> GameRows<'a> {
        let of_shard = move |shard: &Shard| match ShardRows::open(&dir.join(&shard.file)) {
            Ok(rows) => Box::new(rows) as GameRows<'a>,
            Err(error) => Box::new(std::iter::once(Err(error))),
        };
        Box::new(self.shards.iter().flat_map(of_shard))
    }

    /// Checks that every shard is the file that the manifest describes: its size and its hash.
    pub fn verify_shards(&self, dir: &Path) -> Result<(), DatasetError> {
        self.shards.iter().try_for_each(|shard| store::verify(dir, shard))
    }

    /// Checks that every shard is a regular file with the size in the manifest, without reading it.
    pub fn check_shards(&self, dir: &Path) -> Result<(), DatasetError> {
        self.shards.iter().try_for_each(|shard| store::check_size(dir, shard).map(drop))
    }
}
