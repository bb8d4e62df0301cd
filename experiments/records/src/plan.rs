//! `grid.json`: the plan of a comparison, so that a report needs only the run folder.

use crate::atomic;
use dataset::bounded;
use games::GameKind;
use serde::{Deserialize, Serialize};
use spec::{Interaction, Margins, Mask, NetworkFacts, Primary, Quantity, ReadAt, Role, Weights};
use std::io;
use std::path::{Path, PathBuf};

/// The file's name in an experiment's run folder.
pub const FILE: &str = "grid.json";

/// The format that this version writes and reads.
pub const FORMAT: u32 = 1;

/// The plan of a grid: what it compares.
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
    /// The metric that verdicts are about.
    #[serde(with = "StoredPrimary")]
    pub primary: Primary,
    /// The seeds of every row.
    pub seeds: Vec<u64>,
    /// The rows, in the order of the experiment.
    pub rows: Vec<Row>,
    /// Gaps between rows that are compared over something else.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub interactions: Vec<Interaction>,
    /// Margins within which rows count as equivalent.
    #[serde(default, skip_serializing_if = "Margins::is_empty")]
    pub equivalent_within: Margins,
    /// Whether a margin was written or changed when a cell had finished.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub late_margin: bool,
}

/// The stored form of [`Primary`]: without a step, it is read after the last one.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Primary")]
struct StoredPrimary {
    metric: String,
    #[serde(default, skip_serializing_if = "ReadAt::is_last")]
    at: ReadAt,
    weights: Weights,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    difference: Option<f64>,
}

/// One row: the cells that differ in their seed only.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Its game.
    pub game: GameKind,
    /// Its name within its game, e.g. `shaw`.
    pub label: String,
    /// Its folder's name, `<label>-<hash>`.
    pub folder: String,
    /// Its role in the comparison.
    pub role: Role,
    /// The folder of the row that it is compared with, where its game has several references; a reference has its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// Whether the experiment names contrasts and this row is none of them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub exploratory: bool,
    /// When illegal moves are masked.
    pub mask: Mask,
    /// The size and the position sources of its network.
    pub network: NetworkFacts,
    /// The row that it was matched to, if it is a matched control.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matched: Option<MatchedTo>,
}

impl Row {
    /// Whether another row is the reference that it is compared with.
    #[must_use]
    pub fn is_compared_with(&self, other: &Self) -> bool {
        let is_own = self.reference.as_ref().is_none_or(|folder| *folder == other.folder);
        other.role == Role::Reference && other.game == self.game && is_own
    }
}

/// The goal of a matched control, and how closely the control matches it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MatchedTo {
    /// The quantity that was matched.
    pub quantity: Quantity,
    /// The folder of the row that it was matched to.
    pub goal: String,
    /// Its count divided by that row's; none for step times, which are measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
}

/// Why a plan cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// The folder has none.
    #[error(
        "{0} holds no {FILE}, so it is no experiment's run folder; give the folder that `posenc run` named, e.g. runs/quickstart"
    )]
    Missing(PathBuf),
    /// It cannot be read.
    #[error("cannot read {path}: {cause}; correct it, or let `posenc run` with the experiment's file write it again")]
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        cause: io::Error,
    },
    /// It is not a plan.
    #[error("{path} is damaged: {cause}; `posenc run` with the experiment's file writes it again")]
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
        let text = match bounded::read(&path, bounded::TEXT) {
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
