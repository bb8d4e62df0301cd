//! Datasets on the disk: `dataset.yaml` is read and written here, because crate `dataset` knows no YAML.

use anyhow::Context as _;
use dataset::{Dataset, MANIFEST_FILE, Manifest};
use serde_yaml::with::singleton_map_recursive;
use std::path::Path;

/// Opens a dataset: reads its manifest, its shards, and checks that they belong together.
///
/// # Errors
/// If the folder holds no dataset, or its files are missing, damaged or of another format.
pub fn open_dataset(dir: &Path) -> anyhow::Result<Dataset> {
    let manifest = read_manifest(dir)?;
    Ok(Dataset::open(dir, manifest)?)
}

/// Reads `dataset.yaml`.
///
/// # Errors
/// If the folder holds none, or its text is no manifest.
pub fn read_manifest(dir: &Path) -> anyhow::Result<Manifest> {
    let path = dir.join(MANIFEST_FILE);
    if !dir.is_dir() {
        anyhow::bail!("there is no folder {}; `posenc data import` makes a dataset", dir.display());
    }
    if !path.is_file() {
        anyhow::bail!(
            "{} holds no {MANIFEST_FILE}, so it is no dataset; `posenc data import` makes one",
            dir.display()
        );
    }
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    singleton_map_recursive::deserialize(serde_yaml::Deserializer::from_str(&text)).map_err(|error| {
        anyhow::anyhow!(
            "{} is no manifest of a dataset: {error}; fetch the dataset again, or make it anew",
            path.display()
        )
    })
}

/// Checks that every shard that the manifest names is there with the size that it should have, without reading it.
///
/// # Errors
/// On the first that is not.
pub fn check_shards(dir: &Path, manifest: &Manifest) -> Result<(), dataset::DatasetError> {
    for shard in &manifest.shards {
        let path = dir.join(&shard.file);
        let Ok(metadata) = std::fs::metadata(&path) else {
            return Err(dataset::DatasetError::ShardMissing(path));
        };
        if metadata.len() != shard.bytes {
            let (expected, found) = (shard.bytes.to_string(), metadata.len().to_string());
            return Err(dataset::DatasetError::ShardChanged { path, what: "size", expected, found });
        }
    }
    Ok(())
}

/// The text of a `dataset.yaml`.
///
/// # Errors
/// If the manifest cannot be written as YAML.
pub fn manifest_text(manifest: &Manifest) -> Result<String, String> {
    let mut text = Vec::new();
    singleton_map_recursive::serialize(manifest, &mut serde_yaml::Serializer::new(&mut text))
        .map_err(|error| error.to_string())?;
    String::from_utf8(text).map_err(|error| error.to_string())
}
