//! Datasets of strangers: shards with damaged bytes, and a `dataset.yaml` whose meaning is changed and whose content hash
//! is made again.

mod bytes;
#[path = "../../../tests/all/damage/counts.rs"]
pub mod counts;
pub mod documents;
pub mod laws;
mod meaning;
#[path = "../../../tests/all/damage/seeded.rs"]
pub mod seeded;

use crate::samples::imported_bytes;
use dataset::ImportOptions;
use games::GameKind;
use tempfile::TempDir;

/// A temporary folder with a small dataset in its folder `dataset`: 49 games of four plies.
pub(crate) fn small() -> TempDir {
    let files = || ('a'..='h').filter(|&file| file != 'f');
    let game = |white: char, black: char| {
        format!("[Event \"t\"]\n[Result \"1/2-1/2\"]\n\n1. {white}3 {black}6 2. Nf3 Nf6 1/2-1/2\n\n")
    };
    let games: String = files().flat_map(|white| files().map(move |black| game(white, black))).collect();
    let change = |options: &mut ImportOptions| {
        (options.policy_from_ply, options.strict) = (0, true);
    };
    imported_bytes(GameKind::Chess, "games.pgn", games, change).0
}
