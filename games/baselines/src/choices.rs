//! Positions as a log-linear model reads them: the features of each legal move, and the targets.

use crate::features::Features;
use dataset::PolicyPosition;
use games::attacks::Tactics;

/// Positions with the features and targets of their legal moves.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Choices {
    /// Indices of present features, one move after the other.
    features: Vec<u16>,
    /// Where each move's features end.
    move_end: Vec<usize>,
    target: Vec<f64>,
    /// Where each position's moves end.
    position_end: Vec<usize>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Choice<'a> {
    all: &'a Choices,
    first: usize,
    end: usize,
}

impl Choices {
    pub(crate) fn push<G: Tactics>(&mut self, features: &Features<G>, position: &PolicyPosition<'_, G>) {
        features.of(position.position, position.legal, |present| self.push_move(present));
        self.target.extend_from_slice(position.target);
        self.position_end.push(self.move_end.len());
    }

    /// Adds a position of moves with these features and targets.
    #[cfg(test)]
    pub(crate) fn push_moves<'a>(&mut self, moves: impl IntoIterator<Item = (&'a [u16], f64)>) {
        for (present, target) in moves {
            self.push_move(present);
            self.target.push(target);
        }
        self.position_end.push(self.move_end.len());
    }

    fn push_move(&mut self, present: &[u16]) {
        self.features.extend_from_slice(present);
        self.move_end.push(self.features.len());
    }

    pub(crate) fn len(&self) -> usize {
        self.position_end.len()
    }

    pub(crate) fn clear(&mut self) {
        self.features.clear();
        self.move_end.clear();
        self.target.clear();
        self.position_end.clear();
    }

    pub(crate) fn positions(&self) -> impl Iterator<Item = Choice<'_>> {
        let starts = std::iter::once(0).chain(self.position_end.iter().copied());
        starts.zip(&self.position_end).map(|(first, &end)| Choice { all: self, first, end })
    }

    /// Which of this number of features are present in a move.
    pub(crate) fn seen(&self, features: usize) -> Vec<bool> {
        let mut seen = vec![false; features];
        self.features.iter().for_each(|&feature| seen[usize::from(feature)] = true);
        seen
    }
}

impl<'a> Choice<'a> {
    pub(crate) fn moves(self) -> impl Iterator<Item = &'a [u16]> {
        let ends = &self.all.move_end;
        (self.first..self.end).map(move |mv| {
            let start = if mv == 0 { 0 } else { ends[mv - 1] };
            &self.all.features[start..ends[mv]]
        })
    }

    pub(crate) fn target(self) -> &'a [f64] {
        &self.all.target[self.first..self.end]
    }
}
