//! Games in pieces of consecutive plies, for networks that read sequences.

use super::dataset::Dataset;
use crate::derived::RowSize;
use crate::error::DatasetError;
use crate::manifest::Unit;
use crate::split::Split;

impl Dataset {
    /// Sets how many consecutive plies of a game form a sequence; 1, the default, for single positions.
    pub fn set_sequence(&mut self, plies: usize) -> Result<(), DatasetError> {
        let option = "plies";
        if plies == 0 {
            return Err(DatasetError::Option { option, reason: "must be at least 1".to_owned() });
        }
        let sources = self.sources();
        let positions = sources.iter().find(|(manifest, _)| manifest.unit == Unit::Position);
        if let Some((manifest, _)) = positions.filter(|_| plies > 1) {
            let reason = format!(
                "sequences are made of games, but the dataset \"{}\" holds single positions: take a dataset of whole games",
                manifest.name
            );
            return Err(DatasetError::Option { option, reason });
        }
        self.reading.plies = plies;
        Ok(())
    }

    /// How many consecutive plies of a game form a sequence.
    pub fn sequence(&self) -> usize {
        self.reading.plies
    }

    /// Rows of an epoch: the positions of the split, with the padding of sequences.
    pub fn rows(&self, split: Split) -> u64 {
        self.rows_in(split, self.reading.plies)
    }

    /// The same for sequences of another length.
    pub fn rows_in(&self, split: Split, plies: usize) -> u64 {
        match plies {
            1 => self.positions(split),
            plies => self.sizes(split).map(|size| rows(size, plies)).sum(),
        }
    }

    pub(super) fn rows_of(&self, split: Split, games: &[u32]) -> u64 {
        games.iter().map(|&game| rows(self.size(split, game), self.reading.plies)).sum()
    }

    /// Refuses batch sizes that would cut a sequence.
    pub(super) fn fits_sequences(&self, batch: usize) -> Result<(), DatasetError> {
        if batch.is_multiple_of(self.reading.plies) {
            return Ok(());
        }
        let (plies, below) = (self.reading.plies, batch / self.reading.plies * self.reading.plies);
        let nearest = if below == 0 { plies } else { below };
        let reason = format!("{batch} rows do not divide into sequences of {plies}: take {nearest}");
        Err(DatasetError::Option { option: "batch", reason })
    }
}

/// The rows of a game: its positions, or all of its plies in whole sequences.
fn rows(size: RowSize, plies: usize) -> u64 {
    match plies {
        1 => size.positions.into(),
        _ => usize::from(size.plies).next_multiple_of(plies) as u64,
    }
}
