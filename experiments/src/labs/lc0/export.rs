//! `posenc export --lc0`: a cell's network as a weights file of Lc0.

use anyhow::Context as _;
use config::grouped;
use records::atomic;
use std::fmt::Write as _;
use std::path::Path;
use train::inference::{InferenceError, Loaded};

/// Writes the file; returns what to say about it.
pub(crate) fn write(cell: &Loaded, file: &Path) -> anyhow::Result<String> {
    if file.symlink_metadata().is_ok() {
        return Err(InferenceError::Exists(file.to_owned()).into());
    }
    let not_written = || format!("{} is not written", file.display());
    let exported = lc0::export::file(&cell.config, cell.layout(), &cell.arena.values()?).with_context(not_written)?;
    atomic::replace(file, &exported.bytes).with_context(not_written)?;
    let parameters = grouped(cell.layout().total() as u64);
    let mut text = format!("{}: {parameters} parameters from {}", file.display(), cell.origin);
    let _ = write!(text, "; largest rounding error in the file {:.1e}", exported.rounding);
    if !exported.left_out.is_empty() {
        let _ = write!(text, "; left out, because Lc0 has no such head: {}", exported.left_out.join(", "));
    }
    Ok(text + "\n")
}
