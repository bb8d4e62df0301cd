//! A program that is talked to line by line, with a deadline for every answer.

use std::io::{self, BufRead, BufReader, Read, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// A longer line is cut there: no protocol has longer ones, and a program that writes no line ends must not fill the
/// memory.
const MAX_LINE: u64 = 1 << 16;

/// Lines that wait to be heard. A program that talks faster than it is heard has to wait.
const WAITING_LINES: usize = 1024;

/// How long the rest of an ended program's stderr is waited for; a child of its own may hold it open.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// Why no line came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Silence {
    /// The deadline passed.
    Timeout,
    /// The program closed its output: it ended.
    Ended,
}

/// The running program. It is killed when this is dropped.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    stdin: ChildStdin,
    lines: Receiver<String>,
    last_complaint: Arc<Mutex<String>>,
    /// Disconnected when stderr is closed.
    complaining: Receiver<()>,
}

impl Process {
    /// Starts it in a process group of its own, so that Ctrl-C on the terminal is this program's business alone.
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
        let last_complaint = Arc::new(Mutex::new(String::new()));
        let complaint = Arc::clone(&last_complaint);
        let (until_closed, complaining) = channel();
        // Both threads end with the program's streams.
        thread::spawn(move || hear_all(stdout, &sender));
        thread::spawn(move || {
            remember_last(stderr, &complaint);
            drop(until_closed);
        });
        Ok(Self { child, stdin, lines, last_complaint, complaining })
    }

    /// Says a line; an error means that the program ended.
    pub(super) fn tell(&mut self, line: &str) -> Result<(), Silence> {
        let told = self.stdin.write_all(line.as_bytes()).and_then(|()| self.stdin.write_all(b"\n"));
        told.and_then(|()| self.stdin.flush()).map_err(|_| Silence::Ended)
    }

    /// The next line.
    pub(super) fn hear(&self, deadline: Instant) -> Result<String, Silence> {
        let left = deadline.saturating_duration_since(Instant::now());
        // A program that never stops talking passes its deadline as well.
        if left.is_zero() {
            return Err(Silence::Timeout);
        }
        self.lines.recv_timeout(left).map_err(|error| match error {
            RecvTimeoutError::Timeout => Silence::Timeout,
            RecvTimeoutError::Disconnected => Silence::Ended,
        })
    }

    /// The last line that it wrote on stderr. A program that ended may have written it just before: then the rest of
    /// its stderr is waited for.
    pub(super) fn last_complaint(&self, silence: Silence) -> String {
        if silence == Silence::Ended {
            // Whether it was closed or not within that time, what is known then is the answer.
            let _ = self.complaining.recv_timeout(LAST_WORDS);
        }
        self.last_complaint.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // SAFETY: a plain system call. The child is not reaped yet, so its id still means its process group.
        unsafe { libc::kill(-(self.child.id() as i32), libc::SIGKILL) };
        // It has been killed, so this ends; how it ended no longer matters.
        let _ = self.child.wait();
    }
}

fn hear_all(stdout: impl Read, lines: &SyncSender<String>) {
    let mut stdout = BufReader::new(stdout);
    while let Some(line) = next_line(&mut stdout) {
        if lines.send(line).is_err() {
            return;
        }
    }
}

fn remember_last(stderr: impl Read, last: &Mutex<String>) {
    let mut stderr = BufReader::new(stderr);
    while let Some(line) = next_line(&mut stderr) {
        if !line.is_empty() {
            *last.lock().unwrap_or_else(PoisonError::into_inner) = line;
        }
    }
}

/// A line without its end; bytes that are no UTF-8 are replaced.
fn next_line(input: &mut impl BufRead) -> Option<String> {
    let mut line = Vec::new();
    match input.take(MAX_LINE).read_until(b'\n', &mut line) {
        Ok(0) | Err(_) => None,
        Ok(_) => Some(String::from_utf8_lossy(line.trim_ascii()).into_owned()),
    }
}
