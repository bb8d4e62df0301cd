//! Gaps between rows, and how they change where something else differs.

use super::super::statistics::{Interval, MeanTest, PairedTest, Summary};
use super::comparison::{Corrected, Missing};
use super::noise::Noise;
use facts::Interaction;

/// One interaction: a gap with one value, compared with the same gap with another value.
#[derive(Debug, Clone, PartialEq)]
pub struct InteractionReport {
    /// The four rows and their names.
    pub definition: Interaction,
    /// The gap with the first and with the second value, over the seeds that have it.
    pub gaps: [Option<Gap>; 2],
    /// The second gap less the first by seed.
    pub differences: Vec<(u64, f64)>,
    pub planned: usize,
    /// The test of their mean against 0 over seeds alone, from two seeds on.
    pub test: Option<PairedTest>,
    /// The test that decides: over seeds and test games, or the same as `test`.
    pub decisive: Option<MeanTest>,
    /// The noise that the decisive test counts.
    pub noise: Option<Noise>,
    /// The decisive test's plain 95 % interval.
    pub interval: Option<Interval>,
    /// Holm's correction over the interactions.
    pub holm: Option<Corrected>,
    pub change: Change,
    /// Why there is no verdict, or which seeds were left out of it.
    pub missing: Vec<Missing>,
}

/// A gap: the second row less the first, paired by seed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gap {
    pub mean: f64,
    /// Its plain 95 % t-interval.
    pub interval: Interval,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Both gaps exclude zero, and it is smaller with the second value.
    Shrinks,
    /// Both gaps exclude zero, and it is larger with the second value.
    Grows,
    /// Both gaps exclude zero, with different signs.
    Reverses,
    /// It changes, but one of the gaps is not significant itself, so its size before or after is unknown.
    Changes,
    /// The corrected interval of the change contains zero.
    NotDistinguishable,
    Missing,
}

impl Change {
    /// The verb that follows "the gap".
    pub const fn name(self) -> &'static str {
        match self {
            Self::Shrinks => "shrinks",
            Self::Grows => "grows",
            Self::Reverses => "reverses",
            Self::Changes => "changes",
            Self::NotDistinguishable => "not distinguishable",
            Self::Missing => "no verdict",
        }
    }
}

impl InteractionReport {
    /// The mean change of the gap. A single seed has one too, without a test.
    pub fn mean(&self) -> Option<f64> {
        let differences: Vec<f64> = self.differences.iter().map(|&(_, difference)| difference).collect();
        Summary::of(&differences).map(|summary| summary.mean)
    }

    /// `shaw less absolute (batch 64)`.
    pub fn name(&self) -> String {
        let [from, to] = &self.definition.gap;
        let within = self.definition.within.as_ref().map_or_else(String::new, |label| format!(" ({label})"));
        format!("{to} less {from}{within}")
    }
}
