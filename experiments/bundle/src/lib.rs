//! A run folder as others get it: self-contained, checksummed, without a word about the machine's folders or name.
//!
//! ```text
//! run folder ─ collect (scrub) ─▶ files ─ write ─▶ folder or .tar.zst ─ read ─▶ verify ─▶ rerun
//! ```
//! Every file but `BLAKE3SUMS` is listed there with its hash, as `b3sum --check` reads it; the hash of that list names the
//! bundle.

pub mod archive;
pub mod collect;
mod describe;
pub mod error;
pub mod read;
pub mod rerun;
pub mod scrub;
pub mod verify;
pub mod write;

pub use collect::{Contents, Publication, collect};
pub use error::BundleError;
pub use read::Limits;
pub use verify::{Verified, verify};
pub use write::write;

/// The list of hashes.
pub const SUMS: &str = "BLAKE3SUMS";

/// The machine-readable description (RO-Crate 1.1).
pub const METADATA: &str = "ro-crate-metadata.json";

/// Where cells lie: `cells/<row>/seed-<n>/`.
pub const CELLS: &str = "cells";

/// The ending of a packed bundle; anything else is a folder.
pub const PACKED: &str = ".tar.zst";

/// A path in a bundle that leads nowhere else: names joined by `/`, none of them `.`, `..` or empty, nothing that
/// another system would understand in another way.
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
