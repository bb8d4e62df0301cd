//! One cell of a grid: a resolved run, its label and its content-named folder.

use crate::settings::preset;
use crate::settings::run::RunConfig;
use crate::settings::setting::Setting;
use crate::yaml::parse::parse;
use crate::yaml::source::Source;
use crate::yaml::tree::Node;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The keys of a run that experiment files write.
const WRITTEN: [&str; 8] = ["game", "data", "input", "moves", "model", "encoding", "train", "eval"];

#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    pub experiment: String,
    /// The game's and the varied axes' short names, e.g. `chess-shaw`; the same for every seed.
    pub label: String,
    /// Hash of what decides its numbers, the seed left out: schema version, resolved configuration without default
    /// values, the dataset's content hash, the code's numerics version.
    pub hash: String,
    pub run: RunConfig,
}

impl Cell {
    /// The row's folder name, `<label>-<hash>`.
    pub fn row(&self) -> String {
        format!("{}-{}", self.label, self.hash)
    }

    /// Whether it has a value, written as in an experiment file: writing it into the run changes nothing.
    pub fn has(&self, setting: &Setting, value: &str) -> bool {
        let Ok(Value::Object(mut run)) = serde_json::to_value(&self.run) else { return false };
        run.retain(|key, _| WRITTEN.contains(&key.as_str()));
        // As files write a single one, so that `encoding.shaw.terms` leads into it.
        if let Some([alone]) = run.get("encoding").and_then(Value::as_array).map(Vec::as_slice) {
            let alone = alone.clone();
            run.insert("encoding".to_owned(), alone);
        }
        let own = Node::from_json(Value::Object(run), &Arc::default());
        let mut changed = own.clone();
        let Ok(value) = parse(&Source::new(Path::new("--only"), value)) else { return false };
        if preset::put(&mut changed, setting.key_path(), value).is_err() {
            return false;
        }
        matches!((preset::read_run(&own), preset::read_run(&changed)), (Ok(own), Ok(changed)) if own == changed)
    }

    /// The cell's folder below the output folder: `<experiment>/<label>-<hash>/seed-<n>`.
    pub fn dir(&self, runs: &Path) -> PathBuf {
        runs.join(&self.experiment).join(self.row()).join(format!("seed-{}", self.run.seed))
    }
}
