//! A match is the same for any number of workers and interruptions.

use games::GameKind;
use play::PlayError;
use play::matches::{
    ANSWER_TIMEOUT, Anchor, Conditions, Contestant, Draws, GameLimits, Kind, MatchOptions, Scale, Standings, play_match,
};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tch::Device;
use testing::{Finished, flip, program};

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
        limits: GameLimits { plies: 30, win: None, draw: None },
        seed: 1,
    }
}

fn options(out: PathBuf, jobs: usize, timeout: Duration) -> MatchOptions {
    let (device, scale) = (Device::Cpu, Scale::default());
    MatchOptions { openings: None, out, jobs, device, timeout, scale, sequential: None }
}

/// Plays; stops after `until` games, if given.
fn play(conditions: &Conditions, out: PathBuf, jobs: usize, until: Option<u64>) -> Result<Standings, PlayError> {
    let stop = AtomicBool::new(false);
    let options = options(out, jobs, ANSWER_TIMEOUT);
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
    for game in [GameKind::Chess, GameKind::Shogi] {
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
        let options = MatchOptions { scale: anchored, ..options(two.clone(), 1, ANSWER_TIMEOUT) };
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
fn pairs_that_repeat_earlier_games_count_once_for_any_number_of_workers() {
    let finished = Finished::new();
    let conditions = Conditions { pairs: 4, random_plies: None, ..conditions(&finished, GameKind::Chess) };
    let standings = [1, 2]
        .map(|jobs| play(&conditions, finished.path().join(format!("copies-{jobs}")), jobs, None).expect("a match"));
    assert_eq!(standings[0], standings[1]);
    let pairing = &standings[0].pairings[1];
    assert_eq!(pairing.players, [0, 2], "neither draws its moves");
    assert_eq!((pairing.copies, pairing.pairs.iter().sum::<u64>()), (3, 1), "one opening");
    assert_eq!(pairing.wins_draws_losses.iter().sum::<u64>(), 8, "all were played");
    let json = fs::read_to_string(finished.path().join("copies-1/standings.json")).expect("standings");
    assert!(json.contains("\"copies\": 3"), "{json}");
}

#[test]
fn games_that_a_match_does_not_have_are_refused() {
    let finished = Finished::new();
    let conditions = Conditions { pairs: 1, ..conditions(&finished, GameKind::Chess) };
    let out = finished.path().join("foreign");
    play(&conditions, out.clone(), 1, Some(1)).expect("a part of the match");
    let journal = out.join("games.jsonl");
    let right = fs::read_to_string(&journal).expect("the journal");
    assert!(right.starts_with("{\"number\":0,\"players\":[0,1],"), "{right}");
    for (what, other) in [
        ("\"players\":[0,1]", "\"players\":[0,99]"),
        ("\"players\":[0,1]", "\"players\":[1,0]"),
        ("\"number\":0", "\"number\":6"),
        ("\"number\":0", "\"number\":18446744073709551615"),
    ] {
        fs::write(&journal, right.replacen(what, other, 1)).expect("written");
        let refused = play(&conditions, out.clone(), 1, None).expect_err("another match").to_string();
        assert!(refused.contains("games.jsonl, line 1: this match has no game "), "{refused}");
    }
    let endless = Conditions { pairs: u64::MAX / 2, ..conditions };
    let refused = play(&endless, out, 1, None).expect_err("endless").to_string();
    assert!(refused.contains("9223372036854775807 pairs are more than the 10000000 games"), "{refused}");
}

#[test]
fn a_match_that_finds_another_at_work_leaves_no_conditions() {
    let finished = Finished::new();
    let out = finished.path().join("locked");
    fs::create_dir(&out).expect("a folder");
    let journal = fs::File::create(out.join("games.jsonl")).expect("a journal");
    journal.try_lock().expect("nobody has it");
    let refused = play(&conditions(&finished, GameKind::Chess), out.clone(), 1, None).expect_err("locked").to_string();
    assert!(refused.contains("another match writes it") && !out.join("match.json").exists(), "{refused}");
}

#[test]
fn a_search_plays_the_same_games_with_any_number_of_workers() {
    let finished = Finished::new();
    for game in [GameKind::Chess, GameKind::Shogi] {
        let mut conditions =
            Conditions { limits: GameLimits { plies: 14, win: None, draw: None }, ..conditions(&finished, game) };
        for (contestant, agent) in conditions.contestants.iter_mut().zip(["policy", "search:visits=10"]) {
            let Kind::Network { agent: own, .. } = &mut contestant.kind else { panic!("a network") };
            agent.clone_into(own);
        }
        conditions.contestants.truncate(2);
        let folders = ["one", "two"].map(|name| finished.path().join(game.name()).join(name));
        for (jobs, folder) in folders.iter().enumerate() {
            play(&conditions, folder.clone(), jobs + 1, None).expect("a match");
        }
        let [one, two] = folders.map(|folder| sorted_lines(&folder.join("games.jsonl")));
        assert_eq!((one.len(), &one), (4, &two));
        assert!(one.iter().all(|game| !game.contains("illegal")), "{one:?}");
    }
}

#[test]
fn a_match_is_not_resumed_with_other_weights() {
    let finished = Finished::new();
    let conditions = Conditions { pairs: 1, ..conditions(&finished, GameKind::Chess) };
    let out = finished.path().join("match");
    play(&conditions, out.clone(), 1, Some(1)).expect("a part of the match");
    let weights = finished.path().join(finished.cell("chess")).join("checkpoints/final.safetensors");
    // Of the last number.
    flip(&weights, |length| length - 4);
    let refused = play(&conditions, out, 1, None).expect_err("other weights").to_string();
    assert!(refused.contains("other players, weights or conditions"), "{refused}");
}

/// A match of the policy against an engine that answers `go` by this shell script.
fn against(finished: &Finished, answer: &str) -> Conditions {
    let protocol = "uci) echo 'id name Brittle'; echo uciok;; isready) echo readyok;;";
    let script = format!("while read -r line; do\ncase \"$line\" in {protocol} go*) {answer};; esac\ndone\n");
    let program = program(finished.path(), "engine", &script);
    let kind = Kind::Engine { program, nodes: 1, options: Vec::new() };
    let mut conditions = conditions(finished, GameKind::Chess);
    conditions.contestants.truncate(1);
    conditions.contestants.push(Contestant { name: "brittle".to_owned(), kind });
    conditions
}

#[test]
fn an_engine_that_dies_or_does_not_answer_forfeits_the_game_and_is_started_again() {
    let finished = Finished::new();
    // It hangs at the first question and dies at the second; after that it resigns.
    let hangs = "if mkdir \"$0.hung\" 2>/dev/null; then exec sleep 100";
    let dies = "elif mkdir \"$0.died\" 2>/dev/null; then echo 'out of luck' >&2; exit 3";
    let conditions = against(&finished, &format!("{hangs}; {dies}; else echo 'bestmove resign'; fi"));
    let options = options(finished.path().join("match"), 1, Duration::from_secs(3));
    let mut games = Vec::new();
    let mut progress = |game: &play::matches::FinishedGame, _| games.push(game.clone());
    let standings = play_match(conditions, &options, &mut progress, &AtomicBool::new(false)).expect("a match");
    assert_eq!(standings.pairings[0].wins_draws_losses, [4, 0, 0]);
    assert_eq!(standings.forfeits.get("brittle"), Some(&2));
    let endings = ["time", "other", "resignation"].map(|name| standings.endings.get(name).copied());
    assert_eq!(endings, [Some(1), Some(1), Some(2)], "{standings:?}");
    let reasons: Vec<&str> = games.iter().filter_map(|game| game.forfeit.as_deref()).collect();
    assert_eq!(reasons.len(), 2, "{games:?}");
    assert!(reasons[0].contains("Brittle did not search a position within 3 s"), "{reasons:?}");
    assert!(
        reasons[1].contains("ended while it should search a position; its last output: \"out of luck\""),
        "{reasons:?}"
    );
    let journal = fs::read_to_string(finished.path().join("match/games.jsonl")).expect("the journal");
    assert_eq!(journal.matches("\"forfeit\":").count(), 2, "{journal}");
    let records = fs::read_to_string(finished.path().join("match/games.pgn")).expect("records");
    assert!(records.contains("\"time forfeit\"") && records.contains("\"abandoned\""), "{records}");
}

#[test]
fn an_engine_that_always_dies_ends_the_match_after_three_games() {
    let finished = Finished::new();
    let conditions = against(&finished, "exit 3");
    let out = finished.path().join("match");
    let error = play(&conditions, out.clone(), 1, None).expect_err("it always dies").to_string();
    let parts = ["brittle forfeited 3 games in a row", "the engine Brittle ended", "--timeout", "games.jsonl"];
    assert!(parts.iter().all(|part| error.contains(part)), "{error}");
    assert_eq!(sorted_lines(&out.join("games.jsonl")).len(), 3);
    // Of a last line of 20,000 characters 200 are kept.
    let conditions = against(&finished, "printf '%020000d\\n' 7 >&2; exit 3");
    let options = options(finished.path().join("loud"), 1, Duration::MAX);
    let error = play_match(conditions, &options, &mut |_, _| {}, &AtomicBool::new(false)).expect_err("it always dies");
    let error = error.to_string();
    assert!(error.contains(&"0".repeat(200)) && !error.contains(&"0".repeat(201)), "{error}");
}
