//! Reads files as chunks of records, each file ahead of its turn by a separate thread.
//!
//! Chunks are delivered file by file in the order of the command line, whatever the number of threads. Memory does not
//! grow with the input: each open file may be a few chunks ahead, and at most as many files are open as there are
//! threads.

use super::container::{peek, walk};
use super::format::Format;
use crate::bounded::without_mark;
use crate::error::DatasetError;
use games::GameKind;
use games::chess::bag::Bag;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};

/// Records in a chunk, at most.
const CHUNK_RECORDS: usize = 1024;

/// The size at which a chunk is complete.
const CHUNK_BYTES: usize = 2 << 20;

/// Chunks that a file may be ahead.
const CHUNKS_AHEAD: usize = 2;

/// Bytes used to detect a file's format.
const HEAD_BYTES: usize = 1 << 16;

/// The bytes of a record, or why its file cannot be read further.
pub(super) type Record = Result<Vec<u8>, String>;

/// Records of one file, in their order.
pub(super) struct Chunk {
    /// The file's name without folders; for a member of an archive, preceded by the archive's name.
    pub(super) file: String,
    pub(super) format: Format,
    /// The number of the first record in its file.
    pub(super) first: u64,
    pub(super) records: Vec<Record>,
}

/// The input files and the bytes read so far.
pub(super) struct Inputs<'a> {
    paths: &'a [PathBuf],
    game: GameKind,
    format: Option<Format>,
    pub(super) total_bytes: u64,
    bytes_read: AtomicU64,
}

impl<'a> Inputs<'a> {
    /// Opens every file once, so that a wrong name is reported before the import starts.
    pub(super) fn check(paths: &'a [PathBuf], game: GameKind, format: Option<Format>) -> Result<Self, DatasetError> {
        let mut total_bytes = 0;
        for path in paths {
            let file = File::open(path).map_err(DatasetError::io("open", path))?;
            let metadata = file.metadata().map_err(DatasetError::io("read", path))?;
            if metadata.is_dir() {
                let files = path.join("*");
                let reason = format!("it is a folder; name its files: --from {}", files.display());
                return Err(DatasetError::io("read", path)(io::Error::new(io::ErrorKind::IsADirectory, reason)));
            }
            total_bytes += metadata.len();
        }
        Ok(Self { paths, game, format, total_bytes, bytes_read: AtomicU64::new(0) })
    }

    pub(super) fn bytes_read(&self) -> u64 {
        self.bytes_read.load(Ordering::Relaxed).min(self.total_bytes)
    }

    /// Delivers all chunks in order, each with the index of its file, read by up to `threads` threads, until `take`
    /// returns that it has enough.
    pub(super) fn read(
        &self,
        threads: usize,
        take: &mut dyn FnMut(usize, Chunk) -> Result<bool, DatasetError>,
    ) -> Result<(), DatasetError> {
        let (senders, receivers): (Vec<_>, Vec<_>) =
            self.paths.iter().map(|_| sync_channel::<Chunk>(CHUNKS_AHEAD)).unzip();
        let senders: Vec<_> = senders.into_iter().map(|sender| Mutex::new(Some(sender))).collect();
        let threads = threads.clamp(1, self.paths.len().max(1));
        // Tokens for files that may be opened: at most one per thread, including the file whose turn it is, because all
        // open files have chunks in memory.
        let (begin, begun) = channel();
        let begun = Mutex::new(begun);
        std::thread::scope(|scope| {
            for number in 0..threads {
                // Cannot fail: the other end is in this function.
                let _ = begin.send(number);
                scope.spawn(|| {
                    // Files are opened in order, so the file whose turn it is always has a thread.
                    while let Some(number) = begun.lock().ok().and_then(|begun| begun.recv().ok()) {
                        let Some((path, slot)) = self.paths.get(number).zip(senders.get(number)) else { break };
                        if let Some(sender) = slot.lock().ok().and_then(|mut slot| slot.take()) {
                            self.read_file(path, &sender);
                        }
                    }
                });
            }
            // Dropping the receivers and `begin` ends all threads.
            deliver_in_order(receivers, take, move |done| {
                let _ = begin.send(done + threads);
            })
        })
    }

