//! SFEN, with errors that point at the place.
//!
//! rsshogi's reader does not report the place of an error and accepts impossible positions: two kings, too many pieces,
//! immobile pawns. If the side to move could capture the king, its move generator is undefined. All of these are
//! refused here.

use super::board::BadPosition;
use super::frame::{HAND, HAND_TOTALS};
use super::piece_numbers::{FILES, RANKS, man};
use super::{Board, Shogi, ShogiPosition};
use crate::fields::{Field, Wrong, read_board, split};
use crate::position::{Game, ParsePosition};
use shogi_core::{Color as Side, Piece, PieceKind};

const FIELDS: &str = "an SFEN has 4 fields (board, turn, hands, move number), or 3 without the number";

/// A piece on the board, its square as [`Board`] numbers it, and its place in the text.
struct Placed {
    piece: Piece,
    square: usize,
    at: usize,
}

pub(super) fn parse(text: &str) -> Result<ShogiPosition, ParsePosition> {
    let wrong = |(at, reason): Wrong| ParsePosition::new(text, Some(at), reason);
    let fields = split(text, &[3, 4], FIELDS).map_err(wrong)?;
    let mut placed = Vec::with_capacity(40);
    let put = |piece, square, at| {
        let (file, rank) = (FILES - 1 - Shogi::GEOMETRY.file_of(square), RANKS - 1 - Shogi::GEOMETRY.rank_of(square));
        placed.push(Placed { piece, square: file * RANKS + rank, at });
    };
    read_board(fields[0], Shogi::GEOMETRY, Shogi::NOTATION, read_piece, put).map_err(wrong)?;
    let turn = read_turn(fields[1]).map_err(wrong)?;
    let hands = read_hands(fields[2]).map_err(wrong)?;
    let ply = fields.get(3).map_or(Ok(1), |&field| read_ply(field)).map_err(wrong)?;

    let king = |side| king(&placed, side, fields[0]).map_err(wrong);
    let mut board = Board { hands, ..Board::empty([king(Side::Black)?, king(Side::White)?], turn) };
    placed.iter().for_each(|placed| board.squares[placed.square] = man(placed.piece));
    board.check().map_err(|error| wrong(explain(&error, &placed, &fields)))?;
    Ok(board.unchecked_position(ply))
}

fn read_piece(c: char, promoted: bool) -> Result<Piece, String> {
    let kind = kind(c)
        .ok_or_else(|| format!("{c:?} is neither a piece (PLNSGBRK, plnsgbrk) nor a number of empty squares"))?;
    let side = if c.is_ascii_uppercase() { Side::Black } else { Side::White };
    let kind = if promoted { kind.promote().ok_or_else(|| format!("{c:?} cannot be promoted"))? } else { kind };
    Ok(Piece::new(kind, side))
}

fn kind(c: char) -> Option<PieceKind> {
    // In shogi_core's order, whose numbers begin at 1.
    let place = "PLNSGBRK".find(c.to_ascii_uppercase())?;
    PieceKind::from_u8(place as u8 + 1)
}

fn read_turn(field: Field<'_>) -> Result<Side, Wrong> {
    match field.text {
        "b" => Ok(Side::Black),
        "w" => Ok(Side::White),
        _ => Err((field.at, "the turn is b or w".to_owned())),
    }
}

/// Pieces in hand by side (Black, White), in [`HAND`]'s order.
type Hands = [[u8; HAND.len()]; 2];

fn read_hands(field: Field<'_>) -> Result<Hands, Wrong> {
    let mut hands = Hands::default();
    if field.text == "-" {
        return Ok(hands);
    }
    let mut rest = field.text;
    while !rest.is_empty() {
        let at = field.end() - rest.len();
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, after) = rest.split_at(digits);
        let count = if number.is_empty() { Some(1) } else { number.parse::<u8>().ok().filter(|&n| n > 0) };
        let c = after.chars().next().ok_or_else(|| (at, "a number without its piece".to_owned()))?;
        let piece = kind(c)
            .and_then(|kind| HAND.iter().position(|&(k, _)| k == kind))
            .ok_or_else(|| (at + digits, format!("{c:?} cannot be in hand (PLNSGBR, plnsgbr)")))?;
        let held = &mut hands[usize::from(c.is_ascii_lowercase())][piece];
        *held = count
            .and_then(|n| held.checked_add(n))
            .filter(|&n| n <= HAND_TOTALS[piece])
            .ok_or_else(|| (at, format!("a set has between 1 and {} of these", HAND_TOTALS[piece])))?;
        rest = &after[c.len_utf8()..];
    }
    Ok(hands)
}

fn read_ply(field: Field<'_>) -> Result<u32, Wrong> {
    field.text.parse().map_err(|_| (field.at, "the move number is a whole number".to_owned()))
}

/// The square of a side's king.
fn king(placed: &[Placed], side: Side, field: Field<'_>) -> Result<u8, Wrong> {
    let mut kings = placed.iter().filter(|placed| placed.piece == Piece::new(PieceKind::King, side));
    let king = kings.next().ok_or_else(|| (field.at, format!("{side:?} has no king")))?;
    match kings.next() {
        Some(second) => Err((second.at, format!("{side:?} has more than one king"))),
        None => Ok(king.square as u8),
    }
}

/// Why a board is not legal, and where the text shows it.
fn explain(error: &BadPosition, placed: &[Placed], fields: &[Field<'_>]) -> Wrong {
    let nth = |n: usize, is_meant: &dyn Fn(&Placed) -> bool| placed.iter().filter(|placed| is_meant(placed)).nth(n);
    let (found, otherwise) = match *error {
        BadPosition::TooMany { kind, allowed } => {
            let is_kind = |placed: &Placed| placed.piece.unpromote().unwrap_or(placed.piece).piece_kind() == kind;
            (nth(allowed.into(), &is_kind), fields[2])
        }
        BadPosition::TwoPawns { color, file } => {
            let pawn = Piece::new(PieceKind::Pawn, color);
            let is_pawn = |placed: &Placed| placed.piece == pawn && 1 + placed.square / RANKS == usize::from(file);
            (nth(1, &is_pawn), fields[0])
        }
        BadPosition::Stuck { file, rank } => {
            let square = usize::from(file - 1) * RANKS + (rank as usize - 'a' as usize);
            (nth(0, &|placed: &Placed| placed.square == square), fields[0])
        }
        _ => (None, fields[1]),
    };
    let reason = match *error {
        BadPosition::KingCapturable(side) => {
            let waiting = side.flip();
            format!("{error}: {waiting:?} stands in check; let {waiting:?} move, or correct the board")
        }
        _ => error.to_string(),
    };
    (found.map_or(otherwise.at, |placed| placed.at), reason)
}
