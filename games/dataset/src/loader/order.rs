//! The order of games and positions.

use std::ops::Range;
use streams::{Stream, shuffle, stream};

/// How the games of a split are shuffled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Grouping {
    /// Consecutive games that stay together; 1 unless the split is large.
    pub(super) together: usize,
    /// Groups that are replayed and shuffled together.
    pub(super) block_groups: usize,
}

/// The groups of this number of games, shuffled.
pub(super) fn groups(stream: &mut Stream, games: usize, together: usize) -> Vec<u32> {
    let mut order: Vec<u32> = (0..games.div_ceil(together) as u32).collect();
    shuffle(stream, &mut order);
    order
}

pub(super) fn members(group: u32, games: usize, together: usize) -> Range<u32> {
    let start = group as usize * together;
    start as u32..(start + together).min(games) as u32
}

/// The games of one epoch, in order and split into blocks.
#[derive(Debug)]
pub(super) struct Epoch {
    seed: u64,
    pub(super) number: u64,
    games: usize,
    groups: Vec<u32>,
    grouping: Grouping,
}

impl Epoch {
    pub(super) fn new(seed: u64, number: u64, games: usize, grouping: Grouping) -> Self {
        let groups = groups(&mut stream(seed, &["order", &number.to_string()]), games, grouping.together);
        Self { seed, number, games, groups, grouping }
    }

    pub(super) fn blocks(&self) -> usize {
        self.groups.len().div_ceil(self.grouping.block_groups)
    }

    pub(super) fn block(&self, block: usize) -> Vec<u32> {
        let Grouping { together, block_groups } = self.grouping;
        let start = block * block_groups;
        let range: Range<usize> = start..(start + block_groups).min(self.groups.len());
        self.groups[range].iter().flat_map(|&group| members(group, self.games, together)).collect()
    }

    /// The order of a block's positions or sequences.
    pub(super) fn pieces(&self, block: usize, count: usize) -> Vec<u32> {
        let mut order: Vec<u32> = (0..count as u32).collect();
        let purpose = ["block", &self.number.to_string(), &block.to_string()];
        shuffle(&mut stream(self.seed, &purpose), &mut order);
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn an_epoch_of_groups_has_every_game_once_and_groups_stay_together() {
        let epoch = Epoch::new(1, 2, 1_001, Grouping { together: 8, block_groups: 16 });
        let games: Vec<u32> = (0..epoch.blocks()).flat_map(|block| epoch.block(block)).collect();
        assert_eq!(games.iter().copied().collect::<BTreeSet<_>>(), (0..1_001).collect());
        assert_eq!((games.len(), epoch.blocks()), (1_001, 8));
        let breaks = games.windows(2).filter(|pair| pair[1] != pair[0] + 1).count();
        assert!((100..126).contains(&breaks), "{breaks} of 125 borders");
    }
}
