//! Where a dataset grows until it is complete.

use crate::error::DatasetError;
use crate::manifest::{MANIFEST_FILE, Manifest, Shard};
use std::cell::Cell;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// Held by the process that writes to the folder, so that what a killed one left behind can be told apart.
const LOCK_FILE: &str = ".lock";

/// In the folder of work that can be gone on with: how far it is.
const CHECKPOINT_FILE: &str = ".checkpoint.json";

/// A hidden folder beside the target. It is removed unless [`Output::publish`] gives it the target's name. What a killed
/// process left of it is removed by the next one that makes the same dataset, unless that can go on with it.
pub(crate) struct Output {
    dir: PathBuf,
    target: PathBuf,
    /// Whether the folder stays where the dataset was not completed.
    stays: Cell<bool>,
    /// Released when the process ends, however it ends.
    lock: Option<File>,
}

impl Output {
    /// A new folder. Work that somebody could go on with is not removed for it.
    pub(crate) fn create(target: &Path) -> Result<Self, DatasetError> {
        let (output, checkpoint) = Self::resume(target)?;
        match checkpoint {
            None => Ok(output),
            Some(_) => Err(DatasetError::OutputUnfinished(output.dir.clone())),
        }
    }

    /// The folder of an earlier process with the text of its checkpoint, if it has one; else a new folder.
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
        Ok((Self { dir, target: target.to_owned(), stays, lock: Some(lock) }, checkpoint))
    }

    /// Replaces the checkpoint. From the first one on the folder stays, whatever happens to the process.
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

    /// Removes the shards that a checkpoint does not know: they were written after it.
    pub(crate) fn keep_only(&self, known: &[Shard]) -> Result<(), DatasetError> {
        for name in self.names()? {
            let is_shard = Path::new(&name).extension().is_some_and(|extension| extension != "jsonl");
            if is_shard && !name.starts_with('.') && known.iter().all(|shard| shard.file != name) {
                self.remove(&name)?;
            }
        }
        Ok(())
    }

    /// The folder is removed after all where the dataset is not completed: going on would not mend it.
    pub(crate) fn give_up(&self) {
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

    /// Where the dataset grows.
    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    /// Where it will be.
    pub(crate) fn target(&self) -> &Path {
        &self.target
    }

    /// Writes the manifest, removes what is hidden and gives the folder its name.
    pub(crate) fn publish(mut self, manifest: &Manifest) -> Result<(), DatasetError> {
        let path = self.dir.join(MANIFEST_FILE);
        let write = || -> io::Result<()> {
            let mut file = File::create(&path)?;
            file.write_all(&manifest.to_yaml()?)?;
            file.sync_all()
        };
        write().map_err(DatasetError::io("write", &path))?;
        drop(self.lock.take());
        for name in self.names()?.iter().filter(|name| name.starts_with('.')) {
            self.remove(name)?;
        }
        fs::rename(&self.dir, &self.target).map_err(DatasetError::io("create", &self.target))
    }
}

/// Makes a new name in a folder outlive the machine.
fn sync_folder(dir: &Path) -> io::Result<()> {
    // Only Unix opens folders.
    if cfg!(unix) { File::open(dir)?.sync_all() } else { Ok(()) }
}

/// Removes the folder of a process that is no longer there and left no checkpoint.
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
        // After `publish` it is no longer there; where it cannot be removed there is nobody to tell.
        let _ = fs::remove_dir_all(&self.dir);
    }
}
