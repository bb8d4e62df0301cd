//! A report as plain data. [`Report::of`] makes it, and every format draws it and nothing else.

pub use super::primary::{Margin, PrimaryMetric};

use crate::comparison::Comparison;
use crate::sections::budgets::Budgets;
use crate::sections::interactions::InteractionReport;
use crate::sections::learnable::Learnable;
use crate::sections::named_heads::NamedHead;
use crate::sections::provenance::Provenance;
use crate::sections::scaling::Scaling;
use crate::sections::settings::Setting;
use crate::sections::sizes::Sizes;
use crate::sections::slices::SliceReport;
use crate::sections::strength::StrengthReport;
use crate::sections::ties::Ties;
use crate::sections::transfer::Transfer;
use crate::sections::tuning::TuningReport;
use crate::statistics::crossed::Crossed;
use crate::statistics::{PairedTest, Summary};
use dataset::TestSet;
use facts::metrics::Metric;
use facts::row_name::readable;
use facts::{Mask, NetworkFacts, Quantity, Role};
use records::baselines::{Baseline, BaselineName, BaselineSet};
use records::identity::Identity;
use records::inspected::RowMovements;
use records::{Failure, StepTimes};
use std::collections::BTreeMap;

#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    pub experiment: String,
    pub question: Option<String>,
    pub expect: Option<String>,
    /// Whether its cells only took a few steps.
    pub smoke: bool,
    /// How many cells there are, by status, those of A/A controls left out.
    pub cells: Counts,
    /// The same of the A/A controls.
    pub twins: Counts,
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

/// The rows of one game.
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
    pub sizes: Option<Sizes>,
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

/// The cells that differ in their seed only.
#[derive(Debug, Clone, PartialEq)]
pub struct RowReport {
    /// Its label, unique within its game.
    pub label: String,
    pub role: Role,
    /// Its values on [`Report::axes`]; empty texts before a cell has begun if the plan has none.
    pub axes: Vec<String>,
    pub mask: Mask,
    pub cells: Counts,
    pub network: NetworkFacts,
    /// Its encodings with all options, as in the manifest, once a cell has one.
    pub encodings: Option<serde_json::Value>,
    /// Its network in a few words, once a cell has a manifest.
    pub system: Option<System>,
    /// What its network was made equal to, if it is a matched control.
    pub matched: Option<MatchedReport>,
    /// Its position sources that not every row of its game has.
    pub own_sources: Vec<String>,
    pub primary: Option<Summary>,
    /// Every metric of the test split over the finished seeds.
    pub test: BTreeMap<String, Summary>,
    /// Metrics that do not apply to it, because it was trained with illegal moves masked out.
    pub not_applicable: Vec<&'static str>,
    /// The primary metric on test less the same on a sample of the training positions, both after the last step.
    pub gap: Option<Summary>,
    pub epochs: Option<f64>,
    /// The share of the steps whose gradient was clipped, over the finished seeds.
    pub clipped: Option<Summary>,
    /// Settings of its training that never acted, in words.
    pub inactive: Vec<String>,
    pub step_time: Option<StepTimeReport>,
    /// Multiplications and additions of a forward pass for one position, once a cell has a manifest.
    pub flops: Option<u64>,
    /// The primary metric on training batches by step, the mean over the seeds; thinned.
    pub training: Vec<(u64, f64)>,
    /// The primary metric on the validation positions by step, over the seeds.
    pub curve: Vec<CurvePoint>,
    /// The comparison with the reference; none for the reference itself.
    pub comparison: Option<Comparison>,
    /// The policy loss of the log-linear baseline on its test positions; none if that was not measured, or if the row is
    /// judged on illegal moves as well.
    pub log_linear: Option<f64>,
}

impl RowReport {
    /// Whether its policy loss is not below that of the log-linear baseline.
    pub fn misses_log_linear(&self) -> bool {
        self.test.get("policy_loss").zip(self.log_linear).is_some_and(|(loss, baseline)| loss.mean >= baseline)
    }

    /// The change of its primary metric per doubling of the steps at the end of training: the slope of the least-squares line
    /// through the means over seeds, over the last half of the steps. None below two points there.
    pub fn per_doubling(&self) -> Option<f64> {
        let last = self.curve.last()?.step;
        let points: Vec<(f64, f64)> = self
            .curve
            .iter()
            .filter(|point| point.step > 0 && point.step >= last.div_ceil(2))
            .map(|point| ((point.step as f64).log2(), point.level.mean))
            .collect();
        let n = points.len() as f64;
        let mean_x = points.iter().map(|point| point.0).sum::<f64>() / n;
        let mean_y = points.iter().map(|point| point.1).sum::<f64>() / n;
        let across: f64 = points.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
        let squares: f64 = points.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
        (points.len() >= 2 && squares > 0.0).then(|| across / squares)
    }

    /// Its name in tables, figures and sentences.
    pub(crate) fn name(&self) -> String {
        if self.role == Role::Twin { "A/A control".to_owned() } else { readable(&self.label) }
    }

    /// The noise of its comparison, if it is that of seeds and test games.
    pub(crate) fn crossed(&self) -> Option<&Crossed> {
        self.comparison.as_ref()?.crossed()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    pub all: usize,
    pub done: usize,
    pub running: usize,
    pub interrupted: usize,
    pub pending: usize,
    pub failed: usize,
}

/// What a matched control was made equal to.
#[derive(Debug, Clone, PartialEq)]
pub struct MatchedReport {
    pub quantity: Quantity,
    /// The label of the row that it was matched to; its folder, if the grid no longer has that row.
    pub goal: String,
    /// Its quantity divided by that row's; a time has none before it is measured.
    pub ratio: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepTimeReport {
    pub seconds: f64,
    pub ratio: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CurvePoint {
    pub step: u64,
    pub level: Summary,
    /// Row less reference, paired by seed; none for the reference, and below two pairs.
    pub difference: Option<PairedTest>,
}

/// A row's network in a few words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct System {
    /// `chessformer 2×48/192`: the architecture, layers, width and feed-forward width; the plies of a decoder and the
    /// moves of a refinement pass, if it has them.
    pub network: String,
    pub architecture: String,
    pub input: String,
    pub moves: String,
    /// Its encodings' names, joined by `+`.
    pub encoding: String,
}
