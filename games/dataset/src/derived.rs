//! The derived file of a dataset: its rows in a compact form, read at random.
//!
//! Parquet is the published truth and slow to read row by row. So the first process that opens a dataset checks every
//! shard and writes the rows to a cache, by content hash; later ones check the index of that file and read the units
//! that they need. Small datasets stay in memory, in the same form.
//!
//! ```text
//! magic · unit · unit · … · index · offset and length of the index · its BLAKE3 · magic
//! unit: 8 bytes of its BLAKE3 · rows, each with its length
//! ```
//!
//! A unit holds one row; in splits of [`EXACT_BELOW`](crate::EXACT_BELOW) rows and more it holds 128 single positions or
//! 8 games, in held-out splits of a sixteenth of that and more 16 single positions. Units are read by `pread`, not mapped: a
//! mapped file that another process truncates kills the reader. All
//! processes share the page cache in either case. Arrow's IPC format describes every column of every batch. With a batch a
//! game it takes 16.3 bytes a position of chess instead of 2.4 (moves only), or 46 instead of 32 (soft policies); with 128
//! single positions a batch, 49 instead of 56.

mod cache;
mod cost;
mod index;
mod read;
mod row;
mod write;

pub use cache::DerivedOptions;
pub(crate) use cache::scratch;
pub use cost::DataCost;
pub(crate) use index::{OptionalColumns, RowSize};
pub(crate) use read::{Derived, UnitCache};

use crate::manifest::Unit;
use crate::split::Split;

/// The first and the last bytes of a file.
const MAGIC: [u8; 16] = *b"posenc derived 1";

/// Bytes of a hash that a unit begins with.
const DIGEST: usize = 8;

/// The end of a file: where the index is, its hash, the magic.
const TRAILER: usize = 8 + 8 + blake3::OUT_LEN + MAGIC.len();

fn digest(rows: &[u8]) -> [u8; DIGEST] {
    let mut digest = [0; DIGEST];
    digest.copy_from_slice(&blake3::hash(rows).as_bytes()[..DIGEST]);
    digest
}

/// The number of consecutive rows that keep their place beside each other when a large split is shuffled.
pub(crate) fn rows_together(unit: Unit, rows: u64, exact_below: u64) -> usize {
    match unit {
        _ if rows < exact_below => 1,
        Unit::Game => 8,
        Unit::Position => 128,
    }
}

/// The number of consecutive rows that are read at once. An evaluation takes its rows one by one, so their order does not decide
/// this, and an index of every single position takes longer to read than the rows of an evaluation.
fn rows_of_unit(unit: Unit, split: Split, rows: u64, exact_below: u64) -> usize {
    let together = rows_together(unit, rows, exact_below);
    match (unit, split) {
        (Unit::Position, Split::Validation | Split::Test) if rows >= exact_below / 16 => together.max(16),
        _ => together,
    }
}
