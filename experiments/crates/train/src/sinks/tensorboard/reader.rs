//! Reads event files, for tests and tools, by TensorBoard's rules: a truncated last record ends the file; a wrong
//! checksum is an error.

use super::Session;
use super::images::{self, Image};
use dataset::bounded;
use protobuf::Message as _;
use records::UserError;
use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};
use tensorboard_proto::event::{Event, SessionLog_SessionStatus};
use tensorboard_rs::masked_crc32c::masked_crc32c;

/// The prefix of every event file's name, which TensorBoard requires.
pub const PREFIX: &str = "events.out.tfevents.";

#[derive(Debug, Clone, PartialEq)]
pub struct Scalar {
    pub tag: String,
    pub step: i64,
    /// The value, rounded to f32 by the format.
    pub value: f32,
    pub wall_time: f64,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct EventFile {
    pub version: String,
    /// Steps of its START records: events of earlier files from there on are withdrawn.
    pub starts: Vec<i64>,
    pub scalars: Vec<Scalar>,
    pub images: Vec<Image>,
    pub session: Session,
}

fn unreadable(path: &Path) -> impl FnOnce(io::Error) -> UserError {
    move |cause| {
        let message = format!("cannot read {}: {cause}", path.display());
        UserError::new(message, "`posenc run` rebuilds the event files of finished cells")
    }
}

fn damaged(path: &Path, offset: usize, what: impl Display) -> UserError {
    let help = "`posenc run` rebuilds the event files of finished cells from metrics.jsonl";
    UserError::new(format!("the record at byte {offset} is damaged ({what})"), help).at(path.display().to_string())
}

pub fn read(path: &Path) -> Result<EventFile, UserError> {
    let bytes = bounded::read(path, bounded::RECORD).map_err(unreadable(path))?;
    let mut file = EventFile::default();
    let mut offset = 0;
    while let Some((record, next)) = record(&bytes, offset).map_err(|what| damaged(path, offset, what))? {
        let event = Event::parse_from_bytes(record).map_err(|error| damaged(path, offset, error))?;
        file.take(&event).map_err(|error| damaged(path, offset, error))?;
        offset = next;
    }
    Ok(file)
}

/// The scalars that TensorBoard shows for a folder: those of all event files in the order of names, without those that
/// a later file withdrew.
pub fn read_dir(dir: &Path) -> Result<Vec<Scalar>, UserError> {
    read_all(dir, |file| file.scalars, |scalar| scalar.step)
}

/// The pictures that TensorBoard shows for a folder.
pub fn read_images(dir: &Path) -> Result<Vec<Image>, UserError> {
    read_all(dir, |file| file.images, |image| image.step)
}

fn read_all<T>(dir: &Path, of: fn(EventFile) -> Vec<T>, step: fn(&T) -> i64) -> Result<Vec<T>, UserError> {
    let files = event_files(dir).map_err(unreadable(dir))?;
    let mut all: Vec<T> = Vec::new();
    for path in files {
        let file = read(&path)?;
        if let Some(&start) = file.starts.first() {
            all.retain(|item| step(item) < start);
        }
        all.extend(of(file));
    }
    Ok(all)
}

/// The session of a folder's event files; the first record counts.
pub fn read_session(dir: &Path) -> Result<Session, UserError> {
    let files = event_files(dir).map_err(unreadable(dir))?;
    let mut session = Session::default();
    for path in files {
        let file = read(&path)?;
        session.hparams = session.hparams.or(file.session.hparams);
        session.done |= file.session.done;
    }
    Ok(session)
}

/// The event files of a folder, in TensorBoard's reading order.
pub(super) fn event_files(dir: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(dir)?.collect::<io::Result<Vec<_>>>()?;
    let events = entries.iter().filter(|entry| entry.file_name().to_string_lossy().starts_with(PREFIX));
    let mut files: Vec<PathBuf> = events.map(|entry| entry.path()).collect();
    files.sort();
    Ok(files)
}

impl EventFile {
    fn take(&mut self, event: &Event) -> Result<(), protobuf::ProtobufError> {
        if event.has_file_version() {
            event.get_file_version().clone_into(&mut self.version);
        }
        if event.has_session_log() && event.get_session_log().get_status() == SessionLog_SessionStatus::START {
            self.starts.push(event.get_step());
        }
        for value in event.get_summary().get_value() {
            if self.session.take(value)? {
                continue;
            }
            if let Some(image) = images::of_value(value, event.get_step()) {
                self.images.push(image);
                continue;
            }
            self.scalars.push(Scalar {
                tag: value.get_tag().to_owned(),
                step: event.get_step(),
                value: value.get_simple_value(),
                wall_time: event.get_wall_time(),
            });
        }
        Ok(())
    }
}

/// The record at `offset` and the offset of the next one; `None` at the end of the file, even if it is truncated.
///
/// A record is: length (u64), masked CRC-32C of the length, the bytes, masked CRC-32C of the bytes, little-endian.
fn record(bytes: &[u8], offset: usize) -> Result<Option<(&[u8], usize)>, &'static str> {
    let Some((length, rest)) = bytes[offset..].split_first_chunk::<{ size_of::<u64>() }>() else { return Ok(None) };
    let Some((length_crc, rest)) = rest.split_first_chunk::<{ size_of::<u32>() }>() else { return Ok(None) };
    if u32::from_le_bytes(*length_crc) != masked_crc32c(length) {
        return Err("the checksum of its length is wrong");
    }
    let length = u64::from_le_bytes(*length);
    let Some((record, rest)) = usize::try_from(length).ok().and_then(|length| rest.split_at_checked(length)) else {
        return Ok(None);
    };
    let Some((record_crc, rest)) = rest.split_first_chunk::<{ size_of::<u32>() }>() else { return Ok(None) };
    if u32::from_le_bytes(*record_crc) != masked_crc32c(record) {
        return Err("its checksum is wrong");
    }
    Ok(Some((record, bytes.len() - rest.len())))
}
