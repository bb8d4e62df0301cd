//! Files of fixed-size records.

use std::io::{self, ErrorKind, Read};

/// The iterator of `records` in [`super::hcpe`] and [`super::psv`]: one record's bytes each. The last one is shorter if
/// the input ends inside a record. If the input cannot be read further, the error comes last.
#[derive(Debug)]
pub struct FixedRecords<R> {
    input: R,
    length: usize,
    done: bool,
}

impl<R: Read> FixedRecords<R> {
    pub(super) fn new(input: R, length: usize) -> Self {
        Self { input, length, done: false }
    }
}

impl<R: Read> Iterator for FixedRecords<R> {
    type Item = io::Result<Vec<u8>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let mut record = vec![0; self.length];
        match fill(&mut self.input, &mut record) {
            Ok(read) => {
                self.done = read < self.length;
                record.truncate(read);
                (read > 0).then_some(Ok(record))
            }
            Err(error) => {
                self.done = true;
                Some(Err(error))
            }
        }
    }
}

/// Reads until the buffer is full or the input ends; returns the number of bytes read.
pub(super) fn fill(input: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
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
