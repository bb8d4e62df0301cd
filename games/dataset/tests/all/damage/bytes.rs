//! Shards and files of positions with damaged bytes.

use super::counts::Counts;
use super::{laws, seeded, small};
use crate::samples::read_manifest;
use dataset::position_metrics::{self, MEASURES, PositionRow};
use std::panic;
use std::path::Path;

/// Leaves out the messages of panics in libraries, which the store makes errors of: there are thousands in a long run.
fn only_own_panics() {
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        if panic.location().is_none_or(|place| !place.file().contains("registry")) {
            usual(panic);
        }
    }));
}

#[test]
fn shard_is_safe() {
    only_own_panics();
    let small = small();
    let dir = small.path().join("dataset");
    let piece = std::fs::read(dir.join(&read_manifest(&dir).shards[0].file)).expect("a shard");
    let path = small.path().join("damaged.parquet");
    seeded::damage("shard", 2_000, piece, |bytes| laws::shard(&path, bytes));
}

/// A file of positions that nothing vouches for: an error, or rows whose sums can be formed.
fn positions(path: &Path, bytes: &[u8]) -> Counts {
    std::fs::write(path, bytes).expect("written");
    Counts::of(position_metrics::read(path), |rows| assert!(position_metrics::of_games(&rows).len() <= rows.len()))
}

#[test]
fn positions_are_safe() {
    only_own_panics();
    let dir = tempfile::tempdir().expect("a folder for the test");
    let row = |ply: u16| PositionRow {
        game: u32::from(ply / 8),
        ply,
        phase: ["opening", "endgame"][usize::from(ply % 2)].to_owned(),
        novel: ply.is_multiple_of(3),
        target: (!ply.is_multiple_of(5)).then(|| ["quiet", "knight", "knight"].map(str::to_owned)),
        distance: (!ply.is_multiple_of(5)).then_some(2),
        positions: 1 + u32::from(ply % 4),
        map_cells: Some(u32::from(ply)),
        values: [Some(f32::from(ply)); MEASURES.len()],
    };
    let bytes = position_metrics::write(&(0..200).map(row).collect::<Vec<_>>()).expect("rows");
    let path = dir.path().join("damaged.parquet");
    seeded::damage("positions", 1_000, bytes, |bytes| positions(&path, bytes));
}
