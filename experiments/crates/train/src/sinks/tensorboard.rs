//! TensorBoard's event files. Their bytes follow from a cell's `metrics.jsonl`, its [pictures](crate::pictures) and its
//! hyperparameters, so nothing reads them: what should be there is made again and compared.
//!
//! Records are encoded by `tensorboard_rs`; files are written here, because that crate loses data on a name collision
//! and aborts the process on a full disk. A cell that goes on begins a new file with all that its old one should have;
//! [`repair`] removes the old one. Each file starts with a `SessionLog` of kind START, which makes TensorBoard drop what it
//! has read of those before.

mod summaries;

pub use summaries::HParams;

use super::Sink;
use crate::manifest::now_s;
use crate::pictures::{Picture, folder};
use dataset::bounded;
use protobuf::Message as _;
use records::folder::{METRICS_FILE, entries};
use records::{MetricLine, UserError, lines};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use tensorboard_proto::event::{Event, SessionLog, SessionLog_SessionStatus};
use tensorboard_proto::summary::Summary;
use tensorboard_rs::record_writer::RecordWriter;
use tensorboard_rs::summary::scalar;

/// The prefix of every event file's name, which TensorBoard requires.
pub const PREFIX: &str = "events.out.tfevents.";

/// The format's name and version, the first record of each file.
const FILE_VERSION: &str = "brain.Event:2";

const SPEED: &str = "positions_per_s";

