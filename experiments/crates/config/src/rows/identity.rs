//! What makes two cells the same: the hash in a cell's folder name.
//!
//! The hash is over what decides a cell's numbers and over nothing else: not over the clock, the order of keys, the
//! place of the dataset on this disk, or the way a value was spelled. The rule for what it leaves out:
//!
//! 1. A key without which the run reads as the same run: its value is the default. So a field which is added later (with a
//!    default that means what the code did before) keeps every old hash.
//! 2. The settings of [`LEFT_OUT`], whatever their value. `train.micro_batch` is left out at `auto`, where the machine decides,
//!    as it does with its threads and its kernels, and the manifest records the number; a number is hashed, because it decides
//!    in which order f32 gradients are added. Of `train.start.network` it is hashed that there is one.
//!
//! Everything else is hashed, nested or not. `skip_serializing_if` decides nothing here: it makes `config.yaml` shorter, and
//! may skip only what reads back as the same run.

use crate::settings::precision::MicroBatch;
use crate::settings::run::RunConfig;
use facts::setting::{keys, remove};
use serde::Deserialize as _;
use serde_json::{Value, json};

/// Raise it when the meaning of a field changes, or a default does. A new field whose default keeps the old meaning needs
/// no raise.
pub const SCHEMA_VERSION: u32 = 1;

/// Digits of the hash in a folder's name.
const DIGITS: usize = 12;

/// The hash of a run, in hexadecimal: the first 12 digits of BLAKE3 over [`canonical`]. `content` is
/// [`dataset::content`]: the dataset's content hash, and that of the dataset it is tested on if it is another one.
pub fn hash(run: &RunConfig, content: &str) -> String {
    let whole = blake3::hash(canonical(run, content).as_bytes()).to_hex();
    whole[..DIGITS].to_owned()
}

/// The settings that a hash leaves out, by their keys in [`RunConfig`].
pub const LEFT_OUT: [&str; 8] = [
    // All seeds of a row share a folder.
    "seed",
    // Content hashes stand for the datasets.
    "data",
    "test_data",
    "generate",
    // Its own hash stands for the file.
    "train.start.tables",
    // No number depends on these. (`train.log_every` is hashed: training metrics are means over it.)
    "train.checkpoint_every",
    "train.workers",
    "eval.pictures",
];

/// The text that is hashed: JSON without spaces, keys sorted.
pub fn canonical(run: &RunConfig, content: &str) -> String {
    let run = RunConfig { model: run.model.clone().normalised(), ..run.clone() };
    let mut value = without_defaults(&run);
    for path in LEFT_OUT {
        remove(&mut value, &keys(path));
    }
    if let Some(network) = value.pointer_mut("/train/start/network") {
        *network = Value::Bool(true);
    }
    if run.train.micro_batch == Some(MicroBatch::Auto) {
        remove(&mut value, &keys("train.micro_batch"));
    }
    value["data"] = Value::from(content);
    let mut whole = json!({"numerics": run.numerics(), "run": value, "schema": SCHEMA_VERSION});
    // A feature of serde_json, which any crate may switch on, keeps keys in the order of their insertion.
    whole.sort_all_objects();
    whole.to_string()
}

/// The run as JSON, less every key that changes nothing when it is left out. So serde's defaults themselves say what a
/// default is, for the types of every crate.
fn without_defaults(run: &RunConfig) -> Value {
    let mut value = run.to_json();
    for path in key_paths(&value) {
        let mut trial = value.clone();
        // A key that is gone went with one above it.
        let is_there = remove(&mut trial, &path).is_some();
        if is_there && RunConfig::deserialize(&trial).is_ok_and(|same| same == *run) {
            value = trial;
        }
    }
    value
}

/// The ways to all keys of maps, outer ones first; an index into a list is its number.
fn key_paths(value: &Value) -> Vec<Vec<String>> {
    let mut entries: Vec<(String, &Value)> = match value {
        Value::Object(map) => map.iter().map(|(key, value)| (key.clone(), value)).collect(),
        Value::Array(list) => list.iter().enumerate().map(|(i, value)| (i.to_string(), value)).collect(),
        _ => return Vec::new(),
    };
    entries.sort_by(|a, b| a.0.cmp(&b.0));
    let own = entries.iter().filter(|_| value.is_object()).map(|(key, _)| vec![key.clone()]);
    let below = entries.iter().flat_map(|(key, value)| {
        key_paths(value).into_iter().map(move |rest| std::iter::once(key.clone()).chain(rest).collect())
    });
    own.chain(below).collect()
}
