//! Where a dataset grows until it is complete, and the list of what was left out.

use super::REJECTS_FILE;
use crate::error::DatasetError;
use crate::manifest::{MANIFEST_FILE, Manifest};
use games::Rejected;
use serde::Serialize;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

/// A hidden folder beside the target. It is removed unless [`Output::publish`] gives it the target's name.
pub(super) struct Output {
    dir: PathBuf,
    target: PathBuf,
}

impl Output {
    pub(super) fn create(target: &Path) -> Result<Self, DatasetError> {
        if target.symlink_metadata().is_ok() {
            return Err(DatasetError::OutputExists(target.to_owned()));
        }
        let Some(name) = target.file_name() else {
            let reason = format!("\"{}\" is not the name of a folder", target.display());
            return Err(DatasetError::Option { option: "output", reason });
        };
        let parent = target.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        fs::create_dir_all(parent).map_err(DatasetError::io("create", parent))?;
        let dir = parent.join(format!(".{}.importing-{}", name.to_string_lossy(), std::process::id()));
        fs::create_dir(&dir).map_err(DatasetError::io("create", &dir))?;
        Ok(Self { dir, target: target.to_owned() })
    }

    /// Where the dataset grows.
    pub(super) fn dir(&self) -> &Path {
        &self.dir
    }

    /// Where it will be.
    pub(super) fn target(&self) -> &Path {
        &self.target
    }

    /// Writes the manifest and gives the folder its name.
    pub(super) fn publish(
        self,
        manifest: &Manifest,
        text: fn(&Manifest) -> Result<String, String>,
    ) -> Result<(), DatasetError> {
        let path = self.dir.join(MANIFEST_FILE);
        let text = text(manifest).map_err(|reason| DatasetError::io("write", &path)(io::Error::other(reason)))?;
        let write = || -> io::Result<()> {
            let mut file = File::create(&path)?;
            file.write_all(text.as_bytes())?;
            file.sync_all()
        };
        write().map_err(DatasetError::io("write", &path))?;
        fs::rename(&self.dir, &self.target).map_err(DatasetError::io("create", &self.target))
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        // After `publish` it is no longer there; where it cannot be removed there is nobody to tell.
        let _ = fs::remove_dir_all(&self.dir);
    }
}

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
