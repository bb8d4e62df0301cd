//! HCP, Apery's and dlshogi's packed position of 32 bytes ("HuffmanCodedPos").
//!
//! Only positions with all 40 pieces have one. There is neither a ply nor a past in it. Reference: `cppshogi/position`
//! in TadaoYamaoka/DeepLearningShogi; checked against cshogi byte for byte.

use super::board::{BadPosition, Board};
use super::packed::{Codec, KindCode};

pub use super::packed::BYTES;

/// Pawn, lance, knight, silver, gold, bishop, rook.
static CODEC: Codec = Codec::new([
    kind(4, 0b0001, 0b0100, 0b1000, 0b000),
    kind(6, 0b00_0011, 0b01_0000, 0b10_0000, 0b0_0001),
    kind(6, 0b00_0111, 0b01_0000, 0b10_0000, 0b0_0011),
    kind(6, 0b00_1011, 0b01_0000, 0b10_0000, 0b0_0101),
    kind(6, 0b00_1111, 0b10_0000, 0, 0b0_0111),
    kind(8, 0b0001_1111, 0b0100_0000, 0b1000_0000, 0b001_1111),
    kind(8, 0b0011_1111, 0b0100_0000, 0b1000_0000, 0b011_1111),
]);

const fn kind(length: u8, board: u8, white: u8, promoted: u8, hand: u8) -> KindCode {
    KindCode { length, board, white, promoted, hand, boxed: None }
}

/// Reads a position. An error on bytes that are no position of shogi with a complete set of pieces; never panics.
pub fn decode(bytes: &[u8; BYTES]) -> Result<Board, BadPosition> {
    CODEC.decode(bytes)
}

/// Writes a position. [`BadPosition::Length`] where pieces are missing (handicaps): HCP cannot say that.
pub fn encode(board: &Board) -> Result<[u8; BYTES], BadPosition> {
    CODEC.encode(board)
}
