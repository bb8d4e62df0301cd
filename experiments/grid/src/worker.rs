//! The process that trains one cell.
//!
//! Every cell is its own process, because LibTorch's OpenMP threads of one process would spin against those of
//! another: `OMP_WAIT_POLICY` has to be set before it starts, and so has the number of threads.

use records::folder::LOG;
use records::lock::CellLock;
use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// How to start the process that trains a cell: `program arguments… --dir DIR --threads N --device D flags…`.
#[derive(Debug, Clone)]
pub struct Worker {
    /// The program.
    pub program: PathBuf,
    /// What comes before `--dir`.
    pub arguments: Vec<OsString>,
    /// OpenMP threads each.
    pub threads: usize,
    /// The devices, e.g. `cpu` or `cuda:0`; cells that run at the same time take them in turns.
    pub devices: Vec<String>,
    /// What comes after: `--smoke`, `--force`.
    pub flags: Vec<&'static str>,
}

impl Worker {
    /// This very program's hidden command `cell`.
    ///
    /// # Errors
    /// If the program's own path is unknown.
    pub fn this_program(threads: usize, devices: Vec<String>) -> io::Result<Self> {
        let program = std::env::current_exe()?;
        Ok(Self { program, arguments: vec!["cell".into()], threads, devices, flags: Vec::new() })
    }

    /// Starts it on the cell in `dir`, whose `lock` it inherits, on the device of slot number `slot`. Its output is
    /// appended to the cell's log.
    ///
    /// It gets its own process group, so that Ctrl-C reaches the runner alone, which then asks every child for a
    /// checkpoint; and it gets SIGTERM (a checkpoint, then the end) if the runner dies of whatever cause. Linux ties
    /// that to the *thread* which called this: call it from one that lives as long as the runner.
    ///
    /// # Errors
    /// If the log cannot be opened or the program cannot be started.
    pub fn start(&self, dir: &Path, lock: &CellLock, slot: usize) -> io::Result<Child> {
        let log = OpenOptions::new().append(true).create(true).open(dir.join(LOG))?;
        let mut command = Command::new(&self.program);
        command
            .args(&self.arguments)
            .arg("--dir")
            .arg(dir)
            .args(["--threads", &self.threads.to_string()])
            .args(["--device", self.device(slot)])
            .args(&self.flags)
            .env("OMP_WAIT_POLICY", "PASSIVE")
            .env("OMP_NUM_THREADS", self.threads.to_string())
            .env("NO_COLOR", "1")
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .process_group(0);
        let (lock, runner) = (lock.descriptor(), std::process::id());
        // SAFETY: between fork and exec only async-signal-safe system calls are made.
        unsafe { command.pre_exec(move || keep(lock).and_then(|()| die_with(runner))) };
        command.spawn()
    }

    fn device(&self, slot: usize) -> &str {
        self.devices.get(slot % self.devices.len().max(1)).map_or("cpu", String::as_str)
    }
}

/// Leaves a descriptor open over exec.
fn keep(descriptor: i32) -> io::Result<()> {
    // SAFETY: a plain system call on a descriptor that this process has open.
    match unsafe { libc::fcntl(descriptor, libc::F_SETFD, 0) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

/// Asks for SIGTERM when the parent ends; if it ended already, before this could be asked, gives up.
#[cfg(target_os = "linux")]
fn die_with(parent: u32) -> io::Result<()> {
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

/// Other systems have no such signal: a cell whose runner dies there trains to its end, and stays locked until then.
#[cfg(not(target_os = "linux"))]
fn die_with(_parent: u32) -> io::Result<()> {
    Ok(())
}

/// Asks a child for a checkpoint and its end.
pub fn stop(child: &Child) {
    signal(child.id() as i32, libc::SIGTERM);
}

/// Ends a child and whatever it started.
pub fn kill(child: &Child) {
    signal(-(child.id() as i32), libc::SIGKILL);
}

fn signal(target: i32, signal: i32) {
    // SAFETY: a plain system call; the child is not reaped yet, so its id still means it. A child that has ended
    // meanwhile gives an error that says nothing new.
    unsafe { libc::kill(target, signal) };
}
