//! Append-only files of a dataset under construction, which can be truncated to a checkpoint's length.

use crate::error::DatasetError;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, BufWriter, Read, Seek as _, SeekFrom, Write as _};
use std::path::PathBuf;

/// An append-only file, created with its first bytes.
pub(crate) struct AppendLog {
    pub(super) path: PathBuf,
    file: Option<BufWriter<File>>,
    bytes: u64,
}

impl AppendLog {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path, file: None, bytes: 0 }
    }

    /// The first `bytes` of an existing log; later bytes were written after the checkpoint and are removed.
    pub(crate) fn resume(path: PathBuf, bytes: u64) -> Result<Self, DatasetError> {
        if bytes == 0 {
            return match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(DatasetError::io("remove", &path)(error)),
                _ => Ok(Self::new(path)),
            };
        }
        let open = || -> io::Result<File> {
            let mut file = OpenOptions::new().read(true).write(true).open(&path)?;
            if file.metadata()?.len() < bytes {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            file.set_len(bytes)?;
            file.seek(SeekFrom::Start(bytes))?;
            Ok(file)
        };
        let file = Some(BufWriter::new(open().map_err(DatasetError::io("resume", &path))?));
        Ok(Self { path, file, bytes })
    }

    pub(crate) fn append(&mut self, bytes: &[u8]) -> Result<(), DatasetError> {
        let file = match &mut self.file {
            Some(file) => file,
            none => {
                let file = File::create(&self.path).map_err(DatasetError::io("create", &self.path))?;
                none.insert(BufWriter::new(file))
            }
        };
        file.write_all(bytes).map_err(DatasetError::io("write", &self.path))?;
        self.bytes += bytes.len() as u64;
        Ok(())
    }

    /// Syncs the file and returns its length.
    pub(crate) fn sync(&mut self) -> Result<u64, DatasetError> {
        if let Some(file) = &mut self.file {
            file.flush().and_then(|()| file.get_ref().sync_data()).map_err(DatasetError::io("write", &self.path))?;
        }
        Ok(self.bytes)
    }

    /// Reads it from the beginning, part by part, see [`next_part`].
    pub(super) fn read(&mut self) -> Result<Box<dyn Read>, DatasetError> {
        let Some(file) = &mut self.file else { return Ok(Box::new(io::empty())) };
        file.flush().map_err(DatasetError::io("write", &self.path))?;
        let file = File::open(&self.path).map_err(DatasetError::io("open", &self.path))?;
        Ok(Box::new(BufReader::with_capacity(1 << 18, file).take(self.bytes)))
    }
}

/// The next part of a file of equal-sized parts; `None` at its end.
pub(crate) fn next_part<const N: usize>(from: &mut impl Read) -> io::Result<Option<[u8; N]>> {
    let mut bytes = [0; N];
    match from.read_exact(&mut bytes) {
        Ok(()) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_behind_a_checkpoint_goes() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let path = dir.path().join("log");
        let mut log = AppendLog::new(path.clone());
        log.append(b"abcd").expect("room");
        assert_eq!(log.sync().expect("room"), 4);
        log.append(b"efgh").expect("room");
        drop(log);
        let mut log = AppendLog::resume(path.clone(), 4).expect("there");
        log.append(b"ijkl").expect("room");
        let mut read = log.read().expect("readable");
        assert_eq!(next_part::<4>(&mut read).expect("readable").as_ref(), Some(b"abcd"));
        assert_eq!(next_part::<4>(&mut read).expect("readable").as_ref(), Some(b"ijkl"));
        assert_eq!(next_part::<4>(&mut read).expect("readable"), None);
        drop(log);
        let missing = AppendLog::resume(path.clone(), 9).err().expect("it is shorter").to_string();
        assert!(missing.starts_with("cannot resume"), "{missing}");
        assert!(AppendLog::resume(path.clone(), 0).expect("nothing").bytes == 0 && !path.exists());
    }
}
