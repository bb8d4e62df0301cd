//! A row against its reference.

use super::super::statistics::{Holm, Interval, MeanTest, PairedTest, Summary};
use super::noise::Noise;
use facts::metrics::Direction;
use std::fmt;

/// Two-sided level of every test.
pub const ALPHA: f64 = 0.05;

/// Fewer pairs of seeds give no verdict.
pub const PAIRS_NEEDED: usize = 3;

/// A row against its reference.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    pub reference: String,
    /// Seeds of which both cells are done and comparable.
    pub pairs: usize,
    pub planned: usize,
    /// Seeds of the row that diverged: a loss or a gradient was not finite. Such a row cannot be better.
    pub diverged: usize,
    /// Seeds of the reference that diverged; they only leave pairs out.
    pub reference_diverged: usize,
    /// Row less reference by seed, as many as there are pairs.
    pub differences: Vec<(u64, f64)>,
    /// The paired test of row less reference over seeds alone, from two pairs on.
    pub test: Option<PairedTest>,
    /// The test that decides: over seeds and test games, or the same as `test`.
    pub decisive: Option<MeanTest>,
    /// The noise that the decisive test counts; none without a test.
    pub noise: Option<Noise>,
    /// The moderated t-test over seeds, beside the one that decides; none with too few rows.
    pub moderated: Option<MeanTest>,
    /// The decisive test's plain 95 % interval of the mean difference.
    pub interval: Option<Interval>,
    /// Holm's correction over the grid; none for an A/A control, which is not a comparison of the grid.
    pub holm: Option<Corrected>,
    /// Its two one-sided tests; none without a margin, and where a seed diverged or no verdict is possible.
    pub equivalence: Option<Equivalence>,
    /// Its precision; none for an A/A control and without a test.
    pub precision: Option<Precision>,
    pub verdict: Verdict,
    /// Why there is no verdict, or which seeds were left out of it.
    pub missing: Vec<Missing>,
}

/// The precision of a comparison. No verdict depends on it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Precision {
    pub sign_flip: f64,
    /// The true difference that the present pairs and test games would detect with
    /// [`POWER`](super::super::statistics::power::POWER), at the strictest level of Holm's procedure.
    pub detectable: Option<f64>,
    /// The seeds needed, on the same test games, to detect a difference as large as the observed one; none above
    /// [`MOST_SEEDS`](super::super::statistics::power::MOST_SEEDS).
    pub seeds: Option<usize>,
    /// The same for a given difference.
    pub target: Option<TargetDifference>,
}

/// The power of a comparison for a given true difference, at the strictest level of Holm's procedure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TargetDifference {
    pub difference: f64,
    /// The share of grids in which the present pairs would detect it.
    pub power: f64,
    /// The seeds needed to detect it with [`POWER`](super::super::statistics::power::POWER); none above
    /// [`MOST_SEEDS`](super::super::statistics::power::MOST_SEEDS).
    pub seeds: Option<usize>,
}

/// Holm's correction of a comparison.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Corrected {
    /// Adjusted p-value and confidence level.
    pub holm: Holm,
    /// The t-interval at that level: it excludes zero exactly if the verdict is better or worse.
    pub interval: Interval,
}

/// Whether a difference is smaller than a margin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Equivalence {
    /// The margin, on both sides of zero.
    pub margin: f64,
    /// The larger p-value of the two one-sided tests.
    pub p: f64,
    /// Holm's correction over the equivalence tests of the comparisons in the grid's family.
    pub holm: Holm,
    /// The interval that lies within the margin exactly if the corrected p-value is below [`ALPHA`].
    pub interval: Interval,
}

