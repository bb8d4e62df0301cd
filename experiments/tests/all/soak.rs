//! Two runners share a grid while their processes are killed at random moments: every cell is finished once, to the bits
//! of an undisturbed run. A small version here; `scripts/long-check soak` asks for 60 cells and 40 kills.

use crate::cli::{Answer, cells, posenc, run};
use records::CellState;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};
use streams::Stream;
use testing::{assert_same_bits, place, small};
use train::cell::DONE;

/// How long a kill waits for a process that it can meet.
const PATIENCE: Duration = Duration::from_secs(60);

/// Runs after the storm that a grid may need to mend what was killed.
const MENDING_RUNS: usize = 4;

/// Runners at work at the same time.
const RUNNERS: usize = 2;

/// Five rows and a twin.
const ROWS: usize = 6;

fn experiment(seeds: usize) -> String {
    let seeds: Vec<String> = (0..seeds).map(|seed| seed.to_string()).collect();
    let rows = "    - relative_bias: {share: displacement}\n    - rope: {layout: axial_2d, theta: 10}\n";
    let text = small()
        .replace("name: small", "name: soak")
        .replace("steps: 8", "steps: 120\n    log_every: 20\n    checkpoint_every: 10")
        .replace("    every: 4", "    every: 40")
        .replace("seeds: [0]", &format!("{rows}seeds: [{}]", seeds.join(", ")));
    for part in ["name: soak", "steps: 120", "every: 40\n", "rope"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    text
}

fn setting(name: &str, usual: usize) -> usize {
    std::env::var(name).map_or(usual, |text| text.parse().expect("a number"))
}

/// Processes that train a cell below a folder: process and cell. (A cell that has just forked, to ask git about its
/// revision, looks like two.)
fn trainers(below: &Path) -> Vec<(i32, PathBuf)> {
    let below = fs::canonicalize(below).expect("the folder");
    let processes = fs::read_dir("/proc").expect("processes").filter_map(Result::ok);
    let found: Vec<(i32, PathBuf)> = processes
        .filter_map(|process| {
            let id: i32 = process.file_name().to_str()?.parse().ok()?;
            let arguments = fs::read(process.path().join("cmdline")).ok()?;
            let arguments: Vec<&str> =
                arguments.split(|&byte| byte == 0).filter_map(|text| std::str::from_utf8(text).ok()).collect();
            let place = arguments.iter().position(|&argument| argument == "--dir")?;
            let started_in = fs::read_link(process.path().join("cwd")).ok()?;
            let dir = started_in.join(arguments.get(place + 1)?);
            (arguments.get(1) == Some(&"cell") && dir.starts_with(&below)).then_some((id, dir))
        })
        .collect();
    let parents: Vec<Option<i32>> = found.iter().map(|&(id, _)| parent(id)).collect();
    // What has no parent any more is gone.
    let forked = |at: usize| found.iter().any(|&(other, _)| parents[at].is_none_or(|parent| parent == other));
    (0..found.len()).filter(|&at| !forked(at)).map(|at| found[at].clone()).collect()
}

fn parent(process: i32) -> Option<i32> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("PPid:"))?.trim().parse().ok()
}

fn kill(process: i32) {
    // SAFETY: a plain system call; a process that has ended meanwhile gives an error that says nothing.
    unsafe { libc::kill(process, libc::SIGKILL) };
}

/// The same place as [`posenc`], one cell at a time, quietly.
fn runner(dir: &Path) -> Child {
    let mut command = posenc(dir, &["run", "experiment.yaml", "--out", "storm", "--jobs", "1"]);
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("posenc starts")
}

