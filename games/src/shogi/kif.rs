//! KIF: the text of one game as most Japanese programs write it, each move checked.
//!
//! Supported are UTF-8 and Shift-JIS (text that is not UTF-8 is read as Shift-JIS: the header's encoding is often
//! wrong), the handicaps by name, drawn boards, hands, moves with their time, endings, and the summary line `まで…` if no
//! ending is given. Comments, bookmarks and variations are skipped: variations follow the whole game, so everything
//! from the first `変化` on is ignored. Scores in comments have no common form and are not read. Black is 先手 or 下手, White
//! is 後手 or 上手; in a handicap game White moves first.
//!
//! Tsume problems have one king; they are rejected because of their start position.

mod moves;
mod setup;

use super::ShogiPosition;
use super::csa::ending;
use super::repetition::Seen;
use crate::position::Position as _;
use crate::record::{GameResult, ParsedGame, RejectKind, Rejected, Termination};
use encoding_rs::SHIFT_JIS;
use moves::{BLANKS, Written};
use setup::Setup;
use shogi_core::Square;
use std::borrow::Cow;
use std::io::{self, Read};

/// The size limit of a file, so that it does not fill the memory.
const MAX_BYTES: u64 = 16 << 20;

/// A file holds one game, its only record; none if the file is empty. A file above the size limit is an error.
pub fn records<R: Read>(input: R) -> impl Iterator<Item = io::Result<Vec<u8>>> {
    let read = || {
        let mut record = Vec::new();
        let length = input.take(MAX_BYTES + 1).read_to_end(&mut record)?;
        if length as u64 > MAX_BYTES {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "longer than any game written as KIF"));
        }
        Ok(record)
    };
    std::iter::once_with(read).filter(|record| !matches!(record, Ok(bytes) if bytes.is_empty()))
}

/// Parses a record. `number` is its index in the file, from 0, for rejections.
///
/// # Errors
/// On invalid KIF, an invalid start, and a move that is illegal or made by another piece than recorded.
pub fn parse(record: &[u8], number: u64) -> Result<ParsedGame, Rejected> {
    let text = decode(record);
    let mut reader = Reader::default();
    for line in text.lines().map(str::trim_end).take_while(|line| !line.starts_with("変化")) {
        reader.read(line).map_err(|(kind, reason)| Rejected { game: number, ply: reader.ply(), kind, reason })?;
    }
    reader.finish().map_err(|((kind, reason), ply)| Rejected { game: number, ply, kind, reason })
}

/// The text. Bytes that are invalid in both encodings become U+FFFD: harmless in a comment, and invalid in a move.
fn decode(record: &[u8]) -> Cow<'_, str> {
    let record = record.strip_prefix(b"\xef\xbb\xbf").unwrap_or(record);
    match str::from_utf8(record) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => SHIFT_JIS.decode_without_bom_handling(record).0,
    }
}

/// A kind of rejection and its reason.
type Fault = (RejectKind, String);

/// The parsed part of a record.
#[derive(Default)]
struct Reader {
    tags: Vec<(String, String)>,
    setup: Setup,
    /// From the first move or ending.
    game: Option<Played>,
    /// CSA's name of the ending.
    ending: Option<&'static str>,
    /// The summary line's result, if there is no ending.
    summary: Option<(GameResult, Termination)>,
}

struct Played {
    game: ParsedGame,
    position: ShogiPosition,
    seen: Vec<Seen>,
    /// The expected number of the next move line, after the first one.
    next: Option<u32>,
    /// The target of the last move.
    last_target: Option<Square>,
}

impl Reader {
    fn read(&mut self, line: &str) -> Result<(), Fault> {
        let content = line.trim_start_matches(BLANKS);
        match content.chars().next() {
            None | Some('#' | '*' | '&') => {}
            _ if content.starts_with("手数-") || content.starts_with("手数＝") => {}
            _ if content.starts_with("まで") => self.summary = self.summary.or_else(|| moves::summary(content)),
            _ => match moves::numbered(content) {
                Some((number, rest)) => self.numbered(number, rest, content)?,
                None if self.game.is_none() => self.before_the_moves(line)?,
                None => return Err((RejectKind::Syntax, format!("not a line of KIF here: {}", shown(content)))),
            },
        }
        Ok(())
    }

