//! `posenc data generate probe`: every label is what the rules say, and the same command makes the same bytes.

use crate::cli::{run, write_experiment};
use dataset::store::{GameRow, read_shard};
use dataset::{Batch, Dataset, LoaderConfig, MANIFEST_FILE, Split, SplitBy, TrainLoader, Unit, evaluation_batches};
use games::attacks::Tactics;
use games::chess::Chess;
use games::chess::endgame::{Ending, Solved, Value};
use games::maps::MapTask;
use games::{Game, GameKind, GameResult, InputName, Position, Side, with_game};
use spec::open_dataset;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;

fn folder() -> TempDir {
    TempDir::new().expect("a temporary folder")
}

/// Makes `dir/out` and opens it.
fn probe(dir: &Path, task: &[&str], game: GameKind, positions: &str, out: &str) -> Dataset {
    let options = ["--game", game.name(), "--positions", positions, "--seed", "3", "--out", out];
    run(dir, &[&["data", "generate", "probe"], task, &options].concat()).succeeds();
    open_dataset(&dir.join(out)).unwrap_or_else(|error| panic!("{error}"))
}

fn rows(dir: &Path, dataset: &Dataset) -> Vec<GameRow> {
    let mut rows = Vec::new();
    for shard in &dataset.manifest().shards {
        read_shard(&dir.join(&shard.file), &mut |row| rows.push(row)).expect("a good shard");
    }
    rows
}

/// The position of a row and the moves of its target, which must be uniform.
fn target<G: Game>(row: &GameRow) -> (G::Position, BTreeSet<String>) {
    assert_eq!(row.plies, 1);
    let candidates = &row.policy.as_ref().expect("a policy")[0];
    assert!(candidates.iter().all(|(_, share)| *share == 1.0 / candidates.len() as f32), "{candidates:?}");
    let moves: BTreeSet<String> = candidates.iter().map(|(mv, _)| mv.clone()).collect();
    assert_eq!(moves.len(), candidates.len(), "no move twice");
    assert!(moves.contains(&row.moves));
    (G::Position::parse(row.start.as_deref().expect("a start")).expect("a legal position"), moves)
}

/// The texts of those legal moves after which `holds`.
fn moves_after<P: Position>(position: &P, holds: impl Fn(&P) -> bool) -> BTreeSet<String> {
    let mut legal = Vec::new();
    position.legal_moves(&mut legal);
    let after = |mv| {
        let mut after = position.clone();
        after.play(mv);
        after
    };
    legal.into_iter().filter(|&mv| holds(&after(mv))).map(|mv| position.move_text(mv)).collect()
}

fn is_mate<P: Position>(position: &P) -> bool {
    let mut legal = Vec::new();
    position.legal_moves(&mut legal);
    legal.is_empty() && position.in_check()
}

fn check_mates<G: Game>(row: &GameRow) {
    let (position, moves) = target::<G>(row);
    assert!(!moves.is_empty());
    assert_eq!(moves, moves_after(&position, is_mate), "{position:?}");
    let won = if position.side_to_move() == Side::First { GameResult::FirstWins } else { GameResult::SecondWins };
    assert_eq!((row.result, row.value.as_slice()), (won, [Some(1.0)].as_slice()));
}

fn check_legal<G: Game>(row: &GameRow) {
    let (position, moves) = target::<G>(row);
    assert_eq!(moves, moves_after(&position, |_| true), "{position:?}");
    assert_eq!((row.result, row.value.as_slice()), (GameResult::Unknown, [None].as_slice()));
}

#[test]
fn mates_are_all_mates_that_there_are() {
    for game in GameKind::ALL {
        let dir = folder();
        let dataset = probe(dir.path(), &["mate-in-one"], game, "60", "set");
        let rows = rows(&dir.path().join("set"), &dataset);
        assert_eq!(rows.len(), 60);
        rows.iter().for_each(|row| with_game!(game, G => check_mates::<G>(row)));
        assert!(rows.iter().any(|row| row.policy.as_ref().is_some_and(|plies| plies[0].len() > 1)));
    }
}

#[test]
fn legal_moves_are_all_legal_moves() {
    for game in GameKind::ALL {
        let dir = folder();
        let dataset = probe(dir.path(), &["legal-moves"], game, "200", "set");
        let rows = rows(&dir.path().join("set"), &dataset);
        assert_eq!(rows.len(), 200);
        rows.iter().for_each(|row| with_game!(game, G => check_legal::<G>(row)));
    }
}

