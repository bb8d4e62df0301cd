//! `posenc data generate probe`: what the command adds to crate `generate`.

use crate::cli::{cells, folder, run, run_args};
use crate::endless::GRID;
use config::Weights;
use dataset::Dataset;
use games::GameKind;
use games::map_labels::MapTask;
use records::Part;
use records::positions::{MEASURES, file, read};
use std::path::Path;
use testing::{assert_says, write_experiment};

/// Makes `dir/out` and opens it.
fn probe(dir: &Path, task: &str, game: GameKind, positions: u64, out: &str) -> Dataset {
    let options = format!("--game {} --positions {positions} --seed 3 --out {out}", game.name());
    run(dir, &format!("data generate probe {task} {options}")).succeeds();
    Dataset::open(&dir.join(out)).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn maps_are_verified_and_their_classes_shown() {
    for game in GameKind::ALL {
        for task in MapTask::ALL {
            let dir = folder();
            let dataset = probe(dir.path(), task.name(), game, 60, "set");
            let map = dataset.manifest().map.as_ref().expect("a map");
            run(&dir, "data verify set").succeeds().says(&["every one as the rules say"]);
            let info = run(&dir, "data info set").succeeds().stdout;
            assert!(info.contains(&format!("labelled cells of the map \"{}\" by class", task.name())), "{info}");
            let named = map.counted(&dataset.manifest().counts.map_classes);
            assert!(named.iter().all(|(name, _)| info.contains(&format!("\n  {name} "))), "{info}");
        }
    }
}

#[test]
fn the_manifest_states_the_command_and_the_labels() {
    let dir = folder();
    for (task, game) in [
        ("mate-in-one", GameKind::Chess),
        ("legal-moves", GameKind::Shogi),
        ("endgame --ending krk", GameKind::Chess),
        ("pins", GameKind::Chess),
        ("mobility", GameKind::Shogi),
    ] {
        let out = task.split(' ').next().expect("a task");
        let dataset = probe(dir.path(), task, game, 100, out);
        let manifest = dataset.manifest();
        let made = format!("posenc data generate probe {task} --game {} --positions 100 --seed 3", game.name());
        assert!(manifest.made_by.starts_with(&made), "{}", manifest.made_by);
        let source = &manifest.source;
        assert!(source.starts_with("exact labels: ") && source.contains("seed 3"), "{source}");
        run(&dir, &format!("data verify {out}")).succeeds();
    }
}

#[test]
fn what_training_lacks_is_not_mixed_into_it_by_another_split() {
    let dir = folder();
    probe(dir.path(), "attacked-squares --unseen edge-sliders", GameKind::Chess, 60, "set");
    for command in ["data split set --out other", "data merge set set --out other"] {
        run(&dir, command).fails_with(&["set was made with --unseen", "generate it again"]);
        assert!(!dir.path().join("other").exists());
    }
}

#[test]
fn wrong_wishes_are_explained() {
    let dir = folder();
    let fails = |words: &str, parts: &[&str]| {
        run(&dir, &format!("data generate probe {words}")).fails_with(parts);
        assert!(!dir.path().join("set").exists());
    };
    fails("endgame --ending kpk --game shogi --positions 10 --out set", &["an ending of chess", "--game chess"]);
    fails("mate-in-one --ending kpk --game chess --positions 10 --out set", &["--ending", "leave it out"]);
    fails("endgame --ending krk --game chess --positions 9999999 --out set", &["krk has", "ask for fewer"]);
    fails("legal-moves --game chess --positions 10 --split-by-opening 4 --out set", &["split by position"]);
    fails("legal-moves --game chess --positions 10 --test 0.9 --validation 0.2 --out set", &["add up to less than 1"]);
    let usage = |words: &str, part: &str| {
        run(&dir, &format!("data generate probe {words}")).misused_with(&[part]);
    };
    usage("endgame --game chess --positions 10 --out set", "--ending");
    usage("mate-in-two --game chess --positions 10 --out set", "mate-in-one");
    usage("mate-in-one --game chess --positions 0 --out set", "--positions");
}

#[test]
fn the_documented_experiment_can_be_run() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/data.md");
    let docs = std::fs::read_to_string(docs).expect("the page is there");
    let experiment = docs.split("```yaml\n").nth(1).and_then(|rest| rest.split("```").next()).expect("an experiment");
    let dir = folder();
    let command = docs.lines().find(|line| line.starts_with("posenc data generate probe mate-in-one"));
    let command = command.expect("the command that makes its data").replace("10000", "200");
    run(&dir, command.trim_start_matches("posenc ")).succeeds();
    write_experiment(dir.path(), experiment);
    run(&dir, "check experiment.yaml").succeeds().says(&["15 cells"]);
}

#[test]
fn the_loss_of_a_map_is_stored_for_each_test_position() {
    let dir = folder();
    probe(dir.path(), "attacked-squares", GameKind::Shogi, 200, "attacked");
    let (_, grid) = GRID.split_once("  input:").expect("an input");
    write_experiment(dir.path(), &format!("name: maps\nbase:\n  data: attacked\n  game: shogi\n  input:{grid}"));
    run(&dir, "run experiment.yaml").succeeds();
    let all = cells(&dir.path().join("runs/maps"));
    let first = all[0].to_str().expect("a text");
    let asked = run_args(&dir, &["predict", first, "--position", "startpos", "--top", "3", "--all-moves"]).succeeds();
    assert_says(&asked.stdout, &["\n    attacked-squares: 0 nobody, 1 own, 2 opponent, 3 both\n"]);
    for option in ["--top", "--all-moves"] {
        assert_says(&asked.stderr, &[&format!("{option} has no effect: this network has no policy")]);
    }
    for cell in all {
        let rows = read(&cell.join(file(Weights::Raw))).expect("stored positions");
        let place = MEASURES.iter().position(|&name| name == "map_loss").expect("it is stored");
        let losses: Vec<f64> = rows.iter().map(|row| f64::from(row.values[place].expect("a map"))).collect();
        let mean = losses.iter().sum::<f64>() / losses.len() as f64;
        let lines = records::lines::read(&cell.join("metrics.jsonl")).expect("metrics");
        let test = lines.iter().rfind(|line| line.split == Part::Test).expect("a line of the test split");
        let measured = test.metrics.get("map_loss").expect("a loss");
        assert!(losses.len() > 10 && (mean - measured).abs() < 1e-6, "{mean}, not {measured}");
        assert!(losses.iter().any(|loss| (loss - mean).abs() > 1e-6), "every position has the same loss");
    }
}
