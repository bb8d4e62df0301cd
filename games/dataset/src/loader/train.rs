//! Infinite training batches.

use super::LoaderConfig;
use super::batch::Batch;
use super::dataset::Dataset;
use super::endless::{BLOCK_ROWS, Training};
use super::order::{Epoch, Grouping};
use super::replay::{Positions, replay};
use crate::error::DatasetError;
use crate::split::Split;
use games::with_game;
use rayon::iter::ParallelIterator as _;
use rayon::slice::ParallelSlice as _;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};

/// Games that a worker replays at a time: many chunks per block, so that no worker waits long for the last one.
const CHUNK_GAMES: usize = 32;

/// Infinite training batches, see [the module](super) for their order.
pub struct TrainLoader {
    dataset: Arc<Dataset>,
    config: LoaderConfig,
    epoch: Arc<Epoch>,
    epoch_number: u64,
    block: ShuffledBlock,
    /// The number in `epoch` of the next block to be asked for.
    next_block: usize,
    /// The number of delivered positions of `block`.
    taken: usize,
    prefetcher: Option<Prefetcher>,
}

impl TrainLoader {
    /// A loader whose first batch is number `start_batch` of the sequence: a run with `n` completed steps resumes with
    /// `start_batch = n`.
    pub fn new(dataset: &Arc<Dataset>, config: LoaderConfig, start_batch: u64) -> Result<Self, DatasetError> {
        dataset.require(Split::Train)?;
        dataset.require_input(config.input)?;
        for (option, value) in
            [("batch", config.batch), ("workers", config.workers), ("block_games", config.block_games)]
        {
            if value == 0 {
                return Err(DatasetError::Option { option, reason: "must be at least 1".to_owned() });
            }
        }
        dataset.fits_sequences(config.batch)?;
        let start = u128::from(start_batch) * config.batch as u128;
        let per_epoch = u128::from(epoch_rows(dataset));
        let epoch_number = (start / per_epoch) as u64;
        let mut skip = (start % per_epoch) as u64;

        let epoch = epoch(dataset, config, epoch_number);
        let mut first_block = 0;
        loop {
            let rows = match dataset.is_endless() {
                true => BLOCK_ROWS as u64,
                false => dataset.rows_of(Split::Train, &epoch.block(first_block)),
            };
            if skip < rows {
                break;
            }
            skip -= rows;
            first_block += 1;
        }
        let mut loader = Self {
            dataset: Arc::clone(dataset),
            config,
            epoch: Arc::new(epoch),
            epoch_number,
            block: ShuffledBlock::default(),
            next_block: first_block,
            taken: 0,
            prefetcher: Prefetcher::new(config.workers)?,
        };
        loader.advance()?;
        loader.taken = skip as usize;
        Ok(loader)
    }

    /// Rows of one epoch, with padding: `batches · batch / epoch_positions` is the number of epochs. In an endless dataset
    /// a block is an epoch.
    pub fn epoch_positions(&self) -> u64 {
        epoch_rows(&self.dataset)
    }

    /// The next batch; it is always full.
    #[expect(clippy::should_implement_trait, reason = "batches never end")]
    pub fn next(&mut self) -> Result<Batch, DatasetError> {
        let legal_bytes = self.dataset.legal_bytes();
        let mut batch = Batch::with_capacity(&self.dataset, self.config.input, self.config.batch);
        while batch.size < self.config.batch {
            if self.taken == self.block.order.len() {
                self.advance()?;
            }
            let count = (self.config.batch - batch.size).min(self.block.order.len() - self.taken);
            for &(chunk, i) in &self.block.order[self.taken..self.taken + count] {
                batch.push(&self.block.chunks[chunk as usize], i as usize, legal_bytes);
            }
            self.taken += count;
        }
        Ok(batch)
    }

    /// Moves to the next block. Starts preparing the one after it, and, if that is the short end of an epoch, the one that follows.
    fn advance(&mut self) -> Result<(), DatasetError> {
        let pending = self.prefetcher.as_mut().and_then(|prefetcher| prefetcher.pending.pop_front());
        self.block = match pending {
            Some((_, block)) => block.recv().map_err(|_| worker_lost())??,
            None => {
                let request = self.request();
                match &self.prefetcher {
                    None => request.replay(false)?,
                    Some(prefetcher) => prefetcher.pool.install(|| request.replay(true))?,
                }
            }
        };
        self.taken = 0;
        while self.prefetcher.as_ref().is_some_and(|prefetcher| 2 * prefetcher.games() < self.epoch.block(0).len()) {
            let request = self.request();
            if let Some(prefetcher) = &mut self.prefetcher {
                prefetcher.prepare(request);
            }
        }
        Ok(())
    }

    /// The next block that nobody has asked for.
    fn request(&mut self) -> BlockRequest {
        let request = BlockRequest {
            dataset: Arc::clone(&self.dataset),
            config: self.config,
            epoch: Arc::clone(&self.epoch),
            block: self.next_block,
        };
        self.next_block += 1;
        if self.next_block == self.epoch.blocks() {
            self.next_block = 0;
            self.epoch_number += 1;
            self.epoch = Arc::new(epoch(&self.dataset, self.config, self.epoch_number));
        }
        request
    }
}

fn epoch_rows(dataset: &Dataset) -> u64 {
    if dataset.is_endless() { BLOCK_ROWS as u64 } else { dataset.rows(Split::Train) }
}

