//! Reads a bundle file by file, packed or not, and checks every name and size. The list of hashes comes first.

use super::archive;
use super::error::{cannot, unreadable};
use super::names::{SUMS, is_safe};
use anyhow::{Error, anyhow};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    pub bytes: u64,
    /// Bytes of the files that a report keeps in memory: JSON and YAML.
    pub records: u64,
    pub files: usize,
}

impl Limits {
    /// Limits for a bundle of this many bytes.
    pub fn of(bytes: u64) -> Self {
        // A 64th of all, and 64 MiB at least.
        const SHARE: u32 = 6;
        const LEAST: u64 = 1 << 26;
        Self { bytes, records: (bytes >> SHARE).max(LEAST), files: 1_000_000 }
    }
}

impl Default for Limits {
    fn default() -> Self {
        const GIB: u64 = 1 << 30;
        Self::of(4 * GIB)
    }
}

/// The largest window of a packed bundle, as a power of two: 32 MiB of memory. `posenc publish` writes windows of 4 MiB.
const WINDOW_LOG: u32 = 25;

/// Gets a file's path and content.
type Each<'a> = dyn FnMut(&str, &mut dyn Read) -> anyhow::Result<()> + 'a;

/// Calls `each` with every file. Paths are safe and distinct.
/// Refuses anything but files with safe paths, and what exceeds the limits.
pub fn read(bundle: &Path, limits: Limits, each: &mut Each<'_>) -> anyhow::Result<()> {
    let mut guard = Guard { bundle, limits, seen: BTreeSet::new() };
    if bundle.is_dir() { folder(bundle, &mut guard, each) } else { packed(bundle, &mut guard, each) }
}

struct Guard<'a> {
    bundle: &'a Path,
    limits: Limits,
    seen: BTreeSet<String>,
}

impl Guard<'_> {
    fn admit(&mut self, path: &str) -> anyhow::Result<()> {
        let refused = |reason: String| Err(unreadable(self.bundle, reason));
        if !is_safe(path) {
            return refused(format!("it holds a file with the path {path:?}, which leads out of it"));
        }
        if !self.seen.insert(path.to_owned()) {
            return refused(format!("it holds {path} twice"));
        }
        if self.seen.len() > self.limits.files {
            return refused(format!("it holds more than {} files", self.limits.files));
        }
        Ok(())
    }

    fn too_large(&self) -> Error {
        let (path, limit) = (self.bundle.display(), self.limits.bytes);
        anyhow!("{path} unpacks to more than {limit} bytes; if that is meant, allow more with --max-bytes")
    }
}

fn packed(bundle: &Path, guard: &mut Guard<'_>, each: &mut Each<'_>) -> anyhow::Result<()> {
    let file = File::open(bundle).map_err(cannot("read", bundle))?;
    let damaged = |error: io::Error| unreadable(bundle, error);
    let mut decoder = zstd::Decoder::new(BufReader::new(file)).map_err(damaged)?;
    decoder.window_log_max(WINDOW_LOG).map_err(damaged)?;
    // One byte above the limit, so that exceeding it differs from ending there.
    let mut limited = decoder.take(guard.limits.bytes.saturating_add(1));
    let read = archive::read(&mut limited, |path, content| {
        guard.admit(path)?;
        each(path, content)
    });
    if limited.limit() == 0 {
        return Err(guard.too_large());
    }
    // Errors of the archive are those of io; `each` returns none of them.
    read.map_err(|error| if error.is::<io::Error>() { unreadable(bundle, error) } else { error })
}

fn folder(bundle: &Path, guard: &mut Guard<'_>, each: &mut Each<'_>) -> anyhow::Result<()> {
    let mut waiting: Vec<PathBuf> = vec![bundle.to_owned()];
    let mut bytes = 0;
    let sums = bundle.join(SUMS);
    if fs::symlink_metadata(&sums).is_ok_and(|file| file.is_file()) {
        guard.admit(SUMS)?;
        each(SUMS, &mut File::open(&sums).map_err(cannot("read", &sums))?)?;
    }
    while let Some(dir) = waiting.pop() {
        for entry in fs::read_dir(&dir).map_err(cannot("list", &dir))? {
            let entry = entry.map_err(cannot("list", &dir))?;
            let (path, kind) = (entry.path(), entry.file_type().map_err(cannot("list", &dir))?);
            let inside = path.strip_prefix(bundle).ok().and_then(Path::to_str);
            let inside = inside.ok_or_else(|| unreadable(bundle, "a name is not UTF-8"))?;
            if kind.is_file() && path == sums {
                continue;
            }
            if kind.is_dir() {
                waiting.push(path);
            } else if kind.is_file() {
                guard.admit(inside)?;
                bytes += entry.metadata().map_err(cannot("read", &path))?.len();
                if bytes > guard.limits.bytes {
                    return Err(guard.too_large());
                }
                each(inside, &mut File::open(&path).map_err(cannot("read", &path))?)?;
            } else {
                return Err(unreadable(bundle, format!("{inside} is a link or not a regular file")));
            }
        }
    }
    Ok(())
}
