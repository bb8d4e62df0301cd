//! `strength.json` in a cell's folder: evaluations of the finished network as a player.

use crate::files::{RecordError, read_json, write_json};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::io;
use std::path::Path;

pub const FILE: &str = "strength.json";

/// The folder of TensorBoard's scalars, beside it.
pub const EVENTS: &str = "strength";

pub const FORMAT: u32 = 1;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Strength {
    pub format: u32,
    pub evaluations: Vec<Evaluation>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evaluation {
    /// The hash of everything that decides it: weights, agent, file, opponent.
    pub identity: String,
    pub measure: Measure,
    /// The name of the file, or of the opponent.
    pub name: String,
    pub agent: String,
    /// A share from 0 to 1, or a loss: see [`Measure`].
    pub value: f64,
    pub of: u64,
    /// The whole result, as `posenc eval --json` and `posenc match --json` print it.
    pub details: Value,
}

games::named! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Measure {
        Puzzles = "puzzles",
        /// The share of a suite's points, or of its solved problems if it has no points.
        Suite = "suite",
        Mates = "mates in one",
        /// The share of positions without a mate in one in which the network gives check: false alarms.
        NoMates = "false alarms",
        Match = "match",
        /// The policy loss on the test positions of another dataset, in nats.
        Labels = "policy loss on",
    }
}

impl Measure {
    /// Whether the value is a share, from 0 to 1.
    pub const fn is_share(self) -> bool {
        !matches!(self, Self::Labels)
    }

    pub const fn more_is_better(self) -> bool {
        !matches!(self, Self::NoMates | Self::Labels)
    }

    /// Whether these are games against the reference of the experiment.
    pub fn is_against_reference(self, opponent: &str) -> bool {
        self == Self::Match && opponent == "reference"
    }
}

impl Default for Strength {
    fn default() -> Self {
        Self { format: FORMAT, evaluations: Vec::new() }
    }
}

impl Strength {
    /// Reads a cell's; empty if it was not evaluated, or has another format.
    pub fn read(cell: &Path) -> Result<Self, RecordError> {
        let found: Option<Self> = read_json(&cell.join(FILE))?;
        Ok(found.filter(|found| found.format == FORMAT).unwrap_or_default())
    }

    pub fn write(&self, cell: &Path) -> io::Result<()> {
        write_json(&cell.join(FILE), self)
    }

    pub fn get(&self, identity: &str) -> Option<&Evaluation> {
        self.evaluations.iter().find(|one| one.identity == identity)
    }

    /// Adds an evaluation; it replaces an earlier one of the same measure, name and agent.
    pub fn put(&mut self, new: Evaluation) {
        self.evaluations.retain(|old| (old.measure, &old.name, &old.agent) != (new.measure, &new.name, &new.agent));
        self.evaluations.push(new);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evaluation(identity: &str, agent: &str, value: f64) -> Evaluation {
        Evaluation {
            identity: identity.to_owned(),
            measure: Measure::Puzzles,
            name: "lichess.csv".to_owned(),
            agent: agent.to_owned(),
            value,
            of: 1000,
            details: Value::Null,
        }
    }

    #[test]
    fn what_is_written_is_read_and_replaced_by_what_it_measures() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(Strength::read(dir.path()).unwrap(), Strength::default());
        let mut strength = Strength::default();
        strength.put(evaluation("a", "policy", 0.25));
        strength.put(evaluation("b", "value", 0.5));
        strength.put(evaluation("c", "policy", 0.75));
        strength.write(dir.path()).unwrap();
        let read = Strength::read(dir.path()).unwrap();
        assert_eq!(read, strength);
        assert_eq!(read.evaluations.iter().map(|one| one.value).collect::<Vec<_>>(), [0.5, 0.75]);
        assert!(read.get("a").is_none() && read.get("c").is_some());
        std::fs::write(dir.path().join(FILE), "{").unwrap();
        assert!(Strength::read(dir.path()).is_err());
    }
}
