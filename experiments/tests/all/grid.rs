//! `posenc run` and `posenc report` on real, tiny cells.

use crate::cli::{Answer, cell_of, cells, posenc, row_folder, run, signal, small_run, wait_for_step};
use records::{Baselines, CellLock, CellState};
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};
use testing::{event_files, events, flip, place, small};

/// What must not change when nothing is trained.
fn fingerprints(run_dir: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let files = cells(run_dir).into_iter().flat_map(|cell| {
        ["metrics.jsonl", "status.json", "manifest.json", "log.txt", "config.yaml"].map(|name| cell.join(name))
    });
    files.map(|file| (file.clone(), fs::read(file).expect("a file of the cell"))).collect()
}

#[test]
fn a_grid_runs_once_and_its_report_is_always_the_same() {
    let dir = place(&small());
    let parts = [
        "small: 4 of 4 cells in ",
        "policy_loss in nats on test positions, lower is better; one seed\n",
        "next: posenc report runs/small --format html > small.html",
        "tensorboard --logdir runs/small",
        "needs ≥ 3 complete pairs, has 1",
        " reference ",
    ];
    let first = run(&dir, "run experiment.yaml").succeeds().says(&parts).tells(&["cell 4/4 done"]);
    let has_time =
        |line: &str| line.split(' ').next().is_some_and(|time| time.len() == 8 && time.matches(':').count() == 2);
    assert!(first.stderr.lines().filter(|line| line.contains("cell ")).all(has_time), "{}", first.stderr);
    let run_dir = dir.path().join("runs/small");
    assert_eq!(fs::read_to_string(run_dir.join("experiment.yaml")).expect("the experiment's file"), small());
    let before = fingerprints(&run_dir);
    assert_eq!(before.len(), 4 * 5);
    let baselines = Baselines::read(&run_dir).expect("baselines of a policy");
    assert_eq!((baselines.sets.len(), baselines.sets[0].rows.len()), (1, 4), "{baselines:?}");

    let second = run(&dir, "run experiment.yaml").succeeds();
    assert_eq!(fingerprints(&run_dir), before);
    assert_eq!(second.stderr, "", "nothing is trained, so nothing is printed");
    let (summary, table) = second.stdout.split_once('\n').expect("a headline, then a table");
    assert_eq!(summary, "small: 4 of 4 cells, none failed; nothing was trained");
    assert_eq!(table, first.stdout.split_once('\n').expect("a headline, then a table").1);
    let fits = |line: &str| line.chars().count() <= 80 && !line.contains('\u{1b}');
    assert!(second.stdout.lines().all(fits) && second.stdout.lines().count() <= 20, "{}", second.stdout);

    let baselines = ["static prior", "log-linear model", "uniform over legal moves"];
    let report = || run(&dir, "report runs/small").succeeds().says(&baselines).stdout;
    assert_eq!(report(), report());
    assert!(!report().contains("not measured"), "{}", report());
    let wide = run(&dir, "report runs/small --wide wide --difference 0.1").succeeds();
    let wide = wide.says(&["4 cells in wide, each with metrics.csv"]);
    assert!(wide.stderr.starts_with("--difference, ") && wide.stderr.contains("have no effect"), "{}", wide.stderr);
    assert!(fs::read_dir(dir.path().join("wide")).expect("rows").count() == 4);

    // What TensorBoard shows is derived, so a run gives it back.
    let cell = cell_of(&run_dir, "chess-shaw");
    event_files(&cell).iter().for_each(|path| fs::remove_file(path).expect("the event files go"));
    let third = run(&dir, "run experiment.yaml").succeeds();
    assert_eq!(third.stderr, "chess-shaw seed 0: its event files are rebuilt from metrics.jsonl\n");
    assert_eq!((event_files(&cell).len(), fingerprints(&run_dir)), (1, before));
}

#[test]
fn a_part_of_a_grid_can_be_chosen() {
    let dir = place(&small());
    let only = |cells: &str| run(&dir, &format!("run experiment.yaml --only seed=0 --only {cells}"));
    // The A/A control is a row of `none`. Step times wait for the whole grid.
    only("encoding=shaw,none").succeeds().says(&["small: 3 of 4 cells in ", "none failed; 1 pending", " 0/1 seeds"]);
    let report = || run(&dir, "report runs/small").succeeds();
    report().says(&["2 of 3 cells done, 1 pending", "not measured"]);
    only("row=chess-absolute").succeeds().says(&["small: 4 of 4 cells in "]);
    report().says(&["3 of 3 cells done"]);

    only("encoding=rope").fails_with(&["--only", "chess-shaw"]);
    only("seed=0,seed=1").fails_with(&["--only", "seed=seed=1"]);
    only("colour=red").misused_with(&["there is no setting \"colour\"", "learning_rate"]);
}

