//! The scheduler, with a shell script instead of training: starts, their number, and outcomes.
//!
//! The file `behave` in a cell's folder names the behaviour of its process, which appends a line to `starts` when it starts.

use grid::progress::GridProgress;
use grid::{Interrupt, Outcome, RunLimits, Scheduler, Task, Worker};
use records::status::{State, Status};
use records::{CellLock, CellState, Failure, FailureKind};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const WORKER: &str = r#"
dir=$2
say() { printf '{"state":"%s","step":%s,"steps":10%s}\n' "$1" "$2" "$3" > "$dir/new"; mv "$dir/new" "$dir/status.json"; }
# The trap is set before `starts` shows that it has started.
case "$(cat "$dir/behave")" in
  stops) trap 'say interrupted 5; exit 1' TERM ;;
  stubborn) trap '' TERM ;;
esac
echo start >> "$dir/starts"
say running 0
case "$(cat "$dir/behave")" in
  works) say done 10 ;;
  slow) sleep 0.4; say done 10 ;;
  refuses) say failed 3 ',"error":"the data is damaged"'; echo 'posenc: the data is damaged' >&2; exit 1 ;;
  diverges) say failed 3 ',"error":"step 3: the loss is not finite"'; exit 1 ;;
  mute) echo 'posenc: no space left on device' >&2; exit 1 ;;
  panics) echo "thread 'main' panicked at x.rs:1:1:" >&2; echo 'a rule was broken' >&2; exit 101 ;;
  rank_panics) if [ "$RANK" = 0 ]; then sleep 0.3; exit 75; fi; echo "thread 'main' panicked at x.rs:1:1:" >&2; exit 101 ;;
  killed) echo 'step 4' ; kill -KILL $$ ;;
  killed_once) if [ "$(wc -l < "$dir/starts")" = 1 ]; then kill -KILL $$; fi; say done 10 ;;
  killed_tidying) say done 10; kill -KILL $$ ;;
  exhausted) echo 'posenc: out of memory' >&2; exit 1 ;;
  stops|stubborn) i=0; while [ $i -lt 200 ]; do sleep 0.05; i=$((i+1)); done; say done 10 ;;
esac
"#;

struct Grid {
    /// It holds the script and the folders of the cells.
    _dir: TempDir,
    tasks: Vec<Task>,
    worker: Worker,
}

impl Grid {
    fn new(behaviours: &[&str]) -> Self {
        let dir = tempfile::tempdir().expect("a folder for the test");
        fs::write(dir.path().join("worker.sh"), WORKER).expect("the worker");
        let task = |(number, _): (usize, _)| Task {
            name: format!("cell {number}"),
            dir: dir.path().join(number.to_string()),
            config: None,
        };
        let tasks: Vec<Task> = behaviours.iter().enumerate().map(task).collect();
        let worker = Worker {
            program: PathBuf::from("/bin/sh"),
            arguments: vec![dir.path().join("worker.sh").into()],
            threads: 1,
            ranks: 1,
            devices: vec!["cpu".to_owned()],
            flags: Vec::new(),
        };
        let grid = Self { _dir: dir, tasks, worker };
        for (number, behaviour) in behaviours.iter().enumerate() {
            fs::create_dir(&grid.tasks[number].dir).expect("the cell's folder");
            grid.behave(number, behaviour);
        }
        grid
    }

    fn behave(&self, cell: usize, behaviour: &str) {
        fs::write(self.cell(cell).join("behave"), behaviour).expect("the cell's folder can be written");
    }

    fn cell(&self, cell: usize) -> &Path {
        &self.tasks[cell].dir
    }

    fn run(&self) -> Vec<Outcome> {
        self.run_within(2, RunLimits::default())
    }

    fn run_within(&self, jobs: usize, limits: RunLimits) -> Vec<Outcome> {
        self.run_with(jobs, false, &Interrupt::default(), limits)
    }

    fn run_with(&self, jobs: usize, fail_fast: bool, interrupt: &Interrupt, limits: RunLimits) -> Vec<Outcome> {
        let scheduler = Scheduler { worker: &self.worker, jobs, fail_fast, interrupt, limits };
        scheduler.run(&self.tasks, &mut GridProgress::lines(&self.tasks, Vec::new()))
    }

    fn starts(&self, cell: usize) -> usize {
        fs::read_to_string(self.cell(cell).join("starts")).map_or(0, |starts| starts.lines().count())
    }

