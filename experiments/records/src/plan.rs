//! `grid.json`: what a run folder sets out to compare, so that a report needs the folder and nothing else.

use crate::atomic;
use games::GameKind;
use serde::{Deserialize, Serialize};
use spec::{Interaction, Mask, Quantity};
use std::io;
use std::path::{Path, PathBuf};

/// The file's name in an experiment's run folder.
pub const FILE: &str = "grid.json";

/// The format that this version writes and reads.
pub const FORMAT: u32 = 1;

/// What a grid sets out to compare.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// [`FORMAT`].
    pub format: u32,
    /// The experiment's name.
    pub experiment: String,
    /// The question that it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// What its author expects.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect: Option<String>,
    /// Whether its cells only take a few steps, to see that everything works.
    #[serde(default)]
    pub smoke: bool,
    /// What verdicts are about.
    pub primary: Primary,
    /// The seeds of every row.
    pub seeds: Vec<u64>,
    /// The rows, in the order of the experiment.
    pub rows: Vec<Row>,
    /// Gaps between rows that are compared over something else.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub interactions: Vec<Interaction>,
}

/// The metric that verdicts are about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Primary {
    /// Its name.
    pub metric: String,
    /// The step after which it is read, on the validation positions; on the test positions at the end if there is
    /// none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<u64>,
    /// Of which weights.
    pub weights: String,
    /// The difference that a report says the seeds for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difference: Option<f64>,
}

/// What a row is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The row that differences are taken against.
    Reference,
    /// The reference with other parameter streams: the A/A row.
    Twin,
    /// A row that is compared.
    Compared,
}

/// One row: the cells that differ in their seed only.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Its game. Each game has one reference.
    pub game: GameKind,
    /// What tells it apart within its game, e.g. `shaw`.
    pub label: String,
    /// Its folder's name, `<label>-<hash>`.
    pub folder: String,
    /// What it is for.
    pub role: Role,
    /// When illegal moves are masked.
    pub mask: Mask,
    /// What its network declares.
    pub network: Declared,
    /// What its network was made equal to, if it is a matched control.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matched: Option<Matched>,
}

/// What a matched control was made equal to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Matched {
    /// What it has as much of.
    pub quantity: Quantity,
    /// The folder of the row that it was matched to.
    pub goal: String,
    /// Its own count by that row's; none for what only a clock tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
}

/// What a network declares before any tensor is made.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Declared {
    /// Trained numbers in embedding and body.
    pub trunk: usize,
    /// Trained numbers in the policy and value heads.
    pub heads: usize,
    /// Trained numbers in the position encodings.
    pub encoding: usize,
    /// The injection points that its encodings touch, joined by `+`.
    #[serde(alias = "seams")]
    pub injection_points: String,
    /// Whatever else tells it where squares are.
    pub position_sources: Vec<String>,
}

/// Why there is no plan.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// The folder has none.
    #[error(
        "{0} holds no {FILE}, so it is no experiment's run folder; give the folder that `posenc run` named, e.g. runs/quickstart"
    )]
    Missing(PathBuf),
    /// It cannot be read.
    #[error("cannot read {path}: {cause}; mend that, or let `posenc run` with the experiment's file write it anew")]
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        cause: io::Error,
    },
    /// It is no plan.
    #[error("{path} is damaged: {cause}; `posenc run` with the experiment's file writes it anew")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The cause.
        cause: serde_json::Error,
    },
    /// Another version wrote it.
    #[error("{path} has format {found}, this program reads {FORMAT}; use the version of posenc that wrote it")]
    Format {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: u32,
    },
}

impl Plan {
    /// Reads the plan of a run folder.
    ///
    /// # Errors
    /// If there is none, or it is not one.
    pub fn read(run_dir: &Path) -> Result<Self, PlanError> {
        let path = run_dir.join(FILE);
        let text = match std::fs::read(&path) {
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                return Err(PlanError::Missing(run_dir.to_owned()));
            }
            Err(cause) => return Err(PlanError::Io { path, cause }),
            Ok(text) => text,
        };
        let plan: Self =
            serde_json::from_slice(&text).map_err(|cause| PlanError::Damaged { path: path.clone(), cause })?;
        match plan.format {
            FORMAT => Ok(plan),
            found => Err(PlanError::Format { path, found }),
        }
    }

    /// Writes the plan into a run folder that exists, unless it is there already.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, run_dir: &Path) -> io::Result<()> {
        let mut text = serde_json::to_vec_pretty(self)?;
        text.push(b'\n');
        let path = run_dir.join(FILE);
        if std::fs::read(&path).is_ok_and(|old| old == text) {
            return Ok(());
        }
        atomic::replace(&path, &text)
    }

    /// The folder of a row's cell.
    #[must_use]
    pub fn cell_dir(run_dir: &Path, row: &Row, seed: u64) -> PathBuf {
        run_dir.join(&row.folder).join(format!("seed-{seed}"))
    }

    /// The games, in the order of their first rows.
    #[must_use]
    pub fn games(&self) -> Vec<GameKind> {
        let mut games = Vec::new();
        for row in &self.rows {
            if !games.contains(&row.game) {
                games.push(row.game);
            }
        }
        games
    }
}
