//! A position with the history that its rules and inputs need.

use crate::position::Position;

/// A game in progress: the current position and the keys of those before it.
#[derive(Debug, Clone)]
pub struct Line<P> {
    position: P,
    keys: Vec<u64>,
}

impl<P: Position> Line<P> {
    /// Starts from a position without history.
    #[must_use]
    pub fn new(position: P) -> Self {
        let keys = vec![position.repetition_key()];
        Self { position, keys }
    }

    /// The current position.
    #[must_use]
    pub fn position(&self) -> &P {
        &self.position
    }

    /// Plies played so far.
    #[must_use]
    pub fn plies(&self) -> usize {
        self.keys.len() - 1
    }

    /// Plays a legal move.
    ///
    /// # Panics
    /// May panic if `mv` is not legal here.
    pub fn play(&mut self, mv: P::Move) {
        self.position.play(mv);
        self.keys.push(self.position.repetition_key());
    }

    /// How often the current position occurred before in this line, at most 255.
    #[must_use]
    pub fn repetitions(&self) -> u8 {
        let (current, before) = self.keys.split_last().expect("a line holds its start");
        before.iter().filter(|&key| key == current).count().min(255) as u8
    }
}
