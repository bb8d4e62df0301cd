//! The order of training games and positions.

use super::stored::StoredGame;
use std::ops::Range;
use streams::{shuffle, stream};

/// The games of one epoch, in order and split into blocks.
#[derive(Debug)]
pub(super) struct Epoch {
    seed: u64,
    number: u64,
    games: Vec<u32>,
    block_games: usize,
}

impl Epoch {
    pub(super) fn new(seed: u64, number: u64, games: usize, block_games: usize) -> Self {
        let mut order: Vec<u32> = (0..games as u32).collect();
        shuffle(&mut stream(seed, &["order", &number.to_string()]), &mut order);
        Self { seed, number, games: order, block_games }
    }

    pub(super) fn blocks(&self) -> usize {
        self.games.len().div_ceil(self.block_games)
    }

    pub(super) fn block(&self, block: usize) -> &[u32] {
        let start = block * self.block_games;
        let range: Range<usize> = start..(start + self.block_games).min(self.games.len());
        &self.games[range]
    }

    /// The number of rows of a block, in sequences of this many plies.
    pub(super) fn block_rows(&self, block: usize, games: &[StoredGame], plies: usize) -> u64 {
        self.block(block).iter().map(|&game| games[game as usize].rows(plies)).sum()
    }

    /// The order of a block's positions or sequences.
    pub(super) fn pieces(&self, block: usize, count: usize) -> Vec<u32> {
        let mut order: Vec<u32> = (0..count as u32).collect();
        let purpose = ["block", &self.number.to_string(), &block.to_string()];
        shuffle(&mut stream(self.seed, &purpose), &mut order);
        order
    }
}
