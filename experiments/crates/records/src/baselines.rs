//! `baselines.json`: the policy losses of policies without a network, on the positions that the rows were tested on.

use crate::files::{read_json, write_json};
use games::GameKind;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::Path;

pub const FILE: &str = "baselines.json";

pub const FORMAT: u32 = 1;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Baselines {
    pub format: u32,
    pub sets: Vec<BaselineSet>,
}

/// The baselines on one set of test positions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BaselineSet {
    /// The hash of everything that the numbers depend on.
    pub identity: String,
    pub game: GameKind,
    pub dataset: String,
    pub content_hash: String,
    /// The rating buckets whose games were taken; all games if empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub buckets: Vec<String>,
    pub asked: u64,
    /// Test positions with a policy target.
    pub positions: usize,
    pub games: usize,
    /// The mean entropy of the targets in nats: the loss of a perfect policy.
    pub target_entropy: f64,
    /// The folders of the rows that are tested on these positions.
    pub rows: Vec<String>,
    pub baselines: Vec<Baseline>,
}

games::named! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum BaselineName {
        Uniform = "uniform over legal moves",
        /// The frequency of a move where it is legal.
        StaticPrior = "static prior",
        /// A log-linear model on hand features of position and move.
        LogLinear = "log-linear model",
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Baseline {
    pub name: BaselineName,
    /// Its policy loss in nats, renormalised over the legal moves.
    pub loss: f64,
    /// The share of positions in which its likeliest move is one of the target's best.
    pub accuracy: f64,
    /// Fitted parameters: weights of the model, or moves of the prior.
    pub weights: usize,
    pub training_positions: usize,
    /// Strength of the prior's smoothing, chosen on validation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub smoothing: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub training_loss: Option<f64>,
}

impl Baselines {
    /// Reads a run folder's; `None` if they are missing or unreadable: `posenc run` then measures them again.
    pub fn read(run_dir: &Path) -> Option<Self> {
        let read: Option<Self> = read_json(&run_dir.join(FILE)).ok()?;
        read.filter(|read| read.format == FORMAT)
    }

    pub fn write(&self, run_dir: &Path) -> io::Result<()> {
        write_json(&run_dir.join(FILE), self)
    }

    pub fn of_row(&self, folder: &str) -> Option<&BaselineSet> {
        self.sets.iter().find(|set| set.rows.iter().any(|row| row == folder))
    }
}

impl BaselineSet {
    pub fn get(&self, name: BaselineName) -> Option<&Baseline> {
        self.baselines.iter().find(|baseline| baseline.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};
    use std::fs;

    #[test]
    fn they_are_written_as_they_are_read_and_another_format_and_damage_are_as_if_there_were_none() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(FILE);
        assert_eq!(Baselines::read(dir.path()), None);
        let baseline = json!({
            "name": "static_prior", "loss": 2.9, "accuracy": 0.25, "weights": 54, "training_positions": 8192,
            "smoothing": 16.0, "training_loss": 2.75,
        });
        let set = json!({
            "identity": "f00", "game": "chess", "dataset": "chess-starter", "content_hash": "abc", "buckets": ["1500"],
            "asked": 8000, "positions": 7000, "games": 61, "target_entropy": 1.17, "rows": ["chess-shaw-0123456789ab"],
            "baselines": [baseline],
        });
        let record = |format: u32| json!({"format": format, "sets": [set]});
        fs::write(&path, record(FORMAT).to_string()).unwrap();
        let read = Baselines::read(dir.path()).expect("just written");
        read.write(dir.path()).unwrap();
        assert_eq!(serde_json::from_slice::<Value>(&fs::read(&path).unwrap()).unwrap(), record(FORMAT));
        assert_eq!(read.of_row("chess-rope-0123456789ab"), None);
        for text in [record(FORMAT + 1).to_string(), "{".to_owned()] {
            fs::write(&path, text).unwrap();
            assert_eq!(Baselines::read(dir.path()), None);
        }
    }
}
