//! Processes that train a cell are killed, stopped or run out of disk space, and resume to the same bits.

use crate::cli::{answer, posenc_cell, signal, wait_for_step, with_little_room};
use config::RunConfig;
use records::status::State;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::Duration;
use testing::{Bench, assert_same_bits, manifest, status, train};
use train::CellOutcome;

fn spawn(dir: &Path) -> Child {
    posenc_cell(dir).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("posenc starts")
}

/// A cell that is stopped by signals, one right after the other, after at least `step` steps.
fn stopped(bench: &Bench, name: &str, run: &RunConfig, step: u64, signals: &[libc::c_int]) -> PathBuf {
    let dir = bench.cell(name, run);
    let mut child = spawn(&dir);
    wait_for_step(&dir, step);
    for &number in signals {
        signal(&child, number);
        std::thread::sleep(Duration::from_millis(1));
    }
    child.wait().expect("it ends");
    assert_ne!(status(&dir).state, State::Done, "it was stopped before its end");
    dir
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
    answer(&mut posenc_cell(&killed)).succeeds().tells(&["resuming from the checkpoint of step"]);
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
    assert!(dir.join(format!("checkpoints/step-{}.safetensors", status(&dir).step)).is_file());
    assert_eq!(train(&dir).expect("it goes on"), CellOutcome::Done);
    assert_same_bits(&undisturbed, &dir);
    assert_eq!(manifest(&dir).sessions.len(), 2);
}

#[test]
fn a_cell_is_not_resumed_under_another_variable_that_decides_bits_unless_forced() {
    let bench = Bench::new();
    let dir = bench.crashed_of("environment", &bench.run(29), 28);
    let (operations, changed) = ("LibTorch's operations only", "environment: began with none, now MKL_CBWR=COMPATIBLE");
    for (variable, value, parts) in [
        (nn::Backend::VARIABLE, "off", ["instruction set: began with", operations]),
        ("MKL_CBWR", "COMPATIBLE", [changed, "--force"]),
    ] {
        let refused = answer(posenc_cell(&dir).env(variable, value));
        assert_ne!(refused.code, Some(0), "{variable}");
        refused.tells(&parts);
    }
    answer(posenc_cell(&dir).env("MKL_CBWR", "COMPATIBLE").arg("--force")).succeeds();
    assert_eq!(manifest(&dir).sessions.last().expect("a session").forced, [changed]);
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

#[test]
fn a_full_disk_fails_clearly_and_loses_nothing() {
    let bench = Bench::new();
    let run = bench.run(29);
    let undisturbed = bench.trained("undisturbed", &run);
    let dir = bench.cell("full", &run);
    // Enough for the manifest and the lines, too little for a checkpoint.
    with_little_room(posenc_cell(&dir), 24_000).fails().tells(&["posenc: cannot write", "checkpoints/step-10"]);
    let failed = status(&dir);
    assert_eq!((failed.state, failed.step, failed.resumable), (State::Failed, 10, true));
    assert_eq!(train(&dir).expect("with room again"), CellOutcome::Done);
    assert_same_bits(&undisturbed, &dir);
}
