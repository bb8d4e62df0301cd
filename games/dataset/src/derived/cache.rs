//! Where derived files are, and how one is written under another name first.

use super::MAGIC;
use super::index::Index;
use crate::error::DatasetError;
use crate::manifest::{EXACT_BELOW, Manifest};
use std::ffi::OsString;
use std::fs::{self, File, Permissions};
use std::io::{self, BufWriter, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::{NamedTempFile, TempDir};

/// The version of the format, in the name of the files.
const VERSION: &str = "v5";

/// The end of the name of a file that is not complete.
const PARTIAL: &str = ".partial";

/// The variable that names another folder for caches; empty for none.
const VARIABLE: &str = "POSENC_CACHE";

/// Where and when the rows of a dataset are kept in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DerivedOptions {
    /// The folder of the files; `None` to keep all rows in memory.
    pub cache: Option<PathBuf>,
    /// Rows of at most this number of bytes stay in memory.
    pub in_memory: u64,
    /// Splits of fewer rows are shuffled row by row: [`EXACT_BELOW`], except in tests.
    pub exact_below: u64,
}

impl Default for DerivedOptions {
    /// `$POSENC_CACHE/derived`, or `posenc/derived` in the user's cache; from 64 MB on.
    fn default() -> Self {
        let cache = cache_folder(|name| std::env::var_os(name)).map(|folder| folder.join("derived"));
        Self { cache, in_memory: 64 << 20, exact_below: EXACT_BELOW }
    }
}

/// The folder of posenc's caches by the environment's variables.
fn cache_folder(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    if let Some(folder) = variable(VARIABLE) {
        return Some(PathBuf::from(folder)).filter(|folder| !folder.as_os_str().is_empty());
    }
    // A relative path in it is invalid and to be ignored, by the base directory specification.
    let cache = variable("XDG_CACHE_HOME").map(PathBuf::from).filter(|folder| folder.is_absolute());
    let of_home = || variable("HOME").map(|home| Path::new(&home).join(".cache"));
    cache.or_else(of_home).map(|cache| cache.join("posenc"))
}

/// A folder for temporary files of this process, in the cache if that is possible.
pub(crate) fn scratch() -> Result<TempDir, DatasetError> {
    let scratch = |parent: &Path| tempfile::Builder::new().prefix("posenc-scratch-").tempdir_in(parent);
    let cache = cache_folder(|name| std::env::var_os(name)).filter(|parent| fs::create_dir_all(parent).is_ok());
    let of_cache = cache.and_then(|parent| scratch(&parent).ok());
    let parent = std::env::temp_dir();
    of_cache.map_or_else(|| scratch(&parent).map_err(DatasetError::io("create a folder in", &parent)), Ok)
}

/// The cache entry of a dataset's derived file.
pub(super) struct CacheEntry<'a> {
    pub(super) options: &'a DerivedOptions,
    /// `None` without a cache.
    pub(super) path: Option<PathBuf>,
}

impl<'a> CacheEntry<'a> {
    pub(super) fn of(manifest: &Manifest, options: &'a DerivedOptions) -> Self {
        // Tests may order the same rows in two ways.
        let order =
            if options.exact_below == EXACT_BELOW { String::new() } else { format!("-{}", options.exact_below) };
        let name = format!("{}{order}-{VERSION}.rows", manifest.content_hash);
        Self { options, path: options.cache.as_ref().map(|cache| cache.join(name)) }
    }

    /// Begins the file, when no other process writes it any more; `None` if that is not possible here.
    pub(super) fn begin(&self) -> Option<Partial> {
        let path = self.path.as_ref()?;
        let folder = path.parent()?;
        fs::create_dir_all(folder).ok()?;
        let lock = File::create(path.with_extension("lock")).ok()?;
        // Some network file systems have no locks. Then several processes write files of their own names.
        let is_locked = lock.lock().is_ok();
        if is_locked {
            remove_abandoned(folder);
        }
        let mut begin = tempfile::Builder::new();
        // Other users may share a cache, as the umask says; a temporary file would be its owner's only.
        begin.prefix(path.file_stem()?).suffix(PARTIAL).permissions(Permissions::from_mode(0o666));
        let file = begin.tempfile_in(folder).ok()?;
        Some(Partial { file: BufWriter::with_capacity(1 << 20, file), path: path.clone(), lock })
    }
}

/// A process that writes a file changes it more often.
const ABANDONED: Duration = Duration::from_secs(3600);

/// Removes the partial files of killed processes. Files that were changed lately stay: where locks hold on one node only,
/// another node may write them.
fn remove_abandoned(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let changed = entry.metadata().and_then(|metadata| metadata.modified());
        let is_old = changed.is_ok_and(|time| time.elapsed().is_ok_and(|age| age > ABANDONED));
        if is_old && entry.file_name().to_string_lossy().ends_with(PARTIAL) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// A derived file that is not complete. It is removed unless it is finished.
pub(super) struct Partial {
    file: BufWriter<NamedTempFile>,
    path: PathBuf,
    /// Released when the file is complete.
    lock: File,
}

impl Partial {
    pub(super) fn put(&mut self, bytes: &[u8]) -> Result<(), DatasetError> {
        self.file.write_all(bytes).map_err(|source| unwritable(self.file.get_ref().path(), source))
    }

    /// Writes the index, which begins at `at`, and gives the file its name. Returns the open file.
    pub(super) fn finish(mut self, index: &Index, at: u64) -> Result<(File, PathBuf), DatasetError> {
        let partial = self.file.get_ref().path().to_owned();
        let failed = |source| unwritable(&partial, source);
        let bytes = index.to_bytes().map_err(|error| failed(error.into()))?;
        let mut end = || -> io::Result<()> {
            self.file.write_all(&bytes)?;
            self.file.write_all(&at.to_le_bytes())?;
            self.file.write_all(&(bytes.len() as u64).to_le_bytes())?;
            self.file.write_all(blake3::hash(&bytes).as_bytes())?;
            self.file.write_all(&MAGIC)?;
            self.file.flush()?;
            self.file.get_ref().as_file().sync_all()
        };
        end().map_err(failed)?;
        let file = self.file.into_inner().map_err(|error| failed(error.into_error()))?;
        let file = file.persist(&self.path).map_err(|error| failed(error.error))?;
        // Nobody waits for a lock that cannot be released.
        let _ = self.lock.unlock();
        Ok((file, self.path))
    }
}

fn unwritable(path: &Path, source: io::Error) -> DatasetError {
    DatasetError::CacheUnwritable { path: path.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_names_the_folder() {
        let folder = |variables: &'static [(&str, &str)]| {
            cache_folder(|name| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into()))
        };
        assert_eq!(folder(&[("HOME", "/home/a")]), Some("/home/a/.cache/posenc".into()));
        assert_eq!(folder(&[("HOME", "/home/a"), ("XDG_CACHE_HOME", "/b")]), Some("/b/posenc".into()));
        assert_eq!(folder(&[("HOME", "/home/a"), ("XDG_CACHE_HOME", "b")]), Some("/home/a/.cache/posenc".into()));
        assert_eq!(folder(&[("HOME", "/home/a"), (VARIABLE, "/c")]), Some("/c".into()));
        assert_eq!(folder(&[("HOME", "/home/a"), (VARIABLE, "")]), None);
        assert_eq!(folder(&[]), None);
    }
}
