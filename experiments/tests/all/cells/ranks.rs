//! A cell on several ranks: the bits of one process, also after a rank is lost and with another number of ranks. A small
//! version here; `scripts/long-check ranks` asks for every encoding on up to 8 ranks, and for each rank killed and stopped.

use crate::cli::{Answer, answer, cells, posenc, posenc_cell, run, run_args, signal, wait_for_step};
use config::{Dtype, MicroBatch, RunConfig, Weights};
use encodings::EncodingConfig;
use records::status::State;
use records::{CellState, Manifest, positions};
use std::collections::HashSet;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::iter::successors;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use testing::{Bench, assert_same_bits, assert_says, dlshogi, manifest, place, small, status, train};
use train::CellOutcome;
use train::ranks::Rendezvous;

/// The exit code of a rank that ends because another one is lost.
const LOST: i32 = 75;
/// A rank that hangs is noticed within this time.
const NOTICED: Duration = Duration::from_secs(10);
/// The same for one that has ended.
const NOTICED_END: Duration = Duration::from_secs(2);
/// The end of all ranks after that, on a busy machine.
const SLACK: Duration = Duration::from_secs(5);

/// The variable that asks for the long form, and holds its number of ranks.
const LONG: &str = "POSENC_RANKS";
/// The most ranks that bits are compared on in the long form.
const MOST: usize = 8;

/// How many ranks the tests start.
fn ranks() -> usize {
    std::env::var(LONG).map_or(2, |text| text.parse().expect("a number"))
}

fn is_long() -> bool {
    std::env::var_os(LONG).is_some()
}

/// A run with four micro-batches a step, in the long form eight, and three batches of an evaluation.
fn in_parts(mut run: RunConfig) -> RunConfig {
    run.train.micro_batch = Some(MicroBatch::Of(if is_long() { run.train.batch / MOST } else { 2 }));
    run.eval.batch = 24;
    run
}

/// The ranks of a cell, as a launcher with a store of its own starts them.
struct Launched {
    ranks: Vec<Child>,
    _rendezvous: Rendezvous,
}

impl Launched {
    fn new(dir: &Path, size: usize) -> Self {
        Self::with(dir, size, &|_| None)
    }

    /// Ranks of which some have a variable of their own.
    fn with(dir: &Path, size: usize, variable: &dyn Fn(usize) -> Option<(&'static str, &'static str)>) -> Self {
        let rendezvous = Rendezvous::open().expect("a store");
        let start = |rank: usize| {
            let log = File::create(dir.join(format!("rank-{rank}.log"))).expect("a log");
            let mut command = posenc_cell(dir);
            command.arg("--ranked").envs(rendezvous.variables(rank, size)).envs(variable(rank));
            command.stdout(Stdio::null()).stderr(log).spawn().expect("posenc starts")
        };
        Self { ranks: (0..size).map(start).collect(), _rendezvous: rendezvous }
    }

    fn signal(&self, rank: usize, number: libc::c_int) {
        signal(&self.ranks[rank], number);
    }

    /// The exit codes of all ranks but one.
    fn codes(&mut self, without: Option<usize>) -> Vec<Option<i32>> {
        let others = self.ranks.iter_mut().enumerate().filter(|(rank, _)| Some(*rank) != without);
        others.map(|(_, rank)| rank.wait().expect("it ends").code()).collect()
    }
}

/// Also after a failed assertion, no rank stays.
impl Drop for Launched {
    fn drop(&mut self) {
        for rank in &mut self.ranks {
            let _ = rank.kill();
            let _ = rank.wait();
        }
    }
}

/// What all ranks of a cell said.
fn logs(dir: &Path, size: usize) -> String {
    (0..size).map(|rank| fs::read_to_string(dir.join(format!("rank-{rank}.log"))).expect("a log")).collect()
}

/// Every network whose bits are compared, with its name. In the long form there is an example of each encoding and of each list
/// of several.
fn networks(bench: &Bench) -> Vec<(String, RunConfig)> {
    let mut all = vec![("absolute".to_owned(), bench.run(29))];
    if is_long() {
        let mut bf16 = bench.run(29);
        bf16.train.dtype = Dtype::Bf16;
        all.extend([("bf16".to_owned(), bf16), ("batch norm".to_owned(), dlshogi(bench, 29))]);
        let mut found = HashSet::new();
        let names = |stack: &[EncodingConfig]| -> Vec<_> { stack.iter().map(|config| config.info().name).collect() };
        let stacks = EncodingConfig::example_stacks().into_iter().filter(|stack| found.insert(names(stack)));
        all.extend(stacks.map(|stack| {
            let labels: Vec<String> = stack.iter().map(EncodingConfig::label).collect();
            // With a checkpoint and an evaluation on the way.
            let mut run = bench.run(12);
            run.encoding = stack;
            (labels.join(" + "), run)
        }));
    }
    all
}

