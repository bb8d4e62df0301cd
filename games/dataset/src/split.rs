//! Train, validation and test: the assignment of games to splits, and which rows of single positions belong together.

use games::GameKind;
use serde::{Deserialize, Serialize};
use std::ops::{Index, IndexMut};

games::named! {
    /// A part of a dataset. Every game belongs to one.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Split {
        #[default]
        Train = "train",
        /// For choices (a learning rate, a checkpoint).
        Validation = "validation",
        Test = "test",
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SplitBy {
    Game,
    /// All games with the same position after a number of plies, by any move order.
    Opening,
    /// All rows of the same position.
    Position,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PerSplit<T> {
    pub train: T,
    pub validation: T,
    pub test: T,
}

impl<T> Index<Split> for PerSplit<T> {
    type Output = T;

    fn index(&self, split: Split) -> &T {
        match split {
            Split::Train => &self.train,
            Split::Validation => &self.validation,
            Split::Test => &self.test,
        }
    }
}

impl<T> IndexMut<Split> for PerSplit<T> {
    fn index_mut(&mut self, split: Split) -> &mut T {
        match split {
            Split::Train => &mut self.train,
            Split::Validation => &mut self.validation,
            Split::Test => &mut self.test,
        }
    }
}

/// The split of a game, from a stream keyed by the seed, the start and the moves. It does not depend on other games:
/// adding games to a dataset moves none to another split.
pub fn assign(seed: u64, fractions: &PerSplit<f64>, start: Option<&str>, moves: &str) -> Split {
    let draw = streams::uniform(&mut streams::stream(seed, &["split", start.unwrap_or(""), moves]));
    if draw < fractions.test {
        Split::Test
    } else if draw < fractions.test + fractions.validation {
        Split::Validation
    } else {
        Split::Train
    }
}

/// A position's text without move counters, which equal positions share.
pub(crate) fn without_counters(game: GameKind, text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for field in text.split_ascii_whitespace().take(game.notation().fields()) {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(field);
    }
    out
}

/// The group of a position: a hash of its text without counters.
pub(crate) fn group(text_without_counters: &str) -> u64 {
    let mut bytes = [0; 8];
    blake3::Hasher::new().update(text_without_counters.as_bytes()).finalize_xof().fill(&mut bytes);
    u64::from_le_bytes(bytes)
}
