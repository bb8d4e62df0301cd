//! The first line about a dataset that was made.

use config::grouped;
use dataset::Counts;
use std::path::Path;

/// Its folder, games and positions.
pub(crate) fn headline(folder: &Path, counts: &Counts) -> String {
    format!("{}: {} games with {} positions\n", folder.display(), grouped(counts.kept), grouped(counts.positions))
}
