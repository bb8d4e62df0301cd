//! Games that engines play: the same bytes whatever happens to the engine, and nothing that our rules do not allow.

use crate::fake::{Faults, program};
use dataset::{Dataset, Manifest, PerSplit};
use engines::{EngineSettings, GenerateError, GenerateReport, Settings, generate};
use games::{GameKind, GameResult, Termination};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tempfile::TempDir;

const GAMES: u64 = 6;

fn folder() -> TempDir {
    TempDir::new().expect("a temporary folder")
}

/// Short games of a fake engine, to be written to `dir/name`.
fn settings(dir: &Path, name: &str, game: GameKind, faults: &Faults) -> Settings {
    Settings {
        game,
        engine: EngineSettings {
            options: vec![("Hash".to_owned(), "1".to_owned())],
            ..EngineSettings::new(program(dir, game, faults), game, 3, Duration::from_secs(20))
        },
        nodes: 5,
        games: GAMES,
        processes: 2,
        seed: 7,
        openings: None,
        random_plies: Some((2, 5)),
        random_within: Some(20),
        random_until: 16,
        temperature: 50.0,
        win_rule: None,
        draw_rule: None,
        ply_cap: 30,
        cap_is_draw: false,
        fresh_engine: false,
        output: dir.join(name),
        name: "set".to_owned(),
        source: None,
        licence: "CC0-1.0".to_owned(),
        made_by: "a test".to_owned(),
        fractions: PerSplit { train: 0.6, validation: 0.2, test: 0.2 },
        split_seed: 0,
    }
}

fn play(settings: &Settings) -> Result<GenerateReport, GenerateError> {
    generate(settings, &mut |_| {}, &|| false)
}

fn played(settings: &Settings) -> GenerateReport {
    play(settings).unwrap_or_else(|error| panic!("{error}"))
}

/// Everything that the dataset in `dir/name` consists of.
fn bytes(dir: &Path, name: &str) -> BTreeMap<OsString, Vec<u8>> {
    let entries = std::fs::read_dir(dir.join(name)).expect("the dataset's folder");
    let entries = entries.map(|entry| entry.expect("readable"));
    entries.map(|entry| (entry.file_name(), std::fs::read(entry.path()).expect("readable"))).collect()
}

/// The rows of a dataset, in the order of the games' numbers.
fn rows(dir: &Path, name: &str) -> Vec<dataset::store::GameRow> {
    let dir = dir.join(name);
    let manifest = Manifest::read(&dir).expect("a manifest");
    let mut rows: Vec<_> = manifest.rows(&dir).map(|row| row.expect("a shard")).collect();
    rows.sort_by_key(|row| row.source_game);
    rows
}

#[test]
fn the_number_of_processes_does_not_matter() {
    for game in GameKind::ALL {
        let dir = folder();
        for (name, processes) in [("one", 1), ("three", 3)] {
            let report = played(&Settings { processes, ..settings(dir.path(), name, game, &Faults::default()) });
            assert_eq!(report.manifest.counts.kept, GAMES);
            assert_eq!((report.progress.restarts, report.progress.given_up, report.progress.refused), (0, 0, 0));
        }
        assert_eq!(bytes(dir.path(), "one"), bytes(dir.path(), "three"), "{game:?}");
        let left = std::fs::read_dir(dir.path()).expect("readable").filter_map(Result::ok);
        assert!(left.filter(|entry| entry.file_name().to_string_lossy().starts_with('.')).count() == 0);
    }
}

#[test]
fn a_dead_or_silent_engine_is_replaced_and_nothing_changes() {
    let dir = folder();
    let undisturbed = settings(dir.path(), "undisturbed", GameKind::Shogi, &Faults::default());
    played(&undisturbed);
    let faults = Faults {
        dies_once: Some(dir.path().join("died")),
        hangs_once: Some(dir.path().join("hung")),
        ..Faults::default()
    };
    let mut disturbed = settings(dir.path(), "disturbed", GameKind::Shogi, &faults);
    disturbed.engine.timeout = Duration::from_secs(5);
    let report = played(&disturbed);
    // A busy machine may time out more often; that changes nothing either.
    assert!(report.progress.restarts >= 2 && report.progress.given_up == 0, "{:?}", report.progress);
    let first = report.progress.first_restart.expect("two restarts");
    assert!(first.contains("Fake 1.0") && first.contains("search a position"), "{first}");
    assert_eq!(bytes(dir.path(), "undisturbed"), bytes(dir.path(), "disturbed"));
}

