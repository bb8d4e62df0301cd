//! SFEN, with errors that point at the place.
//!
//! rsshogi's reader does not report the place of an error and accepts impossible positions: two kings, too many pieces,
//! immobile pawns. If the side to move could capture the king, its move generator is undefined. All of these are
//! refused here.

use super::frame::{self, HAND, HAND_TOTALS};
use super::{Shogi, ShogiPosition};
use crate::fields::{Field, Wrong, read_board, split};
use crate::position::{Game, ParsePosition};
use rsshogi::board::{BoardArray, PositionState};
use rsshogi::types::Square as RulesSquare;
use shogi_core::{Color as Side, Piece, PieceKind};

const FIELDS: &str = "an SFEN has 4 fields (board, turn, hands, move number), or 3 without the number";

/// A piece on the board and its place in the text.
struct Placed {
    piece: Piece,
    /// File 1 to 9 and rank 1 to 9 (a to i).
    file: u8,
    rank: u8,
    at: usize,
}

pub(super) fn parse(text: &str) -> Result<ShogiPosition, ParsePosition> {
    let wrong = |(at, reason): Wrong| ParsePosition::new(text, Some(at), reason);
    let fields = split(text, &[3, 4], FIELDS).map_err(wrong)?;
    let (files, ranks) = (Shogi::GEOMETRY.files(), Shogi::GEOMETRY.ranks());
    let mut board = Vec::with_capacity(40);
    let put = |piece, square, at| {
        let (file, rank) = (files - Shogi::GEOMETRY.file_of(square), ranks - Shogi::GEOMETRY.rank_of(square));
        board.push(Placed { piece, file: file as u8, rank: rank as u8, at });
    };
    read_board(fields[0], Shogi::GEOMETRY, Shogi::NOTATION, read_piece, put).map_err(wrong)?;
    let turn = read_turn(fields[1]).map_err(wrong)?;
    let hands = read_hands(fields[2]).map_err(wrong)?;
    let ply = fields.get(3).map_or(Ok(1), |&field| read_ply(field)).map_err(wrong)?;

    check_kings(&board, fields[0]).map_err(wrong)?;
    check_totals(&board, &hands, fields[2]).map_err(wrong)?;
    check_pawn_files(&board).map_err(wrong)?;
    board.iter().try_for_each(check_can_move).map_err(wrong)?;
    let position = assemble(&board, turn, &hands, ply);
    check_king_is_safe(&position, fields[1]).map_err(wrong)?;
    Ok(position)
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

fn check_kings(board: &[Placed], field: Field<'_>) -> Result<(), Wrong> {
    for (side, name) in [(Side::Black, "Black"), (Side::White, "White")] {
        let mut kings = board.iter().filter(|placed| placed.piece == Piece::new(PieceKind::King, side));
        if kings.next().is_none() {
            return Err((field.at, format!("{name} has no king")));
        }
        if let Some(second) = kings.next() {
            return Err((second.at, format!("{name} has more than one king")));
        }
    }
    Ok(())
}

fn check_totals(board: &[Placed], hands: &Hands, hands_field: Field<'_>) -> Result<(), Wrong> {
    for (i, (&(kind, _), total)) in HAND.iter().zip(HAND_TOTALS).enumerate() {
        let is_kind = |placed: &&Placed| {
            let on_board = placed.piece.piece_kind();
            on_board.unpromote().unwrap_or(on_board) == kind
        };
        let allowed = usize::from(total);
        let reason = || format!("more than {total} pieces of the kind {kind:?}");
        if let Some(extra) = board.iter().filter(is_kind).nth(allowed) {
            return Err((extra.at, reason()));
        }
        if board.iter().filter(is_kind).count() + usize::from(hands[0][i]) + usize::from(hands[1][i]) > allowed {
            return Err((hands_field.at, reason()));
        }
    }
    Ok(())
}

fn check_pawn_files(board: &[Placed]) -> Result<(), Wrong> {
    for side in [Side::Black, Side::White] {
        let mut taken = [false; 10];
        for pawn in board.iter().filter(|placed| placed.piece == Piece::new(PieceKind::Pawn, side)) {
            if std::mem::replace(&mut taken[usize::from(pawn.file)], true) {
                return Err((pawn.at, format!("two unpromoted pawns of one side on file {}", pawn.file)));
            }
        }
    }
    Ok(())
}

fn check_can_move(placed: &Placed) -> Result<(), Wrong> {
    let needs_ahead = match placed.piece.piece_kind() {
        PieceKind::Pawn | PieceKind::Lance => 1,
        PieceKind::Knight => 2,
        _ => 0,
    };
    let ahead = match placed.piece.color() {
        Side::Black => placed.rank - 1,
        Side::White => Shogi::GEOMETRY.ranks() as u8 - placed.rank,
    };
    if ahead < needs_ahead {
        return Err((placed.at, "a piece that could never move again".to_owned()));
    }
    Ok(())
}

fn assemble(board: &[Placed], turn: Side, hands: &Hands, ply: u32) -> ShogiPosition {
    let mut array = BoardArray::empty();
    for placed in board {
        let index = usize::from(placed.file - 1) * Shogi::GEOMETRY.ranks() + usize::from(placed.rank - 1);
        array.set(RulesSquare::from_index(index), frame::rules_piece(placed.piece));
    }
    let hands = hands.map(frame::hand);
    let side_to_move = frame::rules_color(turn);
    ShogiPosition::from_state(&PositionState { board: array, hands, side_to_move, ply: 1 }, ply)
}

fn check_king_is_safe(position: &ShogiPosition, turn: Field<'_>) -> Result<(), Wrong> {
    if !position.could_capture_king() {
        return Ok(());
    }
    let (to_move, waiting) = match position.turn() {
        Side::Black => ("Black", "White"),
        Side::White => ("White", "Black"),
    };
    let reason = format!(
        "{to_move} is to move and could capture the king: {waiting} stands in check; let {waiting} move, or correct \
         the board"
    );
    Err((turn.at, reason))
}
