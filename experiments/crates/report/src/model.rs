//! A report as plain data. [`Report::of`] makes it, and every format draws it and nothing else.

pub mod comparison;
pub mod interactions;
pub mod learnable;
pub mod noise;
pub mod provenance;
pub mod slices;
pub mod steepness;
pub mod strength;
pub mod ties;
pub mod transfer;
pub mod tuning;
pub mod variants;

use super::files::TrainingConditions;
use super::statistics::moderated::Prior;
use super::statistics::{PairedTest, Summary, sign_flip};
use comparison::Comparison;
use facts::metrics::{Direction, Metric};
use facts::{Mask, NetworkFacts, Quantity, ReadAt, Role, Weights};
use interactions::InteractionReport;
use learnable::Learnable;
use provenance::{Provenance, Setting};
use records::Failure;
use records::baselines::{Baseline, BaselineName, BaselineSet};
use records::inspected::RowMovements;
use slices::SliceReport;
use std::collections::BTreeMap;
use strength::StrengthReport;
use ties::Ties;
use transfer::Transfer;
use tuning::TuningReport;
use variants::{Budgets, Sizes};

/// A report warns of fewer test positions.
pub const TEST_POSITIONS_WANTED: u64 = 100_000;

#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    pub experiment: String,
    /// The question that it answers.
    pub question: Option<String>,
    pub expect: Option<String>,
    /// Whether its cells only took a few steps.
    pub smoke: bool,
    /// How many cells there are, by status, those of A/A controls left out.
    pub cells: Counts,
    /// The same of the A/A controls.
    pub twins: Counts,
    /// The metric that verdicts are about.
    pub primary: PrimaryMetric,
    /// Comparisons in Holm's family: every row but references and A/A controls, in all games.
    pub family: usize,
    /// Interactions in their own family: all that the experiment defines, in all games.
    pub interaction_family: usize,
    /// The varied axes by their dotted names: settings in which rows of one game differ.
    pub axes: Vec<String>,
    /// A table for each game.
    pub games: Vec<GameReport>,
    pub transfer: Vec<Transfer>,
    /// The movements of heads, of rows with inspected cells.
    pub movements: Vec<RowMovements>,
    pub failures: Vec<FailedCell>,
    /// What limits the conclusions, the most important first.
    pub warnings: Vec<String>,
    /// The conditions under which the finished cells were trained, with the number of cells, the most common first.
    pub conditions: Vec<(TrainingConditions, usize)>,
    /// Where and how step times were measured.
    pub step_times: Option<StepTimeConditions>,
    /// Where the numbers come from.
    pub provenance: Provenance,
    /// The settings and conditions that `posenc compare` compares with those of other grids.
    pub settings: Vec<Setting>,
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

/// The metric that verdicts are about.
#[derive(Debug, Clone, PartialEq)]
pub struct PrimaryMetric {
    pub name: String,
    pub unit: &'static str,
    pub direction: Direction,
    pub at: ReadAt,
    /// The weights that it is read of.
    pub weights: Weights,
    /// The difference that it should be able to show, if someone named one.
    pub difference: Option<f64>,
    /// The size below which a difference does not matter, if someone named one.
    pub margin: Option<Margin>,
}

/// The size below which a difference does not matter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Margin {
    /// In the unit of the metric.
    pub size: f64,
    /// Whether it was chosen after the run: for this report, or when a cell had finished.
    pub late: bool,
}

impl PrimaryMetric {
    /// Whether it is this metric, on all positions or on some.
    pub(super) fn is_of(&self, metric: &str) -> bool {
        self.name.split('.').next() == Some(metric)
    }

    /// `±0.02 nats`, with a remark if it was chosen after the run; none without a margin.
    pub(super) fn within(&self) -> Option<String> {
        let Margin { size, late } = self.margin?;
        let unit = if self.unit.is_empty() { String::new() } else { format!(" {}", self.unit) };
        Some(format!("±{size}{unit}{}", if late { " (margin chosen after the run)" } else { "" }))
    }

