//! Publication of a run folder: self-contained, checksummed, without paths or names of the machine.
//!
//! ```text
//! run folder ─ collect (scrub) ─▶ files ─ write ─▶ folder or .tar.zst ─ read ─▶ verify ─▶ rerun
//!                                                                                  └─▶ run folder (unpacked)
//! ```
//! `BLAKE3SUMS` lists every other file with its hash, in the format of `b3sum --check`; the hash of that list
//! identifies the bundle.

pub mod archive;
pub mod author;
mod card;
pub mod collect;
mod describe;
pub mod error;
pub mod read;
pub mod rerun;
pub mod scrub;
mod source;
pub mod unpacked;
pub mod verify;
pub mod write;

pub use author::Author;
pub use collect::{Contents, Publication, collect};
pub use error::BundleError;
pub use read::Limits;
pub use unpacked::Unpacked;
pub use verify::{Verified, verify};
pub use write::write;

/// The list of hashes.
pub const SUMS: &str = "BLAKE3SUMS";

/// The machine-readable description (RO-Crate 1.1).
pub const METADATA: &str = "ro-crate-metadata.json";

/// The folder of cells: `cells/<row>/seed-<n>/`.
pub const CELLS: &str = "cells";

/// The file extension of a packed bundle; other outputs are folders.
pub const PACKED: &str = ".tar.zst";

/// Whether a path stays inside the bundle: names joined by `/`, none of them `.`, `..` or empty, without characters
/// that another system would interpret.
#[must_use]
pub fn is_safe(path: &str) -> bool {
    const LONGEST: usize = 1000;
    let name = |name: &str| !name.is_empty() && name != "." && name != "..";
    path.len() <= LONGEST && !path.contains(['\\', ':', '\0', '\n', '\r']) && path.split('/').all(name)
}

#[cfg(test)]
mod tests {
    use super::is_safe;

    #[test]
    fn paths_stay_inside() {
        for path in ["a", "cells/chess-shaw-0123/seed-0/metrics.jsonl", "..a", "a+b"] {
            assert!(is_safe(path), "{path}");
        }
        for path in ["", "/etc/passwd", "../x", "a/../../x", "a//b", "a/", "./a", "a\\..\\b", "C:/x", "a\nb"] {
            assert!(!is_safe(path), "{path}");
        }
    }
}
