//! Writes a bundle: a folder, or a packed file. Beside its place first, then moved there, so that it is whole or not there.

use super::archive;
use super::collect::{Content, Contents};
use super::error::BundleError;
use super::{PACKED, SUMS};
use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write as _};
use std::path::{Path, PathBuf};

/// How hard is packed: metrics and events shrink a lot, weights not at all.
const LEVEL: i32 = 10;

/// Writes the files to `out`, which must not exist: packed if its name ends with `.tar.zst`.
///
/// # Errors
/// If it exists or cannot be written; nothing is left behind then.
pub fn write(contents: &Contents, out: &Path) -> Result<(), BundleError> {
    if out.exists() {
        return Err(BundleError::Taken(out.to_owned()));
    }
    let mut name = out.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let beside = out.with_file_name(name);
    let packed = out.to_string_lossy().ends_with(PACKED);
    let written = if packed { pack(contents, &beside) } else { lay_out(contents, &beside) };
    let moved = written.and_then(|()| fs::rename(&beside, out).map_err(BundleError::io("write", out)));
    if moved.is_err() {
        // The error that matters is the first one.
        let _ = if packed { fs::remove_file(&beside) } else { fs::remove_dir_all(&beside) };
    }
    moved
}

/// The list of hashes first, so that a reader knows from the start what must come.
fn in_order(contents: &Contents) -> impl Iterator<Item = (&String, &Content)> {
    let first = contents.files.get_key_value(SUMS);
    first.into_iter().chain(contents.files.iter().filter(|(path, _)| *path != SUMS))
}

fn lay_out(contents: &Contents, dir: &Path) -> Result<(), BundleError> {
    for (path, content) in in_order(contents) {
        let to = dir.join(path);
        let folder = to.parent().map_or_else(PathBuf::new, Path::to_owned);
        fs::create_dir_all(&folder).map_err(BundleError::io("make", &folder))?;
        let (_, mut from) = open(content)?;
        let mut copy = || {
            let mut file = File::create(&to)?;
            io::copy(&mut from, &mut file)?;
            file.sync_all()
        };
        copy().map_err(BundleError::io("write", &to))?;
    }
    Ok(())
}

fn pack(contents: &Contents, file: &Path) -> Result<(), BundleError> {
    let wrong = || BundleError::io("write", file);
    let mut encoder =
        zstd::Encoder::new(BufWriter::new(File::create(file).map_err(wrong())?), LEVEL).map_err(wrong())?;
    for (path, content) in in_order(contents) {
        let (size, mut from) = open(content)?;
        archive::append(&mut encoder, path, size, &mut from).map_err(wrong())?;
    }
    archive::finish(&mut encoder).map_err(wrong())?;
    let mut buffered = encoder.finish().map_err(wrong())?;
    buffered.flush().map_err(wrong())?;
    buffered.get_ref().sync_all().map_err(wrong())
}

/// A content's size and its bytes.
fn open(content: &Content) -> Result<(u64, Box<dyn Read + '_>), BundleError> {
    match content {
        Content::Bytes(bytes) => Ok((bytes.len() as u64, Box::new(&bytes[..]))),
        Content::File(path) => {
            let file = File::open(path).map_err(BundleError::io("read", path))?;
            let size = file.metadata().map_err(BundleError::io("read", path))?.len();
            Ok((size, Box::new(file)))
        }
    }
}
