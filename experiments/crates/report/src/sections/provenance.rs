//! Where the numbers of a report come from: programs, sources, data and the finished cells' fingerprints.

use crate::run_folder::{CellFacts, CellRecord, RunFolder};
use facts::{by_key, distinct};
use records::manifest::{CopiedFrom, DatasetFacts};
use records::plan::Row;
use records::status::Fingerprints;

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Provenance {
    pub seeds: Vec<u64>,
    /// The programs that trained the cells: version and commit, in the order of the cells.
    pub programs: Vec<String>,
    pub datasets: Vec<DatasetFacts>,
    /// When the first and the last process started, in seconds since 1970.
    pub began: Option<(f64, f64)>,
    /// The finished cells by their folders.
    pub cells: Vec<(String, Fingerprints)>,
    /// The places that cells were copied from, instead of being trained in this run folder, each with the number of cells.
    pub copies: Vec<(CopiedFrom, usize)>,
}

pub(crate) fn of(folder: &RunFolder) -> Provenance {
    let facts = || folder.cells.iter().flatten().filter_map(|cell| cell.facts.as_ref());
    let times = || facts().flat_map(|facts| facts.sessions.iter().map(|session| session.unix_s));
    // A copy of a copy counts for each place.
    let copies = by_key(facts().flat_map(|facts| &facts.copied_from).map(|place| (place, ())));
    let fingerprints =
        |(_, cell, folder): (&Row, &CellRecord, String)| Some((folder, cell.result.as_ref()?.fingerprints.clone()?));
    Provenance {
        seeds: folder.plan.seeds.clone(),
        programs: distinct(facts().map(CellFacts::program)),
        datasets: distinct(facts().map(|facts| facts.dataset.clone())),
        began: times().reduce(f64::min).zip(times().reduce(f64::max)),
        cells: folder.placed_cells().filter_map(fingerprints).collect(),
        copies: copies.into_iter().map(|(place, cells)| (place.clone(), cells.len())).collect(),
    }
}
