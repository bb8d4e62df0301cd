//! Cells that were killed, stopped, damaged or ran out of disk go on to the same bits.

use crate::cells::support::{Bench, assert_same_bits, options, posenc_cell, status, train, train_with};
use config::RunConfig;
use records::status::{State, Status};
use records::{Manifest, Revision};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use train::{CellOptions, Outcome, run_cell};

const PATIENCE: Duration = Duration::from_secs(60);

fn spawn(dir: &Path) -> Child {
    posenc_cell(dir).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("posenc starts")
}

/// Waits until the cell has done so many steps.
fn wait_for_step(dir: &Path, step: u64) {
    let began = Instant::now();
    while Status::read(dir).ok().flatten().is_none_or(|status| status.step < step) {
        assert!(began.elapsed() < PATIENCE, "the cell does not get to step {step}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// A cell that is stopped by signals, one right after the other, after at least `step` steps.
fn stopped(bench: &Bench, name: &str, run: &RunConfig, step: u64, signals: &[libc::c_int]) -> PathBuf {
    let dir = bench.cell(name, run);
    let mut child = spawn(&dir);
    wait_for_step(&dir, step);
    for &signal in signals {
        // SAFETY: a plain system call on a child that was not waited for yet.
        unsafe { libc::kill(child.id() as i32, signal) };
        std::thread::sleep(Duration::from_millis(1));
    }
    child.wait().expect("it ends");
    assert_ne!(status(&dir).state, State::Done, "it was stopped before its end");
    dir
}

fn checkpoints(dir: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(dir.join("checkpoints"))
        .expect("checkpoints")
        .map(|entry| entry.expect("a file").path())
        .collect();
    files.sort();
    files
}

/// The tensor files of the checkpoints, by step.
fn tensor_files(dir: &Path) -> Vec<(u64, PathBuf)> {
    let step = |path: &PathBuf| path.file_stem()?.to_str()?.strip_prefix("step-")?.parse().ok();
    let tensors = checkpoints(dir).into_iter().filter(|path| path.extension().is_some_and(|e| e == "safetensors"));
    let mut files: Vec<_> = tensors.filter_map(|path| Some((step(&path)?, path))).collect();
    files.sort();
    files
}

#[test]
fn killed_in_the_middle_it_goes_on_to_the_same_bits() {
    let bench = Bench::new();
    let run = bench.run(120);
    let undisturbed = bench.trained("undisturbed", &run);
    let killed = stopped(&bench, "killed", &run, 30, &[libc::SIGKILL]);
    assert_eq!(status(&killed).state, State::Running, "it had no time to say more");
    // A write that the kill cut short.
    let mut metrics = fs::OpenOptions::new().append(true).open(killed.join("metrics.jsonl")).expect("metrics");
    metrics.write_all(b"{\"step\":77,\"split\":\"tr").expect("written");
    let again = posenc_cell(&killed).output().expect("posenc starts");
    let log = String::from_utf8_lossy(&again.stderr);
    assert!(again.status.success(), "{log}");
    assert!(log.contains("resuming from the checkpoint of step"), "{log}");
    assert_same_bits(&undisturbed, &killed);
}

#[test]
fn asked_to_stop_it_writes_a_checkpoint_wherever_it_is() {
    let bench = Bench::new();
    let run = bench.run(120);
    let undisturbed = bench.trained("undisturbed", &run);
    // A scheduler signals the runner and its cells, and the runner its cells again.
    let dir = stopped(&bench, "stopped", &run, 15, &[libc::SIGTERM, libc::SIGTERM]);
    assert_eq!(status(&dir).state, State::Interrupted);
    assert_eq!(tensor_files(&dir).pop().map(|(step, _)| step), Some(status(&dir).step));
    assert_eq!(train(&dir).expect("it goes on"), Outcome::Done);
    assert_same_bits(&undisturbed, &dir);
    assert_eq!(Manifest::read(&dir).expect("readable").expect("there").sessions.len(), 2);
}

fn with_two_checkpoints(bench: &Bench, name: &str) -> PathBuf {
    let dir = bench.crashed(name);
    assert_eq!(tensor_files(&dir).iter().map(|(step, _)| *step).collect::<Vec<_>>(), [10, 20]);
    dir
}

#[test]
fn what_lies_behind_the_last_checkpoint_is_done_again() {
    let bench = Bench::new();
    let undisturbed = bench.trained("undisturbed", &bench.run(29));
    let dir = with_two_checkpoints(&bench, "tail");
    assert_eq!(train(&dir).expect("it goes on"), Outcome::Done);
    assert_same_bits(&undisturbed, &dir);
}

#[test]
fn without_its_newest_checkpoint_it_goes_on_from_the_one_before() {
    let bench = Bench::new();
    let undisturbed = bench.trained("undisturbed", &bench.run(29));
    type Damage = fn(&Path);
    let damages: [(&str, Damage); 3] = [
        ("deleted", |path| fs::remove_file(path).expect("removed")),
        ("cut", |path| fs::OpenOptions::new().write(true).open(path).expect("open").set_len(1000).expect("cut")),
        ("changed", |path| {
            let mut bytes = fs::read(path).expect("read");
            let last = bytes.len() - 1;
            bytes[last] ^= 1;
            fs::write(path, bytes).expect("written");
        }),
    ];
    for (name, damage) in damages {
        let dir = with_two_checkpoints(&bench, name);
        damage(&tensor_files(&dir)[1].1);
        let (outcome, notes) = train_with(&dir, &options());
        assert_eq!(outcome.expect("it goes on"), Outcome::Done);
        assert!(notes.iter().any(|note| note.contains("step 20 is skipped")), "{notes:?}");
        assert!(notes.iter().any(|note| note.contains("resuming from the checkpoint of step 10")), "{notes:?}");
        assert_same_bits(&undisturbed, &dir);
    }
}

#[test]
fn lines_that_a_checkpoint_vouches_for_must_be_there() {
    let bench = Bench::new();
    let dir = with_two_checkpoints(&bench, "lines");
    let metrics = dir.join("metrics.jsonl");
    let text = fs::read_to_string(&metrics).expect("metrics");
    fs::write(&metrics, text.replacen("\"step\":0", "\"step\":7", 1)).expect("written");
    let message = train(&dir).expect_err("the truth was changed").to_string();
    assert!(message.contains("no checkpoint") && message.contains("were changed"), "{message}");
    assert!(message.contains("begin this cell again"), "{message}");
    fs::remove_dir_all(dir.join("checkpoints")).expect("as the message says");
    assert_eq!(train(&dir).expect("from the beginning"), Outcome::Done);
    assert_same_bits(&bench.trained("undisturbed", &bench.run(29)), &dir);
}

#[test]
fn other_bits_are_refused_unless_forced() {
    let bench = Bench::new();
    let dir = with_two_checkpoints(&bench, "threads");
    let two = CellOptions { threads: 2, ..options() };
    let message = train_with(&dir, &two).0.expect_err("another number of threads").to_string();
    assert!(message.contains("threads: began with 1, now 2") && message.contains("--force"), "{message}");
    assert!(status(&dir).resumable);
    let (outcome, _) = train_with(&dir, &CellOptions { force: true, ..two });
    assert_eq!(outcome.expect("forced"), Outcome::Done);
    let sessions = Manifest::read(&dir).expect("readable").expect("there").sessions;
    assert_eq!(
        sessions.last().map(|session| &session.forced[..]),
        Some(&["threads: began with 1, now 2".to_owned()][..])
    );
}

#[test]
fn another_revision_of_the_program_resumes_and_is_recorded() {
    let bench = Bench::new();
    let revision = |commit: &str| {
        let revision = Revision { commit: commit.to_owned(), described: None, dirty: false, diff: None };
        CellOptions { revision: Some(revision), ..options() }
    };
    let dir = bench.cell("revisions", &bench.run(12));
    let begin = run_cell(&dir, &revision("first"), Vec::new(), &mut |_| {}, &AtomicBool::new(true));
    assert_eq!(begin.expect("no error"), Outcome::Interrupted { step: 0 });
    let (outcome, _) = train_with(&dir, &revision("second"));
    assert_eq!(outcome.expect("it resumes"), Outcome::Done);
    let manifest = Manifest::read(&dir).expect("readable").expect("there");
    assert_eq!(manifest.revision.map(|revision| revision.commit).as_deref(), Some("first"));
    let of_sessions = manifest.sessions.iter().map(|session| session.revision.as_ref().map(|own| own.commit.as_str()));
    assert_eq!(of_sessions.collect::<Vec<_>>(), [None, Some("second")]);
    assert_same_bits(&bench.trained("undisturbed", &bench.run(12)), &dir);
}

#[test]
fn a_cell_is_not_resumed_with_other_operations() {
    let bench = Bench::new();
    let dir = bench.crashed_of("operations", &bench.run(29), 28);
    let output = posenc_cell(&dir).env(nn::fused::VARIABLE, "off").output().expect("posenc starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && said.contains("instruction set: began with"), "{said}");
    assert!(said.contains("LibTorch's operations only"), "{said}");
}

#[test]
fn a_flag_that_is_set_before_the_first_step_stops_there() {
    let bench = Bench::new();
    let run = bench.run(12);
    let dir = bench.cell("flag", &run);
    let outcome = run_cell(&dir, &options(), Vec::new(), &mut |_| {}, &AtomicBool::new(true)).expect("no error");
    assert_eq!(outcome, Outcome::Interrupted { step: 0 });
    assert_eq!(train(&dir).expect("it goes on"), Outcome::Done);
    assert_same_bits(&bench.trained("undisturbed", &run), &dir);
}

#[cfg(target_os = "linux")]
#[test]
fn started_directly_its_threads_sleep_when_they_wait() {
    let bench = Bench::new();
    let dir = bench.cell("direct", &bench.run(120));
    let mut command = posenc_cell(&dir);
    let mut child = command.env_remove("OMP_WAIT_POLICY").stderr(Stdio::null()).spawn().expect("posenc starts");
    wait_for_step(&dir, 1);
    let environment = fs::read(format!("/proc/{}/environ", child.id())).expect("its environment");
    child.kill().expect("killed");
    child.wait().expect("it ends");
    let variables = environment.split(|&byte| byte == 0).filter(|variable| variable.starts_with(b"OMP_WAIT_POLICY"));
    assert_eq!(variables.collect::<Vec<_>>(), [b"OMP_WAIT_POLICY=PASSIVE"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_fails_clearly_and_loses_nothing() {
    use std::os::unix::process::CommandExt as _;
    let bench = Bench::new();
    let run = bench.run(29);
    let undisturbed = bench.trained("undisturbed", &run);
    let dir = bench.cell("full", &run);
    let mut command = posenc_cell(&dir);
    // Enough for the manifest and the lines, too little for a checkpoint.
    let limit = libc::rlimit { rlim_cur: 24_000, rlim_max: 24_000 };
    // SAFETY: between fork and exec one async-signal-safe system call is made.
    unsafe {
        command.pre_exec(move || match libc::setrlimit(libc::RLIMIT_FSIZE, &limit) {
            0 => Ok(()),
            _ => Err(std::io::Error::last_os_error()),
        });
    }
    let output = command.output().expect("posenc starts");
    let log = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{log}");
    assert!(log.contains("posenc: cannot write") && log.contains("checkpoints/step-10"), "{log}");
    let failed = status(&dir);
    assert_eq!((failed.state, failed.step, failed.resumable), (State::Failed, 10, true));
    assert_eq!(train(&dir).expect("with room again"), Outcome::Done);
    assert_same_bits(&undisturbed, &dir);
}
