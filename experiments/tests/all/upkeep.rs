//! `posenc status`, `retry` and `prune` on real, tiny cells.

use crate::bundles::files;
use crate::cli::{cell_of, cells, posenc, row_folder, run, small_run, with_little_room};
use records::lines::without_times;
use records::{CellLock, CellState};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use testing::{place, small};

fn status(dir: &Path) -> Value {
    run(dir, "status runs/small --json").json()
}

fn state_of<'a>(status: &'a Value, row: &str) -> &'a Value {
    let cells = status["cells"].as_array().expect("cells");
    cells.iter().find(|cell| cell["row"] == row).expect("the row")
}

#[test]
fn status_tells_every_state_with_step_loss_speed_and_what_is_left() {
    let (dir, run_dir) = small_run("--only encoding=none");
    let told = status(dir.path());
    let none = state_of(&told, "chess-none");
    assert_eq!((&none["state"], &none["step"], &none["steps"]), (&"done".into(), &8.into(), &8.into()));
    assert!(none["loss"].as_f64().is_some_and(|loss| loss > 0.0), "{none}");
    assert!(none["positions_per_s"].as_f64().is_some_and(|speed| speed > 0.0), "{none}");
    assert_eq!(none["left_s"], Value::Null);
    assert_eq!(state_of(&told, "chess-shaw")["state"], "pending");
    assert_eq!(state_of(&told, "chess-none-twin")["twin"], true);

    // A cell that another process holds is running, and what is left of it follows from its row's pace.
    let twin = cell_of(&run_dir, "chess-none-twin");
    fs::write(twin.join("status.json"), r#"{"state":"running","step":2,"steps":8}"#).expect("a status");
    fs::write(twin.join("metrics.jsonl"), "").expect("no lines yet");
    let lock = CellLock::try_take(&twin).expect("a lock").expect("it is free");
    let told = status(dir.path());
    let running = state_of(&told, "chess-none-twin");
    assert_eq!((&running["state"], &running["step"]), (&"running".into(), &2.into()));
    let pace = none["spent_s"].as_f64().expect("seconds") / 8.0;
    let left = running["left_s"].as_f64().expect("seconds");
    assert!((left - 6.0 * pace).abs() < 1e-9, "{left} is not six steps of {pace}");
    let parts = ["chess-none-twin seed 0 (twin)", "4 cells of small: 1 done, 1 running, 2 pending"];
    run(&dir, "status runs/small").succeeds().says(&parts);
    drop(lock);
    assert_eq!(state_of(&status(dir.path()), "chess-none-twin")["state"], "interrupted");
    assert!(run(&dir, "status .").fails_with(&["grid.json"]).stdout.is_empty());
}

#[test]
fn a_failed_cell_is_a_row_and_is_retried_without_the_experiments_file() {
    let (dir, run_dir) = small_run("--only encoding=none");
    // A folder lies where the cell's metrics belong.
    let metrics = run_dir.join(row_folder(&run_dir, "shaw")).join("seed-0/metrics.jsonl");
    fs::create_dir_all(&metrics).expect("a folder");
    let failed = run(&dir, "run experiment.yaml").fails();
    failed.says(&["small: 3 of 4 cells in ", "1 FAILED", "chess shaw seed 0 FAILED: error: "]);
    let causes = ["chess shaw seed 0 FAILED: error: ", "metrics.jsonl", "(seed 0 failed)"];
    run(&dir, "report runs/small").succeeds().says(&causes);

    fs::remove_file(dir.path().join("experiment.yaml")).expect("the file goes");
    let retry = || run(&dir, "retry --failed runs/small");
    retry().fails().says(&["1 cell tried again: 0 finished, 1 failed\n"]);
    fs::remove_dir(metrics).expect("the folder goes");
    retry().succeeds().says(&["1 cell tried again: 1 finished, 0 failed\n"]);
    assert!(cells(&run_dir).iter().all(|cell| CellState::of(cell) == CellState::Done));
    retry().succeeds().says(&["0 cells tried again"]);
    run(&dir, "retry runs/small").misused_with(&["<--failed|--interrupted>"]);

    // A cell that would fail again is not retried.
    let status = r#"{"state":"failed","step":3,"steps":8,"error":"the loss of step 4 is not finite (NaN)"}"#;
    fs::write(cell_of(&run_dir, "chess-shaw").join("status.json"), status).expect("a status");
    let left = retry().fails().says(&["0 cells tried again: 0 finished, 0 failed, 1 left"]);
    left.tells(&["chess-shaw seed 0 is left", "learning rate"]);
}

#[test]
fn pruning_takes_checkpoints_of_finished_cells_and_no_metric() {
    let (dir, run_dir) = small_run("--only encoding=none,shaw");
    let (none, shaw) = (cell_of(&run_dir, "chess-none"), cell_of(&run_dir, "chess-shaw"));
    for cell in [&none, &shaw] {
        fs::write(cell.join("checkpoints/step-4.safetensors"), [0; 100]).expect("a checkpoint");
        fs::write(cell.join("checkpoints/step-4.safetensors.77.tmp"), [0; 10]).expect("half a checkpoint");
    }
    fs::write(shaw.join("status.json"), r#"{"state":"interrupted","step":4,"steps":8}"#).expect("a status");
    let before = [files(&none), files(&shaw)];
    let parts = ["3 files would be removed", "checkpoints/step-4.safetensors 100"];
    run(&dir, "prune --dry-run runs/small").succeeds().says(&parts);
    assert_eq!([files(&none), files(&shaw)], before);

    run(&dir, "prune runs/small").succeeds().says(&["3 files removed", "2 cells are finished, 1 are not"]);
    let without = |files: &[PathBuf], gone: &[&str]| -> Vec<PathBuf> {
        files.iter().filter(|path| !gone.iter().any(|name| path.ends_with(name))).cloned().collect()
    };
    assert_eq!(files(&none), without(&before[0], &["step-4.safetensors", "step-4.safetensors.77.tmp"]));
    assert_eq!(files(&shaw), without(&before[1], &["step-4.safetensors.77.tmp"]), "an unfinished cell needs its own");

    // Nobody prunes under a process that is at work.
    let lock = CellLock::try_take(&none).expect("a lock").expect("it is free");
    run(&dir, "prune --weights runs/small").succeeds().says(&["1 file removed"]);
    assert!(none.join("checkpoints/final.safetensors").exists());
    drop(lock);
    run(&dir, "prune --weights runs/small").succeeds();
    assert!(!none.join("checkpoints/final.safetensors").exists() && none.join("metrics.jsonl").exists());
    // A pruned cell is still a finished one.
    run(&dir, "run experiment.yaml --only encoding=none").succeeds().says(&["nothing was trained"]);
}

#[test]
fn a_time_limit_stops_the_run_at_checkpoints() {
    let dir = place(&small().replace("steps: 8", "steps: 100000"));
    run(&dir, "run experiment.yaml --jobs 1 --time-limit 3s").fails().says(&["1 interrupted: the same command"]);
    run(&dir, "run experiment.yaml --time-limit soon").misused_with(&["write 90s, 30m"]);
}

#[test]
fn a_full_disk_and_a_torn_line_are_failures_that_the_next_run_mends_with_nothing_lost() {
    let dir = place(&small());
    let finished = ["small: 4 of 4 cells in ", "none failed"];
    run(&dir, "run experiment.yaml --out calm").succeeds().says(&finished);
    let statuses = |out: &str| -> Vec<Vec<u8>> {
        let cells = cells(&dir.path().join(out).join("small"));
        cells.iter().map(|cell| fs::read(cell.join("status.json")).expect("a status")).collect()
    };
    // Enough for configurations, manifests and lines, too little for weights.
    let full = with_little_room(posenc(dir.path(), &["run", "experiment.yaml"]), 24_000).fails();
    full.says(&[
        "small: 0 of 4 cells in ",
        "4 FAILED",
        "FAILED: disk full: cannot write",
        "2 more FAILED: posenc report",
    ]);
    run(&dir, "run experiment.yaml").succeeds().says(&finished);
    assert_eq!(statuses("runs"), statuses("calm"));

    // As a killed process leaves it, with a torn line and without a checkpoint, which costs only time.
    let shaw = cell_of(&dir.path().join("runs/small"), "chess-shaw");
    fs::write(shaw.join("status.json"), r#"{"state":"running","step":4,"steps":8}"#).expect("a status");
    fs::remove_dir_all(shaw.join("checkpoints")).expect("the checkpoints go");
    let metrics = fs::read(shaw.join("metrics.jsonl")).expect("metrics");
    fs::write(shaw.join("metrics.jsonl"), &metrics[..metrics.len() / 2]).expect("half of it");
    run(&dir, "run experiment.yaml").succeeds().says(&finished);
    assert_eq!(statuses("runs"), statuses("calm"));
}

#[test]
fn a_finished_cell_whose_metrics_are_damaged_is_renamed_and_trained_to_the_same_numbers() {
    let (dir, run_dir) = small_run("");
    let cell = cell_of(&run_dir, "chess-shaw");
    let metrics = cell.join("metrics.jsonl");
    let whole = fs::read_to_string(&metrics).expect("metrics");
    let lines = whole.lines().count();
    let (before, last) = whole.trim_end().rsplit_once('\n').expect("several lines");
    fs::write(&metrics, format!("{before}\n{}\n", &last[..last.len() / 2])).expect("damaged");

    let place = format!("metrics.jsonl, line {lines}: ");
    let remedy = "`posenc retry RUNDIR --failed`";
    let parts = ["FAILED: damaged: the cell finished, but ", &place, remedy];
    run(&dir, "status runs/small").succeeds().says(&parts).says(&["3 done, 1 failed"]);
    run(&dir, "report runs/small").succeeds().says(&parts);

    let answer = run(&dir, "retry --failed runs/small").succeeds();
    answer.tells(&["damaged-seed-0", &place]).says(&["1 cell tried again: 1 finished, 0 failed"]);
    let old = fs::read_to_string(cell.with_file_name("damaged-seed-0").join("metrics.jsonl")).expect("put aside");
    assert!(old.starts_with(before), "nothing is lost");
    let again = fs::read_to_string(&metrics).expect("metrics");
    assert!(again.lines().map(without_times).eq(whole.lines().map(without_times)), "{again}");
    run(&dir, "status runs/small").succeeds().says(&["4 done"]);

    // In the middle of the file the damage shows in the report.
    fs::write(&metrics, whole.replacen("{\"step\"", "{\"stop\"", 1)).expect("damaged");
    run(&dir, "report runs/small").succeeds().says(&["metrics.jsonl, line 1: ", remedy]);
}

#[test]
fn a_finished_cell_that_is_cut_or_changed_is_named_not_published_and_trained_again() {
    let (dir, run_dir) = small_run("");
    let cell = cell_of(&run_dir, "chess-shaw");
    let [metrics, manifest] = ["metrics.jsonl", "manifest.json"].map(|name| cell.join(name));
    let whole = fs::read_to_string(&metrics).expect("metrics");
    let half: Vec<&str> = whole.split_inclusive('\n').take(whole.lines().count() / 2).collect();
    let changed = whole.replacen("_loss\":", "_loss\":1", 1);
    for text in [Some(half.concat()), Some(changed), None] {
        match text {
            Some(text) => fs::write(&metrics, text).expect("damaged"),
            None => fs::remove_file(&manifest).expect("removed"),
        }
        let parts = ["cells that are not done: 1", "damaged: the cell finished, but "];
        run(&dir, "publish runs/small --out bundle").fails_with(&parts);
        assert_eq!(
            run(&dir, "run experiment.yaml").tells(&["is damaged: ", "posenc retry"]).code,
            Some(1),
            "nothing is trained, and a cell is damaged"
        );
        run(&dir, "retry --failed runs/small").succeeds().says(&["1 cell tried again: 1 finished, 0 failed"]);
        run(&dir, "status runs/small").succeeds().says(&["4 done"]);
        let again = fs::read_to_string(&metrics).expect("metrics");
        assert!(again.lines().map(without_times).eq(whole.lines().map(without_times)), "{again}");
    }
}
