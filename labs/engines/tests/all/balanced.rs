//! Balanced openings: legal, different, and even by the engine's own score.

use crate::fake::{Faults, engine, script};
use engines::balanced::{BalancedSettings, balanced_openings};
use engines::openings::Openings;
use engines::{EngineSettings, GenerateError};
use games::{GameKind, with_game};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::Duration;
use tempfile::TempDir;

fn settings(dir: &Path, game: GameKind, within: i32) -> BalancedSettings {
    BalancedSettings {
        game,
        engine: engine(dir, game, &Faults::default(), 1),
        nodes: 5,
        plies: (2, 5),
        within,
        count: 5,
        seed: 3,
    }
}

#[test]
fn openings_are_legal_different_and_within_the_limit() {
    let dir = TempDir::new().expect("a temporary folder");
    for game in GameKind::ALL {
        // The fake engine's best moves score up to 60.
        let wide = settings(dir.path(), game, 60);
        let mut found = 0;
        let lines = balanced_openings(&wide, &mut |count| found = count).expect("openings");
        assert_eq!((lines.len(), found), (5, 5));
        assert_eq!(lines, balanced_openings(&wide, &mut |_| {}).expect("openings"), "a function of the seed");
        assert_eq!(lines.iter().collect::<BTreeSet<_>>().len(), 5);
        let plies = |line: &String| line.split(' ').count() - 2;
        assert!(lines.iter().all(|line| (2..=5).contains(&plies(line))), "{lines:?}");
        let book = dir.path().join("book");
        fs::write(&book, lines.join("\n")).expect("written");
        let read = with_game!(game, G => Openings::read::<G>(Some(&book), 0));
        assert_eq!(read.expect("a book").book().expect("a book").openings, 5);
        let narrow = balanced_openings(&BalancedSettings { count: 3, ..settings(dir.path(), game, 57) }, &mut |_| {});
        assert!(narrow.expect("openings").iter().any(|line| !lines.contains(line)), "a limit leaves some out");
    }
    let none = BalancedSettings { count: 1, plies: (1, 1), ..settings(dir.path(), GameKind::Chess, -1) };
    let refused = balanced_openings(&none, &mut |_| {}).expect_err("nothing is within less than even");
    assert!(matches!(refused, GenerateError::Option { option: "--within", .. }), "{refused}");
}

/// The lowest score has no absolute value in 32 bits.
#[test]
fn the_lowest_score_is_not_even() {
    let dir = TempDir::new().expect("a temporary folder");
    let answers = "go*) echo 'info depth 1 score cp -2147483648 pv e2e4'; echo 'bestmove e2e4' ;;";
    let text = format!(
        "while read -r line; do case $line in uci) echo uciok ;; isready) echo readyok ;; {answers} esac; done"
    );
    let program = script(dir.path(), "lowest", &text);
    let engine = EngineSettings::new(program, GameKind::Chess, 1, Duration::from_secs(60));
    let lowest = BalancedSettings { engine, count: 1, plies: (1, 1), ..settings(dir.path(), GameKind::Chess, 100) };
    let refused = balanced_openings(&lowest, &mut |_| {}).expect_err("no opening is even");
    assert!(matches!(refused, GenerateError::Option { option: "--within", .. }), "{refused}");
}
