//! `posenc status`, `retry` and `prune` on real, tiny cells.

use crate::cli::{Answer, cell_of, cells, posenc, run};
use records::{CellLock, CellState};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use testing::{place, small};

fn status(dir: &Path) -> Value {
    let answer = run(dir, &["status", "runs/small", "--json"]).succeeds();
    serde_json::from_str(&answer.stdout).expect("JSON")
}

fn state_of<'a>(status: &'a Value, row: &str) -> &'a Value {
    let cells = status["cells"].as_array().expect("cells");
    cells.iter().find(|cell| cell["row"] == row).expect("the row")
}

#[test]
fn status_tells_every_state_with_step_loss_speed_and_what_is_left() {
    let dir = place(&small());
    run(dir.path(), &["run", "experiment.yaml", "--only", "encoding=none"]).succeeds();
    let run_dir = dir.path().join("runs/small");
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
    let text = run(dir.path(), &["status", "runs/small"]).succeeds().stdout;
    assert!(text.contains("chess-none-twin seed 0 (twin)"), "{text}");
    assert!(text.contains("4 cells of small: 1 done, 1 running, 2 pending"), "{text}");
    drop(lock);
    assert_eq!(state_of(&status(dir.path()), "chess-none-twin")["state"], "interrupted");
    assert!(run(dir.path(), &["status", "."]).fails_with(&["grid.json"]).stdout.is_empty());
}

/// A grid whose cell `shaw` fails while something lies where its metrics belong.
fn with_a_failure(dir: &Path) -> PathBuf {
    run(dir, &["run", "experiment.yaml", "--only", "encoding=none"]).succeeds();
    let run_dir = dir.join("runs/small");
    let plan = records::Plan::read(&run_dir).expect("a plan");
    let row = plan.rows.iter().find(|row| row.label == "shaw").expect("the row");
    let shaw = run_dir.join(&row.folder).join("seed-0");
    fs::create_dir_all(shaw.join("metrics.jsonl")).expect("a folder");
    assert_eq!(run(dir, &["run", "experiment.yaml"]).code, Some(1));
    shaw
}

#[test]
fn failed_cells_are_retried_without_the_experiments_file() {
    let dir = place(&small());
    let shaw = with_a_failure(dir.path());
    fs::remove_file(dir.path().join("experiment.yaml")).expect("the file goes");
    let answer = run(dir.path(), &["retry", "--failed", "runs/small"]);
    assert_eq!(answer.code, Some(1), "{}", answer.stderr);
    assert!(answer.stdout.contains("1 cells tried again: 0 finished, 1 failed\n"), "{}", answer.stdout);
    fs::remove_dir(shaw.join("metrics.jsonl")).expect("the folder goes");
    let answer = run(dir.path(), &["retry", "--failed", "runs/small"]).succeeds();
    assert!(answer.stdout.contains("1 cells tried again: 1 finished, 0 failed\n"), "{}", answer.stdout);
    assert!(cells(&dir.path().join("runs/small")).iter().all(|cell| CellState::of(cell) == CellState::Done));
    let answer = run(dir.path(), &["retry", "--failed", "runs/small"]).succeeds();
    assert!(answer.stdout.contains("0 cells tried again"), "{}", answer.stdout);
    assert_eq!(run(dir.path(), &["retry", "runs/small"]).code, Some(2), "it must be said which cells");
}

#[test]
fn what_would_fail_again_is_not_retried() {
    let dir = place(&small());
    run(dir.path(), &["run", "experiment.yaml"]).succeeds();
    let run_dir = dir.path().join("runs/small");
    let status = r#"{"state":"failed","step":3,"steps":8,"error":"the loss of step 4 is not finite (NaN)"}"#;
    fs::write(cell_of(&run_dir, "chess-shaw").join("status.json"), status).expect("a status");
    let answer = run(dir.path(), &["retry", "--failed", "runs/small"]);
    assert_eq!(answer.code, Some(1));
    assert!(answer.stderr.contains("chess-shaw seed 0 is left") && answer.stderr.contains("learning rate"));
    assert!(answer.stdout.contains("0 cells tried again: 0 finished, 0 failed, 1 left"), "{}", answer.stdout);
}

