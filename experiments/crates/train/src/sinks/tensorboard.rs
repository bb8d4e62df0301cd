//! TensorBoard's event files, rebuildable from `metrics.jsonl` and the [pictures](crate::pictures) at any time.
//!
//! Records are encoded by `tensorboard_rs`; files are written here, because that crate loses data on a name collision
//! and aborts the process on a full disk. Every opening creates a new file, because TensorBoard reads all files of a
//! folder in order. Each file starts with a `SessionLog` of kind START, which makes TensorBoard drop older events from
//! that step on.

mod hparams;
mod images;
mod reader;

pub use hparams::{HParams, Session};
pub use images::{BLOB_SEQUENCE, Image, PLUGIN as IMAGES_PLUGIN};
pub use reader::{EventFile, PREFIX, Scalar, read, read_dir, read_images, read_session};

use super::Sink;
use crate::describe::now_s;
use crate::pictures::{Picture, folder};
use protobuf::Message as _;
use records::lines::{self, ReadError};
use records::{MetricLine, UserError};
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use tensorboard_proto::event::{Event, SessionLog, SessionLog_SessionStatus};
use tensorboard_proto::summary::Summary;
use tensorboard_rs::record_writer::RecordWriter;
use tensorboard_rs::summary::scalar;

/// The format's name and version, the first record of each file.
const FILE_VERSION: &str = "brain.Event:2";

const SPEED: &str = "positions_per_s";

pub struct EventLog {
    writer: RecordWriter<BufWriter<File>>,
    path: PathBuf,
    /// Step and time of the newest line.
    newest: (u64, f64),
}

impl EventLog {
    /// Creates a new file in `dir` for a cell with these `hparams`. Events of earlier files at `first_step` or later
    /// are withdrawn.
    pub fn create(dir: &Path, first_step: u64, hparams: &HParams) -> io::Result<Self> {
        let mut log = Self::begin(dir, first_step)?;
        log.session(hparams)?;
        log.writer.flush()?;
        Ok(log)
    }

    /// The same without a session for the HParams tab.
    fn begin(dir: &Path, first_step: u64) -> io::Result<Self> {
        let wall_s = now_s();
        let (file, path) = create_unused(dir, wall_s as u64)?;
        let newest = (first_step, wall_s);
        let mut log = Self { writer: RecordWriter::new(BufWriter::new(file)), path, newest };
        let mut version = Event::new();
        version.set_file_version(FILE_VERSION.to_owned());
        log.write(version, wall_s)?;
        let mut session = SessionLog::new();
        session.set_status(SessionLog_SessionStatus::START);
        let mut start = Event::new();
        start.set_step(first_step as i64);
        start.set_session_log(session);
        log.write(start, wall_s)?;
        Ok(log)
    }

    fn session(&mut self, hparams: &HParams) -> io::Result<()> {
        let start = hparams::start(hparams, self.newest.1)?;
        self.summary(start, self.newest)
    }

    fn write(&mut self, mut event: Event, wall_s: f64) -> io::Result<()> {
        event.set_wall_time(wall_s);
        let bytes = event.write_to_bytes().map_err(io::Error::other)?;
        self.writer.write(&bytes)
    }

    fn picture(&mut self, picture: &Picture) -> io::Result<()> {
        self.summary(images::summary(picture)?, (picture.step, self.newest.1))
    }

    fn summary(&mut self, summary: Summary, (step, wall_s): (u64, f64)) -> io::Result<()> {
        let mut event = Event::new();
        event.set_step(step as i64);
        event.set_summary(summary);
        self.write(event, wall_s)
    }
}

