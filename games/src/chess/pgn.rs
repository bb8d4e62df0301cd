//! PGN: text to games, each checked move by move.
//!
//! A file is split into records ([`records`]) and each record is parsed separately ([`parse`]), so an illegal move or
//! an unclosed comment invalidates only its own game, and records can be parsed in parallel. (Without tags, an unclosed
//! comment goes on to the next one.)
//!
//! Comments, numeric annotations and variations are skipped, except the commands `[%eval]`, `[%clk]` and `[%emt]` of
//! the main line. Anything that is neither a move nor PGN syntax rejects the game: a skipped token could be a move, and
//! the rest of the game would change. (The crate pgn-reader skips such tokens silently and fails for the whole file at
//! an unclosed comment, so it is not used here.)

mod comment;
pub(super) mod ending;
mod movetext;
mod san;
mod write;

pub use write::{PlyNotes, termination_tag, write};

use super::ChessPosition;
use crate::line::Line;
use crate::position::Position as _;
use crate::record::{ParsedGame, RejectKind, Rejected, is_rating};
use crate::records::{until_error, without_mark};
use ending::Stated;
use memchr::memrchr2;
use movetext::{Movetext, Token};
use shakmaty::san::SanPlus;
use shakmaty::{Move, Position as _};
use std::io::{self, BufRead, Read as _};

/// Longer lines and records are cut, so that a file without line ends does not fill the memory.
const MAX_BYTES: usize = 16 << 20;

/// Splits a PGN file into the texts of its games. If the input cannot be read further, the part of the record read so far comes
/// first, then the error.
///
/// A record begins at a tag (`[Name …`) after movetext, or at the first text after a blank line that follows a result
/// outside of comments.
/// A tag inside a comment therefore also begins a record: the comment was not closed.
pub fn records(mut input: impl BufRead) -> impl Iterator<Item = io::Result<Vec<u8>>> {
    // Between records `line` is the one that ended the last record, whose length is the usual one.
    let (mut line, mut usual, mut done, mut failed) = (Vec::new(), 0, false, None);
    until_error(move || {
        let mut boundary = Boundary::default();
        let mut record = Vec::with_capacity(usual);
        while !done {
            if line.is_empty() {
                let read = input.by_ref().take(MAX_BYTES as u64).read_until(b'\n', &mut line);
                done = !matches!(read, Ok(1..));
                failed = read.err();
            }
            if boundary.starts_new_record(&line) || record.len() > MAX_BYTES {
                usual = record.len();
                return Ok(Some(record));
            }
            record.append(&mut line);
        }
        let is_empty = record.iter().all(u8::is_ascii_whitespace);
        if is_empty { failed.take().map_or(Ok(None), Err) } else { Ok(Some(record)) }
    })
}

/// Finds where the next record begins, from the kinds of the lines so far.
#[derive(Default)]
struct Boundary {
    movetext: bool,
    result: bool,
    blank: bool,
    /// Whether a comment in braces is open, whose lines are no results.
    comment: bool,
}

impl Boundary {
    fn starts_new_record(&mut self, line: &[u8]) -> bool {
        let line = without_mark(line);
        if line.starts_with(b"%") && !self.comment {
            // An escape line belongs to neither tags nor movetext.
            return false;
        }
        let text = line.trim_ascii();
        if text.is_empty() {
            self.blank = true;
            return false;
        }
        let tag = text[0] == b'[' && text.get(1).is_some_and(u8::is_ascii_alphabetic);
        if (tag && self.movetext) || (self.result && self.blank) {
            return true;
        }
        self.movetext |= !tag;
        let brace = memrchr2(b'{', b'}', text);
        if let Some(brace) = brace {
            self.comment = !tag && text[brace] == b'{';
        }
        let is_result = [&b"1-0"[..], b"0-1", b"1/2-1/2", b"*"].iter().any(|result| text.ends_with(result));
        // A semicolon begins a comment to the end of the line.
        self.result = is_result && !self.comment && !text[brace.unwrap_or(0)..].contains(&b';');
        self.blank = false;
        false
    }
}

