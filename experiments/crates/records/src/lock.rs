//! One trainer per cell: a lock file in the cell's folder, held by the runner *and* by its child.
//!
//! The lock belongs to the open file, so it ends with the last process that has it open, however that process ends
//! (SIGKILL, power loss): there are no stale locks to clean up. The child inherits it, so a cell whose runner was
//! killed stays locked until the child has written its checkpoint and gone.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::fd::{AsRawFd as _, RawFd};
use std::path::Path;

const NAME: &str = "lock";

/// The right to write into a cell's folder, until it is dropped.
#[derive(Debug)]
pub struct CellLock {
    file: File,
}

impl CellLock {
    /// Takes the lock of an existing folder; `None` if another process holds it.
    pub fn try_take(dir: &Path) -> io::Result<Option<Self>> {
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(dir.join(NAME))?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self { file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// Whether a process holds the lock of a folder. The check takes it for an instant, shared, so that two checks do not
    /// see each other.
    pub fn is_held(dir: &Path) -> bool {
        let Ok(file) = File::open(dir.join(NAME)) else { return false };
        matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))
    }

    /// The open file, for a child to inherit.
    pub fn descriptor(&self) -> RawFd {
        self.file.as_raw_fd()
    }
}
