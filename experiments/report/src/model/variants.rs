//! Rows that are variants of each other: learning rates, sizes, budgets.

use super::super::statistics::across::RankCorrelation;
use super::super::statistics::{Interval, PairedTest, Summary};
use super::comparison::Verdict;

/// A game's learning-rate sweep.
#[derive(Debug, Clone, PartialEq)]
pub struct Sweep {
    /// The label of the reference's chosen row.
    pub reference: String,
    /// One for each set of rows that differ in their learning rate only.
    pub chosen: Vec<Chosen>,
}

/// The row chosen among those that differ in their learning rate only.
#[derive(Debug, Clone, PartialEq)]
pub struct Chosen {
    /// The chosen row's label.
    pub label: String,
    /// How many rates were tried.
    pub tried: usize,
    /// The chosen rate.
    pub rate: String,
    /// Whether its peak is the smallest or the largest tried: the best rate may lie beyond.
    pub at_the_edge: bool,
    /// The metric on validation, over seeds, by which it was chosen.
    pub validation: Summary,
    /// The metric on test.
    pub test: Summary,
    /// On test, less the reference's chosen row, paired by seed; none for that row.
    pub difference: Option<PairedTest>,
    /// Its p-value after Holm's correction over the sweep's sets.
    pub holm_p: Option<f64>,
    /// Its verdict.
    pub verdict: Verdict,
}

/// How sizes are measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SizeMeasure {
    /// Parameters.
    Parameters,
    /// Operations of a forward pass.
    Flops,
    /// Seconds of a training step.
    Seconds,
}

impl SizeMeasure {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Parameters, Self::Flops, Self::Seconds];

    /// Its name in tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Parameters => "parameters",
            Self::Flops => "FLOPs",
            Self::Seconds => "step time",
        }
    }
}

/// A game's equivalents.
#[derive(Debug, Clone, PartialEq)]
pub struct Sizes {
    /// The reference's label.
    pub reference: String,
    /// How many sizes of the reference there are.
    pub rungs: usize,
    /// The rows of the reference's size with another encoding.
    pub rows: Vec<SizedRow>,
}

/// One row.
#[derive(Debug, Clone, PartialEq)]
pub struct SizedRow {
    /// Its label.
    pub label: String,
    /// For each of [`SizeMeasure::ALL`].
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

/// A factor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Multiple {
    /// The geometric mean over seeds, and its 95 % interval (Student's t of the logarithms).
    Of(f64, Interval),
    /// Some seed's metric is beyond the largest rung; this is that rung.
    Above(f64),
    /// Some seed's metric is below the smallest rung.
    Below(f64),
}

/// A game's comparison at several budgets.
#[derive(Debug, Clone, PartialEq)]
pub struct Budgets {
    /// Optimiser steps, ascending.
    pub steps: Vec<u64>,
    /// The rows.
    pub rows: Vec<BudgetRow>,
    /// For each budget but the last: whether its order of rows is that of the last.
    pub ranks: Vec<Option<RankCorrelation>>,
}

/// One row at several budgets.
#[derive(Debug, Clone, PartialEq)]
pub struct BudgetRow {
    /// The common part of its labels.
    pub label: String,
    /// At each budget, on test: row less the reference at the same budget, paired by seed.
    pub differences: Vec<Option<PairedTest>>,
}
