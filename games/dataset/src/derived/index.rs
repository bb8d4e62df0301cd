//! The index of a derived file: the places of its units, and facts about rows that need no reading.

use crate::contents::ShardContents;
use crate::split::{PerSplit, Split};
use games::GameKind;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// What decides the number of a row's batches and whether it is used at all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RowSize {
    pub(crate) plies: u16,
    /// Its used positions.
    pub(crate) positions: u16,
    /// The place of its rating bucket in [`Facts::buckets`].
    pub(crate) bucket: Option<u16>,
    /// Its content; only of rows in a bucket, because only buckets are chosen row by row.
    pub(crate) has: OptionalColumns,
}

/// Optional columns that a target or an input may need.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OptionalColumns {
    pub(crate) value: bool,
    pub(crate) draw: bool,
    pub(crate) rating: bool,
}

impl OptionalColumns {
    pub(crate) fn or(self, other: Self) -> Self {
        Self { value: self.value || other.value, draw: self.draw || other.draw, rating: self.rating || other.rating }
    }
}

/// The bytes of a [`RowSize`].
const SIZE: usize = 8;
const NO_BUCKET: u16 = u16::MAX;

impl RowSize {
    fn bytes(self) -> [u8; SIZE] {
        let [p0, p1] = self.plies.to_le_bytes();
        let [u0, u1] = self.positions.to_le_bytes();
        let [b0, b1] = self.bucket.unwrap_or(NO_BUCKET).to_le_bytes();
        let has = u8::from(self.has.value) | u8::from(self.has.draw) << 1 | u8::from(self.has.rating) << 2;
        [p0, p1, u0, u1, b0, b1, has, 0]
    }

    fn of([p0, p1, u0, u1, b0, b1, has, _]: [u8; SIZE]) -> Self {
        Self {
            plies: u16::from_le_bytes([p0, p1]),
            positions: u16::from_le_bytes([u0, u1]),
            bucket: Some(u16::from_le_bytes([b0, b1])).filter(|&bucket| bucket != NO_BUCKET),
            has: OptionalColumns { value: has & 1 != 0, draw: has & 2 != 0, rating: has & 4 != 0 },
        }
    }
}

#[derive(Debug)]
pub(super) enum RowSizes {
    /// All rows have this size, as single positions do.
    Same(RowSize),
    Each(Vec<RowSize>),
}

