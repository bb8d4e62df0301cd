//! What holds of the reader of shards, whatever bytes it gets; the law panics where it is broken. The seeded test and the target
//! in `fuzz/` both call it.

use super::counts::Counts;
use dataset::store::{GameRow, ShardRows};
use std::path::Path;

/// A shard that nothing vouches for, written to `path`: an error, or rows that agree with themselves.
pub fn shard(path: &Path, bytes: &[u8]) -> Counts {
    std::fs::write(path, bytes).expect("written");
    let mut agree = true;
    let mut look = |row: GameRow| {
        let plies = usize::from(row.plies);
        agree &= row.moves.split_ascii_whitespace().count() == plies && row.value.len() == plies;
    };
    let read = ShardRows::open(path).and_then(|mut rows| rows.try_for_each(|row| row.map(&mut look)));
    assert!(agree, "a row contradicts itself");
    Counts::of(read, drop)
}
