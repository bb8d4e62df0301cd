//! Bundles that tests make and change.

use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// All files below a folder, sorted.
pub(crate) fn files(dir: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    let mut waiting = vec![dir.to_owned()];
    while let Some(next) = waiting.pop() {
        for entry in fs::read_dir(next).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() { waiting.push(path) } else { all.push(path) }
        }
    }
    all.sort();
    all
}

/// Every file below a folder, by its path from there.
pub(crate) fn contents(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let name = |path: &Path| path.strip_prefix(dir).expect("inside").to_str().expect("UTF-8").to_owned();
    files(dir).iter().map(|path| (name(path), fs::read(path).expect("a file"))).collect()
}

pub(crate) fn archive(path: &Path, files: &[(&str, &[u8])]) {
    let mut encoder = zstd::Encoder::new(fs::File::create(path).expect("a file"), 1).expect("an encoder");
    for (name, mut bytes) in files.iter().copied() {
        bundle::archive::append(&mut encoder, name, bytes.len() as u64, &mut bytes).expect("written");
    }
    bundle::archive::finish(&mut encoder).expect("written");
    encoder.finish().expect("written");
}

pub(crate) fn list(files: &[(&str, &[u8])]) -> String {
    files.iter().map(|(name, bytes)| format!("{}  {name}\n", blake3::hash(bytes).to_hex())).collect()
}

/// Changes a JSON or YAML file; YAML is written as JSON, which it contains.
pub(crate) fn change(path: &Path, change: impl FnOnce(&mut Value)) {
    let text = fs::read_to_string(path).expect("a file");
    let mut value: Value = serde_yaml::from_str(&text).expect("YAML");
    change(&mut value);
    fs::write(path, value.to_string()).expect("written");
}

/// Writes a loss that the cell did not reach into its metrics.
pub(crate) fn better(cell: &Path) {
    let path = cell.join("metrics.jsonl");
    let text = fs::read_to_string(&path).expect("metrics");
    let at = text.rfind("\"policy_loss\":").expect("a loss") + "\"policy_loss\":".len();
    fs::write(&path, format!("{}0{}", &text[..at], &text[at + 1..])).expect("written");
}

/// Writes the list of a bundle's folder again, as a publisher who changed files would.
pub(crate) fn relist(bundle: &Path) {
    let _ = fs::remove_file(bundle.join(bundle::SUMS));
    let all = contents(bundle);
    let all: Vec<(&str, &[u8])> = all.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
    fs::write(bundle.join(bundle::SUMS), list(&all)).expect("written");
}