impl Default for RowSizes {
    fn default() -> Self {
        Self::Same(RowSize::default())
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Facts {
    pub(super) content_hash: String,
    pub(super) game: GameKind,
    pub(super) contents: ShardContents,
    pub(super) buckets: Vec<String>,
    pub(super) splits: PerSplit<SplitFacts>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SplitFacts {
    pub(super) rows: u64,
    pub(super) positions: u64,
    /// Rows of a unit, ≥ 1.
    pub(super) together: u32,
    pub(super) has: OptionalColumns,
    /// The size of every row, if they are equal.
    pub(super) same: Option<RowSize>,
}

/// The units and rows of a split.
#[derive(Debug, Default)]
pub(super) struct SplitIndex {
    pub(super) facts: SplitFacts,
    /// Of each unit, its offset and length in the file.
    pub(super) offsets: Vec<u64>,
    pub(super) lengths: Vec<u32>,
    pub(super) sizes: RowSizes,
}

impl SplitIndex {
    pub(super) fn add(&mut self, size: RowSize) {
        match &mut self.sizes {
            RowSizes::Each(sizes) => sizes.push(size),
            RowSizes::Same(same) if self.facts.rows == 0 => *same = size,
            RowSizes::Same(same) if *same == size => {}
            RowSizes::Same(same) => {
                let mut sizes = vec![*same; self.facts.rows as usize];
                sizes.push(size);
                self.sizes = RowSizes::Each(sizes);
            }
        }
        self.facts.rows += 1;
        self.facts.positions += u64::from(size.positions);
    }

    pub(super) fn size(&self, row: usize) -> RowSize {
        match &self.sizes {
            RowSizes::Same(size) => *size,
            RowSizes::Each(sizes) => sizes[row],
        }
    }

    /// The bytes of a unit in the file.
    pub(super) fn unit(&self, unit: usize) -> Range<u64> {
        let start = self.offsets[unit];
        start..start + u64::from(self.lengths[unit])
    }

    fn units(&self) -> usize {
        (self.facts.rows as usize).div_ceil(self.facts.together.max(1) as usize)
    }
}

#[derive(Debug)]
pub(super) struct Index {
    pub(super) facts: Facts,
    pub(super) splits: PerSplit<SplitIndex>,
}

impl Index {
    pub(super) fn to_bytes(&self) -> serde_json::Result<Vec<u8>> {
        let facts = serde_json::to_vec(&self.facts)?;
        let mut bytes = (facts.len() as u64).to_le_bytes().to_vec();
        bytes.extend(facts);
        for split in Split::ALL {
            let index = &self.splits[split];
            bytes.extend(index.offsets.iter().flat_map(|offset| offset.to_le_bytes()));
            bytes.extend(index.lengths.iter().flat_map(|length| length.to_le_bytes()));
            if let RowSizes::Each(sizes) = &index.sizes {
                bytes.extend(sizes.iter().flat_map(|size| size.bytes()));
            }
        }
        Ok(bytes)
    }

    /// Reads the bytes of an index whose units end at `end`.
    pub(super) fn of_bytes(bytes: &[u8], end: u64) -> Result<Self, String> {
        let (length, mut rest) = bytes.split_first_chunk().ok_or("too few bytes")?;
        let facts = take(&mut rest, u64::from_le_bytes(*length))?;
        let facts: Facts = serde_json::from_slice(facts).map_err(|error| error.to_string())?;
        let mut splits = PerSplit::<SplitIndex>::default();
        for split in Split::ALL {
            let facts = facts.splits[split];
            if facts.together == 0 || facts.rows > u64::from(u32::MAX) {
                return Err(format!("{} rows in units of {}", facts.rows, facts.together));
            }
            let mut index = SplitIndex { facts, ..SplitIndex::default() };
            let units = index.units() as u64;
            let (offsets, _) = take(&mut rest, 8 * units)?.as_chunks::<8>();
            index.offsets = offsets.iter().map(|&offset| u64::from_le_bytes(offset)).collect();
            let (lengths, _) = take(&mut rest, 4 * units)?.as_chunks::<4>();
            index.lengths = lengths.iter().map(|&length| u32::from_le_bytes(length)).collect();
            index.sizes = match facts.same {
                Some(same) => RowSizes::Same(same),
                None => {
                    let (sizes, _) = take(&mut rest, SIZE as u64 * facts.rows)?.as_chunks::<SIZE>();
                    RowSizes::Each(sizes.iter().map(|&size| RowSize::of(size)).collect())
                }
            };
            let positions: u64 = match &index.sizes {
                RowSizes::Same(size) => facts.rows * u64::from(size.positions),
                RowSizes::Each(sizes) => sizes.iter().map(|size| u64::from(size.positions)).sum(),
            };
            if positions != facts.positions {
                return Err(format!("{} positions of {}, and {positions} in its rows", facts.positions, split.name()));
            }
            let ends = index.offsets.iter().zip(&index.lengths);
            let mut ends = ends.map(|(&offset, &length)| offset.saturating_add(length.into()));
            if ends.any(|unit_end| unit_end > end) {
                return Err(format!("a unit of {} ends after the units", split.name()));
            }
            splits[split] = index;
        }
        if rest.is_empty() { Ok(Self { facts, splits }) } else { Err("too many bytes".to_owned()) }
    }
}

fn take<'a>(bytes: &mut &'a [u8], count: u64) -> Result<&'a [u8], String> {
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    bytes.split_off(..count).ok_or_else(|| "too few bytes".to_owned())
}