#[test]
fn pruning_takes_checkpoints_of_finished_cells_and_no_metric() {
    let dir = place(&small());
    run(dir.path(), &["run", "experiment.yaml", "--only", "encoding=none,shaw"]).succeeds();
    let run_dir = dir.path().join("runs/small");
    let (none, shaw) = (cell_of(&run_dir, "chess-none"), cell_of(&run_dir, "chess-shaw"));
    for cell in [&none, &shaw] {
        fs::write(cell.join("checkpoints/step-4.safetensors"), [0; 100]).expect("a checkpoint");
        fs::write(cell.join("checkpoints/step-4.safetensors.77.tmp"), [0; 10]).expect("half a checkpoint");
    }
    fs::write(shaw.join("status.json"), r#"{"state":"interrupted","step":4,"steps":8}"#).expect("a status");
    let files = |cell: &Path| {
        let names = |dir: &Path| {
            let entries = fs::read_dir(dir).expect("a folder").map(|entry| entry.expect("an entry").file_name());
            entries.map(|name| name.to_string_lossy().into_owned()).collect::<Vec<_>>()
        };
        let mut all = [names(cell), names(&cell.join("checkpoints"))].concat();
        all.sort();
        all
    };
    let before = [files(&none), files(&shaw)];
    let said = run(dir.path(), &["prune", "--dry-run", "runs/small"]).succeeds().stdout;
    assert!(said.contains("3 files would be removed") && said.contains("checkpoints/step-4.safetensors 100"), "{said}");
    assert_eq!([files(&none), files(&shaw)], before);

    let said = run(dir.path(), &["prune", "runs/small"]).succeeds().stdout;
    assert!(said.contains("3 files removed") && said.contains("2 cells are finished, 1 are not"), "{said}");
    let without = |names: &[String], gone: &[&str]| -> Vec<String> {
        names.iter().filter(|name| !gone.contains(&&name[..])).cloned().collect()
    };
    assert_eq!(files(&none), without(&before[0], &["step-4.safetensors", "step-4.safetensors.77.tmp"]));
    assert_eq!(files(&shaw), without(&before[1], &["step-4.safetensors.77.tmp"]), "an unfinished cell needs its own");

    // Nobody prunes under a process that is at work.
    let lock = CellLock::try_take(&none).expect("a lock").expect("it is free");
    assert!(run(dir.path(), &["prune", "--weights", "runs/small"]).succeeds().stdout.contains("1 files removed"));
    assert!(none.join("checkpoints/final.safetensors").exists());
    drop(lock);
    run(dir.path(), &["prune", "--weights", "runs/small"]).succeeds();
    assert!(!none.join("checkpoints/final.safetensors").exists() && none.join("metrics.jsonl").exists());
    // A pruned cell is still a finished one.
    let again = run(dir.path(), &["run", "experiment.yaml", "--only", "encoding=none"]).succeeds();
    assert!(again.stdout.contains("all were finished already"), "{}", again.stdout);
}

#[test]
fn a_time_limit_stops_the_run_at_checkpoints() {
    let dir = place(&small().replace("steps: 8", "steps: 100000"));
    let answer = run(dir.path(), &["run", "experiment.yaml", "--jobs", "1", "--time-limit", "3s"]);
    assert_eq!(answer.code, Some(1), "{}", answer.stderr);
    assert!(answer.stdout.contains("1 interrupted; the same command goes on with them"), "{}", answer.stdout);
    let wrong =
        posenc(dir.path(), &["run", "experiment.yaml", "--time-limit", "soon"]).output().expect("posenc starts");
    assert_eq!(wrong.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("write 90s, 30m"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_a_failure_that_the_next_run_mends_with_nothing_lost() {
    use std::os::unix::process::CommandExt as _;
    let dir = place(&small());
    let calm = run(dir.path(), &["run", "experiment.yaml", "--out", "calm"]).succeeds();
    let mut command = posenc(dir.path(), &["run", "experiment.yaml"]);
    // Enough for configurations, manifests and lines, too little for weights.
    let limit = libc::rlimit { rlim_cur: 24_000, rlim_max: 24_000 };
    // SAFETY: between fork and exec one async-signal-safe system call is made.
    unsafe {
        command.pre_exec(move || match libc::setrlimit(libc::RLIMIT_FSIZE, &limit) {
            0 => Ok(()),
            _ => Err(std::io::Error::last_os_error()),
        });
    }
    let full: Answer = command.output().expect("posenc starts").into();
    assert_eq!(full.code, Some(1), "{}", full.stderr);
    assert!(full.stdout.contains("0 cells finished, 4 failed, 0 skipped"), "{}", full.stdout);
    assert!(full.stdout.contains("FAILED: disk full: cannot write"), "{}", full.stdout);
    let mended = run(dir.path(), &["run", "experiment.yaml"]).succeeds();
    assert!(mended.stdout.contains("3 cells finished (and 1 A/A controls), 0 failed"), "{}", mended.stdout);
    assert!(calm.stdout.contains("3 cells finished (and 1 A/A controls), 0 failed"));
    let status = |out: &str| -> Vec<Vec<u8>> {
        let cells = cells(&dir.path().join(out).join("small"));
        cells.iter().map(|cell| fs::read(cell.join("status.json")).expect("a status")).collect()
    };
    assert_eq!(status("runs"), status("calm"));
}

#[test]
fn a_torn_line_is_cut_off_and_checkpoints_that_are_gone_cost_only_time() {
    let dir = place(&small().replace("steps: 8", "steps: 40\n    checkpoint_every: 5"));
    run(dir.path(), &["run", "experiment.yaml", "--out", "calm"]).succeeds();
    let stopped = run(dir.path(), &["run", "experiment.yaml", "--only", "encoding=shaw"]).succeeds();
    assert!(stopped.stdout.contains("1 cells finished"), "{}", stopped.stdout);
    let shaw = cell_of(&dir.path().join("runs/small"), "chess-shaw");
    // As a killed process leaves it, with a torn line and without a single checkpoint.
    fs::write(shaw.join("status.json"), r#"{"state":"running","step":20,"steps":40}"#).expect("a status");
    fs::remove_dir_all(shaw.join("checkpoints")).expect("the checkpoints go");
    let metrics = fs::read(shaw.join("metrics.jsonl")).expect("metrics");
    fs::write(shaw.join("metrics.jsonl"), &metrics[..metrics.len() / 2]).expect("half of it");
    run(dir.path(), &["run", "experiment.yaml"]).succeeds();
    let result = |out: &str| fs::read(cell_of(&dir.path().join(out).join("small"), "chess-shaw").join("status.json"));
    assert_eq!(result("runs").expect("a status"), result("calm").expect("a status"));
}

#[test]
fn a_finished_cell_whose_metrics_are_damaged_is_put_aside_and_trained_to_the_same_numbers() {
    let dir = place(&small());
    run(dir.path(), &["run", "experiment.yaml"]).succeeds();
    let run_dir = dir.path().join("runs/small");
    let cell = cell_of(&run_dir, "chess-shaw");
    let metrics = cell.join("metrics.jsonl");
    let whole = fs::read_to_string(&metrics).expect("metrics");
    let lines = whole.lines().count();
    let (before, last) = whole.trim_end().rsplit_once('\n').expect("several lines");
    fs::write(&metrics, format!("{before}\n{}\n", &last[..last.len() / 2])).expect("damaged");

    let place = format!("metrics.jsonl, line {lines}: ");
    let remedy = "`posenc retry RUNDIR --failed`";
    let shown = run(dir.path(), &["status", "runs/small"]).succeeds().stdout;
    let report = run(dir.path(), &["report", "runs/small"]).succeeds().stdout;
    for text in [&shown, &report] {
        for part in ["FAILED: damaged: the cell finished, but ", &place, remedy] {
            assert!(text.contains(part), "{part:?} is not in\n{text}");
        }
    }
    assert!(shown.contains("3 done, 1 failed"), "{shown}");

    let answer = run(dir.path(), &["retry", "--failed", "runs/small"]).succeeds();
    assert!(answer.stdout.contains("1 cells tried again: 1 finished, 0 failed"), "{}", answer.stdout);
    assert!(answer.stderr.contains("damaged-seed-0") && answer.stderr.contains(&place), "{}", answer.stderr);
    let old = fs::read_to_string(cell.with_file_name("damaged-seed-0").join("metrics.jsonl")).expect("put aside");
    assert!(old.starts_with(before), "nothing is lost");
    let bits = |text: &str| -> Vec<String> {
        text.lines().map(|line| line.split_once(",\"time\":").expect("a time").0.to_owned()).collect()
    };
    assert_eq!(bits(&fs::read_to_string(&metrics).expect("metrics")), bits(&whole));
    assert!(run(dir.path(), &["status", "runs/small"]).succeeds().stdout.contains("4 done"));

    // In the middle of the file the damage shows in the report.
    fs::write(&metrics, whole.replacen("{\"step\"", "{\"stop\"", 1)).expect("damaged");
    let report = run(dir.path(), &["report", "runs/small"]).succeeds().stdout;
    assert!(report.contains("metrics.jsonl, line 1: ") && report.contains(remedy), "{report}");
}
