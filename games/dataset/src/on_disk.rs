//! Datasets on disk: a folder with a `dataset.yaml` and its shards.

use crate::error::DatasetError;
use crate::manifest::{MANIFEST_FILE, Manifest};
use serde_yaml::with::singleton_map_recursive;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// A dataset on disk.
#[derive(Debug, Clone)]
pub struct OnDisk {
    /// Its folder.
    pub dir: PathBuf,
    /// Its manifest.
    pub manifest: Manifest,
}

impl OnDisk {
    /// Reads the manifest of the dataset in a folder.
    ///
    /// # Errors
    /// If the folder holds no dataset, like [`Manifest::read`].
    pub fn read(dir: &Path) -> Result<Self, DatasetError> {
        Ok(Self { dir: dir.to_owned(), manifest: Manifest::read(dir)? })
    }
}

impl Manifest {
    /// Reads the `dataset.yaml` of a folder.
    ///
    /// # Errors
    /// If the folder or file does not exist, or its text is invalid.
    pub fn read(dir: &Path) -> Result<Self, DatasetError> {
        let path = dir.join(MANIFEST_FILE);
        if !dir.is_dir() {
            return Err(DatasetError::NoFolder(dir.to_owned()));
        }
        if !path.is_file() {
            return Err(DatasetError::NoManifest(dir.to_owned()));
        }
        let text = fs::read_to_string(&path).map_err(DatasetError::io("read", &path))?;
        singleton_map_recursive::deserialize(serde_yaml::Deserializer::from_str(&text))
            .map_err(|error| DatasetError::InvalidManifest { path, reason: error.to_string() })
    }

    /// Its text in `dataset.yaml`.
    ///
    /// # Errors
    /// If a number in it cannot be written as YAML.
    pub fn to_yaml(&self) -> io::Result<Vec<u8>> {
        let mut text = Vec::new();
        singleton_map_recursive::serialize(self, &mut serde_yaml::Serializer::new(&mut text))
            .map_err(io::Error::other)?;
        Ok(text)
    }

    /// Checks that every shard exists with the size in the manifest, without reading it.
    ///
    /// # Errors
    /// On the first shard that is missing or has another size.
    pub fn check_shards(&self, dir: &Path) -> Result<(), DatasetError> {
        for shard in &self.shards {
            let path = dir.join(&shard.file);
            let Ok(metadata) = fs::metadata(&path) else { return Err(DatasetError::ShardMissing(path)) };
            if metadata.len() != shard.bytes {
                let (expected, found) = (shard.bytes.to_string(), metadata.len().to_string());
                return Err(DatasetError::ShardChanged { path, what: "size", expected, found });
            }
        }
        Ok(())
    }
}
