//! Checkpoints of an import, from which the same command resumes after a kill, a crash or a full disk.
//!
//! Written whenever a shard of training games is complete. Later work is repeated, with identical output.

use super::collect::Collected;
use super::format::Format;
use super::options::ImportOptions;
use crate::build::Output;
use crate::error::DatasetError;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::fs::Metadata;
use std::path::Path;
use std::time::UNIX_EPOCH;

/// The options and inputs that determine the rows of an import.
pub(super) type ImportConditions = Map<String, Value>;

/// How far the inputs have been read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct InputOffset {
    /// The current file, by its index on the command line; the number of files if all are done.
    pub(super) file: usize,
    /// Records of the files before it.
    pub(super) before: u64,
    /// The first format found, and the file it was found in.
    pub(super) found: Option<(Format, String)>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Checkpoint {
    conditions: ImportConditions,
    pub(super) place: InputOffset,
    pub(super) collected: Collected,
}

impl Checkpoint {
    /// Reads a checkpoint, and refuses one with other options or inputs.
    pub(super) fn read(text: &str, conditions: &ImportConditions, output: &Output) -> Result<Self, DatasetError> {
        let dir = || output.dir.clone();
        let damaged = |error: serde_json::Error| DatasetError::DamagedImport { dir: dir(), reason: error.to_string() };
        // Through text, as the saved one, so that numbers are rounded alike.
        let now: ImportConditions =
            serde_json::to_string(conditions).and_then(|now| serde_json::from_str(&now)).map_err(damaged)?;
        // In a checkpoint of an older version only this part may be readable.
        #[derive(Deserialize)]
        struct Begun {
            conditions: ImportConditions,
        }
        let begun: Begun = serde_json::from_str(text).map_err(damaged)?;
        let differences = differences(&begun.conditions, &now);
        if !differences.is_empty() {
            return Err(DatasetError::OtherImport { dir: dir(), differences });
        }
        serde_json::from_str(text).map_err(damaged)
    }

    pub(super) fn write(
        conditions: &ImportConditions,
        offset: &InputOffset,
        collected: Collected,
        output: &Output,
    ) -> Result<(), DatasetError> {
        let checkpoint = Self { conditions: conditions.clone(), place: offset.clone(), collected };
        let text = serde_json::to_string(&checkpoint)
            .map_err(|error| DatasetError::DamagedImport { dir: output.dir.clone(), reason: error.to_string() })?;
        output.checkpoint(&text)
    }
}

/// The options and inputs of an import, except names, descriptions and the number of threads.
pub(super) fn conditions(options: &ImportOptions) -> Result<ImportConditions, DatasetError> {
    // Every option is named, so that a new one cannot be omitted here.
    let ImportOptions {
        inputs,
        format,
        output: _,
        name: _,
        game,
        source: _,
        licence: _,
        made_by: _,
        policy_from_ply,
        value,
        filters,
        buckets,
        split,
        threads: _,
        strict,
    } = options;
    let files = inputs.iter().map(|path| state_of(path)).collect::<Result<Vec<_>, _>>()?;
    let mut conditions = Map::new();
    let mut say = |name: &str, value: Value| conditions.insert(name.to_owned(), value);
    say("program", json!(program()));
    say("game", json!(game.name()));
    say("files", json!(files));
    say("format", json!(format.map(Format::name)));
    say("policy_from_ply", json!(policy_from_ply));
    say("value", json!(value));
    say("rating_buckets", json!(buckets.names()));
    say("split_by", json!(split.by));
    say("opening_plies", json!(split.opening_plies));
    say("split_seed", json!(split.seed));
    say("fractions", json!(split.fractions));
    say("strict", json!(strict));
    if let Value::Object(filters) = json!(filters) {
        filters.into_iter().for_each(|(name, value)| drop(say(&name, value)));
    }
    Ok(conditions)
}

/// Size and modification time, which distinguish files of the same name.
fn state_of(path: &Path) -> Result<String, DatasetError> {
    let metadata = path.metadata().map_err(DatasetError::io("open", path))?;
    let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    Ok(format!("{name} ({})", size_and_time(&metadata)))
}

/// The version of the program: another one may read records differently.
fn program() -> String {
    let version = env!("CARGO_PKG_VERSION");
    match std::env::current_exe().and_then(|path| path.metadata()) {
        Ok(metadata) => format!("posenc {version} ({})", size_and_time(&metadata)),
        Err(_) => format!("posenc {version}"),
    }
}

fn size_and_time(metadata: &Metadata) -> String {
    let changed = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let changed = changed.map_or_else(String::new, |time| {
        format!(", changed {}.{:09} s after 1970", time.as_secs(), time.subsec_nanos())
    });
    format!("{} bytes{changed}", metadata.len())
}

fn differences(then: &ImportConditions, now: &ImportConditions) -> Vec<String> {
    let mut names: Vec<&String> = then.keys().chain(now.keys()).collect();
    names.sort_unstable();
    names.dedup();
    let of = |conditions: &ImportConditions, name: &str| conditions.get(name).cloned().unwrap_or(Value::Null);
    names
        .into_iter()
        .filter(|name| of(then, name) != of(now, name))
        .map(|name| format!("{name} was {} and is {}", of(then, name), of(now, name)))
        .collect()
}
