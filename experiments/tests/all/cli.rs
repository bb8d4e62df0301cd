//! What the tests of the command line share: `posenc` itself, and the cells that it leaves.

use records::status::Status;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use testing::{assert_says, place, small};

pub(crate) const SHOGI_START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";

pub(crate) fn folder() -> TempDir {
    TempDir::new().expect("a temporary folder")
}

pub(crate) fn posenc(dir: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_posenc"));
    command.current_dir(dir).args(args);
    command
}

pub(crate) fn posenc_cell(dir: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_posenc"));
    command.args(["cell", "--threads", "1", "--dir"]).arg(dir);
    command
}

/// What a run of `posenc` said.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl From<Output> for Answer {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("stdout is UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("stderr is UTF-8"),
        }
    }
}

impl Answer {
    #[track_caller]
    pub(crate) fn succeeds(self) -> Self {
        assert_eq!(self.code, Some(0), "{}", self.stderr);
        self
    }

    /// The answer, if its output has all these parts.
    #[track_caller]
    pub(crate) fn says(self, parts: &[&str]) -> Self {
        assert_says(&self.stdout, parts);
        self
    }

    /// The same of its words: prose is broken into lines that fit a terminal.
    #[track_caller]
    pub(crate) fn says_in_prose(self, parts: &[&str]) -> Self {
        assert_says(&self.stdout.split_whitespace().collect::<Vec<_>>().join(" "), parts);
        self
    }

    /// The answer, if its standard error has all these parts.
    #[track_caller]
    pub(crate) fn tells(self, parts: &[&str]) -> Self {
        assert_says(&self.stderr, parts);
        self
    }

    /// The JSON of every line of a success.
    #[track_caller]
    pub(crate) fn json_lines(self) -> Vec<Value> {
        let text = self.succeeds().stdout;
        text.lines().map(|line| serde_json::from_str(line).expect("each line is JSON")).collect()
    }

    /// The one JSON value of a success.
    #[track_caller]
    pub(crate) fn json(self) -> Value {
        serde_json::from_str(&self.succeeds().stdout).expect("one JSON value")
    }

    /// The answer, if its exit code is 1.
    #[track_caller]
    pub(crate) fn fails(self) -> Self {
        assert_eq!(self.code, Some(1), "stdout: {}\nstderr: {}", self.stdout, self.stderr);
        self
    }

    /// The answer, if it is one error with exit code 1 that has all these parts.
    #[track_caller]
    pub(crate) fn fails_with(self, parts: &[&str]) -> Self {
        let failed = self.fails().tells(parts);
        assert_eq!(failed.stderr.matches("posenc: ").count(), 1, "one message: {}", failed.stderr);
        failed
    }

    /// The answer, if it is an error of usage, with exit code 2, that has all these parts.
    #[track_caller]
    pub(crate) fn misused_with(self, parts: &[&str]) -> Self {
        assert_eq!(self.code, Some(2), "stdout: {}\nstderr: {}", self.stdout, self.stderr);
        self.tells(parts)
    }
}

/// Runs `posenc` with the arguments of a text, which spaces separate.
pub(crate) fn run(dir: impl AsRef<Path>, words: &str) -> Answer {
    run_args(dir, &words.split_whitespace().collect::<Vec<_>>())
}

/// Runs `posenc` with these arguments, which may have spaces.
pub(crate) fn run_args(dir: impl AsRef<Path>, args: &[&str]) -> Answer {
    answer(&mut posenc(dir.as_ref(), args))
}

/// A folder in which `posenc run`, with these further words, has run the small experiment, and the run folder.
#[track_caller]
pub(crate) fn small_run(more: &str) -> (TempDir, PathBuf) {
    let dir = place(&small());
    run(&dir, &format!("run experiment.yaml {more}")).succeeds();
    let run_dir = dir.path().join("runs/small");
    (dir, run_dir)
}

pub(crate) fn answer(command: &mut Command) -> Answer {
    command.output().expect("posenc starts").into()
}

/// The answer of a program that reads this text.
pub(crate) fn given(command: Command, input: impl Into<Vec<u8>>) -> Answer {
    assert_cmd::Command::from_std(command).write_stdin(input).output().expect("posenc starts").into()
}

/// Runs a command whose files cannot be larger than this many bytes, as on a full disk.
pub(crate) fn with_little_room(mut command: Command, bytes: u64) -> Answer {
    use std::os::unix::process::CommandExt as _;
    let limit = libc::rlimit { rlim_cur: bytes, rlim_max: bytes };
    // SAFETY: between fork and exec one async-signal-safe system call is made.
    unsafe {
        command.pre_exec(move || match libc::setrlimit(libc::RLIMIT_FSIZE, &limit) {
            0 => Ok(()),
            _ => Err(std::io::Error::last_os_error()),
        });
    }
    answer(&mut command)
}

/// Sends a signal to a process that was not waited for yet.
pub(crate) fn signal(child: &Child, signal: libc::c_int) {
    // SAFETY: a plain system call; the number is that of this child until it is waited for.
    unsafe { libc::kill(child.id() as i32, signal) };
}

/// Waits until the cell has done this number of steps.
pub(crate) fn wait_for_step(dir: &Path, step: u64) {
    let began = Instant::now();
    while Status::read(dir).ok().flatten().is_none_or(|status| status.step < step) {
        assert!(began.elapsed() < Duration::from_secs(60), "the cell does not get to step {step}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// The folders of all cells of a run folder, sorted.
pub(crate) fn cells(run_dir: &Path) -> Vec<PathBuf> {
    let folders = |dir: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(dir).expect("a folder").map(|entry| entry.expect("an entry").path());
        entries.filter(|path| path.is_dir()).collect()
    };
    let mut cells: Vec<_> = folders(run_dir)
        .iter()
        .flat_map(|row| folders(row))
        .filter(|cell| cell.file_name().is_some_and(|name| name.to_string_lossy().starts_with("seed-")))
        .collect();
    cells.sort();
    cells
}

/// The cell of a row's label, e.g. `chess-shaw`, with the first seed.
pub(crate) fn cell_of(run_dir: &Path, label: &str) -> PathBuf {
    let named = |cell: &&PathBuf| {
        let row = cell.parent().and_then(Path::file_name).expect("the row").to_string_lossy().into_owned();
        row.rsplit_once('-').is_some_and(|(found, _)| found == label)
    };
    cells(run_dir).iter().find(named).expect("the cell").clone()
}

/// The folder that the plan gives a row.
pub(crate) fn row_folder(run_dir: &Path, label: &str) -> String {
    let plan = records::Plan::read(run_dir).expect("a plan");
    plan.rows.iter().find(|row| row.label == label).expect("the row").folder.clone()
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_posenc"));
    let mut child = command.arg("schema").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    drop(child.stdout.take());
    let done = child.wait_with_output().expect("it ends");
    assert!(done.status.success() && done.stderr.is_empty(), "{}", String::from_utf8_lossy(&done.stderr));
}
