//! A cell to train, the process that trains it, and its outcome.
//!
//! Every cell is a separate process, because LibTorch's OpenMP threads of one process would spin against those of
//! another: `OMP_WAIT_POLICY` and the number of threads must be set before it starts.

use records::folder::LOG;
use records::{CellLock, Failure};
use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use train::ranks::Rendezvous;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// Its name in messages, e.g. `chess-shaw seed 1`.
    pub name: String,
    pub dir: PathBuf,
    /// Its configuration, if this run has one: it is written when the cell starts. Another runner may name the same dataset by
    /// another path.
    pub config: Option<String>,
}

/// The outcome of a cell in this run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    Finished {
        took: Duration,
    },
    /// Before, or by another runner.
    AlreadyFinished,
    /// In this runner or another one.
    Failed(Failure),
    Interrupted,
    /// The run stopped first.
    NotStarted,
}

impl Outcome {
    pub fn is_finished(&self) -> bool {
        matches!(self, Self::Finished { .. } | Self::AlreadyFinished)
    }

    pub fn is_unfinished(&self) -> bool {
        matches!(self, Self::Interrupted | Self::NotStarted)
    }
}

/// How to start the process that trains a cell: `program arguments… --dir DIR --threads N --device D flags… --locked`.
#[derive(Debug, Clone)]
pub struct Worker {
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
    pub threads: usize,
    /// Processes of a cell, among which each of its steps is divided.
    pub ranks: usize,
    /// The devices, e.g. `cpu` or `cuda:0`; slots, and the ranks of each slot, use them in rotation.
    pub devices: Vec<String>,
    pub flags: Vec<&'static str>,
}

impl Worker {
    /// This program's hidden command `cell`.
    pub fn this_program(threads: usize, devices: Vec<String>) -> io::Result<Self> {
        let program = std::env::current_exe()?;
        Ok(Self { program, arguments: vec!["cell".into()], threads, ranks: 1, devices, flags: Vec::new() })
    }

    /// Starts the processes on the cell in `dir`, whose `lock` they inherit, on the device of slot number `slot`. Their
    /// output is appended to the cell's log.
    ///
    /// They get a process group, so that Ctrl-C reaches only the runner, which then asks every child for a
    /// checkpoint. They get SIGTERM (checkpoint, then exit) if the runner dies. Linux ties that to the *thread* which
    /// called this: call it from one that lives as long as the runner.
    pub fn start(&self, dir: &Path, lock: &CellLock, slot: usize) -> io::Result<Processes> {
        let rendezvous = (self.ranks > 1).then(Rendezvous::open).transpose().map_err(io::Error::other)?;
        let command = |rank: usize| -> io::Result<Command> {
            let mut command = self.command(dir, lock, self.device(slot, rank))?;
            if let Some(rendezvous) = &rendezvous {
                command.arg("--ranked").envs(rendezvous.variables(rank, self.ranks));
            }
            Ok(command)
        };
        let first = command(0)?.process_group(0).spawn()?;
        let mut processes = Processes { first, others: Vec::new(), lost: None, _rendezvous: None };
        for rank in 1..self.ranks {
            let group = processes.first.id() as i32;
            match command(rank).and_then(|mut command| command.process_group(group).spawn()) {
                Ok(other) => processes.others.push(other),
                Err(error) => {
                    processes.kill();
                    processes.first.wait()?;
                    processes.end_others();
                    return Err(error);
                }
            }
        }
        Ok(Processes { _rendezvous: rendezvous, ..processes })
    }

    fn command(&self, dir: &Path, lock: &CellLock, device: &str) -> io::Result<Command> {
        let log = OpenOptions::new().append(true).create(true).open(dir.join(LOG))?;
        let mut command = Command::new(&self.program);
        command
            .args(&self.arguments)
            .arg("--dir")
            .arg(dir)
            .args(["--threads", &self.threads.to_string()])
            .args(["--device", device])
            .args(&self.flags)
            .arg("--locked")
            .env("OMP_WAIT_POLICY", "PASSIVE")
            .env("OMP_NUM_THREADS", self.threads.to_string())
            .env("NO_COLOR", "1")
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log);
        let (lock, runner) = (lock.descriptor(), std::process::id());
        // SAFETY: between fork and exec only async-signal-safe system calls are made.
        unsafe { command.pre_exec(move || keep_open_over_exec(lock).and_then(|()| terminate_with_parent(runner))) };
        Ok(command)
    }

    fn device(&self, slot: usize, rank: usize) -> &str {
        let place = slot * self.ranks + rank;
        self.devices.get(place % self.devices.len().max(1)).map_or("cpu", String::as_str)
    }
}

