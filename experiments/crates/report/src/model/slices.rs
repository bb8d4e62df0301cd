//! Differences to the reference on parts of the test positions.

use super::super::statistics::crossed::Estimate;

#[derive(Debug, Clone, PartialEq)]
pub struct SliceReport {
    pub measure: &'static str,
    pub reference: String,
    /// The compared rows, in the order of the tables.
    pub rows: Vec<String>,
    /// Ways to slice, all positions first.
    pub dimensions: Vec<Dimension>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Dimension {
    pub name: &'static str,
    /// Its slices that have enough positions.
    pub slices: Vec<Slice>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Slice {
    pub name: String,
    /// How many positions have the metric.
    pub positions: usize,
    /// The reference's mean over seeds and positions.
    pub reference: f64,
    /// Row less reference for each row of [`SliceReport::rows`]; none if seeds are missing.
    pub differences: Vec<Option<Estimate>>,
}