#[test]
fn an_engine_that_always_dies_is_given_up_with_its_last_words() {
    let dir = folder();
    let faults = Faults { dies_at: Some(9), ..Faults::default() };
    let two = Settings { games: 2, ..settings(dir.path(), "set", GameKind::Chess, &faults) };
    let error = play(&two).expect_err("no game ends").to_string();
    for part in ["none of the 2 games", "failed 3 times", "Fake 1.0 ended", "out of luck"] {
        assert!(error.contains(part), "{part:?} is not in: {error}");
    }
    assert!(!dir.path().join("set").exists());
}

#[test]
fn illegal_moves_are_refused_and_counted() {
    for multipv in [1, 3] {
        let dir = folder();
        let faults = Faults { cheats: true, ..Faults::default() };
        let mut cheated = settings(dir.path(), "set", GameKind::Chess, &faults);
        cheated.engine.multipv = multipv;
        cheated.random_within = None;
        cheated.random_until = 0;
        let report = played(&cheated);
        // Every fourth ply from the opening, which is at most five plies, to the cap.
        assert!(report.progress.refused >= 6 * GAMES, "{}", report.progress.refused);
        assert_eq!(report.progress.restarts, 0);
        let data = Dataset::open(&dir.path().join("set")).expect("a dataset of legal moves");
        assert_eq!(dataset::summarise(&data).expect("every game can be replayed").manifest.counts.kept, GAMES);
        for row in rows(dir.path(), "set") {
            assert!(row.policy.iter().flatten().flatten().all(|(mv, _)| mv != "a1a1"));
            assert!(row.value[8..].iter().all(Option::is_some), "the next best move's score takes its place");
        }
    }
}

#[test]
fn nonsense_is_passed_over() {
    let dir = folder();
    played(&settings(dir.path(), "plain", GameKind::Chess, &Faults::default()));
    played(&settings(dir.path(), "babble", GameKind::Chess, &Faults { babbles: true, ..Faults::default() }));
    assert_eq!(bytes(dir.path(), "plain"), bytes(dir.path(), "babble"));
}

#[test]
fn an_interrupted_generation_goes_on_to_the_same_bytes() {
    let dir = folder();
    played(&settings(dir.path(), "whole", GameKind::Chess, &Faults::default()));
    let halves = Settings { processes: 1, ..settings(dir.path(), "halves", GameKind::Chess, &Faults::default()) };
    let asked = AtomicUsize::new(0);
    let stop = || asked.fetch_add(1, Ordering::Relaxed) > 80;
    let error = generate(&halves, &mut |_| {}, &stop).expect_err("stopped").to_string();
    assert!(error.starts_with("stopped with 2 of 6 games"), "{error}");
    assert!(!dir.path().join("halves").exists());
    // As a crash of the machine leaves it: the last line is cut off.
    let journal = dir.path().join(".halves.generating/games.jsonl");
    let text = std::fs::read(&journal).expect("the journal");
    std::fs::write(&journal, &text[..text.len() - 10]).expect("writable");
    let other = Settings { nodes: 6, ..halves.clone() };
    let refused = play(&other).expect_err("other conditions").to_string();
    assert!(refused.contains("nodes was 5 and is 6") && refused.contains(".halves.generating"), "{refused}");
    let report = played(&halves);
    assert_eq!((report.progress.found, report.progress.finished), (1, GAMES));
    assert_eq!(bytes(dir.path(), "whole"), bytes(dir.path(), "halves"));
}

#[test]
fn rows_say_what_was_chosen_and_what_was_not() {
    let dir = folder();
    let settings = settings(dir.path(), "set", GameKind::Shogi, &Faults::default());
    let manifest = played(&settings).manifest;
    for part in ["Fake 1.0 against itself, 5 nodes", "softmax(score / 50 centipawns)", "2 to 5 random plies"] {
        assert!(manifest.source.contains(part), "{part:?} is not in: {}", manifest.source);
    }
    let mut best_moves = 0;
    for row in rows(dir.path(), "set") {
        let from = usize::from(row.policy_from_ply);
        assert!((2..=5).contains(&from), "{from}");
        assert_eq!((row.result, row.termination, row.plies), (GameResult::Unknown, Termination::PlyCap, 30));
        let (policy, moves) = (row.policy.expect("MultiPV gives policies"), row.moves);
        for (ply, (candidates, played)) in policy.iter().zip(moves.split(' ')).enumerate() {
            assert_eq!(candidates.is_empty(), ply < from, "ply {ply}");
            assert_eq!(row.value[ply].is_some(), ply >= from, "ply {ply}");
            if ply < from {
                continue;
            }
            let sum: f32 = candidates.iter().map(|(_, probability)| probability).sum();
            assert!((sum - 1.0).abs() < 1e-5 && candidates.len() == 3, "{candidates:?}");
            assert!(candidates.is_sorted_by(|a, b| a.1 >= b.1), "{candidates:?}");
            assert!(candidates.iter().any(|(mv, _)| mv == played), "ply {ply}: {played} was not weighed");
            best_moves += usize::from(ply >= 16 && candidates[0].0 == played);
        }
    }
    assert_eq!(best_moves as u64, GAMES * 14, "from ply 16 on the best move is played");
}

