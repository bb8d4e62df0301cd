//! Batches of packed positions from a dataset.
//!
//! Batches depend on (dataset, seed) only, not on the number of workers or on where a run was interrupted. Per epoch
//! the training games are shuffled by the stream `(seed, "order", epoch)` and split into blocks of
//! [`LoaderConfig::block_games`]; a block is replayed once, and its positions are shuffled by the stream `(seed,
//! "block", epoch, block)`. So a position is replayed once per epoch, and neighbouring positions of a game are spread
//! over a block (131,000 positions of chess by default) instead of filling a batch. Batches may span blocks and epochs.
//!
//! From [`EXACT_BELOW`](crate::EXACT_BELOW) games on, 8 consecutive games (128 single positions) are shuffled as one, so
//! that memory and reads do not grow with the dataset; a block holds the same number of games, or of groups of
//! single positions. The identity of cells on such datasets has the version of this order.
//!
//! Networks that read games ([`Dataset::set_sequence`]) get rows in sequences: every game is cut into pieces of a fixed
//! number of plies from its start, and pieces are shuffled instead of positions. The rows of a sequence are adjacent
//! and in game order; an incomplete last piece is padded ([`Batch::is_padding`]). After the packed position such a row
//! holds the index of the played move, two bytes, little-endian.

mod batch;
mod dataset;
mod endless;
mod evaluation;
mod order;
mod policy;
mod replay;
mod sequence;
mod stored;
mod targets;
mod test_set;
mod train;
mod traits;
mod used_plies;
mod used_rows;

pub use batch::Batch;
pub use dataset::Dataset;
pub use endless::{Endless, EndlessOptions, GenerationCounts, Packer};
pub use evaluation::{EvaluationBatches, evaluation_batches};
pub use policy::{PolicyPosition, evaluated_policy, sampled_policy};
pub use targets::Targets;
pub use train::TrainLoader;
pub use traits::{MOVE_TYPES, MoveTraits, PositionTraits, evaluation_traits};

pub(crate) use stored::{GameStart, StoredGame, StoredPolicy};

use games::InputName;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoaderConfig {
    pub input: InputName,
    /// Positions in a batch, ≥ 1.
    pub batch: usize,
    pub seed: u64,
    /// Threads that replay games, ≥ 1. With one, replaying happens in the caller's thread; with more, a pool replays
    /// the next block in advance.
    pub workers: usize,
    /// Games that are replayed and shuffled together, ≥ 1: more mixes better and takes more memory (1,024 games of
    /// chess about 20 MB, of shogi about 35 MB).
    pub block_games: usize,
}

impl LoaderConfig {
    pub const BLOCK_GAMES: usize = 1024;
}
