//! One trainer per cell: a lock file in the cell's folder, held by the runner *and* by its child.
//!
//! The lock belongs to the open file, so it ends with the last process that has it open, however that process ends
//! (SIGKILL, power loss): there are no stale locks to clean up. The child inherits it, so a cell whose runner was
//! killed stays locked until the child has written its checkpoint and gone.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::fd::{AsRawFd as _, RawFd};
use std::path::Path;
use std::thread;
use std::time::Duration;

const NAME: &str = "lock";

/// How often a lock that only checks hold is tried again, and the pause before. A check ends at once.
const TRIES: usize = 1000;
const PAUSE: Duration = Duration::from_millis(1);

/// The right to write into a cell's folder, until it is dropped.
#[derive(Debug)]
pub struct CellLock {
    file: File,
}

impl CellLock {
    /// Takes the lock of an existing folder; `None` if another process holds it. A check that holds it for an instant is no
    /// such process: the lock can then be shared, and is tried again.
    pub fn try_take(dir: &Path) -> io::Result<Option<Self>> {
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(dir.join(NAME))?;
        for _ in 0..TRIES {
            if is_free(file.try_lock())? {
                return Ok(Some(Self { file }));
            }
            if !is_free(file.try_lock_shared())? {
                return Ok(None);
            }
            file.unlock()?;
            thread::sleep(PAUSE);
        }
        Ok(None)
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

/// Whether a lock was free, and is now taken.
fn is_free(tried: Result<(), TryLockError>) -> io::Result<bool> {
    match tried {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_refuses_no_runner() {
        let dir = tempfile::tempdir().unwrap();
        drop(CellLock::try_take(dir.path()).unwrap());
        let check = File::open(dir.path().join(NAME)).unwrap();
        check.try_lock_shared().unwrap();
        thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(20 * PAUSE);
                check.unlock().unwrap();
            });
            let lock = CellLock::try_take(dir.path()).unwrap();
            assert!(lock.is_some() && CellLock::is_held(dir.path()));
            assert!(CellLock::try_take(dir.path()).unwrap().is_none());
        });
    }
}