    fn before_the_moves(&mut self, line: &str) -> Result<(), Fault> {
        let known = self.setup.read(line).map_err(|reason| (RejectKind::StartPosition, reason))?;
        match line.split_once(['：', ':']) {
            Some((key, value)) => self.tags.push((key.trim().to_owned(), value.trim().to_owned())),
            None if known => {}
            None => return Err((RejectKind::Syntax, format!("not a line of KIF: {}", shown(line)))),
        }
        Ok(())
    }

    /// A move or an ending after its number.
    fn numbered(&mut self, number: u32, rest: &str, line: &str) -> Result<(), Fault> {
        let mut played = match self.game.take() {
            Some(played) => played,
            None => self.begin()?,
        };
        let read = match self.ending {
            Some(_) => Err((RejectKind::Syntax, format!("a move after the game's end: {}", shown(line)))),
            None => played.follow(number, rest, line).map(|ending| self.ending = ending),
        };
        self.game = Some(played);
        read
    }

    fn begin(&mut self) -> Result<Played, Fault> {
        let position = self.setup.position().map_err(|reason| (RejectKind::StartPosition, reason))?;
        let text = position.to_text();
        let start = (text != ShogiPosition::start().to_text()).then_some(text);
        let seen = vec![Seen::of(&position)];
        let game = ParsedGame::beginning(start, Vec::new());
        Ok(Played { game, position, seen, next: None, last_target: None })
    }

    fn ply(&self) -> Option<u32> {
        self.game.as_ref().map(|played| played.game.moves.len() as u32)
    }

    fn finish(mut self) -> Result<ParsedGame, (Fault, Option<u32>)> {
        let ply = self.ply();
        let played = match self.game.take() {
            Some(played) => played,
            None if self.tags.is_empty() => {
                return Err(((RejectKind::Syntax, "neither a header nor a move of KIF".to_owned()), None));
            }
            None => self.begin().map_err(|fault| (fault, None))?,
        };
        let Played { mut game, position, seen, .. } = played;
        (game.result, game.termination) = match (self.ending, self.summary) {
            (None, Some(summary)) => summary,
            (word, _) => ending::of(word, &position, &seen).map_err(|reason| ((RejectKind::Syntax, reason), ply))?,
        };
        game.keys = seen[..game.moves.len()].iter().map(|seen| seen.key).collect();
        game.tags = self.tags;
        Ok(game)
    }
}

impl Played {
    /// Plays a numbered move, or returns CSA's name of the ending.
    fn follow(&mut self, number: u32, rest: &str, line: &str) -> Result<Option<&'static str>, Fault> {
        if let Some(next) = self.next.filter(|&next| next != number) {
            return Err((
                RejectKind::Syntax,
                format!("move {next} is missing, move {number} follows: {}", shown(line)),
            ));
        }
        self.next = number.checked_add(1);
        if let Some(word) = moves::ending(rest, self.position.turn()) {
            return Ok(Some(word));
        }
        let (written, seconds) = Written::read(rest, self.last_target)
            .ok_or_else(|| (RejectKind::Syntax, format!("neither a move nor an ending: {}", shown(line))))?;
        self.play(&written, seconds, line)?;
        Ok(None)
    }

    fn play(&mut self, written: &Written, seconds: Option<f32>, line: &str) -> Result<(), Fault> {
        let wrong = |reason: String| {
            let place = self.position.to_text();
            (RejectKind::IllegalMove, format!("{reason}: {} in position \"{place}\"", shown(line)))
        };
        let mv = written.resolve(&self.position).map_err(wrong)?;
        if !self.position.is_legal(mv) {
            return Err(wrong("illegal move".to_owned()));
        }
        self.game.push(self.position.write_move(mv));
        if let Some(slot) = self.game.times.last_mut() {
            *slot = seconds;
        }
        self.last_target = Some(mv.to());
        self.position.play(mv);
        self.seen.push(Seen::of(&self.position));
        Ok(())
    }
}

/// A text for a message: short, and without control characters.
fn shown(text: &str) -> String {
    let head: String = text.escape_debug().take(60).collect();
    format!("\"{head}\"")
}
