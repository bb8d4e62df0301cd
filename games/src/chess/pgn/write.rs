//! Writing a game as PGN.

use crate::chess::ChessPosition;
use crate::position::{Position as _, Side};
use crate::record::{GameResult, Termination};
use shakmaty::Position as _;
use shakmaty::san::SanPlus;
use std::fmt::Write as _;

/// Columns of a movetext line, as in the standard's export format.
const COLUMNS: usize = 80;

/// Notes about a ply, written as commands in a comment after its move.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct PlyNotes {
    /// The score before the move in hundredths of a pawn, from the mover's view: `[%eval]`, from White's.
    pub eval: Option<f64>,
    /// Seconds left on the mover's clock after the move, `[%clk]`.
    pub clock: Option<f32>,
    /// Seconds that the move took, `[%emt]`.
    pub time: Option<f32>,
}

impl PlyNotes {
    /// The comment; `None` if there are no notes. Times keep every digit of their f32.
    fn comment(self, side: Side) -> Option<String> {
        let white = |points: f64| if side == Side::First { points } else { -points };
        let eval = self.eval.map(|points| format!("[%eval {:.2}]", white(points) / 100.0));
        let clock = self.clock.map(|clock| format!("[%clk {}]", hours(clock)));
        let time = self.time.map(|time| format!("[%emt {}]", hours(time)));
        let commands: Vec<String> = [eval, clock, time].into_iter().flatten().collect();
        (!commands.is_empty()).then(|| format!("{{ {} }}", commands.join(" ")))
    }
}

/// Seconds as `h:mm:ss`, with the decimals of the number's shortest decimal form.
fn hours(seconds: f32) -> String {
    let text = seconds.to_string();
    let fraction = text.find('.').map_or("", |point| &text[point..]);
    let whole = seconds.trunc() as u64;
    format!("{}:{:02}:{:02}{fraction}", whole / 3600, whole / 60 % 60, whole % 60)
}

/// The `Termination` tag of an ending, as in the standard; `None` for endings visible on the board, resignations and
/// draws without a reason.
pub const fn termination_tag(result: GameResult, termination: Termination) -> Option<&'static str> {
    match (termination, result) {
        (Termination::Adjudication, _) => Some("adjudication"),
        (Termination::Time, _) => Some("time forfeit"),
        (Termination::IllegalMove, _) => Some("rules infraction"),
        (Termination::PlyCap, _) | (Termination::Other, GameResult::Unknown) => Some("unterminated"),
        (Termination::Other, GameResult::FirstWins | GameResult::SecondWins) => Some("abandoned"),
        _ => None,
    }
}

/// Writes a game: `moves` in UCI from `start` (FEN; `None` for the standard one), `tags` before the result, and after
/// each move its notes in `noted`. An error gives the ply and what is wrong with its move; ply 0 also for an invalid start.
pub fn write<'a>(
    start: Option<&str>,
    moves: impl Iterator<Item = &'a str>,
    result: GameResult,
    tags: &[(&str, &str)],
    noted: &[PlyNotes],
) -> Result<String, (usize, String)> {
    let mut position = ChessPosition::beginning(start).map_err(|error| (0, error.to_string()))?;
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
        // A value ends with its line.
        let value = value.replace('\\', "\\\\").replace('"', "\\\"").replace(['\r', '\n'], " ");
        writeln!(out, "[{name} \"{value}\"]").expect("a String takes every text");
    }
    out.push('\n');
    let mut line = LineWrapper::new(&mut out);
    let mut is_commented = false;
    for (ply, text) in moves.enumerate() {
        let side = position.side_to_move();
        let number = position.as_shakmaty().fullmoves();
        match side {
            Side::First => line.push(&format!("{number}.")),
            // At the beginning and after a comment the number is repeated.
            Side::Second if ply == 0 || is_commented => {
                line.push(&format!("{number}..."));
            }
            Side::Second => {}
        }
        let mv = position.parse_move(text).map_err(|error| (ply, error.to_string()))?;
        line.push(&SanPlus::from_move(position.as_shakmaty().clone(), mv).to_string());
        let comment = noted.get(ply).and_then(|noted| noted.comment(side));
        is_commented = comment.is_some();
        if let Some(comment) = comment {
            line.push(&comment);
        }
        position.play(mv);
    }
    line.push(result);
    out.push_str("\n\n");
    Ok(out)
}

/// Writes words in lines of [`COLUMNS`].
struct LineWrapper<'a> {
    out: &'a mut String,
    column: usize,
}

impl<'a> LineWrapper<'a> {
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
