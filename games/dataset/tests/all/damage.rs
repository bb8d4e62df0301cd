//! Datasets of strangers: shards with damaged bytes, and a `dataset.yaml` whose meaning is changed and whose content hash
//! is made again.

mod bytes;
#[path = "../../../tests/all/damage/counts.rs"]
pub mod counts;
pub mod documents;
mod meaning;
#[path = "../../../tests/all/damage/seeded.rs"]
pub mod seeded;

use crate::samples::options;
use dataset::{ImportOptions, import};
use games::GameKind;
use tempfile::TempDir;

/// A temporary folder with a small dataset in its folder `dataset`: 49 games of four plies.
pub(crate) fn small() -> TempDir {
    let files = || ('a'..='h').filter(|&file| file != 'f');
    let game = |white: char, black: char| {
        format!("[Event \"t\"]\n[Result \"1/2-1/2\"]\n\n1. {white}3 {black}6 2. Nf3 Nf6 1/2-1/2\n\n")
    };
    let games: String = files().flat_map(|white| files().map(move |black| game(white, black))).collect();
    let dir = tempfile::tempdir().expect("a temporary folder");
    let pgn = dir.path().join("games.pgn");
    std::fs::write(&pgn, games).expect("written");
    let options = ImportOptions { policy_from_ply: 0, strict: true, ..options(GameKind::Chess, pgn, dir.path()) };
    import(&options, &mut |_| {}).expect("the games are good");
    dir
}
