//! Lines of USI: one game or position each, of any game in this notation.
//!
//! ```text
//! position startpos moves 7g7f 3c3d
//! startpos moves 7g7f 3c3d
//! sfen lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1 moves 3c3d
//! lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1
//! 7g7f 3c3d
//! ```
//!
//! The keywords `position`, `startpos`, `sfen` and `moves` may be omitted if the meaning stays clear; empty lines and
//! lines that begin with `#` are skipped. `resign` or `win` may follow the last move. Otherwise the result is that of
//! the board (mate, repetition), or unknown.

use crate::position::{Position as _, Side};
use crate::record::{GameResult, ParsedGame, RejectKind, Rejected, Termination};
use crate::records;
use crate::referee::{Played, Referee};
use std::io::{self, BufRead};

/// Splits a file into its lines, without empty lines and comments.
pub fn records(input: impl BufRead) -> impl Iterator<Item = io::Result<Vec<u8>>> {
    records::lines(input, Some(b'#'))
}

/// Parses a line. `number` is its index among the lines with content, from 0, for rejections. An error on an invalid line,
/// an invalid start, and an illegal move.
pub fn parse<G: Referee>(record: &[u8], number: u64) -> Result<ParsedGame, Rejected> {
    let reject = |ply, kind, reason| Rejected { game: number, ply, kind, reason };
    let text = str::from_utf8(records::without_mark(record))
        .map_err(|_| reject(None, RejectKind::Syntax, "not a text".to_owned()))?;
    let (start, moves) = split(text.trim());
    let start = G::Position::beginning(start.as_deref())
        .map_err(|error| reject(None, RejectKind::StartPosition, error.to_string()))?;
    let is_standard = start.to_text() == G::Position::start().to_text();
    let mut game = ParsedGame::beginning((!is_standard).then(|| start.to_text()), Vec::new());
    let mut played = Played::from(start);
    for (ply, word) in moves.iter().enumerate() {
        let position = played.position();
        if ply + 1 == moves.len()
            && let Some(outcome) = given_up(word, position.side_to_move())
        {
            (game.result, game.termination) = outcome;
            return Ok(game);
        }
        let mv = position
            .parse_move(word)
            .map_err(|error| reject(Some(ply as u32), RejectKind::IllegalMove, error.to_string()))?;
        game.push(position.write_move(mv));
        game.keys.push(position.repetition_key());
        played.play(mv);
    }
    (game.result, game.termination) = G::verdict(&played).unwrap_or((game.result, game.termination));
    Ok(game)
}

/// The start's SFEN, `None` for the standard one, and the moves.
fn split(text: &str) -> (Option<String>, Vec<&str>) {
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    let (start, moves) = match without(without(&words, "position"), "sfen") {
        ["startpos", moves @ ..] => (None, moves),
        words @ [board, ..] if board.contains('/') => {
            // Board, turn, hands, and the move number, which may be missing.
            let has_number = words.get(3).is_some_and(|word| word.parse::<u32>().is_ok());
            let (start, moves) = words.split_at(words.len().min(if has_number { 4 } else { 3 }));
            (Some(start.join(" ")), moves)
        }
        moves => (None, moves),
    };
    (start, without(moves, "moves").to_vec())
}

/// Words without a keyword that may stand before them.
fn without<'a, 'b>(words: &'b [&'a str], keyword: &str) -> &'b [&'a str] {
    match words {
        [first, rest @ ..] if *first == keyword => rest,
        _ => words,
    }
}

/// The result of a declaration instead of a move.
fn given_up(word: &str, side: Side) -> Option<(GameResult, Termination)> {
    match word {
        "resign" => Some((GameResult::won_by(side.other()), Termination::Resignation)),
        "win" => Some((GameResult::won_by(side), Termination::Declaration)),
        _ => None,
    }
}
