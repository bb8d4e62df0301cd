//! An external program with line-based input and output, and a deadline for every line.

use std::io::{self, BufRead, BufReader, Read, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Longer lines are cut: no protocol has longer ones, and output without line ends must not fill the memory.
const MAX_LINE: u64 = 1 << 16;

/// Lines in each queue. A program that writes faster than it is read has to wait; one that does not read is given up.
const WAITING_LINES: usize = 1024;

/// How long to wait for the rest of an exited program's stderr; a child process may hold it open.
const STDERR_WAIT: Duration = Duration::from_millis(500);

/// Why no line was read or written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PipeFailure {
    Timeout,
    /// The program closed its output or exited.
    Ended,
}

/// The running program. It is killed on drop.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    /// Lines for its stdin. A thread writes them, because a program that does not read would block the writer.
    commands: SyncSender<String>,
    lines: Receiver<String>,
    last_stderr_line: Arc<Mutex<String>>,
    /// Disconnected when stderr is closed.
    stderr_closed: Receiver<()>,
}

impl Process {
    /// Starts it in a separate process group, so that Ctrl-C on the terminal reaches only posenc.
    pub(super) fn start(program: &Path, arguments: &[String]) -> io::Result<Self> {
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()?;
        let (Some(stdin), Some(stdout), Some(stderr)) = (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(io::Error::other("the program has no standard streams"));
        };
        let (sender, lines) = sync_channel(WAITING_LINES);
        let last_stderr_line = Arc::new(Mutex::new(String::new()));
        let stderr_line = Arc::clone(&last_stderr_line);
        let (until_closed, stderr_closed) = channel();
        let (commands, written) = sync_channel(WAITING_LINES);
        // The threads end when the program's streams close.
        thread::spawn(move || write_lines(stdin, &written));
        thread::spawn(move || read_lines(stdout, &sender));
        thread::spawn(move || {
            keep_last_line(stderr, &stderr_line);
            drop(until_closed);
        });
        Ok(Self { child, commands, lines, last_stderr_line, stderr_closed })
    }

    /// Writes a line. An error means that the program exited or has not read for a long time.
    pub(super) fn write_line(&self, line: &str) -> Result<(), PipeFailure> {
        self.commands.try_send(format!("{line}\n")).map_err(|error| match error {
            TrySendError::Full(_) => PipeFailure::Timeout,
            TrySendError::Disconnected(_) => PipeFailure::Ended,
        })
    }

    pub(super) fn read_line(&self, deadline: Instant) -> Result<String, PipeFailure> {
        let left = deadline.saturating_duration_since(Instant::now());
        // A program that writes without end also reaches its deadline.
        if left.is_zero() {
            return Err(PipeFailure::Timeout);
        }
        self.lines.recv_timeout(left).map_err(|error| match error {
            RecvTimeoutError::Timeout => PipeFailure::Timeout,
            RecvTimeoutError::Disconnected => PipeFailure::Ended,
        })
    }

    /// The last line of its stderr. A program that exited may have written it just before, so the rest of its stderr is
    /// waited for.
    pub(super) fn last_stderr_line(&self, cause: PipeFailure) -> String {
        if cause == PipeFailure::Ended {
            // Use what was read until then, whether or not the stream was closed.
            let _ = self.stderr_closed.recv_timeout(STDERR_WAIT);
        }
        self.last_stderr_line.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // SAFETY: a plain system call. The child is not reaped yet, so its id is still that of its process group.
        unsafe { libc::kill(-(self.child.id() as i32), libc::SIGKILL) };
        // It was killed, so this returns; its exit status is not needed.
        let _ = self.child.wait();
    }
}

fn write_lines(mut stdin: ChildStdin, lines: &Receiver<String>) {
    while let Ok(line) = lines.recv() {
        if stdin.write_all(line.as_bytes()).and_then(|()| stdin.flush()).is_err() {
            return;
        }
    }
}

fn read_lines(stdout: impl Read, lines: &SyncSender<String>) {
    let mut stdout = BufReader::new(stdout);
    while let Some(line) = next_line(&mut stdout) {
        if lines.send(line).is_err() {
            return;
        }
    }
}

fn keep_last_line(stderr: impl Read, last: &Mutex<String>) {
    let mut stderr = BufReader::new(stderr);
    while let Some(line) = next_line(&mut stderr) {
        if !line.is_empty() {
            *last.lock().unwrap_or_else(PoisonError::into_inner) = line;
        }
    }
}

/// A line without its line end; invalid UTF-8 is replaced.
fn next_line(input: &mut impl BufRead) -> Option<String> {
    let mut line = Vec::new();
    match input.take(MAX_LINE).read_until(b'\n', &mut line) {
        Ok(0) | Err(_) => None,
        Ok(_) => Some(String::from_utf8_lossy(line.trim_ascii()).into_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::{PipeFailure, Process};
    use std::path::Path;

    #[test]
    fn a_program_that_does_not_read_is_given_up() {
        let arguments = ["-c", "sleep 600"].map(str::to_owned);
        let program = Process::start(Path::new("sh"), &arguments).expect("sh");
        let line = "position startpos ".repeat(32);
        let refused = (0..4000).find_map(|_| program.write_line(&line).err());
        assert_eq!(refused, Some(PipeFailure::Timeout));
    }
}
