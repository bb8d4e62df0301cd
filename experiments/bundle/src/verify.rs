//! Checks every file of a bundle against its list of hashes, and optionally unpacks it.

use super::error::BundleError;
use super::read::{Limits, read};
use super::{CELLS, METADATA, SUMS};
use records::folder::{CONFIG_FILE, METRICS_FILE};
use records::plan;
use records::plan::Plan;
use records::{manifest, status};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Bytes per read.
const CHUNK: usize = 1 << 16;

/// The longest file kept in memory: plan, configurations, manifests and metrics.
const LONGEST_KEPT: usize = 1 << 28;

/// A bundle whose files match its list.
#[derive(Debug)]
pub struct Verified {
    /// BLAKE3 of the list of hashes, which identifies the bundle.
    pub identity: String,
    /// The number of files, without the list.
    pub files: usize,
    /// Bytes of all of them.
    pub bytes: u64,
    /// Its plan.
    pub plan: Plan,
    /// Plan, configurations, manifests and metrics, by path.
    pub kept: BTreeMap<String, Vec<u8>>,
}

/// Reads a bundle and compares every file with the list. With `unpack`, a folder that must not exist, every file is
/// also written there.
///
/// # Errors
/// If it cannot be read, or a file is missing, changed or not in the list; unpacked files are removed then.
pub fn verify(bundle: &Path, limits: Limits, unpack: Option<&Path>) -> Result<Verified, BundleError> {
    if let Some(dir) = unpack {
        if dir.exists() {
            return Err(BundleError::Taken(dir.to_owned()));
        }
        fs::create_dir_all(dir).map_err(BundleError::io("make", dir))?;
    }
    let verified = verify_into(bundle, limits, unpack);
    if let (Err(_), Some(dir)) = (&verified, unpack) {
        // The first error is returned, not one of the clean-up.
        let _ = fs::remove_dir_all(dir);
    }
    verified
}

fn verify_into(bundle: &Path, limits: Limits, unpack: Option<&Path>) -> Result<Verified, BundleError> {
    let mut found: BTreeMap<String, blake3::Hash> = BTreeMap::new();
    let mut kept: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    let mut bytes = 0;
    read(bundle, limits, &mut |path, content| {
        let mut to = unpack.map(|dir| create(&dir.join(path))).transpose()?;
        let mut keep = is_kept(path).then(Vec::new);
        let mut hasher = blake3::Hasher::new();
        let mut chunk = vec![0; CHUNK];
        loop {
            let length = content.read(&mut chunk).map_err(|error| BundleError::unreadable(bundle, error))?;
            if length == 0 {
                break;
            }
            bytes += length as u64;
            hasher.update(&chunk[..length]);
            if let Some((file, path)) = &mut to {
                file.write_all(&chunk[..length]).map_err(BundleError::io("write", path))?;
            }
            if let Some(keep) = &mut keep {
                keep.extend_from_slice(&chunk[..length]);
                if keep.len() > LONGEST_KEPT {
                    return Err(BundleError::unreadable(bundle, format!("{path} is too long for what it is")));
                }
            }
        }
        found.insert(path.to_owned(), hasher.finalize());
        kept.extend(keep.map(|bytes| (path.to_owned(), bytes)));
        Ok(())
    })?;
    let sums = kept.remove(SUMS).ok_or_else(|| BundleError::unreadable(bundle, format!("it has no {SUMS}")))?;
    let identity = blake3::hash(&sums).to_hex().to_string();
    found.remove(SUMS);
    let listed = listed(bundle, &sums)?;
    let problems = problems(&found, &listed);
    if !problems.is_empty() {
        return Err(BundleError::Changed { problems });
    }
    for name in [METADATA, plan::FILE] {
        if !found.contains_key(name) {
            return Err(BundleError::unreadable(bundle, format!("it has no {name}")));
        }
    }
    let plan = kept.get(plan::FILE).map(|text| serde_json::from_slice(text));
    let plan: Plan =
        plan.transpose().ok().flatten().ok_or_else(|| BundleError::unreadable(bundle, "its plan cannot be read"))?;
    Ok(Verified { identity, files: found.len(), bytes, plan, kept })
}

fn create(path: &Path) -> Result<(File, PathBuf), BundleError> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(BundleError::io("make", folder))?;
    }
    Ok((File::create_new(path).map_err(BundleError::io("write", path))?, path.to_owned()))
}

fn is_kept(path: &str) -> bool {
    let of_cell = [CONFIG_FILE, manifest::FILE, status::FILE, METRICS_FILE];
    let cell =
        path.strip_prefix(CELLS).is_some_and(|rest| of_cell.iter().any(|name| rest.ends_with(&format!("/{name}"))));
    cell || path == SUMS || path == plan::FILE
}

/// Paths and hashes of the list.
fn listed(bundle: &Path, sums: &[u8]) -> Result<BTreeMap<String, blake3::Hash>, BundleError> {
    let wrong =
        |line: usize| BundleError::unreadable(bundle, format!("line {} of {SUMS} is not a hash with a path", line + 1));
    let text = std::str::from_utf8(sums).map_err(|_| wrong(0))?;
    let line = |(at, line): (usize, &str)| {
        let (hash, path) = line.split_once("  ").ok_or_else(|| wrong(at))?;
        Ok((path.to_owned(), blake3::Hash::from_hex(hash).map_err(|_| wrong(at))?))
    };
    text.lines().enumerate().map(line).collect()
}

fn problems(found: &BTreeMap<String, blake3::Hash>, listed: &BTreeMap<String, blake3::Hash>) -> Vec<String> {
    let mut problems = Vec::new();
    for (path, hash) in listed {
        match found.get(path) {
            None => problems.push(format!("{path} is missing")),
            Some(other) if other != hash => problems.push(format!("{path} was changed")),
            Some(_) => {}
        }
    }
    problems.extend(
        found.keys().filter(|path| !listed.contains_key(*path)).map(|path| format!("{path} is not in the list")),
    );
    problems
}
