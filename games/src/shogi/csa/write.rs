//! Games to CSA records.

use super::setup::code;
use crate::position::{Game as _, Position as _};
use crate::record::{GameResult, Termination};
use crate::shogi::frame::HAND;
use crate::shogi::repetition::Seen;
use crate::shogi::replay::repeated;
use crate::shogi::{Shogi, ShogiPosition};
use shogi_core::{Color, Move, PieceKind, Square};
use std::fmt::Write as _;

/// Writes a game in version 2.2 of the format: `names` are Black's and White's, `moves` in USI from `start` (SFEN; `None` for the
/// standard one). A game that a cap of plies left without a result ends with `%MAX_MOVES`, as servers write it. CSA has no
/// statement for a win that was adjudicated while the winner was to move; such a game ends with `%CHUDAN` and a comment.
/// `%SENNICHITE` has the result that the moves show: a perpetual check whose moves are not all there is written as an illegal
/// action of the loser. An error gives the ply and what is wrong with its move; ply 0 also for an invalid start.
pub fn write<'a>(
    names: [&str; 2],
    start: Option<&str>,
    moves: impl Iterator<Item = &'a str>,
    result: GameResult,
    termination: Termination,
) -> Result<String, (usize, String)> {
    let mut position = ShogiPosition::beginning(start).map_err(|error| (0, error.to_string()))?;
    let [black, white] = names.map(|name| name.replace(['\r', '\n'], " "));
    let mut out = format!("V2.2\nN+{black}\nN-{white}\n");
    match start {
        None => out.push_str("PI\n"),
        Some(_) => board(&position, &mut out),
    }
    out.push_str(if position.turn() == Color::Black { "+\n" } else { "-\n" });
    let mut seen = vec![Seen::of(&position)];
    for (ply, text) in moves.enumerate() {
        let mv = position.parse_move(text).map_err(|error| (ply, error.to_string()))?;
        let sign = if position.turn() == Color::Black { '+' } else { '-' };
        // A String takes every text.
        let _ = writeln!(out, "{sign}{}", written(&position, mv));
        position.play(mv);
        seen.push(Seen::of(&position));
    }
    out.push_str(&ending(result, termination, &position, &seen));
    Ok(out)
}

fn written(position: &ShogiPosition, mv: Move) -> String {
    match mv {
        Move::Drop { to, piece } => format!("00{}{}", at(to), code(piece.piece_kind())),
        Move::Normal { from, to, promote } => {
            let kind = position.piece_at(from).map_or(PieceKind::Pawn, |piece| piece.piece_kind());
            let after = if promote { kind.promote().unwrap_or(kind) } else { kind };
            format!("{}{}{}", at(from), at(to), code(after))
        }
    }
}

fn at(square: Square) -> String {
    format!("{}{}", square.file(), square.rank())
}

/// The rows `P1`…`P9` and the hands.
fn board(position: &ShogiPosition, out: &mut String) {
    let (files, ranks) = (Shogi::GEOMETRY.files() as u8, Shogi::GEOMETRY.ranks() as u8);
    for rank in 1..=ranks {
        let _ = write!(out, "P{rank}");
        for square in (1..=files).rev().filter_map(|file| Square::new(file, rank)) {
            out.push_str(&match position.piece_at(square) {
                None => " * ".to_owned(),
                Some(piece) => {
                    format!("{}{}", if piece.color() == Color::Black { '+' } else { '-' }, code(piece.piece_kind()))
                }
            });
        }
        out.push('\n');
    }
    for (color, sign) in [(Color::Black, '+'), (Color::White, '-')] {
        let held = HAND.iter().rev().flat_map(|&(kind, _)| (0..position.in_hand(color, kind)).map(move |_| kind));
        let held: String = held.map(|kind| format!("00{}", code(kind))).collect();
        if !held.is_empty() {
            let _ = writeln!(out, "P{sign}{held}");
        }
    }
}

/// The last statement, given the last position and what was seen of all positions.
fn ending(result: GameResult, termination: Termination, position: &ShogiPosition, seen: &[Seen]) -> String {
    let mover = position.side_to_move();
    let lost = result == GameResult::won_by(mover.other());
    let statement = match termination {
        Termination::Checkmate if lost => "%TSUMI",
        Termination::Time if lost => "%TIME_UP",
        Termination::IllegalMove if lost => "%ILLEGAL_MOVE",
        Termination::Declaration if result == GameResult::won_by(mover) => "%KACHI",
        Termination::Repetition | Termination::PerpetualCheck if result == repeated(seen).0 => "%SENNICHITE",
        Termination::PerpetualCheck if result == GameResult::FirstWins => "%-ILLEGAL_ACTION",
        Termination::PerpetualCheck if result == GameResult::SecondWins => "%+ILLEGAL_ACTION",
        _ if lost => "%TORYO",
        _ if result == GameResult::Draw => "%HIKIWAKE",
        Termination::PlyCap if result == GameResult::Unknown => "%MAX_MOVES",
        _ if result == GameResult::Unknown => "%CHUDAN",
        _ => return format!("'{}: {}\n%CHUDAN\n", termination.name(), result.name()),
    };
    format!("{statement}\n")
}
