//! The export folder: weights, configuration, inputs and outputs of some positions, and a description of the files.

use super::cell::Loaded;
use super::forward::Answers;
use super::readme;
use super::situation::Request;
use super::tensors_file::{self, Named};
use crate::error::TrainError;
use crate::start_tables::{self, TABLES_FILE};
use nn::Views;
use records::folder::CONFIG_FILE;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Parameters by name, in their shapes.
const WEIGHTS_FILE: &str = "weights.safetensors";
/// Inputs and outputs; see [`Answers::named`].
const FORWARD_FILE: &str = "forward.safetensors";
pub const PAGE_FILE: &str = "README.yaml";
const MOVES_FILE: &str = "moves.tsv";

/// A folder that is created under a temporary name and renamed when complete.
#[derive(Debug)]
pub struct ExportFolder {
    out: PathBuf,
    beside: PathBuf,
}

impl ExportFolder {
    /// Begins a folder beside `out`, which must not exist.
    pub fn begin(out: &Path) -> Result<Self, TrainError> {
        if out.symlink_metadata().is_ok() {
            return Err(TrainError::Exists(out.to_owned()));
        }
        let mut name = out.file_name().unwrap_or_default().to_owned();
        name.push(format!(".{}.tmp", std::process::id()));
        let beside = out.with_file_name(name);
        fs::create_dir_all(&beside).map_err(TrainError::file("create", &beside))?;
        Ok(Self { out: out.to_owned(), beside })
    }

    pub fn path(&self) -> &Path {
        &self.beside
    }

    /// Renames the folder to its final name.
    pub fn finish(self) -> Result<(), TrainError> {
        if self.out.symlink_metadata().is_ok() {
            return Err(TrainError::Exists(self.out.clone()));
        }
        fs::rename(&self.beside, &self.out).map_err(TrainError::file("make", &self.out))
    }
}

impl Drop for ExportFolder {
    fn drop(&mut self) {
        // After `finish` the temporary folder is gone; before it, an error is already being returned.
        let _ = fs::remove_dir_all(&self.beside);
    }
}

/// Writes a cell's network and its outputs on positions into a folder.
pub fn write(cell: &Loaded, requests: &[Request], folder: &ExportFolder) -> Result<(), TrainError> {
    let dir = folder.path();
    let weights = parameters(cell, &cell.arena.frozen_views());
    let forward = Answers::of(cell, requests)?.named();
    let texts: Vec<&str> = requests.iter().map(|request| request.text.as_str()).collect();
    let texts = [
        (CONFIG_FILE, cell.config.to_yaml()),
        (PAGE_FILE, readme::page(cell, &weights, &forward, &texts)),
        (MOVES_FILE, Ok(readme::moves(cell.config.spec().moves))),
    ];
    for (name, text) in texts {
        let path = dir.join(name);
        let written = text.map_err(io::Error::other).and_then(|text| fs::write(&path, text));
        written.map_err(TrainError::file("write", &path))?;
    }
    if let Some(tables) = start_tables::of_network(&cell.network, &cell.arena) {
        tensors_file::write(&dir.join(TABLES_FILE), &tables)?;
    }
    tensors_file::write(&dir.join(WEIGHTS_FILE), &weights)?;
    tensors_file::write(&dir.join(FORWARD_FILE), &forward)
}

/// Every parameter of a flat store, or of a gradient in the same layout, by name.
pub(super) fn parameters(cell: &Loaded, views: &Views) -> Vec<Named> {
    let ids = cell.layout().params().iter().filter_map(|param| Some((param, cell.layout().find(&param.name)?)));
    ids.map(|(param, id)| Named::new(param.name.clone(), views[id].shallow_clone())).collect()
}
