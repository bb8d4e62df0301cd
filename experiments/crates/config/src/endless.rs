//! `data: {generate: …}`: positions with exact labels that are made while a network trains.

use dataset::DatasetError;
use games::GameKind;
use generate::probe::{EndlessProbe, LICENCE, Task};
use serde::{Deserialize, Serialize};
use std::num::NonZeroU16;

/// A source of positions without end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Generate {
    /// The task, by its name in `posenc data generate probe`.
    pub probe: String,
    pub game: GameKind,
    #[serde(default)]
    pub seed: u64,
    /// A position of a random game every N plies; one position of a game if `None`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub every: Option<NonZeroU16>,
}

impl Generate {
    /// The generator. An error if there is no such task, or its positions have an end.
    pub fn probe(&self) -> Result<EndlessProbe, DatasetError> {
        let task = Task::of_games().into_iter().find(|task| task.name() == self.probe).ok_or_else(|| {
            let known: Vec<&str> = Task::of_games().into_iter().map(Task::name).collect();
            let reason = format!("there is no \"{}\" without end; there are {}", self.probe, known.join(", "));
            DatasetError::Option { option: "probe", reason }
        })?;
        let probe = EndlessProbe { task, game: self.game, seed: self.seed, every: self.every };
        probe.check()?;
        Ok(probe)
    }

    pub fn licence(&self) -> &'static str {
        LICENCE
    }
}
