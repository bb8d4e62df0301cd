//! Detection of a file's binary format.
//!
//! The formats have no magic number. But a legal position, a legal move and a valid result are unlikely by chance, so
//! the first records are parsed as each format. dlshogi checks the file length and one move instead; here the length,
//! which a compressed stream does not have, is not needed.

use super::{hcpe, hcpe3, psv};
use crate::record::{ParsedPosition, Rejected};

/// A binary format of records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Binary {
    /// [`super::hcpe`], HCPE2 among it.
    Hcpe,
    /// [`super::hcpe3`].
    Hcpe3,
    /// [`super::psv`].
    Psv,
}

/// The number of fixed-size records to examine: a few may be damaged.
const RECORDS: usize = 16;

/// Detects the format from the beginning of a file; 64 KiB suffice. `None` if it is none of them.
///
/// A single record of one format may happen to be valid in another; then the format whose records fill `head` exactly
/// is chosen.
pub fn detect(head: &[u8]) -> Option<Binary> {
    let fixed = |format, length, parse: Parse| {
        let good = head.chunks_exact(length).take(RECORDS).filter(|record| parse(record, 0).is_ok()).count();
        (good, head.len().is_multiple_of(length), format)
    };
    // A start and a first move count like one record.
    let game = (usize::from(begins_hcpe3(head)), false, Binary::Hcpe3);
    let formats = [game, fixed(Binary::Psv, psv::BYTES, psv::parse), fixed(Binary::Hcpe, hcpe::BYTES, hcpe::parse)];
    let (good, _, format) = formats.into_iter().max_by_key(|&(good, fills, _)| (good, fills))?;
    (good > 0).then_some(format)
}

type Parse = fn(&[u8], u64) -> Result<ParsedPosition, Rejected>;

/// Whether the first game is valid, as far as it is in `head`.
fn begins_hcpe3(head: &[u8]) -> bool {
    let Some(Ok(game)) = hcpe3::records(head).next() else { return false };
    hcpe3::parse(&game, 0).is_ok() || (game.len() == head.len() && hcpe3::begins(&game))
}
