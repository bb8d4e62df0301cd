//! FEN, with errors that point at the place.
//!
//! shakmaty parses the fields and checks the position. This module finds the character at which it would fail, and
//! refuses the extensions of variants (pockets, promoted-piece marks, remaining checks).

use super::Chess;
use crate::fields::{Field, Wrong, read_board, split};
use crate::position::{Game, ParsePosition};
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Color, FromSetup, Piece, PositionError, PositionErrorKinds, Setup, Square};

const FIELDS: &str = "a FEN has 6 fields (board, turn, castling, en passant, two clocks), or 4 without the clocks";

pub(super) fn parse(text: &str) -> Result<shakmaty::Chess, ParsePosition> {
    let wrong = |(at, reason): Wrong| ParsePosition::new(text, Some(at), reason);
    let fields = split(text, &[4, 6], FIELDS).map_err(wrong)?;
    check_board(fields[0]).map_err(wrong)?;
    check_rest(&fields).map_err(wrong)?;

    let joined = fields.iter().map(|field| field.text).collect::<Vec<_>>().join(" ");
    let setup = Fen::from_ascii(joined.as_bytes())
        .map_err(|error| ParsePosition::new(text, None, error.to_string()))?
        .into_setup();
    let turn = setup.turn;
    let castling = castling_conflict(&setup);
    shakmaty::Chess::from_setup(setup, CastlingMode::Standard)
        .map_err(|error| wrong(explain(&error, turn, castling, &fields)))
}

fn check_board(field: Field<'_>) -> Result<(), Wrong> {
    let piece = |c, _| match Piece::from_char(c) {
        Some(_) => Ok(()),
        None => Err(format!("{c:?} is neither a piece (KQRBNP, kqrbnp) nor a number of empty squares")),
    };
    read_board(field, Chess::GEOMETRY, Chess::NOTATION, piece, |(), _, _| {})
}

/// Checks the fields after the board, as far as they can be wrong by themselves.
fn check_rest(fields: &[Field<'_>]) -> Result<(), Wrong> {
    let wrong = |at: usize, reason: &str| Err((at, reason.to_owned()));
    let stray = |field: Field<'_>, is_good: fn(char) -> bool| field.chars().find(|&(_, c)| !is_good(c));
    let (turn, castling, en_passant) = (fields[1], fields[2], fields[3]);
    if !matches!(turn.text, "w" | "b") {
        return wrong(turn.at, "the turn is w or b");
    }
    let is_right = |c: char| matches!(c.to_ascii_lowercase(), 'k' | 'q' | 'a'..='h');
    if let Some((at, _)) = stray(castling, is_right).filter(|_| castling.text != "-") {
        return wrong(at, "castling rights are letters of KQkq, or -");
    }
    if en_passant.text != "-" && Square::from_ascii(en_passant.text.as_bytes()).is_err() {
        return wrong(en_passant.at, "the en-passant field is a square, or -");
    }
    match fields[4..].iter().find_map(|&clock| stray(clock, |c: char| c.is_ascii_digit())) {
        Some((at, _)) => wrong(at, "a clock is a whole number"),
        None => Ok(()),
    }
}

/// The first castling right whose king or rook is not on its home square, as FEN writes it.
fn castling_conflict(setup: &Setup) -> Option<char> {
    let homes = [
        ('K', Color::White, Square::E1, Square::H1),
        ('Q', Color::White, Square::E1, Square::A1),
        ('k', Color::Black, Square::E8, Square::H8),
        ('q', Color::Black, Square::E8, Square::A8),
    ];
    homes.into_iter().find_map(|(letter, color, king, rook)| {
        let board = &setup.board;
        let at_home = board.king_of(color) == Some(king) && (board.rooks() & board.by_color(color)).contains(rook);
        (setup.castling_rights.contains(rook) && !at_home).then_some(letter)
    })
}

/// Why shakmaty refuses a readable position as illegal, and which field causes it.
fn explain(error: &PositionError<shakmaty::Chess>, turn: Color, castling: Option<char>, fields: &[Field<'_>]) -> Wrong {
    let (to_move, waiting) = match turn {
        Color::White => ("White", "Black"),
        Color::Black => ("Black", "White"),
    };
    let castling_reason = match castling {
        Some(letter) => format!("castling right {letter} needs its king and rook on their home squares"),
        None => "the castling rights do not fit the board (Chess960 is not supported)".to_owned(),
    };
    let reasons = [
        (PositionErrorKinds::EMPTY_BOARD, 0, "the board is empty".to_owned()),
        (PositionErrorKinds::MISSING_KING, 0, "a king is missing".to_owned()),
        (PositionErrorKinds::TOO_MANY_KINGS, 0, "a side has more than one king".to_owned()),
        (PositionErrorKinds::PAWNS_ON_BACKRANK, 0, "a pawn stands on the first or last rank".to_owned()),
        (
            PositionErrorKinds::OPPOSITE_CHECK,
            1,
            format!(
                "{to_move} is to move and could capture the king: {waiting} stands in check; let {waiting} move, or \
                 correct the board"
            ),
        ),
        (PositionErrorKinds::INVALID_CASTLING_RIGHTS, 2, castling_reason),
        (
            PositionErrorKinds::INVALID_EP_SQUARE,
            3,
            "the en-passant square does not fit the board: no pawn has just passed it".to_owned(),
        ),
        (PositionErrorKinds::TOO_MUCH_MATERIAL, 0, "more pieces than promotions can explain".to_owned()),
        (PositionErrorKinds::IMPOSSIBLE_CHECK, 0, "no move can have given this check".to_owned()),
    ];
    reasons
        .into_iter()
        .find(|(kind, ..)| error.kinds().contains(*kind))
        .map_or_else(|| (0, error.to_string()), |(_, field, reason)| (fields[field].at, reason))
}
