//! Where the numbers of a report come from.

use records::manifest::CopiedFrom;

/// Where the numbers come from.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Provenance {
    /// The seeds of every row.
    pub seeds: Vec<u64>,
    /// The programs that trained the cells: version and commit, in the order of the cells.
    pub programs: Vec<String>,
    pub datasets: Vec<DatasetSource>,
    /// When the first and the last process started, in seconds since 1970.
    pub began: Option<(f64, f64)>,
    pub cells: Vec<CellSource>,
    /// The places that cells were copied from, instead of being trained in this run folder, each with the number of cells.
    pub copies: Vec<(CopiedFrom, usize)>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct DatasetSource {
    pub name: String,
    /// The hash of its content.
    pub content_hash: String,
    /// Positions for training, validation and test.
    pub positions: [u64; 3],
}

/// The fingerprints of a finished cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellSource {
    /// Its folder below the run folder.
    pub folder: String,
    /// BLAKE3 of its final weights.
    pub weights: String,
    /// BLAKE3 chain over its batches: equal if the same data was seen in the same order.
    pub batches: String,
}

/// A setting that all rows of a grid share, or a condition under which its cells were trained.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// Its name, e.g. `chess: train.steps` or `numerics version`.
    pub name: String,
    /// Its value; [`VARIES`] if rows differ in it.
    pub value: String,
}

/// The value of a setting in which the rows of a grid differ.
pub const VARIES: &str = "varies";