/// The receivers of a cell's lines and pictures, and what each is called. With the first that comes each writes the lines of
/// the cell's `metrics.jsonl`, or its pictures of steps before `next`, to a new file.
pub fn sinks(cell: &Path, next: u64, hparams: HParams) -> io::Result<[(&'static str, Box<dyn Sink>); 2]> {
    let lines = lines::read(&cell.join(METRICS_FILE)).map_err(io::Error::other)?;
    let (curves, pictures) = (Curves::of(cell, &lines, hparams)?, Pictures::of(cell, &lines, next)?);
    Ok([("TensorBoard", Box::new(curves)), ("TensorBoard's run of pictures", Box::new(pictures))])
}

/// Replaces the event files of a finished cell unless they show exactly its lines, its pictures and these `hparams`.
/// Returns whether it replaced any.
pub fn repair(cell: &Path, hparams: HParams) -> anyhow::Result<bool> {
    let lines = lines::read(&cell.join(METRICS_FILE))?;
    let replaced = || -> io::Result<bool> {
        let mut curves = Curves::of(cell, &lines, hparams)?;
        curves.add_end()?;
        let mut pictures = Pictures::of(cell, &lines, u64::MAX)?;
        Ok(curves.log.renew_unless_whole()? | pictures.log.renew_unless_whole()?)
    };
    Ok(replaced().map_err(|cause| not_rebuilt(cell, &cause))?)
}

/// A cell's session and its curves.
struct Curves {
    hparams: HParams,
    log: EventLog,
    /// Step and time of the newest line.
    newest: (u64, f64),
}

impl Curves {
    fn of(cell: &Path, lines: &[MetricLine], hparams: HParams) -> io::Result<Self> {
        let mut curves = Self { hparams, log: EventLog::of(cell), newest: (0, 0.0) };
        lines.iter().try_for_each(|line| curves.add(line))?;
        Ok(curves)
    }

    fn add(&mut self, line: &MetricLine) -> io::Result<()> {
        self.newest = (line.step, line.time.unix_s);
        if self.log.is_empty() {
            self.log.add(summaries::start(&self.hparams, self.newest.1)?, self.newest)?;
        }
        self.log.line(line)
    }

    fn add_end(&mut self) -> io::Result<()> {
        self.log.add(summaries::end(self.newest.1)?, self.newest)
    }
}

impl Sink for Curves {
    fn line(&mut self, line: &MetricLine) -> io::Result<()> {
        self.add(line)?;
        self.log.write()
    }

    fn end(&mut self) -> io::Result<()> {
        self.add_end()?;
        self.log.write()
    }
}

/// A cell's pictures, in a run apart.
struct Pictures {
    log: EventLog,
    /// The time of the newest line.
    newest_s: f64,
}

impl Pictures {
    /// Leaves out what is no picture.
    fn of(cell: &Path, lines: &[MetricLine], next: u64) -> io::Result<Self> {
        let mut pictures = Self { log: EventLog::of(&cell.join(folder::DIR)), newest_s: 0.0 };
        let mut lines = lines.iter().peekable();
        for picture in folder::read(cell).unwrap_or_default().iter().filter(|picture| picture.step < next) {
            // A picture follows the lines of its step.
            while let Some(line) = lines.next_if(|line| line.step <= picture.step) {
                pictures.newest_s = line.time.unix_s;
            }
            if let Ok(summary) = summaries::picture(picture) {
                pictures.log.add(summary, (picture.step, pictures.newest_s))?;
            }
        }
        pictures.newest_s = lines.last().map_or(pictures.newest_s, |line| line.time.unix_s);
        Ok(pictures)
    }
}

impl Sink for Pictures {
    fn line(&mut self, line: &MetricLine) -> io::Result<()> {
        self.newest_s = line.time.unix_s;
        Ok(())
    }

    fn picture(&mut self, picture: &Picture) -> io::Result<()> {
        self.log.add(summaries::picture(picture)?, (picture.step, self.newest_s))?;
        self.log.write()
    }
}

/// The event file of a folder.
struct EventLog {
    dir: PathBuf,
    /// Created with the first record that is written.
    file: Option<File>,
    /// The records that the file does not have yet.
    unwritten: Vec<u8>,
}

impl EventLog {
    fn of(dir: &Path) -> Self {
        Self { dir: dir.to_owned(), file: None, unwritten: Vec::new() }
    }

    fn is_empty(&self) -> bool {
        self.file.is_none() && self.unwritten.is_empty()
    }

    fn line(&mut self, line: &MetricLine) -> io::Result<()> {
        for (name, value) in line.metrics.iter().chain([(SPEED, line.time.positions_per_s)]) {
            self.add(scalar(&line.tag(name), value as f32), (line.step, line.time.unix_s))?;
        }
        Ok(())
    }

    fn add(&mut self, summary: Summary, (step, time_s): (u64, f64)) -> io::Result<()> {
        if self.is_empty() {
            let mut version = Event::new();
            version.set_file_version(FILE_VERSION.to_owned());
            self.record(version, time_s)?;
            let mut session = SessionLog::new();
            session.set_status(SessionLog_SessionStatus::START);
            let mut start = Event::new();
            start.set_session_log(session);
            self.record(start, time_s)?;
        }
        let mut event = Event::new();
        event.set_step(step as i64);
        event.set_summary(summary);
        self.record(event, time_s)
    }

    fn record(&mut self, mut event: Event, time_s: f64) -> io::Result<()> {
        event.set_wall_time(time_s);
        let bytes = event.write_to_bytes().map_err(io::Error::other)?;
        RecordWriter::new(&mut self.unwritten).write(&bytes)
    }

    /// A new file gets all records or is removed. Older files stay, because a TensorBoard that reads one of them finds the
    /// new one only from there.
    fn write(&mut self) -> io::Result<()> {
        let unwritten = std::mem::take(&mut self.unwritten);
        match &mut self.file {
            _ if unwritten.is_empty() => Ok(()),
            Some(file) => file.write_all(&unwritten),
            empty => {
                let (file, path) = create_unused(&self.dir)?;
                let written = empty.insert(file).write_all(&unwritten);
                if written.is_err() {
                    fs::remove_file(path)?;
                }
                written
            }
        }
    }

    /// Replaces the folder's event files by one with these records.
    fn renew(&mut self) -> io::Result<()> {
        let old = event_files(&self.dir)?;
        self.write()?;
        old.iter().try_for_each(fs::remove_file)
    }

    /// The same, unless the newest file has exactly these records: then the others go. Returns whether it replaced them.
    fn renew_unless_whole(&mut self) -> io::Result<bool> {
        let mut older = event_files(&self.dir)?;
        let is_whole = match older.pop() {
            Some(newest) => bounded::read(&newest, bounded::RECORD).is_ok_and(|bytes| bytes == self.unwritten),
            None => self.is_empty(),
        };
        if is_whole {
            older.iter().try_for_each(fs::remove_file)?
        } else {
            self.renew()?
        }
        Ok(!is_whole)
    }
}

/// The event files of a folder, in the order in which TensorBoard reads them.
fn event_files(dir: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = entries(dir)?;
    let events = entries.iter().filter(|entry| entry.file_name().to_string_lossy().starts_with(PREFIX));
    let mut files: Vec<PathBuf> = events.map(fs::DirEntry::path).collect();
    files.sort();
    Ok(files)
}

/// A new file in a folder, which is created; the counter distinguishes openings within one second.
fn create_unused(dir: &Path) -> io::Result<(File, PathBuf)> {
    fs::create_dir_all(dir)?;
    let (unix_s, pid) = (now_s() as u64, std::process::id());
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let host = if host.trim().is_empty() { "localhost" } else { host.trim() };
    let mut count = 0;
    loop {
        let path = dir.join(format!("{PREFIX}{unix_s:010}.{host}.{pid}.{count}"));
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => count += 1,
            file => return file.map(|file| (file, path)),
        }
    }
}

/// The error of event files that cannot be replaced.
pub fn not_rebuilt(dir: &Path, cause: &io::Error) -> UserError {
    let message = format!("cannot rebuild the event files in {}: {cause}", dir.display());
    UserError::new(message, "metrics.jsonl has all lines, and the next run tries again")
}

/// Shows exactly these curves of no cell in `dir`. An unchanged file stays.
pub fn show_curves(dir: &Path, lines: &[MetricLine]) -> io::Result<()> {
    let mut log = EventLog::of(dir);
    lines.iter().try_for_each(|line| log.line(line))?;
    log.renew_unless_whole().map(drop)
}

/// Shows exactly these scalars of one step in `dir`.
pub fn show_scalars(dir: &Path, step: u64, scalars: &[(String, f64)]) -> io::Result<()> {
    let (mut log, moment) = (EventLog::of(dir), (step, now_s()));
    scalars.iter().try_for_each(|(tag, value)| log.add(scalar(tag, *value as f32), moment))?;
    log.renew()
}

/// Shows exactly these pictures in `dir`.
pub fn show_pictures(dir: &Path, pictures: &[Picture]) -> io::Result<()> {
    let (mut log, time_s) = (EventLog::of(dir), now_s());
    pictures.iter().try_for_each(|picture| log.add(summaries::picture(picture)?, (picture.step, time_s)))?;
    log.renew()
}