/// Parses one record. `number` is its index in the file, from 0, for rejections.
///
/// The result is the `Result` tag's; if that is empty, the movetext's. Checkmate, stalemate, dead material, threefold
/// repetition and the fifty-move rule are determined from the board (a draw that could be claimed with the next move
/// counts), other endings from the `Termination` tag; a decisive game without one was resigned. An error on invalid PGN, an
/// illegal start, an illegal move, a result that contradicts the board, another variant, and a record that ends before its
/// result.
///
/// ```
/// let game = games::chess::pgn::parse(b"1. e4 e5 2. Nf3 *", 0).unwrap();
/// assert_eq!(game.moves, ["e2e4", "e7e5", "g1f3"]);
/// ```
pub fn parse(record: &[u8], number: u64) -> Result<ParsedGame, Rejected> {
    let reject = |kind, ply: Option<usize>, reason: String| Rejected {
        game: number,
        ply: ply.map(|ply| ply as u32),
        kind,
        reason,
    };
    let (tags, movetext) = movetext::tags(record).map_err(|reason| reject(RejectKind::Syntax, None, reason))?;
    if let Some(variant) = tag(&tags, "Variant").filter(|variant| !is_standard(variant)) {
        return Err(reject(RejectKind::Variant, None, format!("the game's variant is \"{variant}\"")));
    }
    let (start, position) = start_position(&tags).map_err(|reason| reject(RejectKind::StartPosition, None, reason))?;

    let mut game = ParsedGame::beginning(start, tags);
    let mut line = Line::new(position);
    let mut written = None;
    for token in Movetext::new(movetext) {
        let ply = game.moves.len();
        match token.map_err(|(kind, reason)| reject(kind, Some(ply), reason))? {
            Token::Comment(text) => comment::read(text, &mut game),
            Token::San(_) | Token::Result(_) if written.is_some() => {
                return Err(reject(RejectKind::Syntax, Some(ply), "there are moves after the result".to_owned()));
            }
            Token::Result(result) => written = Some(result),
            Token::San(san) => {
                let position = line.position();
                let mv =
                    read_san(position, san).map_err(|reason| reject(RejectKind::IllegalMove, Some(ply), reason))?;
                game.moves.push(position.write_move(mv));
                line.play(mv);
            }
        }
    }
    game.pad();
    let ply = Some(game.moves.len());
    let written = written.ok_or_else(|| {
        reject(RejectKind::Truncated, ply, "the moves end without a result (is the file cut off?)".to_owned())
    })?;
    game.ratings = [rating(&game.tags, "WhiteElo"), rating(&game.tags, "BlackElo")];
    let stated = Stated {
        tag: tag(&game.tags, "Result"),
        movetext: written,
        termination: tag(&game.tags, "Termination").unwrap_or_default(),
    };
    (game.result, game.termination) =
        ending::of(&line, &stated).map_err(|reason| reject(RejectKind::Contradiction, ply, reason))?;
    game.keys = line.into_keys();
    game.keys.truncate(game.moves.len());
    Ok(game)
}

fn tag<'a>(tags: &'a [(String, String)], name: &str) -> Option<&'a str> {
    tags.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
}

fn rating(tags: &[(String, String)], name: &str) -> Option<i32> {
    tag(tags, name)?.trim().parse().ok().filter(|&rating| is_rating(rating))
}

fn is_standard(variant: &str) -> bool {
    ["", "?", "-", "standard", "chess", "normal", "from position"]
        .iter()
        .any(|name| variant.trim().eq_ignore_ascii_case(name))
}

/// The start as stored in a dataset (`None` for the standard one) and as a position.
fn start_position(tags: &[(String, String)]) -> Result<(Option<String>, ChessPosition), String> {
    let start = ChessPosition::start();
    let Some(fen) = tag(tags, "FEN") else { return Ok((None, start)) };
    let position = ChessPosition::parse(fen)
        .map_err(|error| format!("{}: FEN \"{}\"", error.reason, error.input.escape_debug()))?;
    // Equality ignores clocks, but plies without a capture or a pawn move count towards a draw.
    let is_standard = position == start && position.as_shakmaty().halfmoves() == 0;
    let text = (!is_standard).then(|| position.to_text());
    Ok((text, position))
}

/// The legal move that a SAN text names, in any usual spelling. An error if it names none; the text of the error shows move
/// and position.
pub(super) fn read_san(position: &ChessPosition, san: &[u8]) -> Result<Move, String> {
    if let Some(mv) = san::resolve(position.as_shakmaty(), san) {
        return Ok(mv);
    }
    let wrong = |why: &dyn std::fmt::Display| {
        let san = String::from_utf8_lossy(san);
        format!("{why}: \"{}\" in position \"{}\"", san.escape_debug(), position.to_text())
    };
    // Some programs write castling with zeros, the standard with the letter O.
    let standard: &[u8] = match san {
        b"0-0" | b"0-0+" | b"0-0#" => b"O-O",
        b"0-0-0" | b"0-0-0+" | b"0-0-0#" => b"O-O-O",
        _ => san,
    };
    let parsed = SanPlus::from_ascii(standard).map_err(|error| wrong(&error))?;
    parsed.san.to_move(position.as_shakmaty()).map_err(|error| wrong(&error))
}
