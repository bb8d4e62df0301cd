//! `posenc export --lc0`: a cell's network as a weights file of Lc0.

use anyhow::Context as _;
use config::grouped;
use lc0::check::Differences;
use records::atomic;
use std::fmt::Write as _;
use std::path::Path;
use train::TrainError;
use train::inference::{Loaded, Request};

/// The positions of `--check`, if none are named.
pub(crate) const POSITIONS: usize = 60;

/// Writes the file, and compares it with the cell on positions if there are any; returns what to say about it.
pub(crate) fn write(cell: &Loaded, file: &Path, requests: Option<&[Request]>) -> anyhow::Result<String> {
    if file.symlink_metadata().is_ok() {
        return Err(TrainError::Exists(file.to_owned()).into());
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
    text.push('\n');
    if let Some(requests) = requests {
        text += &checked(cell, file, requests)?;
    }
    Ok(text)
}

/// Reads the file back, and says how far its outputs are from those of the cell.
fn checked(cell: &Loaded, file: &Path, requests: &[Request]) -> anyhow::Result<String> {
    let not_checked = || format!("{} is written, but cannot be read back", file.display());
    let imported = lc0::read(file, &[]).with_context(not_checked)?;
    let found = Differences::of(cell, &imported, requests).with_context(not_checked)?;
    let Differences { logit, largest_logit, q } = found;
    let count = requests.len();
    let text = format!(
        "read back, {count} positions: largest differences {logit:.1e} of a policy logit (the largest is {largest_logit:.1}), \
         {q:.1e} of q\n"
    );
    let reason = "is written, but 16 bits do not explain how its outputs differ from the cell's";
    anyhow::ensure!(found.are_rounding(), "{} {reason}: {}", file.display(), text.trim_end());
    Ok(text)
}
