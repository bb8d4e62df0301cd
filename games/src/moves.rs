//! The `from_to` attention-policy vocabulary: one index for every structurally possible move of a board.

use crate::geometry::Geometry;

/// One entry of the vocabulary, in the frame of the side to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Entry {
    /// A piece moves; in chess also castling (king captures own rook) and knight promotions.
    Plain {
        /// The square it leaves.
        from: u8,
        /// The square it enters.
        to: u8,
    },
    /// A piece moves and promotes.
    Promotion {
        /// The square it leaves.
        from: u8,
        /// The square it enters.
        to: u8,
        /// Which promotion, an index into [`FromTo::promotions`].
        kind: u8,
    },
    /// A piece from the hand is dropped.
    Drop {
        /// Which piece, an index into [`FromTo::drops`].
        kind: u8,
        /// The square it enters.
        to: u8,
    },
}

impl Entry {
    pub(crate) fn plain((from, to): (usize, usize)) -> Self {
        Self::Plain { from: from as u8, to: to as u8 }
    }

    pub(crate) fn promotion((from, to): (usize, usize), kind: usize) -> Self {
        Self::Promotion { from: from as u8, to: to as u8, kind: kind as u8 }
    }
}

/// A vocabulary: an ordered list of entries. Datasets and checkpoints depend on its order, so it is hashed.
#[derive(Debug)]
pub struct FromTo {
    /// Its versioned name, e.g. `from_to_chess_1858`.
    pub name: &'static str,
    /// Names of the promotions.
    pub promotions: &'static [&'static str],
    /// Names of the pieces that can be dropped; empty if the game has no drops.
    pub drops: &'static [&'static str],
    entries: Vec<Entry>,
    squares: usize,
    /// Index of every conceivable entry by [`FromTo::slot`]; [`ABSENT`] for entries outside the vocabulary.
    index: Vec<u16>,
}

/// Marks a conceivable entry outside the vocabulary.
const ABSENT: u16 = u16::MAX;

impl FromTo {
    /// A vocabulary of `entries` in this order.
    ///
    /// # Panics
    /// If an entry occurs twice, or there are more than `u16` allows: both are errors in the game's code.
    pub(crate) fn new(
        name: &'static str,
        geometry: Geometry,
        promotions: &'static [&'static str],
        drops: &'static [&'static str],
        entries: Vec<Entry>,
    ) -> Self {
        let squares = geometry.squares();
        let slots = (1 + promotions.len()) * squares * squares + drops.len() * squares;
        let mut vocabulary = Self { name, promotions, drops, entries, squares, index: vec![ABSENT; slots] };
        for (i, &entry) in vocabulary.entries.iter().enumerate() {
            let slot = vocabulary.slot(entry).expect("an entry lies on its board");
            assert_eq!(vocabulary.index[slot], ABSENT, "{entry:?} occurs twice");
            vocabulary.index[slot] = u16::try_from(i).expect("a vocabulary fits into u16");
        }
        vocabulary
    }

    /// Every entry, by index.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The number of its moves.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether it has no moves.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The index of an entry, `None` if the vocabulary does not have it; a table look-up.
    pub fn index_of(&self, entry: Entry) -> Option<usize> {
        let index = *self.index.get(self.slot(entry)?)?;
        (index != ABSENT).then_some(usize::from(index))
    }

    /// The vocabulary's hash: BLAKE3 (64 hex digits) of its name, its promotions and drops, and its entries in order.
    /// Datasets and checkpoints store it, so that a change of order is detected.
    pub fn hash(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        for word in [&[self.name], self.promotions, self.drops].concat() {
            hasher.update(word.as_bytes());
            hasher.update(b"\n");
        }
        for &entry in &self.entries {
            hasher.update(&match entry {
                Entry::Plain { from, to } => [0, from, to, 0],
                Entry::Promotion { from, to, kind } => [1, from, to, kind],
                Entry::Drop { kind, to } => [2, 0, to, kind],
            });
        }
        hasher.finalize().to_hex().to_string()
    }

    /// The place of an entry's index: plain pairs, then the pairs of each promotion, then the drops of each piece.
    fn slot(&self, entry: Entry) -> Option<usize> {
        let area = self.squares * self.squares;
        let (block, row, to) = match entry {
            Entry::Plain { from, to } => (0, from, to),
            Entry::Promotion { from, to, kind } if usize::from(kind) < self.promotions.len() => {
                (area * (1 + usize::from(kind)), from, to)
            }
            Entry::Drop { kind, to } if usize::from(kind) < self.drops.len() => {
                (area * (1 + self.promotions.len()), kind, to)
            }
            Entry::Promotion { .. } | Entry::Drop { .. } => return None,
        };
        let (row, to) = (usize::from(row), usize::from(to));
        (row < self.squares && to < self.squares).then_some(block + row * self.squares + to)
    }
}
