//! A `dataset.yaml` whose meaning is changed.

use super::counts::Counts;
use super::{documents, seeded, small};
use dataset::{Dataset, MANIFEST_FILE, Manifest, Split, yaml};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// The content hash made again, as whoever changed the file would; a text that is no manifest stays.
fn sealed(text: &[u8]) -> Vec<u8> {
    let manifest = std::str::from_utf8(text).ok().and_then(|text| yaml::from_text::<Manifest>(text).ok());
    manifest.map_or_else(|| text.to_vec(), |manifest| manifest.sealed().to_yaml().expect("YAML"))
}

fn open(dir: &Path) -> Result<Dataset, String> {
    let manifest = Manifest::read(dir).map_err(|error| error.to_string())?;
    Dataset::load(dir, manifest).map_err(|error| error.to_string())
}

/// Refused, or a dataset that is what its manifest says.
fn law(dir: &Path, text: &[u8]) -> Counts {
    fs::write(dir.join(MANIFEST_FILE), sealed(text)).expect("written");
    Counts::of(open(dir), |dataset| {
        let manifest = dataset.manifest();
        assert_eq!(manifest.content_hash, manifest.hash_of_content());
        for split in Split::ALL {
            assert_eq!(dataset.games(split) as u64, manifest.split.games[split]);
            assert_eq!(dataset.positions(split), manifest.split.positions[split]);
        }
        assert!(!manifest.remedy().chars().any(char::is_control));
    })
}

#[test]
fn a_changed_manifest_is_refused_or_agrees_with_its_shards() {
    let small = small();
    let dir = small.path().join("dataset");
    let text = fs::read_to_string(dir.join(MANIFEST_FILE)).expect("a manifest");
    assert!(text.len() < 20_000);
    let document: Value = serde_yaml::from_str(&text).expect("YAML");
    seeded::hold("dataset.yaml", 1_000, &documents::texts(document), |text| law(&dir, text));
}
