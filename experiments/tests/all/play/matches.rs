//! A match is the same for any number of workers and interruptions.

use crate::cli::run;
use crate::inspect::Finished;
use games::GameKind;
use play::PlayError;
use play::matches::{Anchor, Conditions, Contestant, Draws, Kind, Limits, MatchOptions, Scale, Standings, play_match};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use tch::Device;

fn conditions(finished: &Finished, game: GameKind) -> Conditions {
    let cell = finished.path().join(finished.cell(game.name()));
    let network = |name: &str, agent: &str| Contestant {
        name: name.to_owned(),
        kind: Kind::Network { cell: cell.clone(), averaged: false, agent: agent.to_owned() },
    };
    Conditions {
        game,
        contestants: vec![
            network("likely", "policy"),
            network("drawn", "policy:temperature=1"),
            network("value", "value"),
        ],
        identities: Vec::new(),
        pairs: 2,
        book: None,
        random_plies: Some((2, 4)),
        limits: Limits { plies: 30, win: None, draw: None },
        seed: 1,
    }
}

/// Plays; stops after so many games, if asked to.
fn play(conditions: &Conditions, out: PathBuf, jobs: usize, until: Option<u64>) -> Result<Standings, PlayError> {
    let stop = AtomicBool::new(false);
    let options =
        MatchOptions { openings: None, out, jobs, device: Device::Cpu, scale: Scale::default(), sequential: None };
    let mut progress = |_: &play::matches::FinishedGame, done| {
        if Some(done) == until {
            stop.store(true, Ordering::Relaxed);
        }
    };
    play_match(conditions.clone(), &options, &mut progress, &stop)
}

fn sorted_lines(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).expect("the journal");
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

#[test]
fn workers_and_interruptions_change_no_game_and_none_counts_twice() {
    let finished = Finished::new();
    for game in GameKind::ALL {
        let conditions = conditions(&finished, game);
        let [one, two] = ["one", "two"].map(|name| finished.path().join(game.name()).join(name));
        let whole = play(&conditions, one.clone(), 1, None).expect("a match");
        let games: u64 = whole.pairings.iter().flat_map(|pairing| pairing.wins_draws_losses).sum();
        assert_eq!(games, 12, "3 pairings, 2 openings, both colours");
        assert_eq!(whole.endings.values().sum::<u64>(), 12);
        assert!(whole.ratings.len() == 3 || whole.unrated.is_some(), "{whole:?}");
        play(&conditions, two.clone(), 2, Some(3)).expect("a part of the match");
        let journal = two.join("games.jsonl");
        assert!(sorted_lines(&journal).len() < 12);
        // A kill in the middle of a line.
        let text = fs::read_to_string(&journal).expect("the journal");
        fs::write(&journal, &text[..text.len() - 5]).expect("written");
        let resumed = play(&conditions, two.clone(), 2, None).expect("the rest");
        assert_eq!(sorted_lines(&journal), sorted_lines(&one.join("games.jsonl")));
        assert_eq!(resumed, whole);
        let anchored =
            Scale { anchor: Anchor::Player { name: "value".to_owned(), elo: 1000.0 }, draws: Draws::Davidson };
        let options = MatchOptions {
            openings: None,
            out: two.clone(),
            jobs: 1,
            device: Device::Cpu,
            scale: anchored,
            sequential: None,
        };
        let again =
            play_match(conditions.clone(), &options, &mut |_, _| panic!("no game is missing"), &AtomicBool::new(false))
                .expect("a finished match");
        let value = again.ratings.iter().find(|rated| rated.name == "value");
        assert!(
            value.is_some_and(|rated| rated.elo == 1000.0 && rated.error == 0.0) || again.unrated.is_some(),
            "{again:?}"
        );
        let other = Conditions { seed: 2, ..conditions };
        let refused = play(&other, two, 1, None).expect_err("another match").to_string();
        assert!(refused.contains("another folder with --out"), "{refused}");
    }
}

#[test]
fn a_match_is_not_resumed_with_other_weights() {
    let finished = Finished::new();
    let conditions = Conditions { pairs: 1, ..conditions(&finished, GameKind::Chess) };
    let out = finished.path().join("match");
    play(&conditions, out.clone(), 1, Some(1)).expect("a part of the match");
    let weights = finished.path().join(finished.cell("chess")).join("checkpoints/final.safetensors");
    let mut bytes = fs::read(&weights).expect("weights");
    // The lowest bits of the last number.
    let last = bytes.len() - 4;
    bytes[last] ^= 1;
    fs::write(&weights, bytes).expect("written");
    let refused = play(&conditions, out, 1, None).expect_err("other weights").to_string();
    assert!(refused.contains("other players, weights or conditions"), "{refused}");
}

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
