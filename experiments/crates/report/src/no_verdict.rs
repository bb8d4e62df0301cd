//! Why a pair of seeds, or a whole comparison, does not count.

use std::fmt;

/// Fewer pairs of seeds give no verdict.
pub const PAIRS_NEEDED: usize = 3;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Missing {
    /// Seeds of the experiment are still to be trained. Verdicts before that would allow to stop at a convenient moment.
    NotFinished { done: usize, planned: usize },
    /// Fewer pairs than [`PAIRS_NEEDED`].
    Pairs { has: usize },
    /// A cell of the pair failed.
    Failed { seed: u64 },
    /// A cell of the pair has not ended.
    Unfinished { seed: u64 },
    /// A cell lacks the metric, or it is not finite.
    NoValue { seed: u64 },
    /// Without a readable manifest, the conditions of a cell are unknown.
    NoManifest { seed: u64 },
    /// A cell was trained with another dataset or configuration than its row has.
    OtherHash { seed: u64 },
    /// The two cells were not trained under the same conditions.
    Differs { seed: u64, what: &'static str, row: String, reference: String },
    /// Cells of an interaction diverged: a gap between selected seeds has no direction that could be named.
    Diverged { cells: usize },
    /// The differences of all seeds are bit-identical, as if the seed were not used.
    NoSpread,
    /// Neither side of the metric is better.
    NoDirection,
    /// The cells took a few steps only.
    Smoke,
    /// The experiment names contrasts, and the row is none of them.
    Exploratory,
}

/// The reason for one seed that is left out and for several, in the order of [`Missing::seed`].
const LEFT_OUT: [[&str; 2]; 5] = [
    ["failed", "failed"],
    ["is not done", "are not done"],
    ["has no value", "have no value"],
    ["has no manifest", "have no manifest"],
    ["has another hash than its row", "have another hash than their row"],
];

impl Missing {
    /// Whether it rules out a verdict; the other reasons only leave a pair out.
    pub fn blocks_verdict(&self) -> bool {
        self.seed().is_none() && !matches!(self, Self::Differs { .. })
    }

    /// The seed that it leaves out, and the place of its reason in [`LEFT_OUT`].
    fn seed(&self) -> Option<(u64, usize)> {
        match self {
            Self::Failed { seed } => Some((*seed, 0)),
            Self::Unfinished { seed } => Some((*seed, 1)),
            Self::NoValue { seed } => Some((*seed, 2)),
            Self::NoManifest { seed } => Some((*seed, 3)),
            Self::OtherHash { seed } => Some((*seed, 4)),
            _ => None,
        }
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
            Self::OtherHash { seed } => write!(f, "seed {seed} has another hash than its row"),
            Self::Differs { seed, what, row, reference } => {
                write!(f, "seed {seed}: {what} differs ({row} against {reference})")
            }
            Self::Diverged { cells } => {
                write!(f, "{} diverged, so the seeds that are left are selected", facts::counted(*cells as u64, "cell"))
            }
            Self::NoSpread => f.write_str("the difference is the same in every seed: are seeds used?"),
            Self::Smoke => f.write_str("a smoke run gives no verdicts"),
            Self::NoDirection => f.write_str("the metric has no better side"),
            Self::Exploratory => f.write_str("exploratory: not one of the experiment's contrasts"),
        }
    }
}

/// Why there can be no verdict.
pub(crate) fn blocking_reason(all: &[Missing]) -> Option<String> {
    all.iter().find(|missing| missing.blocks_verdict()).map(Missing::to_string)
}

/// All reasons, with seeds of one kind together: `needs ≥ 3 complete pairs, has 1 (seeds 1, 2 failed)`.
pub(crate) fn reasons(all: &[Missing]) -> String {
    let seeds = |(kind, [one, many]): (usize, [&str; 2])| {
        let seeds = all.iter().filter_map(Missing::seed).filter(|(_, own)| *own == kind);
        match &seeds.map(|(seed, _)| seed.to_string()).collect::<Vec<_>>()[..] {
            [] => None,
            [seed] => Some(format!("seed {seed} {one}")),
            seeds => Some(format!("seeds {} {many}", seeds.join(", "))),
        }
    };
    let differing = all.iter().filter(|one| matches!(one, Missing::Differs { .. })).map(Missing::to_string);
    let details: Vec<String> = LEFT_OUT.into_iter().enumerate().filter_map(seeds).chain(differing).collect();
    let general: Vec<String> = all.iter().filter(|one| one.blocks_verdict()).map(Missing::to_string).collect();
    match (general.join("; "), details.join("; ")) {
        (general, details) if general.is_empty() => details,
        (general, details) if details.is_empty() => general,
        (general, details) => format!("{general} ({details})"),
    }
}

/// The reasons as the end of a sentence about a difference; empty without any.
pub(crate) fn left_out(all: &[Missing]) -> String {
    let reasons = reasons(all);
    if reasons.is_empty() { reasons } else { format!("; left out: {reasons}") }
}
