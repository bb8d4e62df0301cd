//! Where the numbers of a report come from: programs, sources, data and the finished cells' fingerprints.

use crate::distinct::distinct;
use crate::files::{CellFacts, RunFolder};
use dataset::TestSet;
use records::manifest::CopiedFrom;
use records::plan::Plan;
use std::path::Path;

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Provenance {
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
    pub content_hash: String,
    /// The dataset of the test games, if it is another one.
    pub test: Option<TestSet>,
    /// Positions for training, validation and test.
    pub positions: [u64; 3],
}

/// The fingerprints of a finished cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellSource {
    pub folder: String,
    /// BLAKE3 of its final weights.
    pub weights: String,
    /// BLAKE3 chain over its batches: equal if the same data was seen in the same order.
    pub batches: String,
}

/// The provenance of a run folder.
pub(crate) fn of(folder: &RunFolder) -> Provenance {
    let facts = || folder.cells.iter().flatten().filter_map(|cell| cell.facts.as_ref());
    let datasets = facts().map(|facts| DatasetSource {
        name: facts.dataset.name.clone(),
        content_hash: facts.dataset.content_hash.clone(),
        test: facts.dataset.test.clone(),
        positions: [facts.dataset.train_positions, facts.dataset.validation_positions, facts.dataset.test_positions],
    });
    let times = || facts().flat_map(|facts| facts.sessions.iter().map(|session| session.unix_s));
    Provenance {
        seeds: folder.plan.seeds.clone(),
        programs: distinct(facts().map(CellFacts::program)),
        datasets: distinct(datasets),
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

fn cells(folder: &RunFolder) -> Vec<CellSource> {
    let rows = folder.plan.rows.iter().zip(&folder.cells);
    let cells = rows.flat_map(|(row, cells)| cells.iter().map(move |cell| (row, cell)));
    cells
        .filter_map(|(row, cell)| {
            let fingerprints = cell.result.as_ref()?.fingerprints.as_ref()?;
            Some(CellSource {
                folder: Plan::cell_dir(Path::new(""), row, cell.seed).to_string_lossy().into_owned(),
                weights: fingerprints.weights.clone(),
                batches: fingerprints.batches.clone(),
            })
        })
        .collect()
}