#[test]
fn a_cap_is_a_draw_only_where_asked() {
    let dir = folder();
    let capped = Settings { cap_is_draw: true, ..settings(dir.path(), "set", GameKind::Chess, &Faults::default()) };
    assert_eq!(played(&capped).manifest.counts.results["draw"], GAMES);
}

#[test]
fn giving_up_ends_a_game_and_a_false_claim_does_not() {
    let dir = folder();
    let gives_up = Faults { resigns_at: Some(20), ..Faults::default() };
    let counts = played(&settings(dir.path(), "resigned", GameKind::Shogi, &gives_up)).manifest.counts;
    // Black, who moves at even plies, resigns.
    assert_eq!((counts.results["second_wins"], counts.terminations["resignation"]), (GAMES, GAMES));
    let claims = Faults { declares_at: Some(20), ..Faults::default() };
    let report = played(&settings(dir.path(), "claimed", GameKind::Shogi, &claims));
    assert_eq!((report.progress.refused, report.manifest.counts.terminations["ply_cap"]), (GAMES, GAMES));
}

#[test]
fn openings_come_from_a_book() {
    let dir = folder();
    let fen = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
    std::fs::write(
        dir.path().join("book.epd"),
        format!("# two\n{fen} id \"a pawn\";\nstartpos moves e2e4 e7e5 g1f3\n"),
    )
    .expect("writable");
    let mut from_book = settings(dir.path(), "set", GameKind::Chess, &Faults::default());
    from_book.openings = Some(dir.path().join("book.epd"));
    from_book.random_plies = None;
    assert!(played(&from_book).manifest.source.contains("openings of book.epd"));
    let rows = rows(dir.path(), "set");
    let (ending, opening): (Vec<_>, Vec<_>) = rows.iter().partition(|row| row.start.is_some());
    assert_eq!((ending.len(), opening.len()), (3, 3), "each opening has its turn");
    assert!(ending.iter().all(|row| row.start.as_deref() == Some(fen) && row.policy_from_ply == 0));
    assert!(opening.iter().all(|row| row.moves.starts_with("e2e4 e7e5 g1f3 ") && row.policy_from_ply == 3));
    std::fs::write(dir.path().join("wrong.epd"), "startpos moves e2e5\n").expect("writable");
    from_book.openings = Some(dir.path().join("wrong.epd"));
    from_book.output = dir.path().join("wrong");
    let error = play(&from_book).expect_err("e2e5 is illegal").to_string();
    assert!(error.starts_with("wrong.epd, line 1: illegal move"), "{error}");
}

#[test]
fn what_cannot_work_is_said_before_the_first_game() {
    let dir = folder();
    let good = settings(dir.path(), "set", GameKind::Chess, &Faults::default());
    let complaint = |change: &dyn Fn(&mut Settings)| {
        let mut settings = good.clone();
        change(&mut settings);
        play(&settings).expect_err("it cannot work").to_string()
    };
    let with_option = |name: &str| {
        let option = (name.to_owned(), "1".to_owned());
        complaint(&|settings| settings.engine.options = vec![option.clone()])
    };
    assert!(with_option("Hsah").contains("no option \"Hsah\" (did you mean \"Hash\"?)"));
    let absent = complaint(&|settings| settings.engine.program = dir.path().join("absent"));
    assert!(absent.contains("cannot start the engine") && absent.contains("scripts/engines"), "{absent}");
    assert!(complaint(&|settings| settings.temperature = 0.0).contains("--temperature"));
    assert!(complaint(&|settings| settings.engine.multipv = 1).contains("raise --multipv"));
    let same = complaint(&|settings| {
        (settings.random_plies, settings.random_within, settings.random_until) = (None, None, 0);
    });
    assert!(same.contains("every game would be the same"), "{same}");
    let deaf = program(dir.path(), GameKind::Chess, &Faults { is_deaf: true, ..Faults::default() });
    let silent = complaint(&|settings| {
        settings.engine.program.clone_from(&deaf);
        settings.engine.timeout = Duration::from_secs(1);
    });
    assert!(silent.contains("did not introduce itself within 1 s"), "{silent}");
    assert!(!dir.path().join(".set.generating").exists());
}
