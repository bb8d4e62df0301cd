//! The errors of datasets, each with its place and what to do.

use crate::split::Split;
use games::Rejected;
use std::io;
use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub enum DatasetError {
    #[error("cannot {action} {}: {source}", path.display())]
    Io { action: &'static str, path: PathBuf, source: io::Error },
    #[error("there is no folder {}; `posenc data import` or `generate` makes a dataset", .0.display())]
    NoFolder(PathBuf),
    #[error("{} holds no {}, so it is not a dataset; `posenc data import` makes one", .0.display(), crate::MANIFEST_FILE)]
    NoManifest(PathBuf),
    #[error("{} is not a valid manifest: {reason}; fetch the dataset again, or make it again", path.display())]
    InvalidManifest { path: PathBuf, reason: String },
    #[error("the shard {} is missing: fetch the dataset again, or make it again", .0.display())]
    ShardMissing(PathBuf),
    #[error(
        "the shard {} is damaged or was replaced (its {what} is {found}, expected {expected} by dataset.yaml): \
         fetch the dataset again, or make it again",
        path.display()
    )]
    ShardChanged { path: PathBuf, what: &'static str, expected: String, found: String },
    #[error("the shard {} cannot be read as Parquet ({reason}): fetch the dataset again, or make it again", path.display())]
    ShardUnreadable { path: PathBuf, reason: String },
    #[error(
        "game {game} of the dataset cannot be replayed at ply {ply} ({reason}): make the dataset again; made_by in dataset.yaml is the command of whoever made it"
    )]
    BadGame { game: u32, ply: usize, reason: String },
    #[error("{}: {reason}", .dir.join(crate::MANIFEST_FILE).display())]
    Manifest { dir: PathBuf, reason: String },
    #[error(
        "the dataset \"{dataset}\" has no {} games: make it with more games, or with a larger share for this split",
        split.name()
    )]
    EmptySplit { dataset: String, split: Split },
    #[error(
        "the dataset \"{dataset}\" has an empty column \"{column}\", which the target \"{target}\" needs: \
         choose another target, or a dataset with {}",
        if *column == "draw" { "draw probabilities (Lc0's chunks from V4 on hold them)" } else { "scores or values" }
    )]
    NoTarget { dataset: String, column: &'static str, target: &'static str },
    #[error(
        "the derived file {} is damaged (block {block}: {reason}): remove it, and it is made again from the dataset",
        path.display()
    )]
    Derived { path: PathBuf, block: String, reason: String },
    #[error(
        "cannot write {}: {source}; free or repair its disk, or name another folder in the variable POSENC_CACHE (empty \
         to keep all rows in memory)",
        path.display()
    )]
    CacheUnwritable { path: PathBuf, source: io::Error },
    #[error("{option}: {reason}")]
    Option { option: &'static str, reason: String },
    #[error("{} exists already: choose another name, or remove it first", .0.display())]
    OutputExists(PathBuf),
    #[error("cannot write to {}: {source}; free or repair it, or name another place for the dataset", path.display())]
    OutputUnwritable { path: PathBuf, source: io::Error },
    #[error("another process is writing {}: wait for it, or choose another name", .0.display())]
    OutputBusy(PathBuf),
    #[error(
        "{} holds an interrupted import: repeat its command to resume it, choose another name, or remove that folder",
        .0.display()
    )]
    OutputUnfinished(PathBuf),
    #[error(
        "{} holds an interrupted import under other conditions ({}): repeat them to resume it, choose another name, \
         or remove that folder to start again",
        dir.display(),
        differences.join(", ")
    )]
    OtherImport { dir: PathBuf, differences: Vec<String> },
    #[error("{} cannot be resumed ({reason}): remove it to start the import again", dir.display())]
    DamagedImport { dir: PathBuf, reason: String },
    #[error(
        "{source}; the results of the first {records} records are kept in {}: the same command resumes from there",
        dir.display()
    )]
    ImportInterrupted { source: Box<DatasetError>, records: u64, dir: PathBuf },
    #[error(
        "{file}, game {}{}: {} (without `strict` such games are left out and listed)",
        rejected.game,
        at_ply(rejected),
        rejected.reason
    )]
    Rejected { file: String, rejected: Rejected },
    #[error(
        "none of the {read} games read can be used{}{}: is this a {format} file?",
        first_reason(first),
        left_out(*filtered)
    )]
    NothingKept { read: u64, format: String, first: Option<Box<Rejected>>, filtered: u64 },
}

fn left_out(filtered: u64) -> String {
    if filtered == 0 { String::new() } else { format!(" (the filters left out {filtered})") }
}

fn at_ply(rejected: &Rejected) -> String {
    rejected.ply.map_or_else(String::new, |ply| format!(", ply {ply}"))
}

fn first_reason(first: &Option<Box<Rejected>>) -> String {
    first.as_ref().map_or_else(String::new, |rejected| format!(" (the first: {})", rejected.reason))
}

impl DatasetError {
    /// Wraps an input or output error with what was tried and where.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { action, path: path.to_owned(), source }
    }
}
