//! The game of a text record, replayed as it is read.

use super::ShogiPosition;
use super::repetition::{self, Repetition, Seen};
use crate::position::Position as _;
use crate::record::{GameResult, ParsedGame, RejectKind, Termination};
use shogi_core::Move;

pub(super) type Fault = (RejectKind, String);

/// A game up to the last move read.
pub(super) struct Replay {
    pub(super) game: ParsedGame,
    pub(super) position: ShogiPosition,
    seen: Vec<Seen>,
}

impl Replay {
    pub(super) fn begin(position: ShogiPosition) -> Self {
        let text = position.to_text();
        let start = (text != ShogiPosition::start().to_text()).then_some(text);
        Self { game: ParsedGame::beginning(start, Vec::new()), seen: vec![Seen::of(&position)], position }
    }

    pub(super) fn ply(&self) -> u32 {
        self.game.moves.len() as u32
    }

    /// Plays the move that `resolve` finds; `statement` is its text in the record.
    pub(super) fn play(
        &mut self,
        statement: &str,
        resolve: impl FnOnce(&ShogiPosition) -> Result<Move, String>,
    ) -> Result<Move, Fault> {
        let legal = |mv| if self.position.is_legal(mv) { Ok(mv) } else { Err("illegal move".to_owned()) };
        let mv = resolve(&self.position).and_then(legal).map_err(|reason| {
            let place = self.position.to_text();
            (RejectKind::IllegalMove, format!("{reason}: {} in position \"{place}\"", shown(statement)))
        })?;
        self.game.push(self.position.write_move(mv));
        self.position.play(mv);
        self.seen.push(Seen::of(&self.position));
        Ok(mv)
    }

    /// The complete game. CSA's name of its ending determines the result; without one, the record's `summary`.
    pub(super) fn finish(
        self,
        tags: Vec<(String, String)>,
        ending: Option<&str>,
        summary: Option<(GameResult, Termination)>,
    ) -> Result<ParsedGame, Fault> {
        let Self { mut game, position, seen } = self;
        (game.result, game.termination) = match (ending, summary) {
            (None, Some(summary)) => summary,
            (name, _) => outcome(name, &position, &seen).map_err(|reason| (RejectKind::Syntax, reason))?,
        };
        game.keys = seen[..game.moves.len()].iter().map(|seen| seen.key).collect();
        game.tags = tags;
        Ok(game)
    }
}

/// Result and termination by CSA's name of the ending; `seen` are the game's positions, `position` the last of them.
fn outcome(ending: Option<&str>, position: &ShogiPosition, seen: &[Seen]) -> Result<(GameResult, Termination), String> {
    let side_to_move = position.side_to_move();
    let gives_up = GameResult::won_by(side_to_move.other());
    Ok(match ending.unwrap_or("%CHUDAN") {
        "%TORYO" | "%TSUMI" if is_mate(position) => (gives_up, Termination::Checkmate),
        "%TORYO" => (gives_up, Termination::Resignation),
        "%TSUMI" => (gives_up, Termination::Other),
        "%KACHI" => (GameResult::won_by(side_to_move), Termination::Declaration),
        "%TIME_UP" => (gives_up, Termination::Time),
        "%ILLEGAL_MOVE" => (gives_up, Termination::IllegalMove),
        "%+ILLEGAL_ACTION" => (GameResult::SecondWins, Termination::IllegalMove),
        "%-ILLEGAL_ACTION" => (GameResult::FirstWins, Termination::IllegalMove),
        "%SENNICHITE" => repeated(seen),
        "%JISHOGI" | "%HIKIWAKE" => (GameResult::Draw, Termination::Other),
        "%MAX_MOVES" => (GameResult::Unknown, Termination::PlyCap),
        "%CHUDAN" | "%MATTA" | "%FUZUMI" | "%ERROR" => (GameResult::Unknown, Termination::Other),
        unknown => return Err(format!("unknown ending \"{}\"", unknown.escape_debug())),
    })
}

/// A draw, unless one side gave check throughout. If the record lacks some of the four occurrences (it may begin inside
/// a game), a draw.
pub(super) fn repeated(seen: &[Seen]) -> (GameResult, Termination) {
    repetition::judge(seen).unwrap_or(Repetition::Draw).verdict(GameResult::Draw)
}

fn is_mate(position: &ShogiPosition) -> bool {
    position.list_moves().is_empty()
}

/// A text for a message: short, and without control characters.
pub(super) fn shown(text: &str) -> String {
    let head: String = text.escape_debug().take(60).collect();
    format!("\"{head}\"")
}
