//! The tar format of bundles: regular files in the ustar format (POSIX.1-1988), with names and sizes only. All other
//! tar features (links, devices, long-name records, owners, times) are refused.

use std::io::{self, Read, Write};

const BLOCK: usize = 512;

/// A header's fields: offset and length.
const NAME: (usize, usize) = (0, 100);
const MODE: (usize, usize) = (100, 7);
const SIZE: (usize, usize) = (124, 11);
const CHECKSUM: (usize, usize) = (148, 6);
const CHECKSUM_FIELD: std::ops::Range<usize> = 148..156;
const KIND: usize = 156;
const MAGIC: (usize, usize) = (257, 6);
const PREFIX: (usize, usize) = (345, 155);

const REGULAR: u8 = b'0';
const USTAR: &[u8] = b"ustar\0";

/// Writes one file.
/// Refuses more than the 8 GiB of the format, and names that are too long for it.
pub fn append(to: &mut impl Write, path: &str, size: u64, content: &mut impl Read) -> io::Result<()> {
    to.write_all(&header(path, size)?)?;
    let copied = io::copy(&mut content.take(size), to)?;
    if copied != size {
        return Err(io::Error::other(format!("{path} became shorter while it was read")));
    }
    to.write_all(&[0; BLOCK][..padding(size)])
}

/// Writes the end of the archive.
pub fn finish(to: &mut impl Write) -> io::Result<()> {
    to.write_all(&[0; 2 * BLOCK])
}

/// The bytes between the end of a file and the next block.
fn padding(size: u64) -> usize {
    let over = (size % BLOCK as u64) as usize;
    if over == 0 { 0 } else { BLOCK - over }
}

fn header(path: &str, size: u64) -> io::Result<[u8; BLOCK]> {
    let (prefix, name) =
        split(path).ok_or_else(|| io::Error::other(format!("the path {path} is too long for a tar")))?;
    let mut header = [0; BLOCK];
    let mut put = |(from, room): (usize, usize), bytes: &[u8]| {
        header[from..from + bytes.len().min(room)].copy_from_slice(&bytes[..bytes.len().min(room)]);
    };
    let digits = format!("{size:011o}");
    if digits.len() > SIZE.1 {
        return Err(io::Error::other(format!("{path} is too large for a tar")));
    }
    put(NAME, name.as_bytes());
    put(MODE, b"0000644");
    // Owner, group and time are zero, so the same files give the same bytes.
    for from in [108, 116] {
        put((from, 7), b"0000000");
    }
    put(SIZE, digits.as_bytes());
    put((136, 11), b"00000000000");
    put((KIND, 1), &[REGULAR]);
    put(MAGIC, USTAR);
    put((263, 2), b"00");
    put(PREFIX, prefix.as_bytes());
    let sum = format!("{:06o}\0 ", checksum(&header));
    header[CHECKSUM_FIELD].copy_from_slice(sum.as_bytes());
    Ok(header)
}

/// Splits a path into prefix and name, with the shortest possible prefix.
fn split(path: &str) -> Option<(&str, &str)> {
    if path.len() <= NAME.1 {
        return Some(("", path));
    }
    let cuts = path.match_indices('/').map(|(at, _)| (&path[..at], &path[at + 1..]));
    cuts.into_iter().find(|(prefix, name)| name.len() <= NAME.1 && prefix.len() <= PREFIX.1)
}

/// The sum of a header's bytes, with the checksum field counted as spaces.
fn checksum(header: &[u8; BLOCK]) -> u32 {
    header.iter().enumerate().map(|(at, &byte)| u32::from(if CHECKSUM_FIELD.contains(&at) { b' ' } else { byte })).sum()
}

/// Reads every file: path and content; `each` may leave the content unread.
/// Refuses anything but regular files.
pub fn read<E: From<io::Error>>(
    from: &mut impl Read,
    mut each: impl FnMut(&str, &mut dyn Read) -> Result<(), E>,
) -> Result<(), E> {
    loop {
        let mut block = [0; BLOCK];
        from.read_exact(&mut block)?;
        if block.iter().all(|&byte| byte == 0) {
            return Ok(());
        }
        let (path, size) = parse(&block)?;
        let mut content = from.take(size);
        each(&path, &mut content)?;
        let left = content.limit() + padding(size) as u64;
        if io::copy(&mut from.take(left), &mut io::sink())? != left {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
        }
    }
}

fn parse(header: &[u8; BLOCK]) -> io::Result<(String, u64)> {
    let refused = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what.to_owned());
    let field = |(from, room): (usize, usize)| {
        let bytes = &header[from..from + room];
        &bytes[..bytes.iter().position(|&byte| byte == 0).unwrap_or(room)]
    };
    if header[MAGIC.0..MAGIC.0 + MAGIC.1] != *USTAR {
        return Err(refused("a header is not in ustar format"));
    }
    if number(field(CHECKSUM)) != Some(u64::from(checksum(header))) {
        return Err(refused("a header does not have its checksum"));
    }
    if header[KIND] != REGULAR {
        return Err(refused("it holds something other than a regular file"));
    }
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).map_err(|_| refused("a name is not UTF-8"));
    let (prefix, name) = (text(field(PREFIX))?, text(field(NAME))?);
    let size = number(field(SIZE)).ok_or_else(|| refused("a size is not a number"))?;
    Ok((if prefix.is_empty() { name } else { format!("{prefix}/{name}") }, size))
}

fn number(digits: &[u8]) -> Option<u64> {
    const BITS: u32 = 3;
    (!digits.is_empty()).then_some(())?;
    digits.iter().try_fold(0_u64, |number, &digit| match digit {
        b'0'..=b'7' => Some((number << BITS) | u64::from(digit - b'0')),
        _ => None,
    })
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
        for (at, byte) in [(0, b'b'), (KIND, b'2'), (MAGIC.0, b'x'), (SIZE.0, b'9')] {
            let mut wrong = bytes.clone();
            wrong[at] = byte;
            assert!(list(&wrong).is_err(), "byte {at}");
        }
    }
}