#[test]
fn ranks_make_the_steps_of_one_process() {
    let bench = Bench::new();
    let most = if is_long() { MOST } else { 2 };
    let networks = networks(&bench);
    for (number, (name, run)) in networks.iter().enumerate() {
        let (run, began) = (in_parts(run.clone()), Instant::now());
        let alone = bench.trained(&format!("{number}-alone"), &run);
        for size in successors(Some(2_usize), |size| Some(size * 2)).take_while(|&size| size <= most) {
            let dir = bench.cell(&format!("{number}-{size}"), &run);
            assert_eq!(Launched::new(&dir, size).codes(None), vec![Some(0); size], "{name}: {}", logs(&dir, size));
            assert_same_bits(&alone, &dir);
            let of_positions = |dir: &Path| fs::read(dir.join(positions::file(Weights::Raw))).expect("test positions");
            assert_eq!(of_positions(&alone), of_positions(&dir), "{name} on {size}");
            assert_eq!(manifest(&dir).sessions[0].ranks, Some(size));
        }
        let (count, took) = (networks.len(), began.elapsed().as_secs_f64());
        println!("{} of {count}, {name}: the same bits on 1 to {most} ranks ({took:.1} s)", number + 1);
    }
}

/// A way to lose a rank: the signal, the words of the rank that notices, and how soon all others end.
type Way = (libc::c_int, &'static str, Duration);

const KILLED: Way = (libc::SIGKILL, "is gone", NOTICED_END);
const STOPPED: Way = (libc::SIGSTOP, "has not answered for 8 s", NOTICED);

#[test]
fn a_lost_rank_ends_all_and_the_cell_resumes_with_fewer() {
    let bench = Bench::new();
    let (run, size) = (in_parts(bench.run(200)), ranks());
    let undisturbed = bench.trained("undisturbed", &run);
    let each = (0..size).flat_map(|rank| [(rank, KILLED), (rank, STOPPED)]);
    let losses: Vec<(usize, Way)> = if is_long() { each.collect() } else { vec![(size - 1, KILLED)] };
    for (lost, (signal, words, limit)) in losses {
        let dir = bench.cell(&format!("rank-{lost}-signal-{signal}"), &run);
        let mut launched = Launched::new(&dir, size);
        wait_for_step(&dir, 12);
        let began = Instant::now();
        launched.signal(lost, signal);
        assert_eq!(launched.codes(Some(lost)), vec![Some(LOST); size - 1], "{}", logs(&dir, size));
        let took = began.elapsed();
        println!("rank {lost} of {size} {words}: the others ended after {:.2} s", took.as_secs_f64());
        assert!(took < limit + SLACK, "{took:?}");
        drop(launched);
        let said = logs(&dir, size);
        let message = format!("posenc: killed: rank {lost} {words}");
        assert_says(&said, &[&message[..]]);
        assert_eq!(said.matches("posenc: ").count(), 1, "one message: {said}");
        assert_eq!(Launched::new(&dir, size / 2).codes(None), vec![Some(0); size / 2], "{}", logs(&dir, size / 2));
        assert_same_bits(&undisturbed, &dir);
    }
}

#[test]
fn ranks_that_are_stopped_together_go_on_together() {
    if !is_long() {
        return;
    }
    let bench = Bench::new();
    let run = in_parts(bench.run(200));
    let dir = bench.cell("suspended", &run);
    let mut launched = Launched::new(&dir, 2);
    wait_for_step(&dir, 12);
    (0..2).for_each(|rank| launched.signal(rank, libc::SIGSTOP));
    thread::sleep(NOTICED + SLACK);
    assert_ne!(status(&dir).state, State::Done);
    (0..2).for_each(|rank| launched.signal(rank, libc::SIGCONT));
    assert_eq!(launched.codes(None), [Some(0); 2], "{}", logs(&dir, 2));
    assert_same_bits(&bench.trained("undisturbed", &run), &dir);
}

#[test]
fn a_signal_to_any_rank_stops_all_at_a_checkpoint() {
    let bench = Bench::new();
    let run = in_parts(bench.run(200));
    let undisturbed = bench.trained("undisturbed", &run);
    let dir = bench.cell("stopped", &run);
    // In the long form one process is stopped, too, and all ranks come back.
    let least = if is_long() { 1 } else { 2 };
    let sizes = successors(Some(ranks()), |size| Some(size / 2)).take_while(|&size| size >= least);
    let mut step = 12;
    for size in sizes {
        let mut launched = Launched::new(&dir, size);
        wait_for_step(&dir, step);
        launched.signal(size - 1, libc::SIGTERM);
        let codes = [Some(1)].into_iter().chain(vec![Some(0); size - 1]).collect::<Vec<_>>();
        assert_eq!(launched.codes(None), codes, "{}", logs(&dir, size));
        assert_eq!(status(&dir).state, State::Interrupted);
        println!("{size} ranks stopped after step {}", status(&dir).step);
        step = status(&dir).step + 8;
    }
    if is_long() {
        let size = ranks();
        assert_eq!(Launched::new(&dir, size).codes(None), vec![Some(0); size], "{}", logs(&dir, size));
    } else {
        assert_eq!(train(&dir).expect("it goes on"), CellOutcome::Done);
    }
    assert_same_bits(&undisturbed, &dir);
}

#[test]
fn the_first_rank_decides_how_many_positions_go_through_the_network_at_once() {
    let bench = Bench::new();
    let with = |micro_batch: MicroBatch| {
        let mut run = bench.run(29);
        run.train.micro_batch = Some(micro_batch);
        run
    };
    let dir = bench.cell("auto", &with(MicroBatch::Auto));
    assert_eq!(Launched::new(&dir, 2).codes(None), [Some(0); 2], "{}", logs(&dir, 2));
    let half = bench.run(29).train.batch / 2;
    assert_eq!(manifest(&dir).identity.micro_batch, Some(half));
    assert_same_bits(&bench.trained("half", &with(MicroBatch::Of(half))), &dir);
}

#[test]
fn an_error_of_all_ranks_is_reported_once_with_its_own_exit_code() {
    let bench = Bench::new();
    let dir = bench.cell("whole", &bench.run(4));
    let codes = Launched::new(&dir, 2).codes(None);
    let said = logs(&dir, 2);
    assert_eq!(codes, [Some(1), Some(LOST)], "{said}");
    assert_eq!(status(&dir).state, State::Failed);
    assert_says(&said, &["posenc: 2 ranks cannot share"]);
    assert_eq!(said.matches("posenc: ").count(), 1, "one message: {said}");
}

#[test]
fn ranks_with_other_variables_that_decide_bits_are_refused() {
    let bench = Bench::new();
    let dir = bench.cell("environment", &in_parts(bench.run(4)));
    let mut launched = Launched::with(&dir, 2, &|rank| (rank == 1).then_some(("MKL_CBWR", "COMPATIBLE")));
    assert_eq!(launched.codes(None), [Some(1); 2]);
    for rank in 0..2 {
        let said = fs::read_to_string(dir.join(format!("rank-{rank}.log"))).expect("a log");
        assert_says(&said, &["is another program, run or cell", "MKL_CBWR=COMPATIBLE"]);
    }
}

#[test]
fn the_first_rank_locks_the_folder() {
    let bench = Bench::new();
    let dir = bench.cell("once", &in_parts(bench.run(100_000)));
    let mut launched = Launched::new(&dir, 2);
    wait_for_step(&dir, 12);
    answer(&mut posenc_cell(&dir)).fails_with(&["another process trains ", "seed-1; wait until it has ended"]);
    launched.signal(0, libc::SIGTERM);
    assert_eq!(launched.codes(None), [Some(1), Some(0)], "{}", logs(&dir, 2));
    assert_eq!(status(&dir).state, State::Interrupted, "the other one has not written it");
}

/// The small experiment with four micro-batches a step.
fn small_in_parts() -> String {
    let text = small().replace("    batch: 4\n", "    batch: 4\n    micro_batch: 1\n");
    assert!(text.contains("micro_batch"));
    text
}

#[test]
fn a_runner_starts_the_ranks_of_its_cells() {
    let text = small_in_parts();
    let settings: [&[&str]; 2] = [&[], &["--ranks", "2"]];
    let [alone, ranked] = settings.map(|options| {
        let dir = place(&text);
        answer(posenc(dir.path(), &["run", "experiment.yaml", "--jobs", "1"]).args(options)).succeeds();
        dir
    });
    let [alone, ranked] = [&alone, &ranked].map(|dir| cells(&dir.path().join("runs/small")));
    assert_eq!(alone.len(), ranked.len());
    for (alone, ranked) in alone.iter().zip(&ranked) {
        assert_same_bits(alone, ranked);
    }
}

/// Chooses the only cell of an experiment.
const ONLY: [&str; 4] = ["run", "experiment.yaml", "--only", "encoding=absolute"];

/// Whether the cell of [`ONLY`] has the bits of one process, on two ranks in `launched`.
#[track_caller]
fn assert_two_ranks_are_as_one(alone: &Path, launched: &Path) {
    let row = |dir: &Path| {
        cells(&dir.join("runs/small")).into_iter().find(|cell| Manifest::read(cell).is_ok_and(|it| it.is_some()))
    };
    let [alone, launched] = [alone, launched].map(|dir| row(dir).expect("a trained cell"));
    assert_same_bits(&alone, &launched);
    assert_eq!(manifest(&launched).sessions[0].ranks, Some(2));
}

#[test]
fn processes_of_torchrun_are_ranks_of_the_only_cell() {
    let text = small_in_parts();
    let [alone, launched] = [place(&text), place(&text)];
    run_args(&alone, &ONLY).succeeds();
    let rendezvous = Rendezvous::open().expect("a store");
    let start = |options: &[&str], rank: usize| {
        let mut command = posenc(launched.path(), options);
        command.envs(rendezvous.variables(rank, 2)).stdout(Stdio::null()).stderr(Stdio::piped());
        command.spawn().expect("posenc starts")
    };
    for rank in 0..2 {
        let all = start(&ONLY[..2], rank).wait_with_output().expect("it ends");
        assert_eq!(all.status.code(), Some(1));
        assert_says(&String::from_utf8_lossy(&all.stderr), &["the ranks of one cell, not of", "--only"]);
    }
    let ranks = [0, 1].map(|rank| start(&ONLY, rank));
    for rank in ranks {
        let ended = rank.wait_with_output().expect("it ends");
        assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    }
    assert_two_ranks_are_as_one(alone.path(), launched.path());
}

#[test]
fn torchrun_itself_starts_the_ranks_of_a_cell() {
    if !is_long() {
        return;
    }
    let text = small_in_parts();
    let [alone, launched] = [place(&text), place(&text)];
    let mut torchrun = Command::new("torchrun");
    torchrun.args(["--nproc-per-node", "2", "--no-python", env!("CARGO_BIN_EXE_posenc")]).args(ONLY);
    let output = match torchrun.current_dir(launched.path()).output() {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            println!("skipped: no torchrun");
            return;
        }
        output => output.expect("torchrun starts"),
    };
    Answer::from(output).succeeds();
    run_args(&alone, &ONLY).succeeds();
    assert_two_ranks_are_as_one(alone.path(), launched.path());
    println!("torchrun: two ranks have the bits of one process");
}

#[test]
fn ranks_that_cannot_share_a_step_are_refused() {
    let dir = place(&small());
    run(&dir, "run experiment.yaml --ranks 3").fails_with(&["--ranks 3", "power of two"]);
    run(&dir, "run experiment.yaml --ranks 1048576").fails_with(&["--ranks 1048576", "at most 1024"]);
    run(&dir, "run experiment.yaml --ranks 1024").fails_with(&["--ranks 1024", "each takes a core"]);
    run(&dir, "run experiment.yaml --ranks 2 --devices cuda:0").fails_with(&["--ranks 2", "name a GPU for each rank"]);
    run(&dir, "run experiment.yaml --ranks 2")
        .fails_with(&["2 ranks cannot share the micro-batches of a step equally: there is 1"]);
    for cell in cells(&dir.path().join("runs/small")) {
        assert_eq!(CellState::of(&cell), CellState::Pending, "refused before the first process: {cell:?}");
    }
    let bench = Bench::new();
    let cell = bench.cell("unlaunched", &bench.run(4));
    answer(posenc_cell(&cell).arg("--ranked").env_remove("RANK"))
        .fails_with(&["--ranked is for processes that torchrun"]);
}
