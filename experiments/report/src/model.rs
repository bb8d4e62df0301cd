//! A report as plain data. Measuring, summarising and drawing are three things: cells measure, [`super::build`] makes
//! this, and every format draws from it and from nothing else.

use super::budgets::Budgets;
use super::curves::CurvePoint;
use super::files::Conditions;
use super::interactions::Interaction;
use super::provenance::Provenance;
use super::sizes::Sizes;
use super::slices::SliceReport;
use super::statistics::{Holm, Interval, PairedTest, Summary, sign_flip};
use super::sweep::Sweep;
use super::systems::System;
use super::transfer::Transfer;
use records::Failure;
use records::plan::{Declared, Role};
use spec::Quantity;
use spec::metrics::Direction;
use std::collections::BTreeMap;
use std::fmt;

/// Two-sided level of every test.
pub const ALPHA: f64 = 0.05;
/// Fewer pairs of seeds give no verdict.
pub const PAIRS_NEEDED: usize = 3;
/// Below so many test positions a report warns.
pub const TEST_POSITIONS_WANTED: u64 = 100_000;

/// A report.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// The experiment's name.
    pub experiment: String,
    /// The question that it answers.
    pub question: Option<String>,
    /// What its author expected.
    pub expect: Option<String>,
    /// Whether its cells only took a few steps.
    pub smoke: bool,
    /// How many cells there are, by state, twins left out.
    pub cells: Counts,
    /// The same of the twins.
    pub twins: Counts,
    /// The metric that verdicts are about.
    pub primary: PrimaryMetric,
    /// Comparisons in Holm's family: every row but references and twins, in all games.
    pub family: usize,
    /// Interactions in their family: all that the experiment asks for, in all games.
    pub asked: usize,
    /// A table for each game.
    pub games: Vec<GameReport>,
    /// Games side by side.
    pub transfer: Vec<Transfer>,
    /// Cells that failed.
    pub failures: Vec<FailedCell>,
    /// What a reader must know before believing anything.
    pub warnings: Vec<String>,
    /// Under what the finished cells were trained, each with its number of cells, the most common first.
    pub conditions: Vec<(Conditions, usize)>,
    /// Where and how step times were measured.
    pub step_times: Option<StepTimeConditions>,
    /// Where the numbers come from.
    pub provenance: Provenance,
}

/// Cells by state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// All of them.
    pub all: usize,
    /// Finished.
    pub done: usize,
    /// Being trained.
    pub running: usize,
    /// Stopped at a checkpoint.
    pub interrupted: usize,
    /// Not begun.
    pub pending: usize,
    /// Failed.
    pub failed: usize,
}

/// The metric that verdicts are about.
#[derive(Debug, Clone, PartialEq)]
pub struct PrimaryMetric {
    /// Its name.
    pub name: String,
    /// Its unit.
    pub unit: &'static str,
    /// Which way it improves.
    pub direction: Direction,
    /// The step after which it is read on validation; on test at the end if there is none.
    pub at: Option<u64>,
    /// Of which weights.
    pub weights: String,
    /// The difference that it should be able to show, if someone named one.
    pub difference: Option<f64>,
}