fn check_map<G: Tactics>(row: &GameRow, task: MapTask) {
    let position = G::Position::parse(row.start.as_deref().expect("a start")).expect("a legal position");
    assert_eq!(row.map.as_deref().expect("a map"), [task.labels::<G>(&position)], "{position:?}");
    assert_eq!((row.plies, row.policy_from_ply, row.policy.as_ref()), (1, 1, None), "no move is a target");
    assert_eq!((row.result, row.value.as_slice()), (GameResult::Unknown, [None].as_slice()));
    assert!(position.parse_move(&row.moves).is_ok());
}

#[test]
fn maps_are_what_the_rules_say() {
    for game in GameKind::ALL {
        for task in MapTask::ALL {
            let dir = folder();
            let dataset = probe(dir.path(), &[task.name()], game, "60", "set");
            let map = dataset.manifest().map.as_ref().expect("a map");
            assert_eq!((map.task.as_str(), map.shape), (task.name(), task.shape()));
            let rows = rows(&dir.path().join("set"), &dataset);
            assert_eq!(rows.len(), 60);
            rows.iter().for_each(|row| with_game!(game, G => check_map::<G>(row, task)));
            // A class of pins would be rare if positions were not chosen for it.
            let cells = &dataset.manifest().counts.map_classes;
            assert!(task != MapTask::Pins || cells[1..].iter().all(|&pinned| pinned >= 20), "{cells:?}");
            // Few pieces can go to very many squares; every other class occurs.
            assert!(task == MapTask::Mobility || cells.iter().all(|&count| count > 0), "{task:?}: {cells:?}");
            assert!(cells.len() > 1 && cells[0] > 0 && cells[1] > 0, "{task:?}: {cells:?}");

            let verified = run(dir.path(), &["data", "verify", "set"]).succeeds().stdout;
            assert!(verified.contains("every one labelled as the rules say"), "{verified}");
            let info = run(dir.path(), &["data", "info", "set"]).succeeds().stdout;
            assert!(info.contains(&format!("labelled cells of the map \"{}\" by class", task.name())), "{info}");
            let named = map.counted(cells);
            assert!(named.iter().all(|(name, _)| info.contains(&format!("\n  {name} "))), "{info}");
        }
    }
}

#[test]
fn a_complaint_names_the_command_that_generated_the_probe() {
    let dir = folder();
    let dataset = probe(dir.path(), &["pins"], GameKind::Chess, "60", "set");
    let path = dir.path().join("set").join(MANIFEST_FILE);
    let text = std::fs::read_to_string(&path).expect("a manifest");
    let (stated, other) = ("novel_test_positions: 1.0", "novel_test_positions: 0.5");
    assert!(text.contains(stated), "{text}");
    std::fs::write(&path, text.replace(stated, other)).expect("written");
    let remedy = format!("make the dataset anew, with `{}`", dataset.manifest().made_by);
    assert!(remedy.contains("posenc data generate probe pins"), "{remedy}");
    run(dir.path(), &["data", "verify", "set"]).fails_with(&["dataset.yaml states 0.5 novel positions", &remedy]);
}

#[test]
fn endings_are_labelled_by_their_tables() {
    for (name, ending) in [("kpk", Ending::Kpk), ("krk", Ending::Krk), ("kqk", Ending::Kqk)] {
        let dir = folder();
        let dataset = probe(dir.path(), &["endgame", "--ending", name], GameKind::Chess, "600", "set");
        let solved = Solved::new(ending);
        let mut results = BTreeSet::new();
        for row in rows(&dir.path().join("set"), &dataset) {
            let (position, moves) = target::<Chess>(&row);
            let value = solved.value(&position).expect("a position of the ending");
            let kept = moves_after(&position, |after| solved.value(after).is_some_and(|after| value.is_kept_by(after)));
            assert_eq!(moves, kept, "{position:?}");
            let points = match value {
                Value::Win(_) => 1.0,
                Value::Draw => 0.5,
                Value::Loss(_) => 0.0,
            };
            assert_eq!(row.value, [Some(points)]);
            // White is the strong side, and the weak one never wins.
            let decided = if value == Value::Draw { GameResult::Draw } else { GameResult::FirstWins };
            assert_eq!(row.result, decided);
            results.insert(row.result.name());
        }
        assert_eq!(results.len(), 2, "{name}: wins and draws");
    }
}

/// How many targets the widest row of a batch has, after checking that every row has some.
fn widest(batch: &Batch) -> usize {
    let rows = batch.policy_prob.chunks(batch.candidates);
    for row in rows {
        assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-5, "{row:?}");
    }
    batch.candidates
}

