//! Why a cell failed.

use crate::files;
use crate::folder::LOG;
use crate::lines::ReadError;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::ExitStatus;
use std::time::Duration;

games::named! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum FailureKind {
        Error = "error",
        /// A loss or a gradient was not a finite number.
        NotFinite = "not finite",
        /// The disk is full, or a quota or a limit on file size is reached.
        DiskFull = "disk full",
        OutOfMemory = "out of memory",
        Panic = "panic",
        /// A signal that posenc did not send.
        Killed = "killed",
        TimeLimit = "time limit",
        /// A finished cell whose metrics are not those that it recorded, or without a manifest.
        Damaged = "damaged",
    }
}

impl FailureKind {
    /// Deterministic failures are not retried. (Another device or number of threads may help: delete the cell's folder.)
    pub fn is_final(self) -> bool {
        self == Self::NotFinite
    }

    /// Whether a retry may succeed without intervention, e.g. after another process freed memory.
    pub fn is_transient(self) -> bool {
        matches!(self, Self::OutOfMemory | Self::Killed)
    }

    pub fn remedy(self) -> &'static str {
        match self {
            Self::Error => "remove the cause and run the experiment again: finished cells are kept",
            Self::NotFinite => "lower the learning rate, lengthen the warm-up or clip the gradient",
            Self::DiskFull => "make room and run the experiment again: the cell resumes from its last checkpoint",
            Self::OutOfMemory => "use fewer --jobs or a smaller batch, and run the experiment again",
            Self::Panic => "this is a bug in posenc: please report it with the cell's log",
            Self::Killed => "if the system's log names the out-of-memory killer, use fewer --jobs; then run it again",
            Self::Damaged => {
                "restore the file, or let `posenc retry RUNDIR --failed` put the folder aside and train the cell again, to \
                 the same numbers"
            }
            Self::TimeLimit => "run it again, with a longer --cell-time-limit: it resumes from its checkpoint",
        }
    }
}

/// ```
/// # use records::{Failure, FailureKind};
/// let failure = Failure::from_text("cannot write metrics.jsonl: No space left on device (os error 28)");
/// assert_eq!(failure.kind, FailureKind::DiskFull);
/// assert!(!failure.kind.is_final(), "it is retried");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    pub kind: FailureKind,
    pub cause: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind.name(), self.cause)
    }
}

impl Failure {
    /// A failure that this process found.
    pub fn error(cause: impl fmt::Display) -> Self {
        Self { kind: FailureKind::Error, cause: cause.to_string() }
    }

    /// A cell that exceeded its time limit.
    pub fn overdue(after: Duration, step: u64) -> Self {
        let cause = format!("stopped after {:.0} s by --cell-time-limit, at step {step}", after.as_secs_f64());
        Self { kind: FailureKind::TimeLimit, cause }
    }

    /// A finished cell whose metrics cannot be read: it stays finished for the next run, and counts as failed in reports.
    pub fn damaged(error: &ReadError) -> Self {
        Self::damaged_after_finish(&match error {
            ReadError::Io { path, cause } => format!("{} cannot be read: {cause}", path.display()),
            ReadError::Line { path, line, cause } => format!("{}, line {line}: {cause}", path.display()),
        })
    }

    pub(crate) fn damaged_after_finish(cause: &str) -> Self {
        Self { kind: FailureKind::Damaged, cause: format!("the cell finished, but {cause}") }
    }

    /// From the text of an error, which determines the kind: of LibTorch, the system, the last line of a log, or a status
    /// of an older version, which may begin with the name of the kind.
    pub fn from_text(text: &str) -> Self {
        let cause = |kind: FailureKind| Some((kind, text.strip_prefix(kind.name())?.strip_prefix(": ")?));
        let named = FailureKind::ALL.into_iter().find_map(cause);
        let (kind, cause) = named.unwrap_or_else(|| (kind_of(text).unwrap_or(FailureKind::Error), text));
        Self { kind, cause: cause.to_owned() }
    }

    /// The final error of a cell's command, if its log has one.
    pub fn from_log(log: &str) -> Option<Self> {
        log.lines().rev().find_map(|line| line.strip_prefix("posenc: ")).map(Self::from_text)
    }

