//! Checks every file of a bundle against its list of hashes, and unpacks it.
//!
//! The list comes first, so a file that it lacks is refused before anything of it is written.

use super::error::{cannot, taken, unreadable};
use super::listing::Listing;
use super::names::SUMS;
use super::read::{Limits, read};
use anyhow::{Error, anyhow};
use records::plan::{self, Plan};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{Read, Write as _};
use std::path::{Path, PathBuf};

/// Gives a file its place outside the bundle, if it has one.
type TargetPath<'a> = &'a dyn Fn(&str) -> Option<PathBuf>;

const CHUNK: usize = 1 << 16;

/// Bytes of the longest file kept in memory: the list and the plan.
const LONGEST_KEPT: usize = 16 << 20;

/// The files that reports keep in memory.
const RECORDS: [&str; 3] = [".json", ".jsonl", ".yaml"];

/// A bundle whose files match its list.
#[derive(Debug)]
pub struct Verified {
    /// BLAKE3 of the list of hashes, which identifies the bundle.
    pub identity: String,
    /// The number of files, without the list.
    pub files: usize,
    /// Bytes of all of them, and of the list.
    pub bytes: u64,
    pub plan: Plan,
}

/// Reads a bundle, compares every file with the list, and writes it below `dir`, which must not exist.
/// An error removes unpacked files.
pub fn unpack(bundle: &Path, limits: Limits, dir: &Path) -> anyhow::Result<Verified> {
    unpack_to(bundle, limits, dir, &|path| Some(dir.join(path)))
}

/// The same to the places that `place` gives the files below `dir`.
pub(super) fn unpack_to(bundle: &Path, limits: Limits, dir: &Path, place: TargetPath<'_>) -> anyhow::Result<Verified> {
    if dir.exists() {
        return Err(taken(dir));
    }
    fs::create_dir_all(dir).map_err(cannot("make", dir))?;
    let mut check = Check {
        bundle,
        limits,
        place,
        list: None,
        plan: None,
        found: BTreeSet::new(),
        problems: Vec::new(),
        bytes: 0,
        records: 0,
    };
    let read = read(bundle, limits, &mut |path, content| check.file(path, content));
    let verified = read.and_then(|()| check.end());
    if verified.is_err() {
        // The first error is returned, not one of the clean-up.
        let _ = fs::remove_dir_all(dir);
    }
    verified
}

/// The state of reading a bundle.
struct Check<'a> {
    bundle: &'a Path,
    limits: Limits,
    place: TargetPath<'a>,
    /// The list and its own hash.
    list: Option<(Listing, String)>,
    plan: Option<Plan>,
    found: BTreeSet<String>,
    problems: Vec<String>,
    bytes: u64,
    records: u64,
}

impl Check<'_> {
    fn file(&mut self, path: &str, content: &mut dyn Read) -> anyhow::Result<()> {
        let expected = match &self.list {
            None if path == SUMS => None,
            None => return Err(self.unreadable(format!("it must begin with {SUMS}, and begins with {path}"))),
            Some((list, _)) => match list.hash(path) {
                None => return Err(changed(&[format!("{path} is not in the list")])),
                hash => hash,
            },
        };
        let (hash, kept) = self.copy(path, content)?;
        let Some(expected) = expected else {
            self.list = Some((Listing::parse(self.bundle, &kept)?, hash.to_hex().to_string()));
            return Ok(());
        };
        self.found.insert(path.to_owned());
        if hash != expected {
            self.problems.push(format!("{path} was changed"));
        } else if path == plan::FILE {
            self.plan = Some(Plan::parse(&kept, &self.bundle.join(path))?);
        }
        Ok(())
    }

    /// Hashes a file and writes it to its place, if it has one; returns also the bytes of files that are kept in memory.
    fn copy(&mut self, path: &str, content: &mut dyn Read) -> anyhow::Result<(blake3::Hash, Vec<u8>)> {
        let mut to = (self.place)(path).map(|to| create(&to)).transpose()?;
        let is_kept = path == SUMS || path == plan::FILE;
        let is_record = RECORDS.iter().any(|end| path.ends_with(end));
        let mut kept = Vec::new();
        let mut hasher = blake3::Hasher::new();
        let mut chunk = vec![0; CHUNK];
        loop {
            let length = content.read(&mut chunk).map_err(|error| self.unreadable(error))?;
            if length == 0 {
                return Ok((hasher.finalize(), kept));
            }
            self.bytes += length as u64;
            self.records += if is_record { length as u64 } else { 0 };
            if self.records > self.limits.records {
                let (path, limit) = (self.bundle.display(), self.limits.records);
                return Err(anyhow!(
                    "{path} has more than {limit} bytes of JSON and YAML, which reports keep in memory; if that is meant, \
                     allow 64 times as many with --max-bytes"
                ));
            }
            hasher.update(&chunk[..length]);
            if let Some((file, path)) = &mut to {
                file.write_all(&chunk[..length]).map_err(cannot("write", path))?;
            }
            if is_kept {
                kept.extend_from_slice(&chunk[..length]);
            }
            if kept.len() > LONGEST_KEPT {
                return Err(self.unreadable(format!("{path} is longer than {LONGEST_KEPT} bytes")));
            }
        }
    }

    fn end(mut self) -> anyhow::Result<Verified> {
        let Some((list, identity)) = self.list.take() else {
            return Err(self.unreadable(format!("it has no {SUMS}")));
        };
        let missing = list.paths().filter(|path| !self.found.contains(*path)).map(|path| format!("{path} is missing"));
        self.problems.extend(missing);
        match (self.problems.is_empty(), self.plan.take()) {
            (true, Some(plan)) => Ok(Verified { identity, files: self.found.len(), bytes: self.bytes, plan }),
            _ => Err(changed(&self.problems)),
        }
    }

    fn unreadable(&self, reason: impl std::fmt::Display) -> Error {
        unreadable(self.bundle, reason)
    }
}

/// Files differ from the list of hashes. The problems may be as many as the bundle has files.
fn changed(problems: &[String]) -> Error {
    const SHOWN: usize = 10;
    let more = problems.len().saturating_sub(SHOWN);
    let shown = problems[..problems.len() - more].join("; ");
    let shown = if more > 0 { format!("{shown}; and {more} more") } else { shown };
    anyhow!("{} of its files are not what {SUMS} says: {shown}; get it again from its source", problems.len())
}

fn create(path: &Path) -> anyhow::Result<(File, PathBuf)> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(cannot("make", folder))?;
    }
    Ok((File::create_new(path).map_err(cannot("write", path))?, path.to_owned()))
}
