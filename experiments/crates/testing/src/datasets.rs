//! Small datasets.

use crate::root;
use dataset::filter::Buckets;
use dataset::{ImportOptions, PerSplit, SplitPlan, import};
use games::GameKind;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Short chess games, all different: a first move of each pawn and an answer of each.
pub fn chess_records() -> String {
    let files = 'a'..='h';
    let game = |white: char, black: char| {
        format!("[Event \"t\"]\n[Result \"1/2-1/2\"]\n\n1. {white}3 {black}6 2. Nf3 Nf6 1/2-1/2\n\n")
    };
    let without_f = || files.clone().filter(|&file| file != 'f');
    without_f().flat_map(|white| without_f().map(move |black| game(white, black))).collect()
}

/// Short shogi games, all different, in one CSA file.
pub fn shogi_records() -> String {
    let game = |black: u32, white: u32| {
        format!("V2.2\nN+a\nN-b\nPI\n+\n+{black}7{black}6FU\n-{white}3{white}4FU\n+3948GI\n-7162GI\n%TORYO\n/\n")
    };
    (1..=9).flat_map(|black| (1..=9).map(move |white| game(black, white))).collect()
}

/// A folder with small datasets `chess` and `shogi`.
pub fn datasets() -> TempDir {
    let dir = TempDir::new().expect("a temporary folder");
    let records = [(GameKind::Chess, "chess.pgn", chess_records()), (GameKind::Shogi, "shogi.csa", shogi_records())];
    for (game, file, records) in records {
        std::fs::write(dir.path().join(file), records).expect("the folder can be written");
        imported(game, dir.path().join(file), dir.path().join(game.name()), 0);
    }
    dir
}

/// Imports a file of records to a dataset in `output`; moves before a ply are no targets.
pub fn imported(game: GameKind, records: PathBuf, output: PathBuf, policy_from_ply: u16) -> PathBuf {
    let options = ImportOptions {
        source: "written for tests".to_owned(),
        licence: "CC0-1.0".to_owned(),
        made_by: "a test".to_owned(),
        policy_from_ply,
        split: split(),
        strict: true,
        ..ImportOptions::new(game, vec![records], output.clone())
    };
    import(&options, &mut |_| {}).expect("the records are good");
    output
}

/// Short chess games that share the start with [`chess_records`] and no other position.
pub fn opening_records() -> String {
    let game = |white: char, black: char| {
        format!("[Event \"t\"]\n[Result \"1-0\"]\n\n1. {white}4 {black}5 2. Nc3 Nc6 1-0\n\n")
    };
    ('a'..='h').flat_map(|white| ('a'..='h').map(move |black| game(white, black))).collect()
}

/// Makes the dataset `openings` of [`opening_records`] in `dir`, all of it for tests.
pub fn openings(dir: &Path) -> PathBuf {
    let (records, output) = (dir.join("openings.pgn"), dir.join("openings"));
    std::fs::write(&records, opening_records()).expect("the folder can be written");
    let split = SplitPlan::by_game(0, PerSplit { train: 0.0, validation: 0.0, test: 1.0 });
    let options = ImportOptions { split, ..ImportOptions::new(GameKind::Chess, vec![records], output.clone()) };
    import(&options, &mut |_| {}).expect("the records are good");
    output
}

/// Makes the dataset `rated` in `dir`: 438 games of Lichess with scores and four rating buckets.
pub fn rated(dir: &Path) -> PathBuf {
    let games = root().join("games/dataset/tests/data/chess_lichess_438.pgn.zst");
    let output = dir.join("rated");
    let options = ImportOptions {
        buckets: Buckets::new(vec![1000, 1500, 2000]),
        split: split(),
        ..ImportOptions::new(GameKind::Chess, vec![games], output.clone())
    };
    import(&options, &mut |_| {}).expect("the records are good");
    output
}

/// By game: three in five are for training.
pub fn split() -> SplitPlan {
    SplitPlan::by_game(0, PerSplit { train: 0.6, validation: 0.2, test: 0.2 })
}
