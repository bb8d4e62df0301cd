//! A position in 36 bytes: PackedSfen and the number of the next move.

use super::packed_sfen;
use super::{Board, ShogiPosition};
use crate::position::ParsePosition;

pub(super) fn write(position: &ShogiPosition) -> Option<Vec<u8>> {
    let packed = packed_sfen::encode(&Board::of(position)).ok()?;
    Some([&packed[..], &position.ply.to_le_bytes()].concat())
}

pub(super) fn read(bytes: &[u8]) -> Result<ShogiPosition, ParsePosition> {
    let wrong = |reason: &str| ParsePosition::new(&format!("{bytes:02x?}"), None, reason);
    let Some((packed, ply)) = bytes.split_first_chunk() else { return Err(wrong("too few bytes")) };
    let ply: [u8; 4] = ply.try_into().map_err(|_| wrong("too many or too few bytes"))?;
    let board = packed_sfen::decode(packed).map_err(|error| wrong(&error.to_string()))?;
    // Decoding checks the board.
    Ok(board.unchecked_position(u32::from_le_bytes(ply)))
}
