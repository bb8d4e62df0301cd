//! PackedSfen, YaneuraOu's packed position of 32 bytes.
//!
//! The layout of HCP with other codes, including one for pieces outside the game ("piece box"), so that handicap
//! positions can be written too. It has neither ply nor history. Reference: `source/extra/sfen_packer.cpp` in
//! yaneurao/YaneuraOu; checked against cshogi byte for byte.

use super::board::{BadPosition, Board};
use super::packed::{Codec, KindCode};

pub use super::packed::BYTES;

/// Pawn, lance, knight, silver, gold, bishop, rook.
static CODEC: Codec = Codec::new([
    kind(4, 0b0001, 0b0100, 0b000, 0b010),
    kind(6, 0b00_0011, 0b01_0000, 0b0_0001, 0b0_1001),
    kind(6, 0b00_1011, 0b01_0000, 0b0_0101, 0b0_1101),
    kind(6, 0b00_0111, 0b01_0000, 0b0_0011, 0b0_1011),
    // Gold has no promotion bit; in the box it has the code that a White promoted silver would have in hand.
    KindCode { length: 6, board: 0b00_1111, white: 0b10_0000, promoted: 0, hand: 0b0_0111, boxed: Some(0b1_1011) },
    kind(8, 0b0001_1111, 0b0100_0000, 0b000_1111, 0b010_1111),
    kind(8, 0b0011_1111, 0b0100_0000, 0b001_1111, 0b011_1111),
]);

/// A kind whose highest two bits are the colour and, below it, the promotion.
const fn kind(length: u8, board: u8, promoted: u8, hand: u8, boxed: u8) -> KindCode {
    KindCode { length, board, white: promoted << 1, promoted, hand, boxed: Some(boxed) }
}

/// Reads a position. An error if the bytes are not a legal position, including problems with one king; never panics.
pub fn decode(bytes: &[u8; BYTES]) -> Result<Board, BadPosition> {
    CODEC.decode(bytes)
}

/// Writes a position; pieces outside the game go into the box.
pub fn encode(board: &Board) -> Result<[u8; BYTES], BadPosition> {
    CODEC.encode(board)
}