    fn wait_for_start(&self, cell: usize) {
        let began = Instant::now();
        while self.starts(cell) == 0 {
            assert!(began.elapsed() < Duration::from_secs(20), "cell {cell} never starts");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

fn finished(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Finished { .. })
}

fn failed(outcome: &Outcome) -> &Failure {
    match outcome {
        Outcome::Failed(failure) => failure,
        other => panic!("{other:?} is not a failure"),
    }
}

#[test]
fn finished_cells_are_never_started_again() {
    let grid = Grid::new(&["works", "works", "works"]);
    assert!(grid.run().iter().all(finished));
    assert_eq!(grid.run(), vec![Outcome::AlreadyFinished; 3]);
    assert_eq!([0, 1, 2].map(|cell| grid.starts(cell)), [1, 1, 1]);
}

#[test]
fn a_cell_that_is_killed_after_its_final_status_is_finished() {
    let grid = Grid::new(&["killed_tidying"]);
    assert!(finished(&grid.run()[0]));
    assert_eq!(CellState::of(grid.cell(0)), CellState::Done);
    assert_eq!((grid.run(), grid.starts(0)), (vec![Outcome::AlreadyFinished], 1));
}

#[test]
fn a_failed_cell_is_a_row_with_its_cause_and_stops_no_other() {
    let grid = Grid::new(&["works", "refuses", "mute", "panics", "killed", "diverges", "works"]);
    let outcomes = grid.run();
    assert!(finished(&outcomes[0]) && finished(&outcomes[6]));
    let of = |cell: usize| (failed(&outcomes[cell]).kind, failed(&outcomes[cell]).cause.as_str());
    assert_eq!(of(1), (FailureKind::Error, "the data is damaged"));
    assert_eq!(of(2), (FailureKind::DiskFull, "no space left on device"));
    assert_eq!(of(3), (FailureKind::Panic, "thread 'main' panicked at x.rs:1:1: a rule was broken"));
    assert_eq!(of(4), (FailureKind::Killed, "signal SIGKILL; last line: step 4"));
    assert_eq!(of(5), (FailureKind::NotFinite, "step 3: the loss is not finite"));
    // The runner wrote the status that the process could not write itself.
    for (cell, outcome) in outcomes.iter().enumerate().take(6).skip(1) {
        assert_eq!(CellState::of(grid.cell(cell)), CellState::Failed(failed(outcome).clone()));
    }
}

#[test]
fn the_next_run_repeats_failures_but_not_those_that_would_come_again_to_the_bit() {
    let grid = Grid::new(&["refuses", "diverges"]);
    grid.run();
    grid.behave(0, "works");
    let outcomes = grid.run();
    assert!(finished(&outcomes[0]));
    assert_eq!(failed(&outcomes[1]).kind, FailureKind::NotFinite);
    assert_eq!([0, 1].map(|cell| grid.starts(cell)), [2, 1]);
}

#[test]
fn the_log_of_an_earlier_attempt_explains_nothing() {
    let grid = Grid::new(&["mute"]);
    grid.run();
    grid.behave(0, "killed");
    assert_eq!(failed(&grid.run()[0]).kind, FailureKind::Killed);
}

#[test]
fn fail_fast_stops_running_cells_at_a_checkpoint_and_starts_no_more() {
    let grid = Grid::new(&["stops", "refuses", "works", "works"]);
    let outcomes = grid.run_with(2, true, &Interrupt::default(), RunLimits::default());
    assert_eq!(outcomes[0], Outcome::Interrupted);
    assert_eq!(failed(&outcomes[1]).kind, FailureKind::Error);
    assert_eq!(outcomes[2..], [Outcome::NotStarted, Outcome::NotStarted]);
    assert!(matches!(CellState::of(grid.cell(0)), CellState::Interrupted(progress) if progress.step == 5));
}

#[test]
fn an_interrupt_asks_every_cell_for_a_checkpoint_and_the_next_run_goes_on() {
    let grid = Grid::new(&["stops", "stops", "works"]);
    let interrupt = Interrupt::default();
    let outcomes = std::thread::scope(|scope| {
        let run = scope.spawn(|| grid.run_with(2, false, &interrupt, RunLimits::default()));
        grid.wait_for_start(0);
        grid.wait_for_start(1);
        std::thread::sleep(Duration::from_millis(100));
        interrupt.raise();
        run.join().expect("the run ends")
    });
    assert_eq!(outcomes, [Outcome::Interrupted, Outcome::Interrupted, Outcome::NotStarted]);
    grid.behave(0, "works");
    grid.behave(1, "works");
    assert!(grid.run().iter().all(finished));
}

#[test]
fn a_second_interrupt_kills_what_does_not_listen() {
    let grid = Grid::new(&["stubborn"]);
    let interrupt = Interrupt::default();
    let began = Instant::now();
    let outcomes = std::thread::scope(|scope| {
        let run = scope.spawn(|| grid.run_with(1, false, &interrupt, RunLimits::default()));
        grid.wait_for_start(0);
        interrupt.raise();
        std::thread::sleep(Duration::from_millis(200));
        assert!(!run.is_finished(), "one interrupt waits for a checkpoint");
        interrupt.raise();
        run.join().expect("the run ends")
    });
    assert_eq!(outcomes, [Outcome::Interrupted]);
    assert!(began.elapsed() < Duration::from_secs(8), "{:?}", began.elapsed());
    assert!(matches!(CellState::of(grid.cell(0)), CellState::Interrupted(_)));
    grid.behave(0, "works");
    assert!(grid.run().iter().all(finished));
}

#[test]
fn only_failures_that_may_pass_are_tried_again() {
    let behaviours = ["killed_once", "killed", "exhausted", "refuses", "diverges", "panics", "mute"];
    let grid = Grid::new(&behaviours);
    let outcomes = grid.run_within(2, RunLimits { retries: 2, ..RunLimits::default() });
    assert!(finished(&outcomes[0]), "{outcomes:?}");
    assert_eq!([1, 2].map(|cell| failed(&outcomes[cell]).kind), [FailureKind::Killed, FailureKind::OutOfMemory]);
    assert!(outcomes[3..].iter().all(|outcome| matches!(outcome, Outcome::Failed(_))));
    assert_eq!([0, 1, 2, 3, 4, 5, 6].map(|cell| grid.starts(cell)), [2, 3, 3, 1, 1, 1, 1]);
}

#[test]
fn a_panic_of_any_rank_is_the_failure_of_its_cell_and_is_not_tried_again() {
    let mut grid = Grid::new(&["rank_panics"]);
    grid.worker.ranks = 2;
    let outcomes = grid.run_within(1, RunLimits { retries: 2, ..RunLimits::default() });
    assert_eq!(failed(&outcomes[0]).kind, FailureKind::Panic, "{outcomes:?}");
    assert_eq!(grid.starts(0), 2, "each rank once");
}

#[test]
fn another_attempt_waits_until_nothing_else_runs() {
    let grid = Grid::new(&["killed_once", "slow", "slow", "slow"]);
    let outcomes = grid.run_within(2, RunLimits { retries: 1, ..RunLimits::default() });
    assert!(outcomes.iter().all(finished), "{outcomes:?}");
    let changed = |cell: usize, file: &str| {
        fs::metadata(grid.cell(cell).join(file)).and_then(|file| file.modified()).expect("the file is there")
    };
    let last_start = changed(0, "starts");
    assert!((1..4).all(|cell| changed(cell, "status.json") <= last_start), "it began beside others");
}

#[test]
fn a_cell_that_takes_too_long_stops_at_a_checkpoint_and_is_a_failure() {
    let grid = Grid::new(&["stops", "works"]);
    let outcomes = grid.run_within(1, RunLimits { cell: Some(Duration::from_millis(500)), ..RunLimits::default() });
    let failure = failed(&outcomes[0]);
    assert_eq!(failure.kind, FailureKind::TimeLimit);
    assert!(failure.cause.contains("at step 5"), "{failure}");
    assert!(finished(&outcomes[1]));
    assert_eq!(CellState::of(grid.cell(0)), CellState::Failed(failure.clone()));
    // The next run resumes it.
    grid.behave(0, "works");
    assert!(finished(&grid.run()[0]));
}

#[test]
fn a_run_whose_time_is_over_stops_at_checkpoints() {
    let grid = Grid::new(&["stops", "works"]);
    let outcomes = grid.run_within(1, RunLimits { run: Some(Duration::from_millis(500)), ..RunLimits::default() });
    assert_eq!(outcomes, [Outcome::Interrupted, Outcome::NotStarted]);
}

/// The outcomes of two runners at the same time.
fn by_two(run: impl Fn() -> Vec<Outcome> + Sync) -> [Vec<Outcome>; 2] {
    std::thread::scope(|scope| [(), ()].map(|()| scope.spawn(&run)).map(|runner| runner.join().expect("the run ends")))
}

#[test]
fn two_runners_share_a_grid_and_train_no_cell_twice() {
    let grid = Grid::new(&["slow"; 8]);
    let [one, other] = by_two(|| grid.run());
    for cell in 0..8 {
        assert_eq!(grid.starts(cell), 1, "cell {cell}");
        // Both wait until all cells are done, so both can report all of them.
        let outcomes = [&one[cell], &other[cell]];
        assert_eq!(outcomes.iter().filter(|outcome| finished(outcome)).count(), 1, "cell {cell}: {outcomes:?}");
        assert!(outcomes.contains(&&Outcome::AlreadyFinished), "cell {cell}: {outcomes:?}");
    }
    assert!(one.iter().any(finished) && other.iter().any(finished), "the work is shared");
}

#[test]
fn a_failure_that_another_runner_has_just_seen_is_not_repeated() {
    let grid = Grid::new(&["slow", "refuses"]);
    let [one, other] = by_two(|| grid.run_within(1, RunLimits::default()));
    assert_eq!(grid.starts(1), 1);
    assert_eq!(failed(&one[1]), failed(&other[1]));
}

#[test]
fn a_failure_that_another_runner_may_retry_is_not_final() {
    let grid = Grid::new(&["works"]);
    let lock = CellLock::try_take(grid.cell(0)).expect("a lock").expect("it is free");
    let outcomes = std::thread::scope(|scope| {
        let run = scope.spawn(|| grid.run());
        let pause = || std::thread::sleep(Duration::from_millis(700));
        pause();
        Status::new(State::Failed, 4, 10).write(grid.cell(0)).expect("a status");
        pause();
        Status::new(State::Interrupted, 4, 10).write(grid.cell(0)).expect("a status");
        drop(lock);
        run.join().expect("the run ends")
    });
    assert!(outcomes.iter().all(finished), "{outcomes:?}");
}

#[test]
fn a_cell_stays_locked_while_its_process_lives_without_its_runner() {
    let grid = Grid::new(&["slow"]);
    let lock = CellLock::try_take(grid.cell(0)).expect("a lock").expect("it is free");
    let mut child = grid.worker.start(grid.cell(0), &lock, 0).expect("the worker starts");
    drop(lock);
    assert!(CellLock::is_held(grid.cell(0)));
    assert!(CellLock::try_take(grid.cell(0)).expect("a lock").is_none());
    let ended = loop {
        match child.try_wait().expect("its state") {
            Some(ended) => break ended,
            None => std::thread::sleep(Duration::from_millis(10)),
        }
    };
    assert!(ended.success());
    assert!(!CellLock::is_held(grid.cell(0)));
}

#[test]
fn a_cell_whose_process_was_killed_with_its_runner_is_interrupted_and_goes_on() {
    let grid = Grid::new(&["works"]);
    Status::new(State::Running, 4, 10).write(grid.cell(0)).expect("a status");
    assert!(matches!(CellState::of(grid.cell(0)), CellState::Interrupted(progress) if progress.step == 4));
    assert!(grid.run().iter().all(finished));
}

#[test]
fn a_worker_that_cannot_be_started_fails_its_cell() {
    let mut grid = Grid::new(&["works"]);
    grid.worker.program = PathBuf::from("/nowhere/at/all");
    let outcomes = grid.run();
    assert!(failed(&outcomes[0]).cause.starts_with("cannot start it"), "{outcomes:?}");
}

#[test]
fn plain_progress_counts_cells_and_names_failures() {
    let tasks = vec![Task { name: "chess-shaw seed 1".to_owned(), dir: PathBuf::new(), config: None }; 3];
    let mut out = Vec::new();
    let mut watch = GridProgress::lines(&tasks, &mut out);
    watch.ended(0, &Outcome::AlreadyFinished);
    watch.ended(1, &Outcome::Finished { took: Duration::from_millis(12_300) });
    watch.ended(2, &Outcome::Failed(Failure { kind: FailureKind::Killed, cause: "signal SIGKILL".to_owned() }));
    drop(watch);
    let expected =
        "cell 2/3 done: chess-shaw seed 1 (12.3 s)\ncell 3/3 FAILED: chess-shaw seed 1: killed: signal SIGKILL\n";
    let out = String::from_utf8(out).expect("text");
    // Each line begins with the time of day.
    let untimed: String = out
        .lines()
        .map(|line| {
            let (time, rest) = line.split_once(' ').expect("a time");
            assert!(time.len() == 8 && time.matches(':').count() == 2, "{line}");
            format!("{rest}\n")
        })
        .collect();
    assert_eq!(untimed, expected);
}
