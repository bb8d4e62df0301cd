//! A position in 15 to 30 bytes: occupied squares, a nibble a piece, turn with castling rights, en passant, two clocks.

use crate::position::ParsePosition;
use shakmaty::{
    Bitboard, Board, ByColor, ByRole, CastlingMode, Color, EnPassantMode, FromSetup as _, Role, Setup, Square,
};
use std::num::NonZeroU32;

/// The bytes beside the nibbles.
const FIXED: usize = 14;

/// The most pieces that a legal position has.
const MOST_PIECES: usize = 32;

const NO_SQUARE: u8 = 64;
const BLACK: u8 = 8;
const CASTLING: [Square; 4] = [Square::H1, Square::A1, Square::H8, Square::A8];

pub(super) fn write(rules: &shakmaty::Chess) -> Option<Vec<u8>> {
    let setup = shakmaty::Position::to_setup(rules, EnPassantMode::Legal);
    let halfmoves = u16::try_from(setup.halfmoves).ok()?;
    let fullmoves = u16::try_from(setup.fullmoves.get()).ok()?;
    let occupied = setup.board.occupied();
    let mut bytes = Vec::with_capacity(FIXED + MOST_PIECES / 2);
    bytes.extend(occupied.0.to_le_bytes());
    let rights = CASTLING.iter().map(|&rook| u8::from(setup.castling_rights.contains(rook)));
    bytes.push(rights.fold(u8::from(setup.turn == Color::Black), |bits, right| bits << 1 | right));
    bytes.push(setup.ep_square.map_or(NO_SQUARE, |square| square.to_usize() as u8));
    bytes.extend(halfmoves.to_le_bytes());
    bytes.extend(fullmoves.to_le_bytes());
    for (i, square) in occupied.into_iter().enumerate() {
        let piece = setup.board.piece_at(square)?;
        let role = Role::ALL.iter().position(|&role| role == piece.role)?;
        let nibble = role as u8 | if piece.color == Color::Black { BLACK } else { 0 };
        match bytes.last_mut().filter(|_| !i.is_multiple_of(2)) {
            Some(last) => *last |= nibble << 4,
            None => bytes.push(nibble),
        }
    }
    Some(bytes)
}

pub(super) fn read(bytes: &[u8]) -> Result<shakmaty::Chess, ParsePosition> {
    let wrong = |reason: &str| ParsePosition::new(&format!("{bytes:02x?}"), None, reason);
    let Some((fixed, nibbles)) = bytes.split_first_chunk::<FIXED>() else { return Err(wrong("too few bytes")) };
    let (occupied, rest) = fixed.split_at(8);
    let occupied = Bitboard(u64::from_le_bytes(occupied.try_into().map_err(|_| wrong("too few bytes"))?));
    let &[flags, en_passant, half_low, half_high, full_low, full_high] = rest else {
        return Err(wrong("too few bytes"));
    };
    if nibbles.len() != occupied.count().div_ceil(2) {
        return Err(wrong("the number of pieces is not that of occupied squares"));
    }
    let mut roles = [Bitboard::EMPTY; Role::ALL.len()];
    let mut black = Bitboard::EMPTY;
    for (i, square) in occupied.into_iter().enumerate() {
        let nibble = nibbles[i / 2] >> (4 * (i % 2)) & 0xf;
        let role = roles.get_mut(usize::from(nibble & !BLACK)).ok_or_else(|| wrong("an unknown piece"))?;
        role.add(square);
        if nibble & BLACK != 0 {
            black.add(square);
        }
    }
    let [pawn, knight, bishop, rook, queen, king] = roles;
    let by_role = ByRole { pawn, knight, bishop, rook, queen, king };
    let mut setup = Setup::empty();
    setup.board = Board::try_from_bitboards(by_role, ByColor { black, white: occupied & !black })
        .map_err(|error| wrong(&error.to_string()))?;
    setup.turn = if flags >> 4 & 1 == 1 { Color::Black } else { Color::White };
    for (i, rook) in CASTLING.into_iter().enumerate() {
        if flags >> (3 - i) & 1 == 1 {
            setup.castling_rights.add(rook);
        }
    }
    setup.ep_square = match en_passant {
        NO_SQUARE => None,
        square => Some(Square::try_from(square).map_err(|_| wrong("an unknown square"))?),
    };
    setup.halfmoves = u16::from_le_bytes([half_low, half_high]).into();
    setup.fullmoves = NonZeroU32::new(u16::from_le_bytes([full_low, full_high]).into())
        .ok_or_else(|| wrong("the move number is zero"))?;
    shakmaty::Chess::from_setup(setup, CastlingMode::Standard).map_err(|error| wrong(&error.to_string()))
}
