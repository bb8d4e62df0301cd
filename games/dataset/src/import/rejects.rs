//! The list of what was left out.

use super::REJECTS_FILE;
use crate::build::Output;
use crate::error::DatasetError;
use games::Rejected;
use serde::Serialize;
use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::path::PathBuf;

/// A line of [`REJECTS_FILE`].
#[derive(Serialize)]
struct Line<'a> {
    file: &'a str,
    game: u64,
    ply: Option<u32>,
    kind: &'a str,
    reason: &'a str,
}

/// [`REJECTS_FILE`], which is made with its first line.
pub(super) struct Rejects {
    path: PathBuf,
    file: Option<BufWriter<File>>,
}

impl Rejects {
    pub(super) fn new(output: &Output) -> Self {
        Self { path: output.dir().join(REJECTS_FILE), file: None }
    }

    pub(super) fn rejected(&mut self, file: &str, rejected: &Rejected) -> Result<(), DatasetError> {
        let Rejected { game, ply, kind, reason } = rejected;
        self.line(&Line { file, game: *game, ply: *ply, kind: kind.name(), reason })
    }

    /// A game that was kept already, as number `id` of the dataset.
    pub(super) fn duplicate(&mut self, file: &str, game: u64, id: u32) -> Result<(), DatasetError> {
        let reason = format!("the same start and moves as game {id} of the dataset");
        self.line(&Line { file, game, ply: None, kind: "duplicate", reason: &reason })
    }

    /// Whether there are any lines; all are on disk then.
    pub(super) fn finish(mut self) -> Result<bool, DatasetError> {
        let Some(file) = &mut self.file else { return Ok(false) };
        file.flush().and_then(|()| file.get_ref().sync_all()).map_err(DatasetError::io("write", &self.path))?;
        Ok(true)
    }

    fn line(&mut self, line: &Line<'_>) -> Result<(), DatasetError> {
        let file = match &mut self.file {
            Some(file) => file,
            none => {
                let file = File::create(&self.path).map_err(DatasetError::io("create", &self.path))?;
                none.insert(BufWriter::new(file))
            }
        };
        let mut text =
            serde_json::to_string(line).map_err(io::Error::other).map_err(DatasetError::io("write", &self.path))?;
        text.push('\n');
        file.write_all(text.as_bytes()).map_err(DatasetError::io("write", &self.path))
    }
}
