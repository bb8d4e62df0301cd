//! Writing a game as PGN.

use crate::chess::ChessPosition;
use crate::position::{Position as _, Side};
use crate::record::GameResult;
use shakmaty::san::SanPlus;
use std::fmt::Write as _;

/// Columns of a line of movetext, as the standard's export format asks.
const COLUMNS: usize = 80;

/// Writes a game: `moves` in UCI from `start` (FEN; `None` for the standard one), `tags` in front of the result, and
/// where `evals` has a score (hundredths of a pawn, from the mover's view, before the move) a comment `[%eval]` behind the
/// move, from White's view as the command wants it.
///
/// # Errors
/// The ply and what is wrong with its move; ply 0 also for a start that is none.
pub fn write<'a>(
    start: Option<&str>,
    moves: impl Iterator<Item = &'a str>,
    result: GameResult,
    tags: &[(&str, &str)],
    evals: &[Option<f64>],
) -> Result<String, (usize, String)> {
    let position = start.map_or_else(|| Ok(ChessPosition::start()), ChessPosition::parse);
    let mut position = position.map_err(|error| (0, error.to_string()))?;
    let mut out = String::new();
    let result = match result {
        GameResult::FirstWins => "1-0",
        GameResult::SecondWins => "0-1",
        GameResult::Draw => "1/2-1/2",
        GameResult::Unknown => "*",
    };
    let setup = start.map(|fen| [("SetUp", "1"), ("FEN", fen)]);
    let all = tags.iter().copied().chain([("Result", result)]).chain(setup.into_iter().flatten());
    for (name, value) in all {
        let value = value.replace('\\', "\\\\").replace('"', "\\\"");
        writeln!(out, "[{name} \"{value}\"]").expect("a String takes every text");
    }
    out.push('\n');
    let mut line = Words::new(&mut out);
    let mut number = start.and_then(|fen| fen.split(' ').nth(5)?.parse().ok()).unwrap_or(1u32);
    for (ply, text) in moves.enumerate() {
        let side = position.side_to_move();
        let eval = evals.get(ply).copied().flatten();
        match side {
            Side::First => line.push(&format!("{number}.")),
            // Behind the beginning or a comment the number is repeated.
            Side::Second if ply == 0 || evals.get(ply - 1).is_some_and(Option::is_some) => {
                line.push(&format!("{number}..."));
            }
            Side::Second => {}
        }
        number += u32::from(side == Side::Second);
        let mv = position.parse_move(text).map_err(|error| (ply, error.to_string()))?;
        line.push(&SanPlus::from_move(position.as_shakmaty().clone(), mv).to_string());
        if let Some(points) = eval {
            let white = if side == Side::First { points } else { -points };
            line.push(&format!("{{ [%eval {:.2}] }}", white / 100.0));
        }
        position.play(mv);
    }
    line.push(result);
    out.push_str("\n\n");
    Ok(out)
}

/// Words in lines of [`COLUMNS`].
struct Words<'a> {
    out: &'a mut String,
    column: usize,
}

impl<'a> Words<'a> {
    fn new(out: &'a mut String) -> Self {
        Self { out, column: 0 }
    }

    fn push(&mut self, word: &str) {
        if self.column > 0 && self.column + 1 + word.len() >= COLUMNS {
            self.out.push('\n');
            self.column = 0;
        } else if self.column > 0 {
            self.out.push(' ');
            self.column += 1;
        }
        self.out.push_str(word);
        self.column += word.len();
    }
}
