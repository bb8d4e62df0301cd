//! Where the numbers of a report come from: programs, sources, data and the finished cells' fingerprints.

use super::distinct::distinct;
use super::files::{CellFacts, RunFolder};
use super::model::provenance::{CellSource, DatasetSource, Provenance};
use records::manifest::CopiedFrom;
use records::plan::Plan;
use std::path::Path;

/// The provenance of a run folder.
pub(super) fn of(folder: &RunFolder) -> Provenance {
    let facts = || folder.cells.iter().flatten().filter_map(|cell| cell.facts.as_ref());
    let datasets = facts().map(|facts| DatasetSource {
        name: facts.dataset.name.clone(),
        content_hash: facts.dataset.content_hash.clone(),
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
