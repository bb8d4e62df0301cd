//! Bags and their records, written as the format is described.

/// A text with its length in front, 7 bits a byte.
pub(crate) fn nested(text: &str) -> Vec<u8> {
    let (mut length, mut out) = (text.len(), Vec::new());
    while length > 0x7f {
        out.push(length as u8 | 0x80);
        length >>= 7;
    }
    out.push(length as u8);
    out.extend_from_slice(text.as_bytes());
    out
}

pub(crate) fn action_value(fen: &str, mv: &str, value: f64) -> Vec<u8> {
    [nested(fen), nested(mv), value.to_be_bytes().to_vec()].concat()
}

/// Records, then the end of each.
pub(crate) fn bag(records: &[Vec<u8>], compressed: bool) -> Vec<u8> {
    let (mut bytes, mut ends) = (Vec::new(), Vec::new());
    for record in records {
        match compressed && !record.is_empty() {
            true => bytes.extend(zstd::bulk::compress(record, 0).expect("zstd")),
            false => bytes.extend_from_slice(record),
        }
        ends.extend((bytes.len() as u64).to_le_bytes());
    }
    [bytes, ends].concat()
}
