//! The sections of a report. Each file has a section's arithmetic, its tables and figures and its phrases.

pub(crate) mod answer;
pub(crate) mod baselines;
pub mod budgets;
pub(crate) mod costs;
pub(crate) mod gaps;
pub(crate) mod heads;
pub mod interactions;
pub mod learnable;
pub mod named_heads;
pub(crate) mod notes;
pub(crate) mod precision;
pub mod provenance;
pub mod scaling;
pub mod settings;
pub mod sizes;
pub mod slices;
pub mod strength;
pub(crate) mod systems;
pub mod ties;
pub(crate) mod training;
pub mod transfer;
pub mod tuning;
pub(crate) mod variants;
pub(crate) mod verdicts;
pub mod warnings;

use crate::noise::Positions;
use crate::primary::PrimaryMetric;
use crate::run_folder::RunFolder;
use games::GameKind;

/// What the sections of a game are computed from.
#[derive(Clone, Copy)]
pub(crate) struct GameSource<'a> {
    pub(crate) folder: &'a RunFolder,
    pub(crate) game: GameKind,
    pub(crate) primary: &'a PrimaryMetric,
    pub(crate) positions: Option<&'a Positions>,
}
