//! Restarts a damaged cell: its folder is renamed, and a new folder gets its configuration.

use super::prepare::write_config;
use config::RunConfig;
use records::folder::CONFIG_FILE;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The prefix of the name of a damaged cell's folder.
const PREFIX: &str = "damaged-";

/// Renames a cell's folder, so that its files are kept, and starts a new one with the same configuration. Returns the
/// renamed folder.
pub fn start_over(dir: &Path) -> io::Result<PathBuf> {
    let text = RunConfig::read_text(&dir.join(CONFIG_FILE))?;
    let name = dir.file_name().unwrap_or_default().to_string_lossy();
    let unused = (0..).map(|count: u32| match count {
        0 => dir.with_file_name(format!("{PREFIX}{name}")),
        _ => dir.with_file_name(format!("{PREFIX}{name}-{count}")),
    });
    let renamed = unused.into_iter().find(|path| !path.exists()).unwrap_or_else(|| dir.with_file_name(PREFIX));
    fs::rename(dir, &renamed)?;
    write_config(dir, &text)?;
    Ok(renamed)
}