    /// From exit status and log, for a cell that could not write its status.
    pub fn of(exit: ExitStatus, log: &str) -> Self {
        if let Some(reported) = Self::from_log(log) {
            return reported;
        }
        let lines: Vec<&str> = log.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        if let Some(at) = lines.iter().rposition(|line| line.contains("panicked at")) {
            let cause = lines[at..lines.len().min(at + 2)].join(" ");
            return Self { kind: kind_of(&cause).unwrap_or(FailureKind::Panic), cause };
        }
        let last = lines.last().copied().unwrap_or("its log is empty");
        match (kind_of(last), exit.signal()) {
            (Some(kind), _) => Self { kind, cause: last.to_owned() },
            (None, Some(signal)) => {
                Self { kind: FailureKind::Killed, cause: format!("signal {}; last line: {last}", name_of(signal)) }
            }
            (None, None) => {
                Self::error(format!("{}; last line: {last}", exit.to_string().replace("exit status: ", "exit status ")))
            }
        }
    }
}

fn kind_of(text: &str) -> Option<FailureKind> {
    let phrases = [
        (FailureKind::OutOfMemory, ["out of memory", "can't allocate memory", "cannot allocate memory", "bad_alloc"]),
        (FailureKind::DiskFull, ["no space left on device", "disk full", "disk quota exceeded", "file too large"]),
        (FailureKind::NotFinite, ["not finite", "non-finite", "is nan", "is infinite"]),
    ];
    let text = text.to_lowercase();
    phrases.into_iter().find(|(_, own)| own.iter().any(|phrase| text.contains(phrase))).map(|(kind, _)| kind)
}

fn name_of(signal: i32) -> String {
    let name = match signal {
        libc::SIGKILL => "SIGKILL",
        libc::SIGSEGV => "SIGSEGV",
        libc::SIGABRT => "SIGABRT",
        libc::SIGBUS => "SIGBUS",
        libc::SIGILL => "SIGILL",
        libc::SIGFPE => "SIGFPE",
        libc::SIGTERM => "SIGTERM",
        libc::SIGINT => "SIGINT",
        libc::SIGHUP => "SIGHUP",
        libc::SIGXFSZ => "SIGXFSZ (file size limit)",
        libc::SIGXCPU => "SIGXCPU (CPU time limit)",
        other => return other.to_string(),
    };
    name.to_owned()
}

/// A cell's log from byte `from` on, at most its last 16 KiB.
pub fn log_since(dir: &Path, from: u64) -> io::Result<String> {
    files::tail(&dir.join(LOG), from, 16 * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exited(code: i32) -> ExitStatus {
        ExitStatus::from_raw(code << 8)
    }

    fn signalled(signal: i32) -> ExitStatus {
        ExitStatus::from_raw(signal)
    }

    #[track_caller]
    fn is(exit: ExitStatus, log: &str, kind: FailureKind, cause: &str) {
        assert_eq!(Failure::of(exit, log), Failure { kind, cause: cause.to_owned() });
    }

    #[test]
    fn each_way_to_fail_has_its_kind_and_cause() {
        use FailureKind::{DiskFull, Error, Killed, NotFinite, OutOfMemory, Panic};
        is(exited(1), "step 1\nposenc: data/x: not there\n", Error, "data/x: not there");
        let nan = "step 7: the loss is not finite (NaN)";
        is(exited(1), &format!("posenc: {nan}\n"), NotFinite, nan);
        let full = "cannot write metrics.jsonl: No space left on device (os error 28)";
        is(exited(1), &format!("posenc: {full}"), DiskFull, full);
        let place = "thread 'main' (7) panicked at src/x.rs:3:5:";
        let log = format!("{place}\nindex out of bounds\nnote: run with RUST_BACKTRACE\n");
        is(exited(101), &log, Panic, &format!("{place} index out of bounds"));
        let [place, cause] =
            ["thread 'main' panicked at tch.rs:1:1:", "DefaultCPUAllocator: can't allocate memory: you tried 9 bytes"];
        is(exited(101), &format!("{place}\n{cause}\n"), OutOfMemory, &format!("{place} {cause}"));
        is(signalled(libc::SIGKILL), "step 5\n", Killed, "signal SIGKILL; last line: step 5");
        is(signalled(libc::SIGSEGV), "", Killed, "signal SIGSEGV; last line: its log is empty");
        is(exited(3), "odd\n\n", Error, "exit status 3; last line: odd");
    }

    #[test]
    fn a_printed_failure_reads_back_as_itself() {
        for kind in FailureKind::ALL {
            let failure = Failure { kind, cause: "signal SIGKILL; last line: out of memory".to_owned() };
            assert_eq!(Failure::from_text(&failure.to_string()), failure);
        }
        assert_eq!(Failure::from_text("step 7: the loss is not finite").kind, FailureKind::NotFinite);
    }
}