#[test]
fn networks_are_given_every_right_move() {
    let dir = folder();
    for (task, out) in [("mate-in-one", "mates"), ("legal-moves", "moves")] {
        let dataset = Arc::new(probe(dir.path(), &[task], GameKind::Chess, "200", out));
        assert_eq!(dataset.unit(), Unit::Position);
        assert_eq!(dataset.manifest().split.by, SplitBy::Position);
        let config = LoaderConfig { input: InputName::PieceTokens, batch: 64, seed: 1, workers: 1, block_games: 64 };
        let mut loader = TrainLoader::new(&dataset, config, 0).expect("training positions");
        assert!(widest(&loader.next().expect("a batch")) > 1);
        let test =
            evaluation_batches(&dataset, Split::Test, InputName::PieceTokens, 50, u64::MAX).expect("test positions");
        for batch in test {
            assert!(batch.expect("a batch").novel.iter().all(|&novel| novel), "split by position");
        }
    }
}

#[test]
fn the_same_command_makes_the_same_bytes() {
    let dir = folder();
    for (task, game) in [
        (&["mate-in-one"][..], GameKind::Chess),
        (&["legal-moves"][..], GameKind::Shogi),
        (&["endgame", "--ending", "krk"][..], GameKind::Chess),
        (&["pins"][..], GameKind::Chess),
        (&["mobility"][..], GameKind::Shogi),
    ] {
        let (first, second, third) = (format!("{}-1", task[0]), format!("{}-2", task[0]), format!("{}-3", task[0]));
        let dataset = probe(dir.path(), task, game, "100", &first);
        probe(dir.path(), task, game, "100", &second);
        for file in dataset.manifest().shards.iter().map(|shard| shard.file.as_str()) {
            let bytes = |set: &str| std::fs::read(dir.path().join(set).join(file)).expect("a shard");
            assert_eq!(bytes(&first), bytes(&second));
        }
        // A larger one holds the smaller one.
        let starts = |set: &str, dataset: &Dataset| -> BTreeSet<String> {
            rows(&dir.path().join(set), dataset).into_iter().filter_map(|row| row.start).collect()
        };
        let larger = probe(dir.path(), task, game, "150", &third);
        assert!(starts(&first, &dataset).is_subset(&starts(&third, &larger)));
        let manifest = dataset.manifest();
        let made =
            format!("posenc data generate probe {} --game {} --positions 100 --seed 3", task.join(" "), game.name());
        assert!(manifest.made_by.starts_with(&made), "{}", manifest.made_by);
        assert!(
            manifest.source.starts_with("exact labels: ") && manifest.source.contains("seed 3"),
            "{}",
            manifest.source
        );
        run(dir.path(), &["data", "verify", &first]).succeeds();
    }
}

#[test]
fn wrong_wishes_are_explained() {
    let dir = folder();
    let fails = |words: &str, parts: &[&str]| {
        let words: Vec<&str> = words.split(' ').collect();
        let answer = run(dir.path(), &[&["data", "generate", "probe"], words.as_slice()].concat());
        answer.fails_with(parts);
        assert!(!dir.path().join("set").exists());
    };
    let shogi = "endgame --ending kpk --game shogi --positions 10 --out set";
    fails(shogi, &["an ending of chess", "--game chess"]);
    fails("mate-in-one --ending kpk --game chess --positions 10 --out set", &["--ending", "leave it out"]);
    fails("endgame --ending krk --game chess --positions 9999999 --out set", &["krk has", "ask for fewer"]);
    fails("legal-moves --game chess --positions 10 --split-by-opening 4 --out set", &["split by position"]);
    fails("legal-moves --game chess --positions 10 --test 0.9 --validation 0.2 --out set", &["add up to less than 1"]);
    let usage = |words: &str, part: &str| {
        let words: Vec<&str> = words.split(' ').collect();
        let answer = run(dir.path(), &[&["data", "generate", "probe"], words.as_slice()].concat());
        assert_eq!(answer.code, Some(2), "{answer:?}");
        assert!(answer.stderr.contains(part), "{}", answer.stderr);
    };
    usage("endgame --game chess --positions 10 --out set", "--ending");
    usage("mate-in-two --game chess --positions 10 --out set", "mate-in-one");
    usage("mate-in-one --game chess --positions 0 --out set", "--positions");
}

#[test]
fn the_documented_experiment_can_be_run() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/generate-probes.md");
    let docs = std::fs::read_to_string(docs).expect("the page is there");
    let experiment = docs.split("```yaml\n").nth(1).and_then(|rest| rest.split("```").next()).expect("an experiment");
    let dir = folder();
    let command = docs.lines().find(|line| line.starts_with("posenc data generate probe mate-in-one"));
    let command = command.expect("the command that makes its data").replace("10000", "200");
    run(dir.path(), &command.split_ascii_whitespace().skip(1).collect::<Vec<_>>()).succeeds();
    write_experiment(dir.path(), experiment);
    let answer = run(dir.path(), &["check", "experiment.yaml"]).succeeds();
    assert!(answer.stdout.contains("15 cells"), "{}", answer.stdout);
}
