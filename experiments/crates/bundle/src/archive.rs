//! The tar format of bundles: regular files in the ustar format (POSIX.1-1988), with names and sizes only. All other
//! tar features (links, devices, long-name records, owners, times) are refused.

use std::io::{self, Read, Write};
use tar::{Archive, EntryType, Header};

const BLOCK: usize = 512;

/// Bytes of the two fields of a path.
const NAME: usize = 100;
const PREFIX: usize = 155;

/// Octal digits of a size.
const SIZE: usize = 11;
/// The first size that needs more digits; each has three bits.
const TOO_LARGE: u64 = 1 << (3 * SIZE);

/// The kind of a regular file. Older formats have a zero.
const REGULAR: u8 = b'0';

/// Writes one file.
/// Refuses more than the 8 GiB of the format, and names that are too long for it.
pub fn append(to: &mut impl Write, path: &str, size: u64, content: &mut impl Read) -> io::Result<()> {
    to.write_all(header(path, size)?.as_bytes())?;
    let copied = io::copy(&mut content.take(size), to)?;
    if copied != size {
        return Err(io::Error::other(format!("{path} became shorter while it was read")));
    }
    let over = (size % BLOCK as u64) as usize;
    to.write_all(&[0; BLOCK][..(BLOCK - over) % BLOCK])
}

/// Writes the end of the archive.
pub fn finish(to: &mut impl Write) -> io::Result<()> {
    to.write_all(&[0; 2 * BLOCK])
}

fn header(path: &str, size: u64) -> io::Result<Header> {
    let (prefix, name) =
        split(path).ok_or_else(|| io::Error::other(format!("the path {path} is too long for a tar")))?;
    if size >= TOO_LARGE {
        return Err(io::Error::other(format!("{path} is too large for a tar")));
    }
    let mut header = Header::new_ustar();
    header.set_entry_type(EntryType::Regular);
    header.set_mode(0o644);
    header.set_size(size);
    // The time is zero already, so the same files give the same bytes.
    header.set_uid(0);
    header.set_gid(0);
    let fields = header.as_ustar_mut().expect("a header of this format");
    fields.name[..name.len()].copy_from_slice(name.as_bytes());
    fields.prefix[..prefix.len()].copy_from_slice(prefix.as_bytes());
    header.set_cksum();
    // With six digits, a zero and a blank, as other programs write it.
    let sum = format!("{:06o}\0 ", header.cksum()?);
    header.as_old_mut().cksum.copy_from_slice(sum.as_bytes());
    Ok(header)
}

/// Splits a path into prefix and name, with the shortest possible prefix.
fn split(path: &str) -> Option<(&str, &str)> {
    if path.len() <= NAME {
        return Some(("", path));
    }
    let cuts = path.match_indices('/').map(|(at, _)| (&path[..at], &path[at + 1..]));
    cuts.into_iter().find(|(prefix, name)| name.len() <= NAME && prefix.len() <= PREFIX)
}

/// Reads every file: path and content; `each` may leave the content unread.
/// Refuses anything but regular files.
pub fn read<E: From<io::Error>>(
    from: &mut impl Read,
    mut each: impl FnMut(&str, &mut dyn Read) -> Result<(), E>,
) -> Result<(), E> {
    let mut archive = Archive::new(from);
    // Raw: what would give the next file a long name is an entry itself, and no regular file.
    for entry in archive.entries()?.raw(true) {
        let mut entry = entry?;
        let path = path_of(entry.header())?;
        each(&path, &mut entry)?;
    }
    Ok(())
}

fn path_of(header: &Header) -> io::Result<String> {
    let refused = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what.to_owned());
    if header.as_ustar().is_none() {
        return Err(refused("a header is not in ustar format"));
    }
    let fields = header.as_old();
    if fields.linkflag != [REGULAR] {
        return Err(refused("it holds something other than a regular file"));
    }
    // Not GNU's sizes in bytes, which begin with a high bit.
    if !fields.size[..SIZE].iter().all(|digit| (b'0'..=b'7').contains(digit)) {
        return Err(refused("a size is not a number"));
    }
    String::from_utf8(header.path_bytes().into_owned()).map_err(|_| refused("a name is not UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut out = Vec::new();
        for (path, mut bytes) in files.iter().copied() {
            append(&mut out, path, bytes.len() as u64, &mut bytes).unwrap();
        }
        finish(&mut out).unwrap();
        out
    }

    fn list(bytes: &[u8]) -> io::Result<Vec<(String, Vec<u8>)>> {
        let mut files = Vec::new();
        read(&mut &bytes[..], |path, content| {
            let mut bytes = Vec::new();
            content.read_to_end(&mut bytes)?;
            files.push((path.to_owned(), bytes));
            Ok::<(), io::Error>(())
        })?;
        Ok(files)
    }

    #[test]
    fn what_was_written_is_read_and_other_programs_read_it_too() {
        let long = format!("cells/{}/seed-0/checkpoints/final.safetensors", "x".repeat(110));
        let files: [(&str, &[u8]); 4] = [("a", b"abc"), ("empty", b""), ("b/block", &[7; 512]), (&long, b"weights")];
        let bytes = archive(&files);
        let expected: Vec<_> = files.iter().map(|(path, bytes)| ((*path).to_owned(), bytes.to_vec())).collect();
        assert_eq!(list(&bytes).unwrap(), expected);
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("x.tar"), &bytes).unwrap();
        let tar = std::process::Command::new("tar").arg("xf").arg("x.tar").current_dir(dir.path()).status().unwrap();
        assert!(tar.success());
        for (path, bytes) in files {
            assert_eq!(std::fs::read(dir.path().join(path)).unwrap(), bytes, "{path}");
        }
    }

    #[test]
    fn damage_is_an_error() {
        let bytes = archive(&[("a", b"abc")]);
        assert!(list(&bytes[..700]).is_err(), "cut");
        let refused = |header: &Header| {
            let wrong = [header.as_bytes(), &bytes[BLOCK..]].concat();
            list(&wrong).expect_err("damage").to_string()
        };
        let (kind, magic, size, of_gnu) = (156, 257, 124, 0x80);
        for (at, byte, reason) in [
            (kind, b'2', "other than a regular file"),
            (kind, b'x', "other than a regular file"),
            (kind, b'L', "other than a regular file"),
            (kind, 0, "other than a regular file"),
            (magic, b'x', "not in ustar format"),
            (size, b'9', "not a number"),
            (size, of_gnu, "not a number"),
        ] {
            let mut wrong = header("a", 3).unwrap();
            wrong.as_mut_bytes()[at] = byte;
            let said = refused(&wrong);
            assert!(said.contains("checksum"), "byte {at}: {said}");
            wrong.set_cksum();
            let said = refused(&wrong);
            assert!(said.contains(reason), "byte {at}: {said}");
        }
    }
}
