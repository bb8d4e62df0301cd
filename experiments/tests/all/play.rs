//! Networks as players: what agents choose, what programs are answered, puzzles, matches.

mod agents;
mod engine;
mod evaluations;
mod judged;
mod matches;
mod puzzles;
mod suites;

use crate::inspect::Finished;
use config::Weights;
use tch::Device;
use train::inference::Loaded;

/// The untrained network of a game, of the folder's cells.
fn cell(finished: &Finished, game: &str) -> Loaded {
    Loaded::cell(&finished.path().join(finished.cell(game)), Weights::Raw, Device::Cpu).expect("a cell")
}