/// One game's table.
#[derive(Debug, Clone, PartialEq)]
pub struct GameReport {
    /// The game's name.
    pub game: String,
    /// The rows: the reference first, then as the experiment lists them; twins are not among them.
    pub rows: Vec<RowReport>,
    /// The reference's twin, if the experiment has one.
    pub twin: Option<RowReport>,
    /// Policy cross-entropy of a uniform choice among legal moves, on the test positions.
    pub uniform_baseline: Option<f64>,
    /// Test positions that were evaluated.
    pub test_positions: Option<u64>,
    /// The share of test positions that occur in no training game.
    pub novel_share: Option<f64>,
    /// Those of them whose move is a policy target.
    pub policy_targets: Option<u64>,
    /// Policy targets among the test positions of each phase, in the order of a game.
    pub phase_sizes: Vec<(&'static str, Option<u64>)>,
    /// Test positions of each phase whose game has a known outcome.
    pub value_phase_sizes: Vec<(&'static str, Option<u64>)>,
    /// Gaps between rows that the experiment compares over something else.
    pub interactions: Vec<Interaction>,
    /// Where encodings differ; none where cells of an older version stored no positions.
    pub slices: Option<SliceReport>,
    /// Learning rates, where rows differ in nothing else.
    pub sweep: Option<Sweep>,
    /// How large the reference must be to match, where there is a ladder of its sizes.
    pub sizes: Option<Sizes>,
    /// The comparison at several numbers of steps, where rows differ in nothing else.
    pub budgets: Option<Budgets>,
    /// What tells every row of this game where squares are, beside its encoding.
    pub common_sources: Vec<String>,
}

/// One row: the cells that differ in their seed only.
#[derive(Debug, Clone, PartialEq)]
pub struct RowReport {
    /// What tells it apart within its game.
    pub label: String,
    /// What it is for.
    pub role: Role,
    /// Cells by state.
    pub cells: Counts,
    /// What its network declares.
    pub network: Declared,
    /// What its network is, once a cell has a manifest.
    pub system: Option<System>,
    /// What its network was made equal to, if it is a matched control.
    pub matched: Option<MatchedReport>,
    /// Its position sources that not every row of its game has.
    pub own_sources: Vec<String>,
    /// Its primary metric over the finished seeds.
    pub primary: Option<Summary>,
    /// Every metric of the test split over the finished seeds.
    pub test: BTreeMap<String, Summary>,
    /// Metrics that mean nothing for it, because it was trained with illegal moves masked out.
    pub not_applicable: Vec<&'static str>,
    /// The primary metric on test less the same on a sample of the training positions, both after the last step.
    pub gap: Option<Summary>,
    /// Epochs of the training positions that a finished cell has seen.
    pub epochs: Option<f64>,
    /// What a step costs.
    pub step_time: Option<StepTimeReport>,
    /// Multiplications and additions of a forward pass for one position, where a manifest says them.
    pub flops: Option<u64>,
    /// The primary metric on the validation positions by step, over the seeds.
    pub curve: Vec<CurvePoint>,
    /// The comparison with the reference; none for the reference itself.
    pub comparison: Option<Comparison>,
}

impl GameReport {
    /// The least sign-flip p that the comparison with the most pairs could have.
    pub(super) fn least_sign_flip(&self) -> Option<f64> {
        let pairs = self.rows.iter().filter_map(|row| Some(row.comparison.as_ref()?.pairs)).max()?;
        sign_flip::least(pairs)
    }
}

impl RowReport {
    /// Trained numbers of the whole network.
    #[must_use]
    pub fn parameters(&self) -> usize {
        self.network.trunk + self.network.heads + self.network.encoding
    }
}

/// What a matched control was made equal to.
#[derive(Debug, Clone, PartialEq)]
pub struct MatchedReport {
    /// What it has as much of.
    pub quantity: Quantity,
    /// The label of the row that it was matched to; its folder, if the grid no longer has that row.
    pub goal: String,
    /// How much of it, by that row's: counted, or measured if it is a time (none before it is).
    pub ratio: Option<f64>,
}

/// What a step costs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepTimeReport {
    /// Seconds.
    pub seconds: f64,
    /// Relative to the reference's.
    pub ratio: Option<f64>,
}

/// A row against its reference.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// The reference's label.
    pub reference: String,
    /// Seeds of which both cells are done and comparable.
    pub pairs: usize,
    /// Seeds of the experiment.
    pub planned: usize,
    /// Row less reference by seed, as many as there are pairs.
    pub differences: Vec<(u64, f64)>,
    /// The paired test of row less reference, from two pairs on.
    pub test: Option<PairedTest>,
    /// The plain 95 % t-interval of the mean difference.
    pub interval: Option<Interval>,
    /// Holm's correction over the grid; none for a twin, which is no comparison of the grid.
    pub holm: Option<Corrected>,
    /// How sharply it sees; none for a twin and where there is no test.
    pub precision: Option<Precision>,
    /// What it comes to.
    pub verdict: Verdict,
    /// What is missing, or was left out: a verdict can stand without a seed that failed, but not hide it.
    pub missing: Vec<Missing>,
}

/// How sharply a comparison sees. It decides nothing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Precision {
    /// The exact sign-flip p-value.
    pub sign_flip: f64,
    /// The true difference that the present pairs would show as often as [`super::statistics::power::POWER`] says, at the
    /// strictest level of Holm's procedure.
    pub visible: Option<f64>,
    /// How many seeds would show a difference as large as the observed one as often; none above
    /// [`super::statistics::power::MOST_SEEDS`].
    pub seeds: Option<usize>,
    /// The same for the difference that was named.
    pub named: Option<Named>,
}