#[test]
fn no_override_and_no_changed_file_takes_finished_cells_out_of_the_plan() {
    let (dir, _) = small_run("--only encoding=none,absolute");
    let shown = |run_dir: &str, counts: &str| drop(run(&dir, &format!("status {run_dir}")).succeeds().says(&[counts]));
    shown("runs/small", "4 cells of small: 3 done, 1 pending");
    let tried = run(&dir, "run experiment.yaml --set steps=4 --only encoding=none").succeeds();
    assert!(tried.stdout.starts_with("small+train.steps=4: 2 of 4 cells in "), "{}", tried.stdout);
    let kept = fs::read_to_string(dir.path().join("runs/small+train.steps=4/experiment.yaml")).expect("the kept file");
    assert!(kept.starts_with("# --set steps=4\nname: small\n"), "{kept}");
    shown("runs/small", "4 cells of small: 3 done, 1 pending");
    shown("runs/small+train.steps=4", "4 cells of small+train.steps=4: 2 done, 2 pending");

    let changed = |text: &str| fs::write(dir.path().join("experiment.yaml"), text).expect("a file");
    changed(&small().replace("steps: 8", "steps: 6"));
    let refusal =
        ["runs/small has 3 finished cells that the new plan lacks (chess-none-", "another `name`", "--replace"];
    run(&dir, "run experiment.yaml").fails_with(&refusal);
    shown("runs/small", "4 cells of small: 3 done, 1 pending");
    run(&dir, "run experiment.yaml --only encoding=absolute --replace").succeeds();
    shown("runs/small", "4 cells of small: 1 done, 3 pending");

    // Another row drops nothing, also if it gives a finished one a new label.
    let gate = "at: input}\n    - absolute: {at: gate}\n";
    changed(&small().replace("steps: 8", "steps: 6").replace("at: input}\n", gate));
    let more = run(&dir, "run experiment.yaml --only encoding=absolute").succeeds();
    more.tells(&["copied from other run folders or bundles: 1 cell,"]);
    shown("runs/small", "5 cells of small: 2 done, 3 pending");
}

#[test]
fn rows_that_get_names_keep_their_cells_and_have_these_names_everywhere() {
    let (dir, run_dir) = small_run("");
    let names = "names:\n  Shaw q,k: {encoding: {shaw: {terms: [q, k]}}}\n  No position: {encoding: none}\n";
    fs::write(dir.path().join("experiment.yaml"), small() + names).expect("a file");
    run(&dir, "check experiment.yaml").succeeds().says(&["chess-Shaw-q-k"]);
    let parts =
        ["copied from other run folders or bundles: 3 cells, finished there", "event files of 3 cells are rebuilt"];
    let named = run(&dir, "run experiment.yaml").succeeds();
    let named = named.says(&["Shaw q,k", "No position"]).tells(&parts);
    assert!(!named.stderr.contains("cell 4/4"), "{named:?}");
    let report = run(&dir, "report runs/small").succeeds().stdout;
    assert!(!report.contains("orphaned"), "{report}");
    run(&dir, "status runs/small").succeeds().says(&["4 done", "chess Shaw q,k", "chess-absolute"]);
    let cell = cell_of(&run_dir, "chess-Shaw-q-k");
    let hparams = events(&cell).hparams.expect("a session");
    let axes: Vec<(&str, &str)> =
        hparams.iter().filter_map(|(name, value)| Some((&name[..], value.as_str()?))).collect();
    assert_eq!(axes, [("encoding", "shaw"), ("row", "Shaw q,k"), ("seed", "0")]);
    assert_eq!(run(&dir, "run experiment.yaml").succeeds().stderr, "", "nothing is left to do");
}

#[test]
fn fail_fast_leaves_the_rest_alone() {
    let (dir, run_dir) = small_run("--only encoding=shaw");
    let none = run_dir.join(row_folder(&run_dir, "none")).join("seed-0");
    fs::create_dir_all(none.join("metrics.jsonl")).expect("a folder");
    let answer = run(&dir, "run experiment.yaml --fail-fast --jobs 1").fails();
    answer.says(&["small: 1 of 4 cells in ", "1 FAILED; 2 pending", "chess none seed 0 FAILED: error: "]);
}

#[test]
fn a_smoke_run_tries_everything_apart_from_real_results() {
    let dir = place(&small().replace("steps: 8", "steps: 100000"));
    for _ in 0..2 {
        let parts = [
            "small: everything works\n  trained    4 of 4 cells, a few steps each\n",
            "evaluated  4 of 4 cells on test positions\n",
            "resumed    chess-none seed 0: the same bits as without interruption\n",
        ];
        let answer = run(&dir, "run experiment.yaml --smoke").succeeds().says(&parts);
        assert!(answer.stdout.lines().count() <= 8 && !answer.stdout.contains(['.', '±']), "{}", answer.stdout);
        for metric in ["loss", "accuracy", "nats", "better"] {
            assert!(!answer.stdout.contains(metric), "{metric} is in {}", answer.stdout);
        }
        let run_dir = dir.path().join("runs/smoke-small");
        assert_eq!(cells(&run_dir).len(), 4);
        let resumed = records::Manifest::read(&run_dir.join("resumed")).expect("readable").expect("a manifest");
        assert_eq!(resumed.sessions.len(), 2, "it was interrupted once");
        assert!(!dir.path().join("runs/small").exists());
    }
}

