//! A report as plain data. [`Report::of`] makes it, and every format draws it and nothing else.

mod game;
mod row;

pub use super::primary::{Margin, PrimaryMetric};
pub use game::{GameReport, HeadReport};
pub use row::{CellCounts, CurvePoint, MatchedReport, RowReport, StepTimeReport, System};

use crate::sections::named_heads::NamedHead;
use crate::sections::provenance::Provenance;
use crate::sections::settings::Setting;
use crate::sections::transfer::Transfer;
use records::identity::Identity;
use records::inspected::RowMovements;
use records::{Failure, StepTimes};

#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    pub experiment: String,
    pub question: Option<String>,
    pub expect: Option<String>,
    /// Whether its cells only took a few steps.
    pub smoke: bool,
    /// How many cells there are, by status, those of A/A controls left out.
    pub cells: CellCounts,
    /// The same of the A/A controls.
    pub twins: CellCounts,
    pub primary: PrimaryMetric,
    /// Comparisons in Holm's family: every row but references and A/A controls, in all games.
    pub family: usize,
    /// Interactions in their own family: all that the experiment defines, in all games.
    pub interaction_family: usize,
    /// The varied axes by their dotted names: settings in which rows of one game differ.
    pub axes: Vec<String>,
    pub games: Vec<GameReport>,
    pub transfer: Vec<Transfer>,
    /// The movements of heads, of rows with inspected cells.
    pub movements: Vec<RowMovements>,
    /// Heads that follow a movement, with their maps; none without inspected cells that stored maps.
    pub named_heads: Vec<NamedHead>,
    pub failures: Vec<FailedCell>,
    /// What limits the conclusions, the most important first.
    pub warnings: Vec<String>,
    /// The conditions under which the finished cells were trained, with the number of cells, the most common first; what
    /// belongs to single cells is empty.
    pub conditions: Vec<(Identity, usize)>,
    pub step_times: Option<StepTimes>,
    pub provenance: Provenance,
    /// The settings and conditions that `posenc compare` compares with those of other grids.
    pub settings: Vec<Setting>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedCell {
    pub name: String,
    pub failure: Failure,
    pub folder: String,
}
