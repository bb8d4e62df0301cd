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

use super::replay::{Fault, Replay, shown};
use crate::record::{GameResult, ParsedGame, RejectKind, Rejected, Termination};
use crate::records::without_mark;
use encoding_rs::SHIFT_JIS;
use moves::{BLANKS, KifMove};
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

/// Parses a record. `number` is its index in the file, from 0, for rejections. An error on invalid KIF, an invalid start,
/// and a move that is illegal or made by another piece than recorded.
pub fn parse(record: &[u8], number: u64) -> Result<ParsedGame, Rejected> {
    let text = decode(record);
    let mut reader = Reader::default();
    let mut lines = text.lines().map(str::trim_end).take_while(|line| !line.starts_with("変化"));
    let read = lines.try_for_each(|line| reader.read(line));
    let ply = reader.game.as_ref().map(Replay::ply);
    read.and_then(|()| reader.finish()).map_err(|(kind, reason)| Rejected { game: number, ply, kind, reason })
}

/// The text. Bytes that are invalid in both encodings become U+FFFD: harmless in a comment, and invalid in a move.
fn decode(record: &[u8]) -> Cow<'_, str> {
    let record = without_mark(record);
    match str::from_utf8(record) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => SHIFT_JIS.decode_without_bom_handling(record).0,
    }
}

/// The parsed part of a record.
#[derive(Default)]
struct Reader {
    tags: Vec<(String, String)>,
    setup: Setup,
    /// From the first move or ending.
    game: Option<Replay>,
    /// The expected number of the next move line, after the first one.
    next: Option<u32>,
    last_target: Option<Square>,
    /// CSA's name of the ending.
    ending: Option<&'static str>,
    /// The summary line's result, if there is no ending.
    summary: Option<(GameResult, Termination)>,
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
        let replay = match &mut self.game {
            Some(replay) => replay,
            none => none.insert(begin(&self.setup)?),
        };
        if self.ending.is_some() {
            return Err((RejectKind::Syntax, format!("a move after the game's end: {}", shown(line))));
        }
        if let Some(next) = self.next.filter(|&next| next != number) {
            let reason = format!("move {next} is missing, move {number} follows: {}", shown(line));
            return Err((RejectKind::Syntax, reason));
        }
        self.next = number.checked_add(1);
        self.ending = moves::ending(rest, replay.position.turn());
        if self.ending.is_some() {
            return Ok(());
        }
        let (written, seconds) = KifMove::read(rest, self.last_target)
            .ok_or_else(|| (RejectKind::Syntax, format!("neither a move nor an ending: {}", shown(line))))?;
        let mv = replay.play(line, |position| written.resolve(position))?;
        if let Some(slot) = replay.game.times.last_mut() {
            *slot = seconds;
        }
        self.last_target = Some(mv.to());
        Ok(())
    }

    fn finish(self) -> Result<ParsedGame, Fault> {
        let replay = match self.game {
            Some(replay) => replay,
            None if self.tags.is_empty() => {
                return Err((RejectKind::Syntax, "neither a header nor a move of KIF".to_owned()));
            }
            None => begin(&self.setup)?,
        };
        replay.finish(self.tags, self.ending, self.summary)
    }
}

fn begin(setup: &Setup) -> Result<Replay, Fault> {
    setup.position().map(Replay::begin).map_err(|reason| (RejectKind::StartPosition, reason))
}