/// Kills a runner, a cell at whatever it is doing, and a cell that has something to go on from, in turn and at random moments;
/// runners that ended are started again.
fn storm(dir: &Path, kills: usize, random: &mut Stream) {
    let grid = dir.join("storm");
    fs::create_dir(&grid).expect("a folder");
    let mut runners: Vec<Child> = (0..RUNNERS).map(|_| runner(dir)).collect();
    for number in 0..kills {
        std::thread::sleep(Duration::from_millis(20 + streams::below(random, 400)));
        let victim = match number % 3 {
            0 => runners[streams::below(random, RUNNERS as u64) as usize].id() as i32,
            1 => cell_at_work(&grid, &mut runners, dir, |_| true, random),
            _ => cell_at_work(&grid, &mut runners, dir, has_checkpoint, random),
        };
        kill(victim);
        start_again(&mut runners, dir);
    }
    for mut child in runners {
        child.wait().expect("it ends");
    }
}

fn start_again(runners: &mut [Child], dir: &Path) {
    for child in runners {
        if child.try_wait().expect("a child").is_some() {
            *child = runner(dir);
        }
    }
}

fn has_checkpoint(cell: &Path) -> bool {
    let entries = fs::read_dir(cell.join("checkpoints")).into_iter().flatten().filter_map(Result::ok);
    entries.map(|entry| entry.file_name()).any(|name| name.to_string_lossy().ends_with(".yaml"))
}

/// Waits until a process trains such a cell.
fn cell_at_work(grid: &Path, runners: &mut [Child], dir: &Path, wanted: fn(&Path) -> bool, random: &mut Stream) -> i32 {
    let began = Instant::now();
    loop {
        let mut at_work = trainers(grid);
        let places: BTreeSet<&PathBuf> = at_work.iter().map(|(_, place)| place).collect();
        assert_eq!(places.len(), at_work.len(), "two processes train one cell: {at_work:?}");
        at_work.retain(|(_, cell)| wanted(cell));
        if !at_work.is_empty() {
            return at_work[streams::below(random, at_work.len() as u64) as usize].0;
        }
        start_again(runners, dir);
        assert!(began.elapsed() < PATIENCE, "the grid is over before the kills are: ask for more cells");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn killed_at_random_moments_two_runners_finish_every_cell_once_with_the_same_bits() {
    let seeds = setting("POSENC_SOAK_CELLS", ROWS) / ROWS;
    let kills = setting("POSENC_SOAK_KILLS", 6);
    let seed = setting("POSENC_SOAK_SEED", 1) as u64;
    let dir = place(&experiment(seeds));
    let mut random = streams::stream(seed, &["soak"]);

    storm(dir.path(), kills, &mut random);
    let finish = || run(&dir, "run experiment.yaml --out storm");
    let last: Answer = (0..MENDING_RUNS).map(|_| finish()).find(|answer| answer.code == Some(0)).expect("it finishes");
    let all = seeds * ROWS;
    assert!(last.stdout.contains(&format!("soak: {all} of {all} cells")), "{}", last.stdout);

    run(&dir, "run experiment.yaml --out calm").succeeds();
    let (calm, storm) = (cells(&dir.path().join("calm/soak")), cells(&dir.path().join("storm/soak")));
    assert_eq!((calm.len(), storm.len()), (seeds * ROWS, seeds * ROWS));
    let mut sessions = 0;
    for (calm, storm) in calm.iter().zip(&storm) {
        assert_eq!(CellState::of(storm), CellState::Done);
        assert_same_bits(calm, storm);
        let log = fs::read_to_string(storm.join("log.txt")).expect("a log");
        assert!(log.lines().filter(|line| *line == DONE).count() <= 1, "finished twice: {log}");
        sessions += records::Manifest::read(storm).expect("readable").expect("there").sessions.len();
    }
    assert!(sessions > seeds * ROWS, "no cell was ever interrupted: the storm was none");
    run(&dir, "prune storm/soak").succeeds();
    let half_written = storm.iter().flat_map(|cell| [cell.clone(), cell.join("checkpoints")]).any(|dir| {
        let mut entries = fs::read_dir(dir).expect("a folder");
        entries.any(|entry| entry.expect("an entry").path().extension().is_some_and(|end| end == "tmp"))
    });
    assert!(!half_written, "prune leaves half-written files");
}
