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

mod setup;
mod write;

use super::ShogiPosition;
use super::replay::{Fault, Replay, shown};
use crate::record::{ParsedGame, RejectKind, Rejected, Score};
use crate::records;
use setup::{Setup, color, piece_kind, square};
use shogi_core::{Color, Move, Piece, PieceKind, Square};
use std::io::{self, BufRead, Read as _};

pub use write::write;

/// Longer lines and records are cut, so that a file without line ends does not fill the memory.
const MAX_BYTES: usize = 16 << 20;

/// Splits a CSA file into the texts of its games, which are separated by lines with a single `/`. If the input cannot be
/// read further, the part of the record read so far comes first, then the error.
pub fn records(mut input: impl BufRead) -> impl Iterator<Item = io::Result<Vec<u8>>> {
    let (mut done, mut failed) = (false, None);
    records::until_error(move || {
        let mut record = Vec::new();
        while !done {
            let start = record.len();
            let read = input.by_ref().take(MAX_BYTES as u64).read_until(b'\n', &mut record);
            done = !matches!(read, Ok(1..));
            failed = read.err();
            let separator = record[start..].trim_ascii() == b"/";
            if separator {
                record.truncate(start);
            }
            if (separator || record.len() > MAX_BYTES || done) && has_content(&record) {
                return Ok(Some(record));
            }
            // What is left has only comments and blank lines; beyond the limit they are not kept.
            if separator || record.len() > MAX_BYTES {
                record.clear();
            }
        }
        failed.take().map_or(Ok(None), Err)
    })
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
/// [`ParsedGame::cut_off_at`]. A record without an ending has an unknown result. An error on invalid CSA, an illegal start,
/// and a move that is illegal, out of turn, or made by another piece than recorded.
pub fn parse(record: &[u8], number: u64) -> Result<ParsedGame, Rejected> {
    let text = String::from_utf8_lossy(records::without_mark(record));
    let mut reader = Reader::default();
    let read = text.lines().try_for_each(|line| reader.read_line(line));
    let ply = reader.game.as_ref().map(Replay::ply);
    read.and_then(|()| reader.finish()).map_err(|(kind, reason)| Rejected { game: number, ply, kind, reason })
}

/// The parsed part of a record.
#[derive(Default)]
struct Reader {
    tags: Vec<(String, String)>,
    setup: Setup,
    /// From the line that names the side to move.
    game: Option<Replay>,
    ending: Option<String>,
}

impl Reader {
    fn read_line(&mut self, line: &str) -> Result<(), Fault> {
        let line = line.trim_end();
        // Several statements may share a line, but names and comments may contain commas.
        let shared = line.starts_with(['+', '-', '%', 'T']);
        line.split(if shared { "," } else { "\n" }).try_for_each(|statement| self.read(statement))
    }

    fn read(&mut self, statement: &str) -> Result<(), Fault> {
        let mut rest = statement.chars();
        match (rest.next(), rest.as_str()) {
            (None, _) | (Some('V'), _) => {}
            (Some('\''), comment) => self.comment(comment),
            (Some('N'), name) => self.tags.push(player(name)),
            (Some('$'), field) => self.tags.push(tag('$', field)),
            (Some('P'), placement) if self.game.is_none() => {
                self.setup.place(placement).map_err(|reason| (RejectKind::StartPosition, reason))?;
            }
            (Some(sign @ ('+' | '-')), "") if self.game.is_none() => {
                let position = self.setup.position(color(sign));
                let position = position.map_err(|reason| (RejectKind::StartPosition, reason))?;
                self.game = Some(Replay::begin(position));
            }
            (Some(sign @ ('+' | '-')), mv) => self.play(color(sign), mv, statement)?,
            (Some('T'), seconds) => self.time(seconds, statement)?,
            (Some('%'), _) if self.ending.is_none() => self.ending = Some(statement.to_owned()),
            _ => return Err((RejectKind::Syntax, format!("not a CSA statement here: {}", shown(statement)))),
        }
        Ok(())
    }

    /// A header like `'black_rate:…` before the moves; an engine's score after a move. A score after an ending is of no move.
    fn comment(&mut self, comment: &str) {
        let has_ended = self.ending.is_some();
        let Some(slot) = self.game.as_mut().and_then(|replay| replay.game.scores.last_mut()) else {
            return self.tags.push(tag('\'', comment));
        };
        let score = comment.strip_prefix("**").filter(|_| !has_ended);
        let score = score.and_then(|text| text.split_whitespace().next()?.parse().ok());
        *slot = score.map(Score::Centipawns).or(*slot);
    }

    fn play(&mut self, mover: Color, mv: &str, statement: &str) -> Result<(), Fault> {
        let replay = self.game.as_mut().ok_or_else(no_start)?;
        if self.ending.is_some() {
            return Err((RejectKind::Syntax, format!("a move after the game's end: {}", shown(statement))));
        }
        let written = CsaMove::read(mv)
            .ok_or_else(|| (RejectKind::Syntax, format!("not a move like +7776FU: {}", shown(statement))))?;
        replay.play(statement, |position| match mover == position.turn() {
            true => written.resolve(position),
            false => Err("the other side is to move".to_owned()),
        })?;
        Ok(())
    }

    /// The seconds of the previous move; those after an ending are ignored.
    fn time(&mut self, seconds: &str, statement: &str) -> Result<(), Fault> {
        let seconds: f32 = seconds
            .parse()
            .ok()
            .filter(|seconds: &f32| seconds.is_finite() && *seconds >= 0.0)
            .ok_or_else(|| (RejectKind::Syntax, format!("not a time like T12: {}", shown(statement))))?;
        let replay = self.game.as_mut().filter(|_| self.ending.is_none());
        if let Some(slot) = replay.and_then(|replay| replay.game.times.last_mut()) {
            *slot = Some(seconds);
        }
        Ok(())
    }

    fn finish(self) -> Result<ParsedGame, Fault> {
        let (ratings, cap) = (ratings(&self.tags), ply_cap(&self.tags));
        let mut game = self.game.ok_or_else(no_start)?.finish(self.tags, self.ending.as_deref(), None)?;
        game.ratings = ratings;
        if let Some(cap) = cap {
            game.cut_off_at(cap);
        }
        Ok(game)
    }
}

/// A player's name: `N+name` without the `N`.
fn player(text: &str) -> (String, String) {
    let at = text.chars().next().map_or(0, char::len_utf8);
    (format!("N{}", &text[..at]), text[at..].to_owned())
}

/// `$KEY:value` or `'key:value`, without the mark; a comment without a colon has no key.
fn tag(mark: char, text: &str) -> (String, String) {
    match text.split_once(':') {
        Some((key, value)) => (format!("{mark}{key}"), value.to_owned()),
        None => (mark.to_string(), text.to_owned()),
    }
}

fn ratings(tags: &[(String, String)]) -> [Option<i32>; 2] {
    ["'black_rate", "'white_rate"].map(|key| {
        let rate: f64 = tag_value(tags, key)?.rsplit(':').next()?.trim().parse().ok()?;
        (rate.abs() < 1e6).then_some(rate.round() as i32)
    })
}

/// The cap on plies in the record.
fn ply_cap(tags: &[(String, String)]) -> Option<u32> {
    let named = tag_value(tags, "'Max_Moves").or_else(|| tag_value(tags, "$MAX_MOVES"))?;
    named.trim().parse().ok().filter(|&cap| cap > 0)
}

fn tag_value<'a>(tags: &'a [(String, String)], key: &str) -> Option<&'a str> {
    tags.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
}

fn no_start() -> Fault {
    (RejectKind::StartPosition, "no line \"+\" or \"-\" names the side to move".to_owned())
}

/// A move in CSA: `7776FU`, from `00` a drop, with the piece after the move.
struct CsaMove {
    from: Option<Square>,
    to: Square,
    piece: PieceKind,
}

impl CsaMove {
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
