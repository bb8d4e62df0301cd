//! Rows that are pairwise equivalent.

use super::comparison::ALPHA;

/// No more rows of a game are tested against each other: 780 pairs.
pub const MOST_ROWS: usize = 40;

/// The rows of a game tested against each other, the reference among them.
#[derive(Debug, Clone, PartialEq)]
pub struct Ties {
    /// The rows with a value of the primary metric, the best first; without A/A controls and exploratory rows.
    pub rows: Vec<TiedRow>,
    /// Every pair of them; none if there are more than [`MOST_ROWS`] rows.
    pub pairs: Vec<TiedPair>,
    /// How many pairs Holm's correction counts: those of all games.
    pub family: usize,
    /// Groups of two or more rows of which every pair is tied and to which no other row can be added, by their places
    /// among the rows. Every tied pair is in a group, and a row can be in several.
    pub groups: Vec<Vec<usize>>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct TiedRow {
    pub label: String,
    /// The mean of its primary metric.
    pub mean: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TiedPair {
    /// Their places among the rows.
    pub rows: [usize; 2],
    /// The larger p-value of the two one-sided tests; none if the pair could have no verdict, or if a seed diverged.
    pub p: Option<f64>,
    /// The same after Holm's correction.
    pub holm_p: Option<f64>,
}

impl TiedPair {
    /// Whether the two rows are equivalent.
    pub fn is_tied(&self) -> bool {
        self.holm_p.is_some_and(|p| p < ALPHA)
    }
}

impl Ties {
    /// The numbers of the groups that a row is in, from 1.
    pub fn groups_of(&self, label: &str) -> Vec<usize> {
        let has = |group: &Vec<usize>| group.iter().any(|&place| self.rows[place].label == label);
        (1..).zip(&self.groups).filter(|(_, group)| has(group)).map(|(number, _)| number).collect()
    }
}
