//! Files as sequences of records.

use std::io::{self, BufRead, ErrorKind, Read};

/// Longer lines are cut, so that a file without line ends does not fill the memory.
const LONGEST_LINE: u64 = 16 << 20;

/// A text without the byte order mark that some editors write at the beginning of a UTF-8 file.
pub(crate) fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text)
}

/// The records that `next` finds, up to the first error, which comes last.
pub(crate) fn until_error(
    mut next: impl FnMut() -> io::Result<Option<Vec<u8>>>,
) -> impl Iterator<Item = io::Result<Vec<u8>>> {
    let mut done = false;
    std::iter::from_fn(move || {
        let record = if done { None } else { next().transpose() };
        done = !matches!(record, Some(Ok(_)));
        record
    })
}

/// Lines, without empty ones and those that begin with `comment`.
pub(crate) fn lines(mut input: impl BufRead, comment: Option<u8>) -> impl Iterator<Item = io::Result<Vec<u8>>> {
    until_error(move || {
        loop {
            let mut line = Vec::new();
            let read = input.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line)?;
            let first = without_mark(&line).trim_ascii().first();
            if read == 0 || first.is_some_and(|&first| Some(first) != comment) {
                return Ok((read > 0).then_some(line));
            }
        }
    })
}

/// Records of one length. The last one is shorter if the input ends inside a record.
pub(crate) fn of_length(mut input: impl Read, length: usize) -> impl Iterator<Item = io::Result<Vec<u8>>> {
    let mut is_cut = false;
    until_error(move || {
        let mut record = vec![0; length];
        let read = if is_cut { 0 } else { fill(&mut input, &mut record)? };
        is_cut = read < length;
        record.truncate(read);
        Ok((read > 0).then_some(record))
    })
}

/// Reads until the buffer is full or the input ends; returns the number of bytes read.
pub(crate) fn fill(input: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut read = 0;
    while read < buffer.len() {
        match input.read(&mut buffer[read..]) {
            Ok(0) => break,
            Ok(count) => read += count,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(read)
}
