//! Rows that are variants of each other: sizes, budgets.

use super::super::statistics::PairedTest;
use super::super::statistics::across::RankCorrelation;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SizeMeasure {
    Parameters,
    /// Operations of a forward pass.
    Flops,
    /// Seconds of a training step.
    Seconds,
}

impl SizeMeasure {
    pub const ALL: [Self; 3] = [Self::Parameters, Self::Flops, Self::Seconds];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Parameters => "parameters",
            Self::Flops => "FLOPs",
            Self::Seconds => "step time",
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Sizes {
    pub reference: String,
    /// How many sizes of the reference there are.
    pub rungs: usize,
    /// The rows of the reference's size with another encoding.
    pub rows: Vec<SizedRow>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct SizedRow {
    pub label: String,
    pub equivalents: [Option<Equivalent>; 3],
}

/// The reference's size that matches a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Equivalent {
    /// By the reference's own size: how much larger it would have to be.
    pub by_reference: Multiple,
    /// By the row's own size: above 1, the row is better than the reference of the same size.
    pub by_row: Multiple,
}

/// A factor with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Multiple {
    /// Of the mean over seeds.
    pub at: Place,
    /// Of the ends of the mean's interval, the smaller size first.
    pub ends: [Place; 2],
}

/// A size on a ladder, or a factor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Place {
    At(f64),
    /// The largest size of the ladder, this one, or a larger one.
    AtLeast(f64),
    /// The smallest size of the ladder, this one, or a smaller one.
    AtMost(f64),
}

/// A game's comparison at several budgets.
#[derive(Debug, Clone, PartialEq)]
pub struct Budgets {
    pub steps: Vec<u64>,
    pub rows: Vec<BudgetRow>,
    /// For each budget but the last: whether its order of rows is that of the last.
    pub ranks: Vec<Option<RankCorrelation>>,
}

/// One row at several budgets.
#[derive(Debug, Clone, PartialEq)]
pub struct BudgetRow {
    /// The common part of its labels.
    pub label: String,
    /// At each budget, on test: row less the reference at the same budget, the mean over paired seeds.
    pub differences: Vec<Option<f64>>,
    /// The tests of them, from two pairs on.
    pub tests: Vec<Option<PairedTest>>,
}
