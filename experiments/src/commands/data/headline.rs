//! The first line about a dataset that was made.

use config::counted;
use dataset::{Manifest, Unit};
use std::path::Path;

pub(crate) fn headline(folder: &Path, manifest: &Manifest) -> String {
    let positions = manifest.counts.positions;
    match manifest.unit {
        Unit::Game => {
            let games = counted(manifest.counts.kept, "game");
            format!("{}: {games} with {}\n", folder.display(), counted(positions, "position"))
        }
        Unit::Position => format!("{}: {}\n", folder.display(), counted(positions, "single position")),
    }
}
