//! Where the numbers of a report come from: programs, sources, data and the finished cells' fingerprints.

use crate::files::{CellFacts, RunFolder};
use facts::distinct;
use records::manifest::{CopiedFrom, DatasetFacts};
use records::plan::Plan;
use records::status::Fingerprints;
use std::path::Path;

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
    Provenance {
        seeds: folder.plan.seeds.clone(),
        programs: distinct(facts().map(CellFacts::program)),
        datasets: distinct(facts().map(|facts| facts.dataset.clone())),
        began: times().reduce(f64::min).zip(times().reduce(f64::max)),
        cells: cells(folder),
        copies: copies(folder),
    }
}

/// A copy of a copy counts for each place.
fn copies(folder: &RunFolder) -> Vec<(CopiedFrom, usize)> {
    let facts = folder.cells.iter().flatten().filter_map(|cell| cell.facts.as_ref());
    let all: Vec<&CopiedFrom> = facts.flat_map(|facts| &facts.copied_from).collect();
    let places = distinct(all.iter().copied());
    places.into_iter().map(|place| (place.clone(), all.iter().filter(|other| **other == place).count())).collect()
}

fn cells(folder: &RunFolder) -> Vec<(String, Fingerprints)> {
    let cells = folder.lines().flat_map(|(row, cells)| cells.iter().map(move |cell| (row, cell)));
    cells
        .filter_map(|(row, cell)| {
            let folder = Plan::cell_dir(Path::new(""), row, cell.seed).to_string_lossy().into_owned();
            Some((folder, cell.result.as_ref()?.fingerprints.clone()?))
        })
        .collect()
}
