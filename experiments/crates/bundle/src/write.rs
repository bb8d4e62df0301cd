//! Writes a bundle as a folder or a packed file, under a temporary name first, so that an incomplete one never appears.

use super::archive;
use super::collect::{Content, Contents};
use super::error::{cannot, taken};
use super::leftovers;
use super::names::{PACKED, SUMS};
use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write as _};
use std::path::{Path, PathBuf};

/// The zstd level: metrics and events shrink a lot, weights hardly.
const LEVEL: i32 = 10;

/// Writes the files to `out`, which must not exist: packed if its name ends with `.tar.zst`.
/// An error leaves no partial output.
pub fn write(contents: &Contents, out: &Path) -> anyhow::Result<()> {
    if out.exists() {
        return Err(taken(out));
    }
    let name = out.file_name().unwrap_or_default().to_string_lossy();
    let beside = out.with_file_name(format!("{name}.{}.tmp", std::process::id()));
    let folder = beside.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    leftovers::remove(folder, &format!("{name}."), ".tmp");
    // Of an earlier process that had the number of this one, as in containers; there is mostly none.
    let _ = if beside.is_dir() { fs::remove_dir_all(&beside) } else { fs::remove_file(&beside) };
    let packed = out.to_string_lossy().ends_with(PACKED);
    let written = if packed { pack(contents, &beside) } else { write_folder(contents, &beside) };
    let moved = written.and_then(|()| fs::rename(&beside, out).map_err(cannot("write", out)));
    if moved.is_err() {
        // The first error is returned, not one of the clean-up.
        let _ = if packed { fs::remove_file(&beside) } else { fs::remove_dir_all(&beside) };
    }
    moved
}

/// The files in their order: first the list of hashes, so that a reader has it from the start.
fn hashes_first(contents: &Contents) -> impl Iterator<Item = (&String, &Content)> {
    let first = contents.files.get_key_value(SUMS);
    first.into_iter().chain(contents.files.iter().filter(|(path, _)| *path != SUMS))
}

fn write_folder(contents: &Contents, dir: &Path) -> anyhow::Result<()> {
    for (path, content) in hashes_first(contents) {
        let to = dir.join(path);
        let folder = to.parent().map_or_else(PathBuf::new, Path::to_owned);
        fs::create_dir_all(&folder).map_err(cannot("make", &folder))?;
        let mut from = open(content)?;
        let mut copy = || {
            let mut file = File::create(&to)?;
            io::copy(&mut from, &mut file)?;
            file.sync_all()
        };
        copy().map_err(cannot("write", &to))?;
    }
    Ok(())
}

fn pack(contents: &Contents, file: &Path) -> anyhow::Result<()> {
    let wrong = || cannot("write", file);
    let mut encoder =
        zstd::Encoder::new(BufWriter::new(File::create(file).map_err(wrong())?), LEVEL).map_err(wrong())?;
    for (path, content) in hashes_first(contents) {
        archive::append(&mut encoder, path, content.size()?, &mut open(content)?).map_err(wrong())?;
    }
    archive::finish(&mut encoder).map_err(wrong())?;
    let mut buffered = encoder.finish().map_err(wrong())?;
    buffered.flush().map_err(wrong())?;
    buffered.get_ref().sync_all().map_err(wrong())
}

fn open(content: &Content) -> anyhow::Result<Box<dyn Read + '_>> {
    match content {
        Content::Bytes(bytes) => Ok(Box::new(&bytes[..])),
        Content::File(path) => Ok(Box::new(File::open(path).map_err(cannot("read", path))?)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn what_a_killed_process_of_the_same_number_left_is_not_published() {
        let dir = tempfile::tempdir().unwrap();
        let left = dir.path().join(format!("bundle.{}.tmp", std::process::id()));
        fs::create_dir(&left).unwrap();
        fs::write(left.join("old"), "x").unwrap();
        let files = BTreeMap::from(["a", "b"].map(|name| (name.to_owned(), Content::Bytes(vec![7]))));
        write(&Contents { files, ..Contents::default() }, &dir.path().join("bundle")).unwrap();
        assert!(dir.path().join("bundle/b").is_file() && !dir.path().join("bundle/old").exists());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}