    /// Splits one file into chunks; stops early if the receiver is gone.
    fn read_file(&self, path: &Path, sender: &SyncSender<Chunk>) {
        let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let mut current = name.clone();
        let of_bag = self.format.or_else(|| Format::of_bag(&name)).filter(|format| format.bag().is_some());
        let outcome = File::open(path).and_then(|file| {
            let counted = CountingReader { file, bytes_read: &self.bytes_read, own: 0 };
            if let Some(format) = of_bag {
                return read_bag(counted, &name, format, sender);
            }
            walk(counted, &mut |member, input| {
                current = member.map_or_else(|| name.clone(), |member| format!("{name}/{member}"));
                if member.is_some_and(is_about_the_archive) {
                    return Ok(());
                }
                self.read_records(&current, input, sender)
            })
        });
        if let Err(error) = outcome {
            let records = vec![Err(error.to_string())];
            let format = of_bag.or(self.format).unwrap_or(Format::text(self.game));
            // The receiver is gone if reading was stopped.
            drop(sender.send(Chunk { file: current, format, first: 0, records }));
        }
    }

    fn read_records(&self, file: &str, input: Box<dyn BufRead + '_>, sender: &SyncSender<Chunk>) -> io::Result<()> {
        let (head, mut input) = peek(input, HEAD_BYTES);
        let format = self.format.unwrap_or_else(|| Format::of(self.game, file, &head));
        if format.is_text() {
            input.consume(head.len() - without_mark(&head).len());
        }
        let mut chunks = Chunks { file, format, sender, first: 0, records: Vec::new(), bytes: 0 };
        for record in format.records(Box::new(input)) {
            chunks.push(record.map_err(|error| error.to_string()))?;
        }
        chunks.send()
    }
}

fn read_bag(input: impl Read + Seek, name: &str, format: Format, sender: &SyncSender<Chunk>) -> io::Result<()> {
    let compressed = name.to_ascii_lowercase().ends_with(".bagz");
    let mut bag = Bag::open(BufReader::new(input), compressed).map_err(io::Error::other)?;
    let mut chunks = Chunks { file: name, format, sender, first: 0, records: Vec::new(), bytes: 0 };
    while let Some(record) = bag.next().map_err(io::Error::other)? {
        chunks.push(record.map(<[u8]>::to_vec))?;
    }
    chunks.send()
}

struct Chunks<'a> {
    file: &'a str,
    format: Format,
    sender: &'a SyncSender<Chunk>,
    first: u64,
    records: Vec<Record>,
    bytes: usize,
}

impl Chunks<'_> {
    fn push(&mut self, record: Record) -> io::Result<()> {
        self.bytes += record.as_ref().map_or(0, Vec::len);
        self.records.push(record);
        let full = self.records.len() >= CHUNK_RECORDS || self.bytes >= CHUNK_BYTES;
        if full { self.send() } else { Ok(()) }
    }

    fn send(&mut self) -> io::Result<()> {
        if self.records.is_empty() {
            return Ok(());
        }
        let (file, format, first) = (self.file.to_owned(), self.format, self.first);
        let chunk = Chunk { file, format, first, records: std::mem::take(&mut self.records) };
        self.first += chunk.records.len() as u64;
        self.bytes = 0;
        self.sender.send(chunk).map_err(|_| io::Error::other("nobody wants more"))
    }
}

/// Whether a member of an archive is documentation instead of records.
fn is_about_the_archive(member: &str) -> bool {
    let name = member.rsplit('/').next().unwrap_or(member).to_ascii_lowercase();
    ["license", "licence", "copying", "readme"].iter().any(|start| name.starts_with(start))
}

fn deliver_in_order(
    receivers: Vec<Receiver<Chunk>>,
    take: &mut dyn FnMut(usize, Chunk) -> Result<bool, DatasetError>,
    done: impl Fn(usize),
) -> Result<(), DatasetError> {
    for (file, receiver) in receivers.into_iter().enumerate() {
        for chunk in receiver {
            if !take(file, chunk)? {
                return Ok(());
            }
        }
        done(file);
    }
    Ok(())
}

/// Counts the bytes read, before decompression.
struct CountingReader<'a> {
    file: File,
    bytes_read: &'a AtomicU64,
    own: u64,
}

impl Read for CountingReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        self.own += read as u64;
        self.bytes_read.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

impl Seek for CountingReader<'_> {
    /// Bytes read before a restart do not count.
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        if to == SeekFrom::Start(0) {
            self.bytes_read.fetch_sub(std::mem::take(&mut self.own), Ordering::Relaxed);
        }
        self.file.seek(to)
    }
}
