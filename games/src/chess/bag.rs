//! DeepMind's bags (`.bag`, `.bagz`): positions with a move, a winning probability, or both.
//!
//! A bag is its records, concatenated, then the end offset of each record as a 64-bit little-endian number; the last
//! offset is also where these numbers begin. In a `.bagz` each record is a separate zstd frame. Sharded bags are named
//! `x@N.bag` and stored in `x-00000-of-0000N.bag` and so on. Reference: google-deepmind/searchless_chess `src/bagz.py`,
//! `src/constants.py`.
//!
//! Records are positions without games, so inputs with history cannot be made of them.

mod container;
mod record;

pub use container::{Bag, BagError, records};
pub use record::{BagRecord, Positions, parse};

/// The files of a sharded name (`action_value@3.bag`), in order; the name itself if it is not sharded or is `@0`.
/// `None` if it has several `@`, or a count above 99,999.
pub fn shards(name: &str) -> Option<Vec<String>> {
    let mut marks = name.match_indices('@').filter(|&(at, _)| name[at + 1..].starts_with(|c: char| c.is_ascii_digit()));
    let Some((at, _)) = marks.next() else { return Some(vec![name.to_owned()]) };
    if marks.next().is_some() {
        return None;
    }
    let rest = name[at + 1..].trim_start_matches(|c: char| c.is_ascii_digit());
    let count: u32 = name[at + 1..name.len() - rest.len()].parse().ok().filter(|&count| count < 100_000)?;
    let before = &name[..at];
    match count {
        0 => Some(vec![format!("{before}{rest}")]),
        _ => Some((0..count).map(|i| format!("{before}-{i:05}-of-{count:05}{rest}")).collect()),
    }
}
