//! The folder of a dataset under construction.

use crate::error::DatasetError;
use crate::manifest::{MANIFEST_FILE, Manifest, Shard};
use std::cell::Cell;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// Locked by the process that writes to the folder, so that folders of killed processes can be recognised.
const LOCK_FILE: &str = ".lock";

/// The checkpoint in a folder that can be resumed.
const CHECKPOINT_FILE: &str = ".checkpoint.json";

/// A hidden folder beside the target. It is removed unless [`Output::publish`] renames it to the target. The next
/// process that writes the same dataset removes or resumes the folder of a killed one.
pub(crate) struct Output {
    pub(crate) dir: PathBuf,
    pub(crate) target: PathBuf,
    /// Whether the folder stays if the dataset is not completed.
    stays: Cell<bool>,
    /// Released when the process ends.
    _lock: File,
}

impl Output {
    /// Creates a new folder. A folder with a checkpoint is not overwritten.
    pub(crate) fn create(target: &Path) -> Result<Self, DatasetError> {
        let (output, checkpoint) = Self::resume(target)?;
        match checkpoint {
            None => Ok(output),
            Some(_) => Err(DatasetError::OutputUnfinished(output.dir.clone())),
        }
    }

    /// Opens the folder of an earlier process with the text of its checkpoint, if it has one; otherwise creates a new
    /// folder.
    pub(crate) fn resume(target: &Path) -> Result<(Self, Option<String>), DatasetError> {
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
        if dir.symlink_metadata().is_err() {
            fs::create_dir(&dir).map_err(unwritable)?;
        }
        let path = dir.join(LOCK_FILE);
        let lock = File::create(&path).map_err(DatasetError::io("create", &path))?;
        match lock.try_lock() {
            Err(TryLockError::WouldBlock) => return Err(DatasetError::OutputBusy(target.to_owned())),
            outcome => outcome.map_err(|error| DatasetError::io("lock", &path)(error.into()))?,
        }
        let path = dir.join(CHECKPOINT_FILE);
        let checkpoint = match fs::read_to_string(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            outcome => Some(outcome.map_err(DatasetError::io("read", &path))?),
        };
        let stays = Cell::new(checkpoint.is_some());
        Ok((Self { dir, target: target.to_owned(), stays, _lock: lock }, checkpoint))
    }

    /// Replaces the checkpoint. From the first one on the folder stays if the process ends.
    pub(crate) fn checkpoint(&self, text: &str) -> Result<(), DatasetError> {
        let path = self.dir.join(CHECKPOINT_FILE);
        let beside = path.with_extension("new");
        let replace = || -> io::Result<()> {
            let mut file = File::create(&beside)?;
            file.write_all(text.as_bytes())?;
            file.sync_all()?;
            fs::rename(&beside, &path)?;
            sync_folder(&self.dir)
        };
        replace().map_err(DatasetError::io("write", &path))?;
        self.stays.set(true);
        Ok(())
    }

    /// Removes the shards that were written after the checkpoint.
    pub(crate) fn keep_only(&self, known: &[Shard]) -> Result<(), DatasetError> {
        for name in self.names()? {
            let is_shard = Path::new(&name).extension().is_some_and(|extension| extension != "jsonl");
            if is_shard && !name.starts_with('.') && known.iter().all(|shard| shard.file != name) {
                self.remove(&name)?;
            }
        }
        Ok(())
    }

    /// Removes the folder even if it has a checkpoint, because resuming would fail again.
    pub(crate) fn discard(&self) {
        self.stays.set(false);
    }

    fn names(&self) -> Result<Vec<String>, DatasetError> {
        let entries = fs::read_dir(&self.dir).map_err(DatasetError::io("read", &self.dir))?;
        let names = entries.map(|entry| entry.map(|entry| entry.file_name().to_string_lossy().into_owned()));
        names.collect::<io::Result<_>>().map_err(DatasetError::io("read", &self.dir))
    }

    fn remove(&self, name: &str) -> Result<(), DatasetError> {
        let path = self.dir.join(name);
        fs::remove_file(&path).map_err(DatasetError::io("remove", &path))
    }

    /// Writes the manifest, removes hidden files and renames the folder to the target.
    pub(crate) fn publish(self, manifest: &Manifest) -> Result<(), DatasetError> {
        let path = self.dir.join(MANIFEST_FILE);
        let write = || -> io::Result<()> {
            let mut file = File::create(&path)?;
            file.write_all(&manifest.to_yaml()?)?;
            file.sync_all()
        };
        write().map_err(DatasetError::io("write", &path))?;
        for name in self.names()?.iter().filter(|name| name.starts_with('.') && *name != LOCK_FILE) {
            self.remove(name)?;
        }
        // The lock stays until the folder has its name, so that no other import takes the folder.
        fs::rename(&self.dir, &self.target).map_err(DatasetError::io("create", &self.target))?;
        let lock = self.target.join(LOCK_FILE);
        fs::remove_file(&lock).map_err(DatasetError::io("remove", &lock))
    }
}

/// Makes a new name in a folder durable.
fn sync_folder(dir: &Path) -> io::Result<()> {
    // Only Unix can open folders.
    if cfg!(unix) { File::open(dir)?.sync_all() } else { Ok(()) }
}

/// Removes the folder of a dead process that left no checkpoint.
fn remove_abandoned(dir: &Path, target: &Path) -> Result<(), DatasetError> {
    if dir.symlink_metadata().is_err() {
        return Ok(());
    }
    let locked = File::open(dir.join(LOCK_FILE)).map(|lock| lock.try_lock());
    if let Ok(Err(TryLockError::WouldBlock)) = locked {
        return Err(DatasetError::OutputBusy(target.to_owned()));
    }
    if dir.join(CHECKPOINT_FILE).exists() {
        return Ok(());
    }
    fs::remove_dir_all(dir).map_err(DatasetError::io("remove", dir))
}

impl Drop for Output {
    fn drop(&mut self) {
        if self.stays.get() {
            return;
        }
        // After `publish` it is gone; errors cannot be reported here.
        let _ = fs::remove_dir_all(&self.dir);
    }
}
