//! Where a dataset grows until it is complete.

use crate::error::DatasetError;
use crate::manifest::{MANIFEST_FILE, Manifest};
use std::fs::{self, File, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// Held by the process that writes to the folder, so that what a killed one left behind can be told apart.
const LOCK_FILE: &str = ".lock";

/// A hidden folder beside the target. It is removed unless [`Output::publish`] gives it the target's name. What a killed
/// process left of it is removed by the next one that makes the same dataset.
pub(crate) struct Output {
    dir: PathBuf,
    target: PathBuf,
    /// Released when the process ends, however it ends.
    lock: Option<File>,
}

impl Output {
    pub(crate) fn create(target: &Path) -> Result<Self, DatasetError> {
        if target.symlink_metadata().is_ok() {
            return Err(DatasetError::OutputExists(target.to_owned()));
        }
        let Some(name) = target.file_name() else {
            let reason = format!("\"{}\" is not the name of a folder", target.display());
            return Err(DatasetError::Option { option: "output", reason });
        };
        let parent = target.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let unwritable = |source| DatasetError::OutputUnwritable { path: parent.to_owned(), source };
        fs::create_dir_all(parent).map_err(unwritable)?;
        let dir = parent.join(format!(".{}.importing", name.to_string_lossy()));
        remove_abandoned(&dir, target)?;
        fs::create_dir(&dir).map_err(unwritable)?;
        let path = dir.join(LOCK_FILE);
        let lock = File::create(&path).map_err(DatasetError::io("create", &path))?;
        lock.try_lock().map_err(|error| DatasetError::io("lock", &path)(error.into()))?;
        Ok(Self { dir, target: target.to_owned(), lock: Some(lock) })
    }

    /// Where the dataset grows.
    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    /// Where it will be.
    pub(crate) fn target(&self) -> &Path {
        &self.target
    }

    /// Writes the manifest and gives the folder its name.
    pub(crate) fn publish(
        mut self,
        manifest: &Manifest,
        text: fn(&Manifest) -> Result<String, String>,
    ) -> Result<(), DatasetError> {
        let path = self.dir.join(MANIFEST_FILE);
        let text = text(manifest).map_err(|reason| DatasetError::io("write", &path)(io::Error::other(reason)))?;
        let write = || -> io::Result<()> {
            let mut file = File::create(&path)?;
            file.write_all(text.as_bytes())?;
            file.sync_all()
        };
        write().map_err(DatasetError::io("write", &path))?;
        drop(self.lock.take());
        let lock = self.dir.join(LOCK_FILE);
        fs::remove_file(&lock).map_err(DatasetError::io("remove", &lock))?;
        fs::rename(&self.dir, &self.target).map_err(DatasetError::io("create", &self.target))
    }
}

/// Removes the folder of a process that is no longer there.
fn remove_abandoned(dir: &Path, target: &Path) -> Result<(), DatasetError> {
    if dir.symlink_metadata().is_err() {
        return Ok(());
    }
    let locked = File::open(dir.join(LOCK_FILE)).map(|lock| lock.try_lock());
    if let Ok(Err(TryLockError::WouldBlock)) = locked {
        return Err(DatasetError::OutputBusy(target.to_owned()));
    }
    fs::remove_dir_all(dir).map_err(DatasetError::io("remove", dir))
}

impl Drop for Output {
    fn drop(&mut self) {
        // After `publish` it is no longer there; where it cannot be removed there is nobody to tell.
        let _ = fs::remove_dir_all(&self.dir);
    }
}
