//! Which rows of a split are used, and which of their plies: a bit or two each.

use crate::derived::OptionalColumns;
use std::iter::repeat_n;
use std::ops::Range;
use std::sync::Arc;

/// The used rows of a split, where these are not all of its rows or lost some of their positions.
#[derive(Debug, Default)]
pub(super) struct UsedRows {
    pub(super) rows: BitVector,
    /// Their used positions.
    pub(super) positions: u64,
    /// The optional columns that any of them has.
    pub(super) has: OptionalColumns,
    /// The used plies of all rows, if some are left out.
    pub(super) plies: Option<Arc<PlyMask>>,
}

impl UsedRows {
    /// Adds a row after the last used row.
    pub(super) fn add(&mut self, row: usize, positions: u64, has: OptionalColumns) {
        self.rows.extend(repeat_n(false, row - self.rows.len));
        self.rows.push(true);
        self.positions += positions;
        self.has = self.has.or(has);
    }
}

/// Rows between two starts that [`PlyMask`] keeps.
const ROWS: usize = 64;

/// The used plies of the rows of a split.
#[derive(Debug, Default)]
pub(super) struct PlyMask {
    used: BitVector,
    /// The place of the first ply of every 64th row.
    starts: Vec<usize>,
    /// The number of rows so far.
    pub(super) rows: usize,
}

impl PlyMask {
    /// Adds the plies of the next row.
    pub(super) fn add(&mut self, used: impl IntoIterator<Item = bool>) {
        if self.rows.is_multiple_of(ROWS) {
            self.starts.push(self.used.len);
        }
        self.rows += 1;
        self.used.extend(used);
    }

    /// Whether each ply of a row is used; `plies` is the number of plies of any row.
    pub(super) fn of(&self, row: usize, plies: impl Fn(usize) -> u16) -> Box<[bool]> {
        self.places(row, plies).map(|place| self.used.is_marked(place)).collect()
    }

    /// The number of used plies of a row.
    pub(super) fn count(&self, row: usize, plies: impl Fn(usize) -> u16) -> u16 {
        self.places(row, plies).filter(|&place| self.used.is_marked(place)).count() as u16
    }

    fn places(&self, row: usize, plies: impl Fn(usize) -> u16) -> Range<usize> {
        let nearest = row / ROWS;
        let between: usize = (nearest * ROWS..row).map(|row| usize::from(plies(row))).sum();
        let start = self.starts[nearest] + between;
        start..start + usize::from(plies(row))
    }
}

/// Words of 64 bits between two counts that [`BitVector`] keeps.
const WORDS: usize = 8;

/// A vector of bits that finds its `i`-th mark, a bit of 1.
#[derive(Debug, Default)]
pub(super) struct BitVector {
    words: Vec<u64>,
    /// The number of marks before every 512th place.
    counts: Vec<usize>,
    pub(super) count: usize,
    len: usize,
}

impl BitVector {
    fn push(&mut self, mark: bool) {
        let (word, bit) = (self.len / 64, self.len % 64);
        if bit == 0 {
            if word.is_multiple_of(WORDS) {
                self.counts.push(self.count);
            }
            self.words.push(0);
        }
        self.words[word] |= u64::from(mark) << bit;
        self.count += usize::from(mark);
        self.len += 1;
    }

    fn extend(&mut self, marks: impl IntoIterator<Item = bool>) {
        marks.into_iter().for_each(|mark| self.push(mark));
    }

    fn is_marked(&self, place: usize) -> bool {
        self.words[place / 64] >> (place % 64) & 1 == 1
    }

    /// The place of the `i`-th mark, which exists.
    pub(super) fn place(&self, i: usize) -> usize {
        let block = self.counts.partition_point(|&before| before <= i) - 1;
        let mut left = i - self.counts[block];
        let mut word = block * WORDS;
        while self.words[word].count_ones() as usize <= left {
            left -= self.words[word].count_ones() as usize;
            word += 1;
        }
        let rest = (0..left).fold(self.words[word], |bits, _| bits & (bits - 1));
        64 * word + rest.trailing_zeros() as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Dense, sparse and empty stretches, over many words and blocks.
    fn is_marked(place: usize) -> bool {
        match place / 700 {
            0 | 4 => place.is_multiple_of(3),
            1 | 2 => false,
            3 => true,
            _ => place.is_multiple_of(97),
        }
    }

    #[test]
    fn marks_are_counted_and_found() {
        for len in [0, 1, 64, 512, 700, 2_100, 2_101, 5_000] {
            let mut marks = BitVector::default();
            marks.extend((0..len).map(is_marked));
            let places: Vec<usize> = (0..len).filter(|&place| is_marked(place)).collect();
            assert_eq!((marks.count, marks.len), (places.len(), len));
            assert_eq!((0..places.len()).map(|i| marks.place(i)).collect::<Vec<_>>(), places);
            (0..len).for_each(|place| assert_eq!(marks.is_marked(place), is_marked(place), "{place} of {len}"));
        }
    }

    #[test]
    fn plies_of_rows_come_back() {
        let plies = |row: usize| (row * 7 % 83) as u16;
        let used = |row: usize| (0..usize::from(plies(row))).map(move |ply| (row + ply) % 5 < 3);
        let mut kept = PlyMask::default();
        (0..300).for_each(|row| kept.add(used(row)));
        assert_eq!(kept.rows, 300);
        for row in 0..300 {
            assert_eq!(kept.of(row, plies), used(row).collect::<Box<[bool]>>());
            assert_eq!(usize::from(kept.count(row, plies)), used(row).filter(|&used| used).count());
        }
    }

    #[test]
    fn used_rows_keep_their_order() {
        let mut used = UsedRows::default();
        let has = OptionalColumns { draw: true, ..OptionalColumns::default() };
        [(3, 10, OptionalColumns::default()), (4, 20, has), (1_000, 1, OptionalColumns::default())]
            .into_iter()
            .for_each(|(row, positions, has)| used.add(row, positions, has));
        assert_eq!((0..used.rows.count).map(|i| used.rows.place(i)).collect::<Vec<_>>(), [3, 4, 1_000]);
        assert_eq!((used.positions, used.has), (31, has));
    }
}