    pub(super) fn with_unit(&self) -> String {
        if self.unit.is_empty() { self.name.clone() } else { format!("{} [{}]", self.name, self.unit) }
    }
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
    /// Test positions that were evaluated.
    pub test_positions: Option<u64>,
    /// The share of test positions that occur in no training game.
    pub novel_share: Option<f64>,
    /// What the variances of the rows' differences over seeds have in common; none with too few rows.
    pub prior: Option<Prior>,
    /// The heads of the networks, as far as a finished cell has measured them.
    pub heads: Vec<HeadReport>,
    /// The rows tested against each other for equivalence; none without a margin, in a smoke run and below two rows.
    pub ties: Option<Ties>,
    /// The interactions that the experiment defines.
    pub interactions: Vec<InteractionReport>,
    /// Differences on parts of the test positions, for each reference; none if cells of an older version stored no positions.
    pub slices: Vec<SliceReport>,
    /// Size equivalents, if there is a ladder of sizes of the reference.
    pub sizes: Option<Sizes>,
    /// The comparison at several numbers of steps, if rows differ in nothing else.
    pub budgets: Option<Budgets>,
    /// The trials by which the settings of the rows were chosen, if they were.
    pub tuning: Option<TuningReport>,
    /// Whether the file gives rows different learning rates, or different factors on those of their encodings.
    pub own_rates: bool,
    /// The sources of position that every row of this game has beside its encoding.
    pub common_sources: Vec<String>,
    /// What the cells did as players.
    pub strength: Vec<StrengthReport>,
}

/// The metrics of one head of a game's networks.
#[derive(Debug, Clone, PartialEq)]
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

/// One row: the cells that differ in their seed only.
#[derive(Debug, Clone, PartialEq)]
pub struct RowReport {
    /// Its label, unique within its game.
    pub label: String,
    pub role: Role,
    /// Its values on [`Report::axes`]; empty texts before a cell has begun.
    pub axes: Vec<String>,
    /// Where illegal moves are masked out.
    pub mask: Mask,
    pub cells: Counts,
    /// The size and the position sources of its network.
    pub network: NetworkFacts,
    /// Its encodings with all options, as in the manifest, once a cell has one.
    pub encodings: Option<serde_json::Value>,
    /// Its network in a few words, once a cell has a manifest.
    pub system: Option<System>,
    /// What its network was made equal to, if it is a matched control.
    pub matched: Option<MatchedReport>,
    /// Its position sources that not every row of its game has.
    pub own_sources: Vec<String>,
    /// Its primary metric over the finished seeds.
    pub primary: Option<Summary>,
    /// Every metric of the test split over the finished seeds.
    pub test: BTreeMap<String, Summary>,
    /// Metrics that do not apply to it, because it was trained with illegal moves masked out.
    pub not_applicable: Vec<&'static str>,
    /// The primary metric on test less the same on a sample of the training positions, both after the last step.
    pub gap: Option<Summary>,
    /// The epochs of training of its finished cells.
    pub epochs: Option<f64>,
    /// The share of the steps whose gradient was clipped, over the finished seeds.
    pub clipped: Option<Summary>,
    /// Settings of its training that never acted, in words.
    pub inactive: Vec<String>,
    pub step_time: Option<StepTimeReport>,
    /// Multiplications and additions of a forward pass for one position, once a cell has a manifest.
    pub flops: Option<u64>,
    /// The primary metric on the validation positions by step, over the seeds.
    pub curve: Vec<CurvePoint>,
    /// The comparison with the reference; none for the reference itself.
    pub comparison: Option<Comparison>,
    /// The policy loss of the log-linear baseline on its test positions; none if that was not measured, or if the row is
    /// judged on illegal moves as well.
    pub log_linear: Option<f64>,
}

impl GameReport {
    /// Whether there are several references, each with the rows that are compared with it.
    pub(super) fn has_groups(&self) -> bool {
        self.rows.iter().filter(|row| row.role == Role::Reference).count() > 1
    }

    pub(super) fn log_linear(&self) -> Option<&Baseline> {
        self.baselines.as_ref()?.get(BaselineName::LogLinear)
    }

    /// The smallest sign-flip p that the comparison with the most pairs could have.
    pub(super) fn least_sign_flip(&self) -> Option<f64> {
        let pairs = self.rows.iter().filter_map(|row| Some(row.comparison.as_ref()?.pairs)).max()?;
        sign_flip::least(pairs)
    }
}

impl RowReport {
    /// Whether its policy loss is not below that of the log-linear baseline.
    pub fn misses_log_linear(&self) -> bool {
        self.test.get("policy_loss").zip(self.log_linear).is_some_and(|(loss, baseline)| loss.mean >= baseline)
    }
}

/// What a matched control was made equal to.
#[derive(Debug, Clone, PartialEq)]
pub struct MatchedReport {
    /// The quantity that was matched.
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

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedCell {
    pub name: String,
    pub failure: Failure,
    /// Its folder below the run folder.
    pub folder: String,
}

/// Where and how step times were measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepTimeConditions {
    pub device: String,
    pub cpu: String,
    pub threads: usize,
    pub rounds: usize,
}

/// One step of a row's curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CurvePoint {
    pub step: u64,
    /// The metric over the finished seeds.
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
    /// How its moves are numbered.
    pub moves: String,
    /// Its encodings' names, joined by `+`.
    pub encoding: String,
}
