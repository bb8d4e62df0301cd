//! CSA: text to games, each checked move by move; files of many games, and floodgate's comments.
//!
//! A file is split at its `/` lines ([`records`]) and each record is parsed separately ([`parse`]), so an invalid board
//! rejects only its own game (rsshogi's reader fails for the whole file), and records can be parsed in parallel.
//! Supported are versions 2 to 3.0 of the format: headers, the three board setups (`PI`, `P1`…`P9`, `P+`/`P-`), moves
//! with the code of the piece after the move, seconds (`T`), endings (`%`), and floodgate's comments: ratings in the
//! header, and `'** score` after a move, from Black's view.
//!
//! CSA writes a mate as a large score (floodgate and many engines 100000, others 32000 minus the plies), without the
//! number of moves. Scores are therefore stored as points; any value curve maps them to 0 or 1.

pub(super) mod ending;
mod header;
mod setup;
mod write;

use super::ShogiPosition;
use super::repetition::Seen;
use crate::position::Position as _;
use crate::record::{ParsedGame, RejectKind, Rejected, Score};
use setup::{Setup, color, piece_kind, square};
use shogi_core::{Color, Move, Piece, PieceKind, Square};
use std::io::{self, BufRead, Read as _};

pub use write::write;

/// Longer lines and records are cut, so that a file without line ends does not fill the memory.
const MAX_BYTES: usize = 16 << 20;

/// Splits a CSA file into the texts of its games, which are separated by lines with a single `/`.
pub fn records<R: BufRead>(input: R) -> Records<R> {
    Records { input, done: false, failed: None }
}

/// The iterator of [`records`]: one game's bytes each. If the input cannot be read further, the part of the record read
/// so far comes first, then the error.
#[derive(Debug)]
pub struct Records<R> {
    input: R,
    done: bool,
    failed: Option<io::Error>,
}

impl<R: BufRead> Iterator for Records<R> {
    type Item = io::Result<Vec<u8>>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut record = Vec::new();
        while !self.done {
            let start = record.len();
            match self.input.by_ref().take(MAX_BYTES as u64).read_until(b'\n', &mut record) {
                Ok(0) => self.done = true,
                Ok(_) => {}
                Err(error) => {
                    self.done = true;
                    self.failed = Some(error);
                }
            }
            let separator = record[start..].trim_ascii() == b"/";
            if separator {
                record.truncate(start);
            }
            if (separator || record.len() > MAX_BYTES || self.done) && has_content(&record) {
                return Some(Ok(record));
            }
            if separator {
                record.clear();
            }
        }
        self.failed.take().map(Err)
    }
}

/// Whether a record has more than blank lines and comments.
fn has_content(record: &[u8]) -> bool {
    record.split(|&byte| byte == b'\n').any(|line| !matches!(line.trim_ascii().first(), None | Some(b'\'')))
}

/// Parses one record. `number` is its index in the file, from 0, for rejections.
///
/// The ending determines the winner: the side to move loses with `%TORYO`, `%TSUMI`, `%TIME_UP` and `%ILLEGAL_MOVE` and
/// wins with `%KACHI`; `%+ILLEGAL_ACTION` and `%-ILLEGAL_ACTION` name the loser. A `%SENNICHITE` is checked for
/// perpetual check. `%JISHOGI` and `%HIKIWAKE` are draws, unless the record names a cap of plies (`'Max_Moves:` or
/// `$MAX_MOVES:`) that the game reached: then the game was cut off and its result is unknown, see
/// [`ParsedGame::cut_off_at`]. A record without an ending has an unknown result.
///
/// # Errors
/// On invalid CSA, an illegal start, and a move that is illegal, out of turn, or made by another piece than recorded.
pub fn parse(record: &[u8], number: u64) -> Result<ParsedGame, Rejected> {
    let text = String::from_utf8_lossy(record.strip_prefix(b"\xef\xbb\xbf").unwrap_or(record));
    let mut reader = Reader::default();
    for line in text.lines() {
        let line = line.trim_end();
        // Several statements may share a line, but names and comments may contain commas.
        let shared = line.starts_with(['+', '-', '%', 'T']);
        let mut statements = line.split(if shared { "," } else { "\n" });
        statements.try_for_each(|statement| reader.read(statement)).map_err(|fault| reader.reject(number, fault))?;
    }
    reader.finish().map_err(|(fault, ply)| Rejected { game: number, ply, kind: fault.0, reason: fault.1 })
}

/// A kind of rejection and its reason.
type Fault = (RejectKind, String);

/// The parsed part of a record.
#[derive(Default)]
struct Reader {
    tags: Vec<(String, String)>,
    setup: Setup,
    /// From the line that names the side to move.
    game: Option<Played>,
    ending: Option<String>,
}

struct Played {
    game: ParsedGame,
    position: ShogiPosition,
    seen: Vec<Seen>,
}

impl Reader {
    fn read(&mut self, statement: &str) -> Result<(), Fault> {
        let mut rest = statement.chars();
        match (rest.next(), rest.as_str()) {
            (None, _) | (Some('V'), _) => {}
            (Some('\''), comment) => self.comment(comment),
            (Some('N'), name) => self.tags.push(header::name(name)),
            (Some('$'), field) => self.tags.push(header::field('$', field)),
            (Some('P'), placement) if self.game.is_none() => {
                self.setup.place(placement).map_err(|reason| (RejectKind::StartPosition, reason))?;
            }
            (Some(sign @ ('+' | '-')), "") if self.game.is_none() => self.begin(color(sign))?,
            (Some(sign @ ('+' | '-')), mv) => self.play(color(sign), mv, statement)?,
            (Some('T'), seconds) => self.time(seconds, statement)?,
            (Some('%'), _) if self.ending.is_none() => self.ending = Some(statement.to_owned()),
            _ => return Err((RejectKind::Syntax, format!("not a CSA statement here: {}", shown(statement)))),
        }
        Ok(())
    }

