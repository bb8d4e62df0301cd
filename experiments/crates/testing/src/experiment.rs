//! A small experiment over both games, loaded in this process.

use crate::datasets::datasets;
use config::{Experiment, Row, Source};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use tempfile::TempDir;

/// Every test of an error changes one thing in it.
pub const EXPERIMENT: &str = "\
name: small
question: does it work?
base:
  data: {chess: chess, shogi: shogi}
  input: piece_tokens
  model:
    chessformer: {layers: 2, width: 16, heads: 2, ff: 16}
  train:
    steps: 8
    batch: 4
    optimizer: nadam
    learning_rate: 1e-3
    mask: train
  eval:
    validation_positions: 8
    test_positions: 8
    every: 4
axes:
  game: [chess, shogi]
  encoding:
    - none
    - absolute: {at: input}
    - shaw: {terms: [q, k]}
seeds: [0, 1, 2]
reference: {encoding: none}
primary: {metric: policy_loss, at: last, weights: raw}
";

pub const CONFIG: &str = "\
game: chess
data: data
input: piece_tokens
model: {chessformer: {layers: 1, width: 16, heads: 2, ff: 16}}
encoding: [{shaw: {terms: [q, k]}}]
train:
  steps: 100
  batch: 4
  optimizer: {nadam: {}}
  learning_rate: {values: [0.001]}
  clip: 1.0
eval: {validation_positions: 8, test_positions: 8, every: 50}
seed: 0
";

/// Three rows of chess with one seed, and a twin: four cells.
pub fn small() -> String {
    EXPERIMENT.replace("game: [chess, shogi]", "game: [chess]").replace("seeds: [0, 1, 2]", "seeds: [0]")
}

/// Its encodings at two depths, on chess; each depth has its reference.
pub fn depths() -> String {
    let open = EXPERIMENT.replace("layers: 2, ", "").replace("game: [chess, shogi]", "game: [chess]");
    open.replace("axes:\n", "axes:\n  model.chessformer.layers: [1, 2]\n")
}

/// A folder with the small datasets for all tests of a process; tests do not change them.
pub static DATA: LazyLock<TempDir> = LazyLock::new(datasets);

/// A folder with datasets and an experiment in it.
pub fn place(text: &str) -> TempDir {
    let dir = datasets();
    write_experiment(dir.path(), text);
    dir
}

pub fn write_experiment(dir: &Path, text: &str) -> PathBuf {
    let path = dir.join("experiment.yaml");
    std::fs::write(&path, text).expect("the folder can be written");
    path
}

/// Writes a program of this text for the shell.
pub fn program(dir: &Path, name: &str, text: &str) -> PathBuf {
    let path = dir.join(name);
    std::fs::write(&path, format!("#!/bin/sh\n{text}")).expect("the folder can be written");
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).expect("its mode can be set");
    path
}

/// Changes the lowest bit of a byte of a file, whose place follows from the file's length.
pub fn flip(path: &Path, place: fn(usize) -> usize) {
    let mut bytes = std::fs::read(path).expect("bytes");
    let place = place(bytes.len());
    bytes[place] ^= 1;
    std::fs::write(path, bytes).expect("written");
}

/// Loads an experiment of this text as if it lay in `dir`, with settings of the command line.
pub fn load_in(dir: &Path, text: &str, sets: &[&str]) -> Result<Experiment, String> {
    let source = Source::new(&dir.join("experiment.yaml"), text);
    let sets: Vec<String> = sets.iter().map(|&set| set.to_owned()).collect();
    Experiment::with(&source, &sets).map_err(|error| error.to_string())
}

pub fn load_with(text: &str, sets: &[&str]) -> Result<Experiment, String> {
    load_in(DATA.path(), text, sets)
}

#[track_caller]
pub fn load(text: &str) -> Experiment {
    load_with(text, &[]).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

pub fn hashes(experiment: &Experiment) -> Vec<&str> {
    experiment.rows.iter().map(|row| &row.hash[..]).collect()
}

/// The label of every row, with that of its reference.
pub fn pairs(experiment: &Experiment) -> Vec<(String, String)> {
    let reference = |row: &Row| experiment.rows.iter().find(|other| row.is_compared_with(other)).expect("a reference");
    experiment.rows.iter().map(|row| (row.label.clone(), reference(row).label.clone())).collect()
}

/// Checks that an experiment is refused with a message that has all these parts.
#[track_caller]
pub fn refused(text: &str, parts: &[&str]) {
    refused_with(text, &[], parts);
}

#[track_caller]
pub fn refused_with(text: &str, sets: &[&str], parts: &[&str]) {
    match load_with(text, sets) {
        Ok(_) => panic!("it is accepted:\n{text}"),
        Err(message) => assert_says(&message, parts),
    }
}

#[track_caller]
pub fn assert_says(message: &str, parts: &[&str]) {
    for part in parts {
        assert!(message.contains(part), "{part:?} is not in:\n{message}");
    }
}