fn keep_open_over_exec(descriptor: i32) -> io::Result<()> {
    // SAFETY: a plain system call on a descriptor that this process has open.
    if unsafe { libc::fcntl(descriptor, libc::F_SETFD, 0) } == -1 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Requests SIGTERM when the parent ends; fails if the parent has already ended.
#[cfg(target_os = "linux")]
fn terminate_with_parent(parent: u32) -> io::Result<()> {
    // SAFETY: plain system calls on this process.
    unsafe {
        if libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGTERM) == -1 {
            return Err(io::Error::last_os_error());
        }
        if libc::getppid() as u32 != parent {
            return Err(io::Error::from_raw_os_error(libc::ESRCH));
        }
    }
    Ok(())
}

/// Other systems have no such signal: a cell whose runner dies there trains to its end and stays locked until then.
#[cfg(not(target_os = "linux"))]
fn terminate_with_parent(_parent: u32) -> io::Result<()> {
    Ok(())
}

/// The processes that train a cell: one, or one for each rank, of which the first records how the cell ends.
#[derive(Debug)]
pub struct Processes {
    first: Child,
    others: Vec<Child>,
    /// When another rank was found to have failed while the first one had not ended.
    lost: Option<Instant>,
    _rendezvous: Option<Rendezvous>,
}

/// Time for a rank to end after another one failed; then it is killed.
const RANK_GRACE: Duration = Duration::from_secs(2);

impl Processes {
    /// How the cell's first process ended, if it has. All others have then ended, too.
    pub fn try_wait(&mut self) -> io::Result<Option<ExitStatus>> {
        let ended = self.first.try_wait()?;
        if ended.is_some() {
            self.end_others();
        } else if self.others.iter_mut().any(|other| matches!(other.try_wait(), Ok(Some(exit)) if !exit.success()))
            && self.lost.get_or_insert_with(Instant::now).elapsed() > RANK_GRACE
        {
            self.kill();
        }
        Ok(ended)
    }

    /// Kills the others, unless they end in time by themselves.
    fn end_others(&mut self) {
        let until = Instant::now() + RANK_GRACE;
        for mut other in self.others.drain(..) {
            while matches!(other.try_wait(), Ok(None)) && Instant::now() < until {
                std::thread::sleep(Duration::from_millis(5));
            }
            // For one that has ended, the errors are ignored.
            let _ = other.kill();
            let _ = other.wait();
        }
    }

    /// Asks for a checkpoint and exit. Ranks tell each other.
    pub fn stop(&self) {
        signal(self.first.id() as i32, libc::SIGTERM);
    }

    pub fn kill(&self) {
        signal(-(self.first.id() as i32), libc::SIGKILL);
    }
}

fn signal(target: i32, signal: i32) {
    // SAFETY: a plain system call; the child is not reaped yet, so the id is still its own. For a child that has ended,
    // the error is ignored.
    unsafe { libc::kill(target, signal) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rank_of_every_slot_has_a_device() {
        let devices = ["cuda:0", "cuda:1", "cuda:2", "cuda:3"].map(str::to_owned).to_vec();
        let mut worker = Worker::this_program(1, devices).expect("this program");
        assert_eq!([0, 1, 5].map(|slot| worker.device(slot, 0)), ["cuda:0", "cuda:1", "cuda:1"]);
        worker.ranks = 2;
        let of_slot = |slot: usize| [0, 1].map(|rank| worker.device(slot, rank));
        assert_eq!([0, 1, 2].map(of_slot), [["cuda:0", "cuda:1"], ["cuda:2", "cuda:3"], ["cuda:0", "cuda:1"]]);
    }
}
