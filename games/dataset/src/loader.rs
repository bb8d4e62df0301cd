//! From a dataset to batches of packed positions.
//!
//! Batches depend on (dataset, seed) and nothing else: not on the number of workers, not on where a run was
//! interrupted. Per epoch the training games are shuffled by the stream `(seed, "order", epoch)` and taken in blocks
//! of [`LoaderConfig::block_games`]; a block is replayed once, its positions are shuffled by the stream
//! `(seed, "block", epoch, block)` and handed out. So a position is replayed once an epoch, and neighbours of one
//! game are spread over a block (131,000 positions of chess by default) instead of filling a batch.
//! Batches go across the ends of blocks and epochs.
//!
//! Networks that read games ([`Dataset::set_sequence`]) get rows in sequences: every game is cut into pieces of so many
//! plies, from its start on, and pieces are shuffled where otherwise positions are. A sequence's rows stand together in
//! the order of the game; a last piece that is too short is filled up with rows of padding ([`Batch::is_padding`]). Behind
//! the packed position such a row has the index of the move that was played, two bytes, the lower first.

mod batch;
mod dataset;
mod evaluation;
mod lines;
mod order;
mod policy;
mod replay;
mod sequence;
mod stored;
mod targets;
mod train;
mod traits;
mod visit;

pub use batch::Batch;
pub use dataset::Dataset;
pub use evaluation::{EvaluationBatches, evaluation_batches};
pub use policy::{PolicyPosition, evaluated_policy, sampled_policy};
pub use targets::Targets;
pub use train::TrainLoader;
pub use traits::{MoveTraits, PositionTraits, evaluation_traits};

pub(crate) use stored::StoredGame;

use games::InputName;

/// How training batches are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoaderConfig {
    /// The input representation.
    pub input: InputName,
    /// Positions in a batch, ≥ 1.
    pub batch: usize,
    /// The seed of all order.
    pub seed: u64,
    /// Threads that replay games, ≥ 1. With one, everything happens in the caller's thread; with more, a pool
    /// replays the next block while the current one is handed out.
    pub workers: usize,
    /// Games that are replayed and shuffled together, ≥ 1: more mixes better and takes more memory (1,024 games of
    /// chess about 20 MB, of shogi about 35 MB).
    pub block_games: usize,
}

impl LoaderConfig {
    /// The usual `block_games`.
    pub const BLOCK_GAMES: usize = 1024;
}
