//! Names of files in a bundle, and which paths stay inside it.

pub const SUMS: &str = "BLAKE3SUMS";

/// The machine-readable description (RO-Crate 1.1).
pub const METADATA: &str = "ro-crate-metadata.json";

/// The folder of cells: `cells/<row>/seed-<n>/`.
pub const CELLS: &str = "cells";

/// The file extension of a packed bundle; other outputs are folders.
pub const PACKED: &str = ".tar.zst";

/// Whether a path stays inside the bundle: names joined by `/`, none of them `.`, `..` or empty, without characters
/// that a terminal or another system would interpret.
pub fn is_safe(path: &str) -> bool {
    const LONGEST: usize = 1000;
    // Folders take room that no file counts.
    const DEEPEST: usize = 8;
    let name = |name: &str| !name.is_empty() && name != "." && name != "..";
    let forbidden = |c: char| c.is_control() || matches!(c, '\\' | ':');
    path.len() <= LONGEST
        && path.split('/').count() <= DEEPEST
        && !path.contains(forbidden)
        && path.split('/').all(name)
}

#[cfg(test)]
mod tests {
    use super::is_safe;

    #[test]
    fn paths_stay_inside() {
        for path in ["a", "cells/chess-shaw-0123/seed-0/metrics.jsonl", "..a", "a+b"] {
            assert!(is_safe(path), "{path}");
        }
        let deep = "1/2/3/4/5/6/7/8/9";
        let outside =
            ["", "/etc/x", "../x", "a/../../x", "a//b", "a/", "./a", "a\\..\\b", "C:/x", "a\nb", "a\x1b[2J", deep];
        for path in outside {
            assert!(!is_safe(path), "{path}");
        }
    }
}