impl Sink for EventLog {
    fn line(&mut self, line: &MetricLine) -> io::Result<()> {
        self.newest = (line.step, line.time.unix_s);
        for (name, value) in line.metrics.iter().chain([(SPEED, line.time.positions_per_s)]) {
            self.summary(scalar(&line.tag(name), value as f32), self.newest)?;
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }

    fn end(&mut self) -> io::Result<()> {
        self.summary(hparams::end(self.newest.1)?, self.newest)?;
        self.flush()
    }
}

/// Writes the pictures of a cell to a run apart, whose folder is created with the first one.
pub struct PictureLog {
    dir: PathBuf,
    first_step: u64,
    log: Option<EventLog>,
}

impl PictureLog {
    /// `dir` is the cell's folder. Pictures of earlier files at `first_step` or later are withdrawn.
    pub fn of(dir: &Path, first_step: u64) -> Self {
        Self { dir: dir.join(folder::DIR), first_step, log: None }
    }
}

impl Sink for PictureLog {
    fn picture(&mut self, picture: &Picture) -> io::Result<()> {
        let log = match &mut self.log {
            Some(log) => log,
            empty => {
                std::fs::create_dir_all(&self.dir)?;
                empty.insert(EventLog::begin(&self.dir, self.first_step)?)
            }
        };
        log.newest.1 = now_s();
        log.picture(picture)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.log.as_mut().map_or(Ok(()), Sink::flush)
    }
}

/// A new file; the counter distinguishes openings within one second.
fn create_unused(dir: &Path, unix_s: u64) -> io::Result<(File, PathBuf)> {
    let pid = std::process::id();
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let host = if host.trim().is_empty() { "localhost" } else { host.trim() };
    let mut count = 0;
    loop {
        let path = dir.join(format!("{PREFIX}{unix_s:010}.{host}.{pid}.{count}"));
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(file) => return Ok((file, path)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => count += 1,
            Err(error) => return Err(error),
        }
    }
}

/// The error of event files that cannot be replaced.
pub fn not_rebuilt(dir: &Path, cause: &io::Error) -> UserError {
    let message = format!("cannot rebuild the event files in {}: {cause}", dir.display());
    UserError::new(message, "metrics.jsonl has all lines, and the next run tries again")
}

/// Whether the event files of a finished cell show every line of its `metrics.jsonl`, apart from them every picture of its
/// folder, and its hyperparameters. Unreadable event files count as incomplete.
pub fn is_whole(metrics: &Path, dir: &Path) -> Result<bool, ReadError> {
    let scalars: usize = lines::read(metrics)?.iter().map(|line| line.metrics.iter().count() + 1).sum();
    let apart = dir.join(folder::DIR);
    let images = if apart.is_dir() { read_images(&apart) } else { Ok(Vec::new()) };
    let (Ok(found), Ok(mixed), Ok(images), Ok(session)) = (read_dir(dir), read_images(dir), images, read_session(dir))
    else {
        return Ok(false);
    };
    // Unreadable pictures cannot be shown either.
    let pictures = folder::read(dir).unwrap_or_default();
    let shown = |picture: &Picture| {
        let tag = images::tag(&picture.map);
        images.iter().filter(|image| image.step == picture.step as i64 && image.tag == tag).count() == 1
    };
    let all_shown = mixed.is_empty() && images.len() == pictures.len() && pictures.iter().all(shown);
    Ok(found.len() == scalars && all_shown && session.hparams.is_some() && session.done)
}

/// Shows exactly these curves of no cell in `dir`, which is created. Unchanged files stay.
pub fn show_curves(dir: &Path, lines: &[MetricLine]) -> io::Result<()> {
    let shown = lines.iter().flat_map(|line| {
        let scalars = line.metrics.iter().chain([(SPEED, line.time.positions_per_s)]);
        scalars.map(|(name, value)| (line.tag(name), line.step as i64, value as f32))
    });
    std::fs::create_dir_all(dir)?;
    if read_dir(dir).is_ok_and(|found| found.into_iter().map(|one| (one.tag, one.step, one.value)).eq(shown)) {
        return Ok(());
    }
    renew(dir, 0, |log| lines.iter().try_for_each(|line| log.line(line))).map(drop)
}

/// Shows exactly these scalars of one step in `dir`, which is created.
pub fn show_scalars(dir: &Path, step: u64, scalars: &[(String, f64)]) -> io::Result<()> {
    let write = |log: &mut EventLog| {
        scalars.iter().try_for_each(|(tag, value)| log.summary(scalar(tag, *value as f32), log.newest))
    };
    renew(dir, step, write).map(drop)
}

/// Shows exactly these pictures in `dir`, which is created.
pub fn show_pictures(dir: &Path, pictures: &[Picture]) -> io::Result<()> {
    renew(dir, 0, |log| pictures.iter().try_for_each(|picture| log.picture(picture))).map(drop)
}

/// Replaces the event files of a finished cell by one with exactly the lines of its `metrics.jsonl`, and one with its
/// pictures.
pub fn rebuild(metrics: &Path, dir: &Path, hparams: &HParams) -> anyhow::Result<PathBuf> {
    let lines = lines::read(metrics)?;
    let write = |log: &mut EventLog| -> io::Result<()> {
        log.session(hparams)?;
        lines.iter().try_for_each(|line| log.line(line))?;
        log.end()
    };
    let apart = dir.join(folder::DIR);
    let pictures = || -> io::Result<()> {
        let pictures = folder::read(dir)?;
        if pictures.is_empty() && !apart.is_dir() { Ok(()) } else { show_pictures(&apart, &pictures) }
    };
    let path = renew(dir, 0, write).and_then(|path| pictures().map(|()| path));
    Ok(path.map_err(|cause| not_rebuilt(dir, &cause))?)
}

/// Replaces the event files in `dir`, which is created, by one with these records.
fn renew(dir: &Path, first_step: u64, write: impl FnOnce(&mut EventLog) -> io::Result<()>) -> io::Result<PathBuf> {
    std::fs::create_dir_all(dir)?;
    let old = reader::event_files(dir)?;
    let mut log = EventLog::begin(dir, first_step)?;
    write(&mut log)?;
    log.flush()?;
    old.iter().try_for_each(std::fs::remove_file)?;
    Ok(log.path)
}