#[test]
fn what_cannot_run_is_refused_before_anything_runs() {
    let dir = place(&small());
    fs::write(dir.path().join("file"), "").expect("a file");
    run(&dir, "run experiment.yaml --out file/runs").fails_with(&["cannot write to file/runs/small", "--out"]);
    run(&dir, "report .").fails_with(&["grid.json", "runs/"]);
    run(&dir, "report nowhere").fails_with(&["nowhere"]);

    let mut entries =
        fs::read_dir(dir.path().join("chess")).expect("the dataset").map(|entry| entry.expect("an entry"));
    let shard = entries.find(|entry| entry.path().extension().is_some_and(|end| end == "parquet")).expect("a shard");
    flip(&shard.path(), |length| length / 2);
    run(&dir, "run experiment.yaml").fails_with(&["chess", ".parquet", "fetch the dataset again"]);
    let bytes = fs::read(shard.path()).expect("the shard");
    fs::write(shard.path(), &bytes[..bytes.len() / 2]).expect("the shard");
    let place = "experiment.yaml:4:17";
    run(&dir, "check experiment.yaml").fails_with(&[place, "is damaged", "fetch the dataset again, or make it again"]);
    assert!(!dir.path().join("runs").exists());
}

/// `posenc run` in the background, with its progress to be read.
struct Background {
    child: Child,
    progress: BufReader<std::process::ChildStderr>,
}

impl Background {
    fn start(dir: &Path, options: &[&str]) -> Self {
        let mut command = posenc(dir, &["run", "experiment.yaml", "--jobs", "1"]);
        let mut child =
            command.args(options).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("posenc starts");
        let progress = BufReader::new(child.stderr.take().expect("its progress"));
        Self { child, progress }
    }

    fn wait_for(&mut self, text: &str) {
        let mut line = String::new();
        while !line.contains(text) {
            line.clear();
            assert!(self.progress.read_line(&mut line).expect("progress") > 0, "it ended before {text:?}");
        }
    }

    fn end(mut self) -> Answer {
        let mut rest = Vec::new();
        self.progress.read_to_end(&mut rest).expect("progress");
        let mut answer = Answer::from(self.child.wait_with_output().expect("it ends"));
        answer.stderr = String::from_utf8(rest).expect("progress is UTF-8");
        answer
    }
}

/// Waits until no process holds the lock of any cell.
fn wait_until_free(run_dir: &Path) {
    let began = Instant::now();
    while cells(run_dir).iter().any(|cell| CellLock::is_held(cell)) {
        assert!(began.elapsed() < Duration::from_secs(30), "a cell outlives its runner");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_killed_runner_leaves_no_orphans_and_the_next_one_finishes_the_grid() {
    let dir = place(&small().replace("steps: 8", "steps: 60"));
    let mut killed = Background::start(dir.path(), &[]);
    killed.wait_for("cell 1/4 done");
    killed.wait_for("cell started");
    signal(&killed.child, libc::SIGKILL);
    killed.child.wait().expect("it ends");
    let run_dir = dir.path().join("runs/small");
    wait_until_free(&run_dir);
    let done = cells(&run_dir).iter().filter(|cell| CellState::of(cell) == CellState::Done).count();
    assert!((1..4).contains(&done), "{done} cells are done");
    let finished = ["small: 4 of 4 cells in ", "none failed; ", "finished before or by another"];
    run(&dir, "run experiment.yaml").succeeds().says(&finished);
}

#[test]
fn an_interrupt_stops_at_checkpoints_and_says_how_to_go_on() {
    let dir = place(&small().replace("steps: 8", "steps: 100000"));
    let mut stopped = Background::start(dir.path(), &[]);
    stopped.wait_for("cell started");
    let run_dir = dir.path().join("runs/small");
    let none = cell_of(&run_dir, "chess-none");
    wait_for_step(&none, 1);
    signal(&stopped.child, libc::SIGINT);
    stopped.end().fails().says(&["1 interrupted: the same command"]).tells(&["a checkpoint (press Ctrl-C again"]);
    let CellState::Interrupted(progress) = CellState::of(&none) else { panic!("{:?}", CellState::of(&none)) };
    assert!(progress.step > 0);
    assert!(none.join(format!("checkpoints/step-{}.yaml", progress.step)).exists());
}

#[test]
fn an_interrupted_smoke_run_has_not_failed_and_starts_again() {
    let dir = place(&small());
    let mut stopped = Background::start(dir.path(), &["--smoke"]);
    stopped.wait_for("cell 1/4 done");
    stopped.wait_for("cell started");
    signal(&stopped.child, libc::SIGINT);
    let parts = ["small: stopped after ", " of 4 cells; the same command starts again\n", "resumed    not tried\n"];
    let answer = stopped.end().fails().says(&parts);
    assert!(!answer.stdout.contains("FAILED"), "{}", answer.stdout);
    assert_eq!(answer.stderr.matches("stopping: ").count(), 1, "{}", answer.stderr);
}