    /// A header like `'black_rate:…` before the moves; an engine's score after a move.
    fn comment(&mut self, comment: &str) {
        let played = self.game.as_mut().filter(|played| !played.game.moves.is_empty());
        if let Some(played) = played {
            let score = comment.strip_prefix("**").and_then(|text| text.split_whitespace().next()?.parse().ok());
            if let (Some(score), Some(slot)) = (score, played.game.scores.last_mut()) {
                *slot = Some(Score::Centipawns(score));
            }
        } else {
            self.tags.push(header::field('\'', comment));
        }
    }

    fn begin(&mut self, turn: Color) -> Result<(), Fault> {
        let position = self.setup.position(turn).map_err(|reason| (RejectKind::StartPosition, reason))?;
        let text = position.to_text();
        let start = (text != ShogiPosition::start().to_text()).then_some(text);
        let seen = vec![Seen::of(&position)];
        self.game = Some(Played { game: ParsedGame::beginning(start, Vec::new()), position, seen });
        Ok(())
    }

    fn play(&mut self, mover: Color, mv: &str, statement: &str) -> Result<(), Fault> {
        let played = self.game.as_mut().ok_or_else(no_start)?;
        let wrong = |reason: String| {
            let place = played.position.to_text();
            (RejectKind::IllegalMove, format!("{reason}: {} in position \"{place}\"", shown(statement)))
        };
        if self.ending.is_some() {
            return Err((RejectKind::Syntax, format!("a move after the game's end: {}", shown(statement))));
        }
        let written = Written::read(mv)
            .ok_or_else(|| (RejectKind::Syntax, format!("not a move like +7776FU: {}", shown(statement))))?;
        if mover != played.position.turn() {
            return Err(wrong("the other side is to move".to_owned()));
        }
        let mv = written.resolve(&played.position).map_err(wrong)?;
        if !played.position.is_legal(mv) {
            return Err(wrong("illegal move".to_owned()));
        }
        played.game.push(played.position.write_move(mv));
        played.position.play(mv);
        played.seen.push(Seen::of(&played.position));
        Ok(())
    }

    /// The seconds of the previous move; those after an ending are ignored.
    fn time(&mut self, seconds: &str, statement: &str) -> Result<(), Fault> {
        let seconds: f32 = seconds
            .parse()
            .ok()
            .filter(|seconds: &f32| seconds.is_finite() && *seconds >= 0.0)
            .ok_or_else(|| (RejectKind::Syntax, format!("not a time like T12: {}", shown(statement))))?;
        let played = self.game.as_mut().filter(|_| self.ending.is_none());
        if let Some(slot) = played.and_then(|played| played.game.times.last_mut()) {
            *slot = Some(seconds);
        }
        Ok(())
    }

    fn ply(&self) -> Option<u32> {
        self.game.as_ref().map(|played| played.game.moves.len() as u32)
    }

    fn reject(&self, number: u64, (kind, reason): Fault) -> Rejected {
        Rejected { game: number, ply: self.ply(), kind, reason }
    }

    fn finish(self) -> Result<ParsedGame, (Fault, Option<u32>)> {
        let ply = self.ply();
        let Played { mut game, position, seen } = self.game.ok_or_else(|| (no_start(), None))?;
        (game.result, game.termination) = ending::of(self.ending.as_deref(), &position, &seen)
            .map_err(|reason| ((RejectKind::Syntax, reason), ply))?;
        game.keys = seen[..game.moves.len()].iter().map(|seen| seen.key).collect();
        game.ratings = header::ratings(&self.tags);
        let cap = header::ply_cap(&self.tags);
        game.tags = self.tags;
        if let Some(cap) = cap {
            game.cut_off_at(cap);
        }
        Ok(game)
    }
}

fn no_start() -> Fault {
    (RejectKind::StartPosition, "no line \"+\" or \"-\" says whose move it is".to_owned())
}

/// A text for a message: short, and without control characters.
fn shown(text: &str) -> String {
    let head: String = text.escape_debug().take(60).collect();
    format!("\"{head}\"")
}

/// A move in CSA: `7776FU`, from `00` a drop, with the piece after the move.
struct Written {
    from: Option<Square>,
    to: Square,
    piece: PieceKind,
}

impl Written {
    fn read(text: &str) -> Option<Self> {
        if text.len() != 6 || !text.is_ascii() {
            return None;
        }
        let from = if &text[..2] == "00" { None } else { Some(square(&text[..2])?) };
        Some(Self { from, to: square(&text[2..4])?, piece: piece_kind(&text[4..])? })
    }

    /// The move on this board; its piece must be the recorded one.
    fn resolve(&self, position: &ShogiPosition) -> Result<Move, String> {
        let Some(from) = self.from else {
            return Ok(Move::Drop { to: self.to, piece: Piece::new(self.piece, position.turn()) });
        };
        let at = format!("{}{}", from.file(), from.rank());
        let Some(moved) = position.piece_at(from) else { return Err(format!("square {at} is empty")) };
        if moved.color() != position.turn() {
            return Err(format!("the piece on {at} is the opponent's"));
        }
        let promote = moved.piece_kind() != self.piece;
        if promote && moved.piece_kind().promote() != Some(self.piece) {
            return Err(format!("the piece on {at} is {}", setup::code(moved.piece_kind())));
        }
        Ok(Move::Normal { from, to: self.to, promote })
    }
}