/// The verdict of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The corrected interval excludes zero, on the better side.
    Better,
    /// The corrected interval excludes zero, on the worse side.
    Worse,
    /// The corrected interval contains zero, and that of the equivalence tests lies within the margin.
    Equivalent,
    /// Neither is shown: no difference, and no equivalence within the margin, if there is one.
    Open,
    /// The corrected interval excludes zero on the better side, but seeds of the row diverged: those that are left are a
    /// choice of the better ones.
    Diverged,
    /// The corrected interval excludes zero, but a neighbouring choice of the tuned settings, of this row or of the
    /// reference, would give the difference on validation the other sign.
    DependsOnTuning,
    /// There is none, for a reason in [`Comparison::missing`].
    Missing,
}

/// Why a pair of seeds, or a whole comparison, does not count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Missing {
    /// Seeds of the experiment are still to be trained. Verdicts before that would allow to stop at a convenient moment.
    NotFinished {
        /// Seeds of which both cells are done.
        done: usize,
        planned: usize,
    },
    Pairs {
        has: usize,
    },
    /// A cell of the pair failed.
    Failed {
        seed: u64,
    },
    /// A cell of the pair is not finished.
    Unfinished {
        seed: u64,
    },
    /// A cell of the pair has no value of the metric.
    NoValue {
        seed: u64,
    },
    /// A cell of the pair has no readable manifest, so that its conditions are unknown.
    NoManifest {
        seed: u64,
    },
    /// The two cells were not trained under the same conditions.
    Differs {
        seed: u64,
        what: &'static str,
        row: String,
        reference: String,
    },
    /// The differences of all seeds are bit-identical, as if the seed were not used.
    NoSpread,
    /// The metric has no better side.
    NoDirection,
    /// The cells only took a few steps.
    Smoke,
    /// The experiment names contrasts, and the row is none of them.
    Exploratory,
}

impl Comparison {
    /// Whether the difference is shown to be smaller than the margin.
    pub fn is_within_margin(&self) -> bool {
        self.equivalence.is_some_and(|tests| tests.holm.p < ALPHA)
    }

    /// Its verdict, and of a difference whether it is smaller than the margin: `better, within the margin`.
    pub fn judgement(&self) -> String {
        match self.verdict {
            Verdict::Better | Verdict::Worse | Verdict::DependsOnTuning if self.is_within_margin() => {
                format!("{}, within the margin", self.verdict)
            }
            verdict => verdict.to_string(),
        }
    }

    /// The mean difference. A single pair has one too, without a test.
    pub fn mean(&self) -> Option<f64> {
        let differences: Vec<f64> = self.differences.iter().map(|&(_, difference)| difference).collect();
        Summary::of(&differences).map(|summary| summary.mean)
    }

    /// `1 of 3 seeds diverged`; none if no seed of the row did.
    pub fn divergence(&self) -> Option<String> {
        (self.diverged > 0).then(|| format!("{} of {} seeds diverged", self.diverged, self.planned))
    }
}

impl Missing {
    /// Whether it rules out a verdict; the other reasons only leave a pair out.
    pub fn rules_out_a_verdict(&self) -> bool {
        matches!(
            self,
            Self::NotFinished { .. }
                | Self::Pairs { .. }
                | Self::NoSpread
                | Self::NoDirection
                | Self::Smoke
                | Self::Exploratory
        )
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
            Self::Exploratory => f.write_str("exploratory: not one of the experiment's contrasts"),
        }
    }
}

impl Verdict {
    /// The verdict of a corrected p-value and a mean difference.
    pub(crate) fn of(p: f64, mean: f64, direction: Direction) -> Self {
        match (p < ALPHA, mean < 0.0, direction) {
            (false, ..) => Self::Open,
            (true, true, Direction::Lower) | (true, false, Direction::Higher) => Self::Better,
            (true, ..) => Self::Worse,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Better => "better",
            Self::Worse => "worse",
            Self::Equivalent => "equivalent",
            Self::Open => "open",
            Self::Diverged => "cannot be better",
            Self::DependsOnTuning => "depends on tuning",
            Self::Missing => "no verdict",
        })
    }
}
