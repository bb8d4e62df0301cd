//! The rows of one game.

use super::row::RowReport;
use crate::sections::budgets::Budgets;
use crate::sections::interactions::InteractionReport;
use crate::sections::learnable::Learnable;
use crate::sections::scaling::Scaling;
use crate::sections::sizes::EquivalentSizes;
use crate::sections::slices::SliceReport;
use crate::sections::strength::StrengthReport;
use crate::sections::ties::Ties;
use crate::sections::tuning::TuningReport;
use dataset::TestSet;
use facts::metrics::Metric;
use records::baselines::{Baseline, BaselineName, BaselineSet};

#[derive(Debug, Clone, PartialEq)]
pub struct GameReport {
    pub game: String,
    /// The rows without the A/A control, by groups: a reference, then the rows that are compared with it, in the order of the
    /// experiment.
    pub rows: Vec<RowReport>,
    /// The A/A control of the first reference, if the experiment has one.
    pub twin: Option<RowReport>,
    /// Policy cross-entropy of a uniform choice among legal moves, on the test positions.
    pub uniform_baseline: Option<f64>,
    /// Policies without a network on the test positions of the first row that has some; older runs have none.
    pub baselines: Option<BaselineSet>,
    /// The range of the policy loss on the test positions, if it is measured.
    pub learnable: Option<Learnable>,
    pub test_positions: Option<u64>,
    /// The dataset of the test games, if it is another one.
    pub test_set: Option<TestSet>,
    /// The share of test positions that occur in no training game.
    pub novel_share: Option<f64>,
    /// The heads of the networks, as far as a finished cell has measured them.
    pub heads: Vec<HeadReport>,
    /// The rows tested against each other for equivalence; none without a margin, in a smoke run and below two rows.
    pub ties: Option<Ties>,
    pub interactions: Vec<InteractionReport>,
    /// Differences on parts of the test positions, for each reference; none if cells of an older version stored no positions.
    pub slices: Vec<SliceReport>,
    /// Size equivalents, if there is a ladder of sizes of the reference.
    pub sizes: Option<EquivalentSizes>,
    pub budgets: Option<Budgets>,
    /// Losses over budgets of positions, for each reference with several budgets of which no position is seen twice.
    pub scaling: Vec<Scaling>,
    pub tuning: Option<TuningReport>,
    /// Whether the file gives rows different learning rates, or different factors on those of their encodings.
    pub own_rates: bool,
    /// The sources of position that every row of this game has beside its encoding.
    pub common_sources: Vec<String>,
    pub strength: Vec<StrengthReport>,
}

impl GameReport {
    /// The rows and the A/A control.
    pub(crate) fn all_rows(&self) -> impl Iterator<Item = &RowReport> {
        self.rows.iter().chain(&self.twin)
    }

    pub(crate) fn log_linear(&self) -> Option<&Baseline> {
        self.baselines.as_ref()?.get(BaselineName::LogLinear)
    }
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct HeadReport {
    pub name: &'static str,
    /// Its metrics that a row has and that have a better side, in the order of the registry.
    pub metrics: Vec<&'static Metric>,
    /// Its loss and its accuracy, which are also reported by phase; empty for a head that has only losses.
    pub by_phase: Vec<&'static Metric>,
    /// The metric that counts its targets, with its value on test.
    pub targets: Option<(&'static Metric, u64)>,
    /// The phases in which a row has these, in the order of a game, with the number of targets on test.
    pub phases: Vec<(&'static str, Option<u64>)>,
}
