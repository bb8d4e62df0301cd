//! Where the numbers of a report come from: programs, sources, data and the finished cells' fingerprints.

use super::files::RunFolder;
use records::plan::Plan;
use std::path::Path;

/// Where the numbers come from.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Provenance {
    /// The seeds of every row.
    pub seeds: Vec<u64>,
    /// What trained the cells: version and source, in the order in which cells name them.
    pub programs: Vec<String>,
    /// The datasets.
    pub datasets: Vec<DatasetSource>,
    /// When the first process began and the last one did, in seconds since 1970.
    pub began: Option<(f64, f64)>,
    /// The finished cells.
    pub cells: Vec<CellSource>,
}

/// A dataset.
#[derive(Debug, Clone, PartialEq)]
pub struct DatasetSource {
    /// Its name.
    pub name: String,
    /// The hash of its content.
    pub content_hash: String,
    /// Positions for training, validation and test.
    pub positions: [u64; 3],
}

/// What a finished cell can be recognised by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellSource {
    /// Its folder below the run folder.
    pub folder: String,
    /// BLAKE3 of its final weights.
    pub weights: String,
    /// BLAKE3 chain over its batches: equal where the same data was seen in the same order.
    pub batches: String,
}

impl Provenance {
    pub(super) fn of(folder: &RunFolder) -> Self {
        let facts = || folder.cells.iter().flatten().filter_map(|cell| cell.facts.as_ref());
        let programs = facts().map(|facts| {
            let version = facts.posenc.as_deref().unwrap_or("of an unknown version");
            match &facts.revision {
                Some(revision) if revision.dirty => {
                    format!("posenc {version}, commit {} with changes", revision.commit)
                }
                Some(revision) => format!("posenc {version}, commit {}", revision.commit),
                None => format!("posenc {version}, source unknown"),
            }
        });
        let datasets = facts().map(|facts| DatasetSource {
            name: facts.dataset.name.clone(),
            content_hash: facts.dataset.content_hash.clone(),
            positions: [
                facts.dataset.train_positions,
                facts.dataset.validation_positions,
                facts.dataset.test_positions,
            ],
        });
        let times = || facts().flat_map(|facts| facts.sessions.iter().map(|session| session.unix_s));
        Self {
            seeds: folder.plan.seeds.clone(),
            programs: distinct(programs),
            datasets: distinct(datasets),
            began: times().reduce(f64::min).zip(times().reduce(f64::max)),
            cells: cells(folder),
        }
    }
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

fn distinct<T: PartialEq>(all: impl Iterator<Item = T>) -> Vec<T> {
    let mut distinct = Vec::new();
    for one in all {
        if !distinct.contains(&one) {
            distinct.push(one);
        }
    }
    distinct
}
