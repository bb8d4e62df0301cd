//! Names of checkpoint files, and which ones are kept.

use super::CheckpointError;
use std::io;
use std::path::{Path, PathBuf};

/// How many checkpoints are kept: the newest, and a fallback.
pub const KEPT: usize = 2;

const PREFIX: &str = "step-";

/// The tensor file of a step.
pub(super) fn tensors(dir: &Path, step: u64) -> PathBuf {
    dir.join(format!("{PREFIX}{step}.safetensors"))
}

/// The YAML file of a step.
pub(super) fn header(dir: &Path, step: u64) -> PathBuf {
    dir.join(format!("{PREFIX}{step}.yaml"))
}

/// The steps that have a checkpoint, ascending.
pub(super) fn steps(dir: &Path) -> Result<Vec<u64>, CheckpointError> {
    let mut steps: Vec<u64> = names(dir)?.iter().filter_map(|name| name.strip_suffix(".yaml").and_then(step)).collect();
    steps.sort_unstable();
    Ok(steps)
}

/// Removes all checkpoints but the newest [`KEPT`], and files of interrupted writes.
///
/// # Errors
/// If the folder cannot be listed or a file cannot be removed.
pub fn prune(dir: &Path) -> Result<(), CheckpointError> {
    let steps = steps(dir)?;
    keep(dir, &steps[steps.len().saturating_sub(KEPT)..])
}

/// Removes every checkpoint: a finished cell is never resumed.
///
/// # Errors
/// If the folder cannot be listed or a file cannot be removed.
pub fn remove_all(dir: &Path) -> Result<(), CheckpointError> {
    keep(dir, &[])
}

fn keep(dir: &Path, steps: &[u64]) -> Result<(), CheckpointError> {
    let kept = |name: &str| {
        let stem = name.strip_suffix(".yaml").or_else(|| name.strip_suffix(".safetensors"));
        stem.and_then(step).is_some_and(|step| steps.contains(&step))
    };
    for name in names(dir)?.iter().filter(|name| name.starts_with(PREFIX) && !kept(name)) {
        let path = dir.join(name);
        std::fs::remove_file(&path).map_err(CheckpointError::io("remove", &path))?;
    }
    Ok(())
}

fn step(stem: &str) -> Option<u64> {
    stem.strip_prefix(PREFIX)?.parse().ok()
}

fn names(dir: &Path) -> Result<Vec<String>, CheckpointError> {
    let entries = match std::fs::read_dir(dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(CheckpointError::io("list", dir))?,
    };
    let mut names = Vec::new();
    for entry in entries {
        names.push(entry.map_err(CheckpointError::io("list", dir))?.file_name().to_string_lossy().into_owned());
    }
    Ok(names)
}
