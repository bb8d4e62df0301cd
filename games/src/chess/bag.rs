//! DeepMind's bags (`.bag`, `.bagz`): positions with a move, a winning probability, or both.
//!
//! A bag is its records, concatenated, then the end offset of each record as a 64-bit little-endian number; the last
//! offset is also where these numbers begin. In a `.bagz` each record is a separate zstd frame. Reference:
//! google-deepmind/searchless_chess `src/bagz.py`, `src/constants.py`.
//!
//! Records are positions without games, so inputs with history cannot be made of them.

mod container;
mod record;

pub use container::{Bag, BagError};
pub use record::{BagRecord, parse};
