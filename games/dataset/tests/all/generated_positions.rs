//! Positions that a program made: different ones only, as many as wanted, legal targets.

use crate::samples::{made, refused};
use dataset::{DatasetError, GeneratedOptions, Manifest, PerSplit, SplitBy, Unit, write_positions};
use games::ParsedPosition;
use std::path::Path;

fn options(dir: &Path) -> GeneratedOptions {
    made(dir, "set", PerSplit { train: 0.6, validation: 0.2, test: 0.2 })
}

/// A king on the first rank that may go where it likes; `clock` is no part of what makes positions equal.
fn position(file: char, clock: u8, moves: &[&str]) -> ParsedPosition {
    let empty = file as u8 - b'a';
    let rank = [empty.to_string(), "K".to_owned(), (7 - empty).to_string()].concat().replace('0', "");
    let mut position = ParsedPosition::new(format!("k7/8/8/8/8/8/8/{rank} w - - {clock} 1"));
    position.candidates = moves.iter().map(|&mv| (mv.to_owned(), 1.0 / moves.len() as f32)).collect();
    position
}

fn write(positions: Vec<ParsedPosition>, wanted: u64) -> Result<Manifest, DatasetError> {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let written = write_positions(&options(dir.path()), wanted, positions);
    assert_eq!(written.is_ok(), dir.path().join("set").exists(), "all or nothing");
    written
}

#[test]
fn equal_positions_are_written_once() {
    let positions = vec![
        position('b', 0, &["b1b2", "b1c2"]),
        position('b', 7, &["b1b2"]),
        position('c', 0, &["c1c2"]),
        position('d', 0, &["d1d2"]),
    ];
    let manifest = write(positions, 2).expect("two of them");
    assert_eq!((manifest.counts.read, manifest.counts.kept, manifest.counts.duplicates), (3, 2, 1));
    assert_eq!((manifest.unit, manifest.split.by), (Unit::Position, SplitBy::Position));
    let text = String::from_utf8(manifest.to_yaml().expect("YAML")).expect("UTF-8");
    assert!(manifest.map.is_none() && !text.contains("map"), "{text}");
}

#[test]
fn what_cannot_be_written_is_explained() {
    let fails = |position: ParsedPosition, wanted: u64, part: &str| refused(write(vec![position], wanted), &[part]);
    fails(position('b', 0, &["b1b2"]), 2, "there are 1 different ones: ask for fewer");
    fails(position('b', 0, &["b1b2", "b1b3"]), 1, "illegal move");
    fails(position('b', 0, &[]), 1, "neither a move nor candidates");
    fails(ParsedPosition::new("nonsense".to_owned()), 1, "nonsense");
}
