//! Names of the files in a run folder and in a cell's folder.

use std::fs::{self, DirEntry};
use std::io;
use std::path::Path;

/// The experiment's file, copied into its run folder.
pub const EXPERIMENT_FILE: &str = "experiment.yaml";
pub const CONFIG_FILE: &str = "config.yaml";
pub const METRICS_FILE: &str = "metrics.jsonl";
pub const LOG: &str = "log.txt";
pub const CHECKPOINTS: &str = "checkpoints";
/// The final weights, in the folder of checkpoints.
pub const FINAL: &str = "final.safetensors";
pub const AVERAGED: &str = "final-averaged.safetensors";

/// The hash at the end of the name of a row's folder. Under another label a row keeps its cells.
pub fn hash_of(row: &str) -> &str {
    row.rsplit_once('-').map_or(row, |(_, hash)| hash)
}

const DIGITS: usize = 12;

/// The hash at the end of the name of a row's folder; `None` of a folder that somebody named otherwise.
pub fn planned_hash(row: &str) -> Option<&str> {
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    Some(hash_of(row)).filter(|hash| hash.len() == DIGITS && hash.bytes().all(is_digit))
}

/// Whether a text is the plain name of a file or folder: no path, and without control characters.
pub fn is_plain(name: &str) -> bool {
    const LONGEST: usize = 255;
    let forbidden = |c: char| c.is_control() || matches!(c, '/' | '\\' | ':');
    !name.is_empty() && name.len() <= LONGEST && name != "." && name != ".." && !name.contains(forbidden)
}

/// The entries of a folder; none if it is missing.
pub fn entries(dir: &Path) -> io::Result<Vec<DirEntry>> {
    match fs::read_dir(dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        entries => entries?.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_has_twelve_digits() {
        assert_eq!(planned_hash("chess-rate-x0.5-0123456789ab"), Some("0123456789ab"));
        for name in ["chess-shaw", "0123456789abc", "a-0123456789AB", "a-0123456789a", ""] {
            assert_eq!(planned_hash(name), None, "{name}");
        }
    }

    #[test]
    fn a_plain_name_stays_in_its_folder() {
        for name in ["chess-shaw-0123456789ab", "a+b", "..a", "chess-rate-x0.5-ab", &"x".repeat(255)] {
            assert!(is_plain(name), "{name}");
        }
        for name in ["", ".", "..", "../x", "/abs", "a/b", "a/", "a\\b", "C:", "a\0b", "a\x1b[2J", &"x".repeat(256)] {
            assert!(!is_plain(name), "{name:?}");
        }
    }
}