fn epoch(dataset: &Dataset, config: LoaderConfig, number: u64) -> Epoch {
    if dataset.is_endless() {
        return Epoch::new(config.seed, number, 1, Grouping { together: 1, block_groups: 1 });
    }
    let grouping = dataset.grouping(Split::Train, config.block_games);
    Epoch::new(config.seed, number, dataset.games(Split::Train), grouping)
}

struct Prefetcher {
    pool: ThreadPool,
    /// The games of each block that was asked for, and the block.
    pending: VecDeque<(usize, Receiver<Result<ShuffledBlock, DatasetError>>)>,
}

impl Prefetcher {
    /// `None` for a single worker, which uses the caller's thread.
    fn new(workers: usize) -> Result<Option<Self>, DatasetError> {
        if workers == 1 {
            return Ok(None);
        }
        let pool =
            ThreadPoolBuilder::new().num_threads(workers).thread_name(|i| format!("loader-{i}")).build().map_err(
                |error| DatasetError::Option {
                    option: "workers",
                    reason: format!("{workers} threads cannot be started ({error}): take fewer"),
                },
            )?;
        Ok(Some(Self { pool, pending: VecDeque::new() }))
    }

    fn prepare(&mut self, request: BlockRequest) {
        let (sender, receiver) = sync_channel(1);
        self.pending.push_back((request.epoch.block(request.block).len(), receiver));
        // If the loader is gone, the block is dropped.
        self.pool.spawn(move || drop(sender.send(request.replay(true))));
    }

    fn games(&self) -> usize {
        self.pending.iter().map(|(games, _)| games).sum()
    }
}

fn worker_lost() -> DatasetError {
    DatasetError::Option { option: "workers", reason: "a loader thread died: see its message above".to_owned() }
}

struct BlockRequest {
    dataset: Arc<Dataset>,
    config: LoaderConfig,
    epoch: Arc<Epoch>,
    block: usize,
}

impl BlockRequest {
    /// Replays in the current thread pool, or in this thread alone. Chunks are in order, whichever thread replayed them.
    fn replay(&self, in_pool: bool) -> Result<ShuffledBlock, DatasetError> {
        if let Some(training) = &self.dataset.training {
            return self.made(training, if in_pool { rayon::current_num_threads().max(2) } else { 1 });
        }
        let (games, most) = (self.epoch.block(self.block), self.chunk_games());
        let chunks: Vec<_> = match in_pool {
            true => games.par_chunks(most).map(|chunk| self.chunk(chunk)).collect(),
            false => games.chunks(most).map(|chunk| self.chunk(chunk)).collect(),
        };
        Ok(self.shuffled(chunks.into_iter().collect::<Result<_, _>>()?))
    }

    /// Games of a chunk: a group that stays together is read at once.
    fn chunk_games(&self) -> usize {
        CHUNK_GAMES.max(self.dataset.grouping(Split::Train, self.config.block_games).together)
    }

    fn chunk(&self, games: &[u32]) -> Result<Positions, DatasetError> {
        let games = self.dataset.read(Split::Train, games.iter().copied());
        with_game!(self.dataset.game(), G => replay::<G>(games, self.config.input, self.dataset.reading))
    }

    fn made(&self, training: &Training, threads: usize) -> Result<ShuffledBlock, DatasetError> {
        let (chunks, places) = training.block(
            self.epoch.number,
            self.dataset.manifest(),
            self.dataset.reading,
            self.config.input,
            threads,
        )?;
        let order = self.epoch.pieces(self.block, places.len());
        Ok(ShuffledBlock { order: order.into_iter().map(|i| places[i as usize]).collect(), chunks })
    }

    fn shuffled(&self, chunks: Vec<Positions>) -> ShuffledBlock {
        let plies = self.dataset.sequence();
        let starts = |positions: &Positions| (0..positions.len() as u32).step_by(plies);
        let places: Vec<(u32, u32)> = chunks
            .iter()
            .enumerate()
            .flat_map(|(chunk, positions)| starts(positions).map(move |i| (chunk as u32, i)))
            .collect();
        let order = self.epoch.pieces(self.block, places.len());
        let rows = |i: u32| {
            let (chunk, start) = places[i as usize];
            (start..start + plies as u32).map(move |row| (chunk, row))
        };
        ShuffledBlock { order: order.into_iter().flat_map(rows).collect(), chunks }
    }
}

/// A replayed block: positions in chunks, and their shuffled order.
#[derive(Default)]
struct ShuffledBlock {
    chunks: Vec<Positions>,
    order: Vec<(u32, u32)>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use games::InputName;
    use std::path::Path;

    #[test]
    fn what_follows_the_short_end_of_an_epoch_is_prepared_with_it() {
        let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments/data/chess-starter");
        let dataset = Arc::new(Dataset::open(&dir).expect("the starter datasets are part of the project"));
        // Two blocks of an epoch are full, the third has one or two games.
        let block_games = (dataset.games(Split::Train) - 1) / 2;
        let config = LoaderConfig { input: InputName::PieceTokens, batch: 64, seed: 0, workers: 2, block_games };
        let mut loader = TrainLoader::new(&dataset, config, 0).expect("a loader");
        let mut prepared = Vec::new();
        for _ in 0..4 {
            prepared.push(loader.prefetcher.as_ref().expect("two workers").pending.len());
            loader.advance().expect("a block");
        }
        assert_eq!(prepared, [1, 2, 1, 1]);
    }
}
