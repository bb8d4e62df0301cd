//! SFEN of minishogi, and what a legal position is.

use super::Minishogi;
use super::board::{BOARD, Board, CODES, HANDS, LETTERS, Piece, PieceKind, SQUARES, TOTAL, ranks_left};
use super::position::MinishogiPosition;
use crate::fields::{Field, Wrong, read_board, split};
use crate::position::{Game, ParsePosition, Side};

pub(super) const START: &str = "rbsgk/4p/5/P4/KGSBR b - 1";

const FIELDS: &str = "an SFEN has 4 fields (board, turn, hands, move number), or 3 without the number";

pub(super) fn parse(text: &str) -> Result<MinishogiPosition, ParsePosition> {
    let wrong = |(at, reason): Wrong| ParsePosition::new(text, Some(at), reason);
    let fields = split(text, &[3, 4], FIELDS).map_err(wrong)?;
    let mut board = Board([None; SQUARES]);
    let put = |piece, square: usize, _| board.0[square] = Some(piece);
    read_board(fields[0], BOARD, Minishogi::NOTATION, read_piece, put).map_err(wrong)?;
    let turn = match fields[1].text {
        "b" => Side::First,
        "w" => Side::Second,
        _ => return Err(wrong((fields[1].at, "the turn is b or w".to_owned()))),
    };
    let hands = read_hands(fields[2]).map_err(wrong)?;
    let number = |field: &Field<'_>| {
        field.text.parse().map_err(|_| wrong((field.at, "the move number is a whole number".to_owned())))
    };
    let ply = fields.get(3).map_or(Ok(1), number)?;
    let position = MinishogiPosition { board, hands, turn, ply };
    check(&position).map_err(|reason| ParsePosition::new(text, None, reason))?;
    Ok(position)
}

/// Whether a position is legal, otherwise the reason.
pub(super) fn check(position: &MinishogiPosition) -> Result<(), String> {
    let board = &position.board;
    for side in [Side::First, Side::Second] {
        let name = Minishogi::COLOURS[side as usize];
        let own =
            |kind: PieceKind| board.pieces().filter(move |&(_, piece)| piece == (side, kind)).map(|(square, _)| square);
        if own(PieceKind::King).count() != 1 {
            return Err(format!("{name} needs one king"));
        }
        let mut files: Vec<usize> = own(PieceKind::Pawn).map(|square| BOARD.file_of(square)).collect();
        files.sort_unstable();
        if files.windows(2).any(|two| two[0] == two[1]) {
            return Err(format!("{name} has two unpromoted pawns on a file"));
        }
        if own(PieceKind::Pawn).any(|square| ranks_left(square, side) == 0) {
            return Err("a piece that could never move again".to_owned());
        }
    }
    for (kind, name) in Minishogi::PIECES[..HANDS].iter().enumerate() {
        let on_board = board.pieces().filter(|(_, (_, piece))| piece.unpromoted() as usize == kind).count();
        if on_board + position.hands.iter().map(|hand| usize::from(hand[kind])).sum::<usize>() > usize::from(TOTAL) {
            return Err(format!("more than {TOTAL} pieces of the kind {name}"));
        }
    }
    if board.is_in_check(position.turn.other()) {
        return Err("the side to move could capture the king".to_owned());
    }
    Ok(())
}

fn read_piece(c: char, promoted: bool) -> Result<Piece, String> {
    let kind = if promoted { kind(c).and_then(PieceKind::promoted) } else { kind(c) };
    let kind = kind.ok_or_else(|| format!("{c:?} is not a piece (PSGBRK, psgbrk; promoted PSBR, psbr)"))?;
    Ok((side(c), kind))
}

fn side(letter: char) -> Side {
    if letter.is_ascii_uppercase() { Side::First } else { Side::Second }
}

fn kind(letter: char) -> Option<PieceKind> {
    let letter = letter.to_ascii_uppercase();
    PieceKind::ALL.into_iter().zip(LETTERS).find(|(_, name)| name.chars().eq([letter])).map(|(kind, _)| kind)
}

fn read_hands(field: Field<'_>) -> Result<[[u8; HANDS]; 2], Wrong> {
    let mut hands = [[0; HANDS]; 2];
    if field.text == "-" {
        return Ok(hands);
    }
    let mut count = None;
    for (at, c) in field.chars() {
        if let (None, Some(digit @ 1..)) = (count, c.to_digit(10)) {
            count = Some(digit as u8);
            continue;
        }
        let kind = kind(c).map(|kind| kind as usize).filter(|&kind| kind < HANDS);
        let kind = kind.ok_or_else(|| (at, format!("{c:?} cannot be in hand (PSGBR, psgbr)")))?;
        let held = &mut hands[side(c) as usize][kind];
        *held += count.take().unwrap_or(1);
        if *held > TOTAL {
            return Err((at, format!("a set has {TOTAL} of these")));
        }
    }
    match count {
        None => Ok(hands),
        Some(_) => Err((field.end(), "a number without its piece".to_owned())),
    }
}

pub(super) fn write(position: &MinishogiPosition) -> String {
    let mut hands = String::new();
    for (side, held) in [Side::First, Side::Second].into_iter().zip(position.hands) {
        // The strongest first.
        for kind in [PieceKind::Rook, PieceKind::Bishop, PieceKind::Gold, PieceKind::Silver, PieceKind::Pawn] {
            let letter = CODES.written(CODES.code(side, kind as usize)).unwrap_or_default();
            match held[kind as usize] {
                0 => {}
                1 => hands.push_str(&letter),
                count => hands.push_str(&format!("{count}{letter}")),
            }
        }
    }
    if hands.is_empty() {
        hands.push('-');
    }
    let codes: Vec<u8> = position.codes().collect();
    CODES.text(BOARD, &codes, position.turn, &hands, position.ply)
}