/// How well a comparison sees a difference that someone named, at the strictest level of Holm's procedure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Named {
    /// The difference.
    pub difference: f64,
    /// How often the present pairs would show it.
    pub power: f64,
    /// How many seeds would show it as often as [`super::statistics::power::POWER`] says; none above
    /// [`super::statistics::power::MOST_SEEDS`].
    pub seeds: Option<usize>,
}

/// What Holm's procedure makes of a comparison.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Corrected {
    /// Adjusted p-value and confidence level.
    pub holm: Holm,
    /// The t-interval at that level: it excludes zero exactly if the verdict is better or worse.
    pub interval: Interval,
}

/// What a comparison comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The corrected interval excludes zero, on the good side.
    Better,
    /// The corrected interval excludes zero, on the bad side.
    Worse,
    /// The corrected interval holds zero.
    NotDistinguishable,
    /// There is none; [`Comparison::missing`] says what it needs.
    Missing,
}

/// Why a pair of seeds, or a whole comparison, does not count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Missing {
    /// Seeds of the experiment are still to be trained. A verdict before they are done could be had by looking often
    /// enough and stopping at the right moment.
    NotFinished {
        /// Seeds of which both cells are done.
        done: usize,
        /// Seeds of the experiment.
        planned: usize,
    },
    /// Too few complete pairs.
    Pairs {
        /// How many there are.
        has: usize,
    },
    /// A cell of the pair failed.
    Failed {
        /// The seed.
        seed: u64,
    },
    /// A cell of the pair is not done yet.
    Unfinished {
        /// The seed.
        seed: u64,
    },
    /// A cell of the pair has no number for the metric.
    NoValue {
        /// The seed.
        seed: u64,
    },
    /// A cell of the pair has no manifest that can be read, so nothing says under what it was trained.
    NoManifest {
        /// The seed.
        seed: u64,
    },
    /// The two cells were not trained under the same conditions.
    Differs {
        /// The seed.
        seed: u64,
        /// In what.
        what: &'static str,
        /// The row's.
        row: String,
        /// The reference's.
        reference: String,
    },
    /// The differences of all seeds are equal to the last bit, as if the seed were not used.
    NoSpread,
    /// The metric has no good side.
    NoDirection,
    /// The cells only took a few steps.
    Smoke,
}

impl Missing {
    /// Whether there can be no verdict; all else only leaves a pair out.
    #[must_use]
    pub fn rules_out_a_verdict(&self) -> bool {
        matches!(self, Self::NotFinished { .. } | Self::Pairs { .. } | Self::NoSpread | Self::NoDirection | Self::Smoke)
    }
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFinished { done, planned } => write!(f, "not finished: {done} of {planned} seeds done"),
            Self::Pairs { has } => write!(f, "needs ≥ {PAIRS_NEEDED} complete pairs, has {has}"),
            Self::Failed { seed } => write!(f, "seed {seed} failed"),
            Self::Unfinished { seed } => write!(f, "seed {seed} is not done"),
            Self::NoValue { seed } => write!(f, "seed {seed} has no value"),
            Self::NoManifest { seed } => write!(f, "seed {seed} has no manifest"),
            Self::Differs { seed, what, row, reference } => {
                write!(f, "seed {seed}: {what} differs ({row} against {reference})")
            }
            Self::NoSpread => f.write_str("the difference is the same in every seed: are seeds used?"),
            Self::Smoke => f.write_str("a smoke run gives no verdicts"),
            Self::NoDirection => f.write_str("the metric has no better side"),
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Better => "better",
            Self::Worse => "worse",
            Self::NotDistinguishable => "not distinguishable",
            Self::Missing => "no verdict",
        })
    }
}

/// A cell that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedCell {
    /// Game, row and seed.
    pub name: String,
    /// Why.
    pub failure: Failure,
    /// Its folder below the run folder.
    pub folder: String,
}

/// Where and how step times were measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepTimeConditions {
    /// The device.
    pub device: String,
    /// The processor.
    pub cpu: String,
    /// Threads.
    pub threads: usize,
    /// Turns of each row.
    pub rounds: usize,
}
