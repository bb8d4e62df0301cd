//! Measurements: the speed of the loader, and a dataset repeated to any size.

use crate::WorkDone;
use crate::build::{Output, Shards};
use crate::contents::ShardContents;
use crate::error::DatasetError;
use crate::folder::DatasetFolder;
use crate::loader::{Dataset, LoaderConfig, TrainLoader};
use crate::manifest::{Counts, Manifest};
use crate::split::Split;
use crate::store::ShardWriter;
use games::InputName;
use serde::Serialize;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Positions after which a measurement may end within an epoch.
const PART: u64 = 2_000_000;

/// Rates of the training loader, legal-move masks included.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LoaderRate {
    /// Positions per second with one worker: one core, no prefetching.
    pub one_worker: f64,
    /// The number of workers of the second measurement; with 1 there is none.
    pub workers: usize,
    /// Positions per second with that many workers.
    pub many_workers: f64,
    pub positions: u64,
    /// Bytes of a position in a batch: packed row and legal-move mask.
    pub bytes_per_position: usize,
}

/// Measures the loader for at least `at_least` with one worker and again with `workers`, if those are more, from the first
/// batch on: at least one block each of replaying, shuffling and packing.
pub fn bench_loader(
    dataset: &Arc<Dataset>,
    input: InputName,
    batch: usize,
    workers: usize,
    at_least: Duration,
) -> Result<LoaderRate, DatasetError> {
    let config = LoaderConfig { input, batch, seed: 0, workers: 1, block_games: LoaderConfig::BLOCK_GAMES };
    let (one_worker, loaded) = measure(dataset, config, at_least)?;
    let (many_workers, more) = match workers {
        1 => (one_worker, 0),
        _ => measure(dataset, LoaderConfig { workers, ..config }, at_least)?,
    };
    let game = dataset.game();
    Ok(LoaderRate {
        one_worker,
        workers,
        many_workers,
        positions: loaded + more,
        bytes_per_position: game.input(input).row_bytes() + dataset.legal_bytes(),
    })
}

/// Positions per second and positions.
fn measure(dataset: &Arc<Dataset>, config: LoaderConfig, at_least: Duration) -> Result<(f64, u64), DatasetError> {
    let start = Instant::now();
    let mut loader = TrainLoader::new(dataset, config, 0)?;
    // Whole epochs, so that every replayed position is also delivered, or parts of one that have many blocks.
    let part = loader.epoch_positions().min(PART);
    let mut loaded = 0u64;
    let mut parts = 1;
    while loaded < parts * part {
        loaded += std::hint::black_box(loader.next()?).size as u64;
        if loaded >= parts * part && start.elapsed() < at_least {
            parts += 1;
        }
    }
    Ok((loaded as f64 / start.elapsed().as_secs_f64(), loaded))
}

/// Rows between two reports of progress.
const ROWS_A_REPORT: u64 = 1 << 12;

/// Writes the rows of a dataset repeatedly, with new numbers, until it has this number of positions. Its duplicates make
/// it useless for training.
pub fn repeat(
    source: &DatasetFolder,
    output: &Path,
    positions: u64,
    progress: &mut dyn FnMut(WorkDone),
) -> Result<Manifest, DatasetError> {
    source.manifest.verify_shards(&source.dir)?;
    let output = Output::create(output)?;
    let mut shards = Shards::new(&output.dir, ShardWriter::create_temporary);
    let mut contents = ShardContents::default();
    let (mut rows, mut written) = (0_u64, 0);
    'rounds: loop {
        for row in source.manifest.rows(&source.dir) {
            let mut row = row?;
            row.id = u32::try_from(rows).map_err(|_| DatasetError::Option {
                option: "positions",
                reason: format!("a dataset has at most {} rows", u32::MAX),
            })?;
            written += row.positions();
            shards.push(&row)?;
            contents.add(&row);
            rows += 1;
            if rows.is_multiple_of(ROWS_A_REPORT) {
                progress(WorkDone { what: "positions", done: written.min(positions), total: positions });
            }
            if written >= positions {
                break 'rounds;
            }
        }
        if written == 0 {
            return Err(DatasetError::EmptySplit { dataset: source.manifest.name.clone(), split: Split::Train });
        }
    }
    let manifest = contents.describe(Manifest {
        name: format!("{} repeated", source.manifest.name),
        made_by: format!("posenc bench data, from {}", source.manifest.content_hash),
        counts: Counts::default(),
        shards: shards.finish()?,
        ..source.manifest.clone()
    });
    output.publish(&manifest)?;
    Ok(manifest)
}
