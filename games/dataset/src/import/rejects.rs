//! The list of rejected games and duplicates.

use crate::build::{AppendLog, Output};
use crate::error::DatasetError;
use games::Rejected;
use serde::Serialize;
use std::io;
use std::path::PathBuf;

/// The rejected games of an import, one JSON object a line, in the dataset's folder.
pub const REJECTS_FILE: &str = "rejects.jsonl";

/// The most characters of a reason. It may quote a token of a damaged file, which may have megabytes.
const LONGEST_REASON: usize = 400;

/// The characters at the beginning and at the end of a longer reason that are kept.
const KEPT: [usize; 2] = [200, 100];

/// A rejected game whose reason has a readable length: the middle of a long one is left out.
pub(super) fn shortened(rejected: Rejected) -> Rejected {
    let characters = rejected.reason.chars().count();
    if characters <= LONGEST_REASON {
        return rejected;
    }
    let [beginning, end] = KEPT;
    let left_out = characters - beginning - end;
    let beginning: String = rejected.reason.chars().take(beginning).collect();
    let end: String = rejected.reason.chars().skip(characters - end).collect();
    Rejected { reason: format!("{beginning}… ({left_out} characters left out) …{end}"), ..rejected }
}

#[derive(Serialize)]
struct Line<'a> {
    file: &'a str,
    game: u64,
    ply: Option<u32>,
    kind: &'a str,
    reason: &'a str,
}

/// [`REJECTS_FILE`], created with its first line.
pub(super) struct Rejects {
    path: PathBuf,
    lines: AppendLog,
}

impl Rejects {
    /// Resumes at a checkpoint's length; 0 bytes for a new list.
    pub(super) fn resume(output: &Output, bytes: u64) -> Result<Self, DatasetError> {
        let path = output.dir().join(REJECTS_FILE);
        Ok(Self { lines: AppendLog::resume(path.clone(), bytes)?, path })
    }

    pub(super) fn rejected(&mut self, file: &str, rejected: &Rejected) -> Result<(), DatasetError> {
        let Rejected { game, ply, kind, reason } = rejected;
        self.line(&Line { file, game: *game, ply: *ply, kind: kind.name(), reason })
    }

    /// A duplicate of game `id` of the dataset.
    pub(super) fn duplicate(&mut self, file: &str, game: u64, id: u32) -> Result<(), DatasetError> {
        let reason = format!("the same start and moves as game {id} of the dataset");
        self.line(&Line { file, game, ply: None, kind: "duplicate", reason: &reason })
    }

    /// Syncs the file and returns its length.
    pub(super) fn sync(&mut self) -> Result<u64, DatasetError> {
        self.lines.sync()
    }

    fn line(&mut self, line: &Line<'_>) -> Result<(), DatasetError> {
        let mut text =
            serde_json::to_string(line).map_err(io::Error::other).map_err(DatasetError::io("write", &self.path))?;
        text.push('\n');
        self.lines.append(text.as_bytes())
    }
}
