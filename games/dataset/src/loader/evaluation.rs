//! Evaluation batches: the same positions for every cell.

use super::batch::Batch;
use super::dataset::Dataset;
use super::order::{groups, members};
use super::replay::{Positions, replay};
use crate::error::DatasetError;
use crate::split::Split;
use games::{InputName, with_game};
use streams::stream;

const CHUNK_GAMES: usize = 32;

/// Whole games of a split in a fixed order, as many as `max_positions` allow (at least one), as batches; the last one
/// may be smaller. The order depends on the dataset's split seed, not on a run's seed, so all cells of all experiments
/// use the same positions. A smaller `max_positions` uses the first of them, with or without sequences.
pub fn evaluation_batches(
    dataset: &Dataset,
    split: Split,
    input: InputName,
    batch: usize,
    max_positions: u64,
) -> Result<EvaluationBatches<'_>, DatasetError> {
    dataset.require(split)?;
    dataset.require_input(input)?;
    if batch == 0 {
        return Err(DatasetError::Option { option: "batch", reason: "must be at least 1".to_owned() });
    }
    dataset.fits_sequences(batch)?;
    let order = chosen_games(dataset, split, max_positions);
    Ok(EvaluationBatches {
        dataset,
        split,
        input,
        batch,
        order,
        next_game: 0,
        replayed: Positions::default(),
        taken: 0,
    })
}

/// The games of an evaluation in order, as indices into the split's games; the split is not empty.
pub(super) fn chosen_games(dataset: &Dataset, split: Split, max_positions: u64) -> Vec<u32> {
    let (games, together) = (dataset.games(split), dataset.grouping(split, 1).together);
    let mut stream = stream(dataset.manifest_of(split).split.seed, &["evaluation", split.name()]);
    let groups = groups(&mut stream, games, together);
    let all = || groups.iter().flat_map(move |&group| members(group, games, together));
    let mut positions = 0;
    let fits = |&game: &u32| {
        positions += u64::from(dataset.size(split, game).positions);
        positions <= max_positions
    };
    let chosen: Vec<u32> = all().take_while(fits).collect();
    if chosen.is_empty() { all().take(1).collect() } else { chosen }
}

#[derive(Debug)]
pub struct EvaluationBatches<'a> {
    dataset: &'a Dataset,
    split: Split,
    input: InputName,
    batch: usize,
    order: Vec<u32>,
    next_game: usize,
    replayed: Positions,
    taken: usize,
}

impl EvaluationBatches<'_> {
    /// The number of positions in all batches, without padding.
    pub fn positions(&self) -> u64 {
        self.order.iter().map(|&game| u64::from(self.dataset.size(self.split, game).positions)).sum()
    }

    /// Replays the next games; false if there are none.
    fn advance(&mut self) -> Result<bool, DatasetError> {
        let end = (self.next_game + CHUNK_GAMES).min(self.order.len());
        let games = self.dataset.read(self.split, self.order[self.next_game..end].iter().copied());
        self.replayed = with_game!(self.dataset.game(), G => replay::<G>(games, self.input, self.dataset.reading))?;
        self.taken = 0;
        let any = end > self.next_game;
        self.next_game = end;
        Ok(any)
    }
}

impl Iterator for EvaluationBatches<'_> {
    type Item = Result<Batch, DatasetError>;

    fn next(&mut self) -> Option<Self::Item> {
        let legal_bytes = self.dataset.legal_bytes();
        let mut batch = Batch::with_capacity(self.dataset, self.input, self.batch);
        while batch.size < self.batch {
            if self.taken == self.replayed.len() {
                match self.advance() {
                    Ok(true) => continue,
                    Ok(false) => break,
                    Err(error) => {
                        self.next_game = self.order.len();
                        return Some(Err(error));
                    }
                }
            }
            batch.push(&self.replayed, self.taken, legal_bytes);
            self.taken += 1;
        }
        (batch.size > 0).then_some(Ok(batch))
    }
}
