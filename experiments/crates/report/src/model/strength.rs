//! What the cells of a game did as players.

use crate::statistics::across::RankCorrelation;
use crate::statistics::{PairedTest, Summary};
use facts::Role;
use records::strength::Measure;

/// One question that cells were asked, with their answers.
#[derive(Debug, Clone, PartialEq)]
pub struct StrengthReport {
    pub measure: Measure,
    /// The name of the file, or of the opponent.
    pub name: String,
    pub agent: String,
    /// Problems, or games of a cell.
    pub of: u64,
    /// The rows with answers, the reference first, the A/A control last.
    pub rows: Vec<RowStrength>,
    /// Whether the rows that have answers of every seed stand in the order of the primary metric: 1 if they do.
    pub ranks: Option<RankCorrelation>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct RowStrength {
    pub label: String,
    pub role: Role,
    /// Shares, 0 to 1, over seeds.
    pub values: Vec<f64>,
    /// Mean and spread of them.
    pub summary: Summary,
    /// Row less reference, paired by seed; in a match against the reference its share less ½. None for the reference.
    pub difference: Option<Summary>,
    /// The paired test of it, from two pairs on.
    pub test: Option<PairedTest>,
}
