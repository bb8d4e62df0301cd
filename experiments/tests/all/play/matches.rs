//! `posenc match`: its records, and a full disk.

use crate::cli::{posenc, run, with_little_room};
use testing::Finished;

#[test]
fn the_command_writes_records_that_can_be_imported() {
    let finished = Finished::new();
    for (game, records) in [("chess", "chess-games/games.pgn"), ("shogi", "shogi-games/games.csa")] {
        let (cell, out) = (finished.cell(game), format!("{game}-games"));
        let players = format!("match --cell {cell} --cell value={cell}@value");
        let once = format!("{players} --pairs 1 --out {out} --max-plies 20");
        let first = format!("{game}/seed-0@policy - value: ");
        run(finished.path(), &once).succeeds().says(&[&first, "endings: "]);
        if game == "chess" {
            let tested = "SPRT of 0 against 50 Elo (logistic): not decided after 1 pair,";
            run(finished.path(), &format!("{once} --sprt 0:50")).succeeds().says(&[tested]);
            let again = format!("{players} --pairs 3 --max-plies 20 --out again");
            let told = "2 of 3 pairs repeat earlier games and count once: give more openings or --random-plies";
            run(finished.path(), &again).succeeds().says(&["pairs with 0, ½, 1, 1½, 2 points: [", told]);
        }
        let import = format!("data import --game {game} --from {records} --out imported-{game}");
        run(finished.path(), &import).succeeds().says(&["read 2: "]);
    }
    let cell = finished.cell("chess");
    let refused = |players: &str, part: &str| {
        run(finished.path(), &format!("match --out x --cell {cell} {players}")).fails_with(&[part]);
    };
    refused("", "a match needs two players");
    refused(&format!("--cell {cell}"), "two players are called");
    refused("--engine stockfish", "add `@NODES`");
    // Stockfish reads `go nodes 0` as no limit.
    refused("--engine stockfish@0", "1 or more");
    for option in ["--pairs", "--max-plies", "--jobs"] {
        run(finished.path(), &format!("match --out x --cell {cell} {option} 0"))
            .misused_with(&["invalid value '0'", option]);
    }
}

#[test]
fn a_full_disk_leaves_no_half_conditions_that_would_make_the_folder_another_match() {
    let finished = Finished::new();
    let cell = finished.cell("chess");
    let words = format!("match --cell {cell} --cell value={cell}@value --pairs 1 --out games --max-plies 4");
    with_little_room(posenc(finished.path(), &words.split(' ').collect::<Vec<_>>()), 0).fails_with(&["match.json"]);
    assert!(!finished.path().join("games/match.json").exists());
    run(finished.path(), &words).succeeds();
}
