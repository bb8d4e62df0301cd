//! The first line about a dataset that was made.

use config::grouped;
use dataset::{Manifest, Unit};
use std::path::Path;

/// Its folder, games and positions.
pub(crate) fn headline(folder: &Path, manifest: &Manifest) -> String {
    let (games, positions) = (grouped(manifest.counts.kept), grouped(manifest.counts.positions));
    match manifest.unit {
        Unit::Game => format!("{}: {games} games with {positions} positions\n", folder.display()),
        Unit::Position => format!("{}: {positions} single positions\n", folder.display()),
    }
}
