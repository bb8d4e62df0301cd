//! `posenc match`: its records, and a disk that is full.

use crate::cli::{Answer, posenc, run};
use testing::Finished;

#[test]
fn the_command_writes_records_that_can_be_imported() {
    let finished = Finished::new();
    let cell = finished.cell("chess");
    let value = format!("value={cell}@value");
    let arguments = ["match", "--cell", &cell, "--cell", &value, "--pairs", "1", "--out", "games", "--max-plies", "20"];
    let told = run(finished.path(), &arguments).succeeds().stdout;
    assert!(told.contains("chess/seed-0@policy - value: ") && told.contains("endings: "), "{told}");
    let test = [&arguments[..], &["--sprt", "0:50"]].concat();
    let tested = run(finished.path(), &test).succeeds().stdout;
    assert!(tested.contains("SPRT of 0 against 50 Elo (logistic): not decided after 1 pairs"), "{tested}");
    let import = ["data", "import", "--game", "chess", "--from", "games/games.pgn", "--out", "imported"];
    let imported = run(finished.path(), &import).succeeds();
    assert!(format!("{}{}", imported.stdout, imported.stderr).contains('2'), "two games");
    let (shogi, value) = (finished.cell("shogi"), format!("value={}@value", finished.cell("shogi")));
    let arguments =
        ["match", "--cell", &shogi, "--cell", &value, "--pairs", "1", "--out", "shogi-games", "--max-plies", "20"];
    run(finished.path(), &arguments).succeeds();
    let import = ["data", "import", "--game", "shogi", "--from", "shogi-games/games.csa", "--out", "imported-shogi"];
    let imported = run(finished.path(), &import).succeeds();
    assert!(format!("{}{}", imported.stdout, imported.stderr).contains('2'), "two games");
    run(finished.path(), &["match", "--cell", &cell, "--out", "alone"]).fails_with(&["a match needs two players"]);
    run(finished.path(), &["match", "--cell", &cell, "--cell", &cell, "--out", "x"])
        .fails_with(&["two players are called"]);
    run(finished.path(), &["match", "--cell", &cell, "--engine", "stockfish", "--out", "x"])
        .fails_with(&["add `@NODES`"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_no_half_conditions_that_would_make_the_folder_another_match() {
    use std::os::unix::process::CommandExt as _;
    let finished = Finished::new();
    let cell = finished.cell("chess");
    let value = format!("value={cell}@value");
    let arguments = ["match", "--cell", &cell, "--cell", &value, "--pairs", "1", "--out", "games", "--max-plies", "4"];
    let mut cramped = posenc(finished.path(), &arguments);
    let limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: between fork and exec one async-signal-safe system call is made.
    unsafe {
        cramped.pre_exec(move || match libc::setrlimit(libc::RLIMIT_FSIZE, &limit) {
            0 => Ok(()),
            _ => Err(std::io::Error::last_os_error()),
        });
    }
    let full: Answer = cramped.output().expect("posenc starts").into();
    full.fails_with(&["match.json"]);
    assert!(!finished.path().join("games/match.json").exists());
    run(finished.path(), &arguments).succeeds();
}
