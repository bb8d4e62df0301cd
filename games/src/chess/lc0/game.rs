//! Converts the records of a chunk to a game.

use super::record::{RecordedEvaluation, Records};
use super::record_data::{RANGE_TOLERANCE, RecordData, ValueSource};
use super::state::State;
use super::{in_record, of_chunk};
use crate::chess::ChessPosition;
use crate::chess::pgn::ending;
use crate::line::Line;
use crate::position::Position as _;
use crate::record::{Candidate, GameResult, ParsedGame, RejectKind, Rejected, Termination};
use shakmaty::Move;
use std::collections::HashMap;
use std::io::Read;

/// Converts an unpacked chunk, game number `number` of a file, to a game. Its candidates are the visited moves, with their
/// visit shares; its values are `(q + 1) / 2`, so that a draw is half a win, and its draws the `d` of that `q`. Records
/// out of game order are sorted. An error if the chunk is not a valid game; no part of it is used then.
pub fn parse(chunk: impl Read, number: u64, value: ValueSource) -> Result<ParsedGame, Rejected> {
    read_game(chunk, value).map_err(|rejected| Rejected { game: number, ..rejected })
}

fn read_game(chunk: impl Read, value: ValueSource) -> Result<ParsedGame, Rejected> {
    let mut reader = Records::new(chunk);
    let (mut records, mut version) = (Vec::new(), None);
    while let Some(record) = reader.next()? {
        version = Some(record.version());
        records.push(RecordData::new(&record, records.len(), value)?);
    }
    if records.is_empty() || (records.len() == 1 && records[0].played.is_none()) {
        let reason = format!("the chunk holds {} records of {version:?} and so no move", records.len());
        return Err(of_chunk(RejectKind::NoMoves, reason));
    }
    let mut game = replay(&records);
    if let Err(Stop::OutOfOrder(_)) = game {
        let order = restore_order(&records)?;
        let mut places: Vec<Option<RecordData>> = records.into_iter().map(Some).collect();
        let sorted: Vec<RecordData> = order.into_iter().filter_map(|i| places[i].take()).collect();
        game = replay(&sorted);
    }
    game.map_err(|stop| match stop {
        Stop::OutOfOrder(record) => wrong(record, "it does not show the position that the move before leads to"),
        Stop::Rejected(rejected) => rejected,
    })
}

/// Why records are not replayed.
enum Stop {
    /// This record does not show the position after the move before.
    OutOfOrder(usize),
    Rejected(Rejected),
}

impl From<Rejected> for Stop {
    fn from(rejected: Rejected) -> Self {
        Self::Rejected(rejected)
    }
}

fn replay(records: &[RecordData]) -> Result<ParsedGame, Stop> {
    let (first, last) = (&records[0], &records[records.len() - 1]);
    let start = first.position(0)?;
    let standard = first.state.is_game_start() && start == ChessPosition::start();
    let mut game = ParsedGame::beginning((!standard).then(|| start.to_text()), Vec::new());
    let mut line = Line::new(start);
    let mut legal = Legal::default();
    for (i, record) in records.iter().enumerate() {
        let position = line.position();
        if i > 0 && State::of_position(position) != record.state {
            return Err(Stop::OutOfOrder(i));
        }
        legal.list(position);
        let played = match (record.played, records.get(i + 1)) {
            (Some(index), _) => legal.find(index).ok_or_else(|| illegal("the move played is", index, position, i))?,
            (None, Some(next)) => legal.leading_to(next, position).ok_or(Stop::OutOfOrder(i + 1))?,
            (None, None) => break,
        };
        game.push(position.write_move(played));
        game.candidates[i] = legal.candidates(&record.policy, position, i)?;
        game.values[i] = record.value.map(|(win, _)| win);
        game.draws[i] = record.value.map(|(_, draw)| draw);
        line.play(played);
    }
    (game.result, game.termination) = conclude(&line, last, last.played.is_some())?;
    game.keys = line.into_keys();
    game.keys.truncate(game.moves.len());
    Ok(game)
}

/// The legal moves of a position and their indices, in the same order.
#[derive(Default)]
struct Legal {
    moves: Vec<Move>,
    by_index: Vec<(u16, Move)>,
}

impl Legal {
    fn list(&mut self, position: &ChessPosition) {
        position.legal_moves(&mut self.moves);
        self.by_index.clear();
        self.by_index.extend(self.moves.iter().map(|&mv| (position.move_index(mv), mv)));
        self.by_index.sort_unstable_by_key(|&(index, _)| index);
    }

    fn find(&self, index: u16) -> Option<Move> {
        let at = self.by_index.binary_search_by_key(&index, |&(index, _)| index).ok()?;
        Some(self.by_index[at].1)
    }

    fn leading_to(&self, next: &RecordData, position: &ChessPosition) -> Option<Move> {
        self.moves.iter().copied().find(|&mv| after(position, mv) == next.state)
    }

    fn candidates(
        &self,
        policy: &[(u16, f32)],
        position: &ChessPosition,
        record: usize,
    ) -> Result<Vec<Candidate>, Rejected> {
        let candidate = |&(index, share): &(u16, f32)| {
            let mv = self.find(index).ok_or_else(|| illegal("the policy has visits for", index, position, record))?;
            Ok((position.move_text(mv), share))
        };
        policy.iter().map(candidate).collect()
    }
}

fn illegal(what: &str, index: u16, position: &ChessPosition, record: usize) -> Rejected {
    let place = position.to_text();
    let reason = format!("{what} {index} of the 1,858 moves, which is not legal in {place}");
    in_record(record, RejectKind::IllegalMove, reason)
}

/// Bits of a record's `invariance_info`.
const LENGTH_CAP: u8 = 1 << 4;
const ADJUDICATED: u8 = 1 << 5;

/// The ending: the board's, if it is decided; otherwise the last record's. If the last move is unknown, the board
/// decides nothing. A draw by Lc0's cap on the length counts as unknown.
fn conclude(
    line: &Line<ChessPosition>,
    last: &RecordData,
    complete: bool,
) -> Result<(GameResult, Termination), Rejected> {
    let said = stated(last);
    if let Some((proven, termination)) = ending::proven(line.position()).filter(|_| complete) {
        return match said {
            GameResult::Unknown => Ok((proven, termination)),
            said if said == proven => Ok((proven, termination)),
            said => {
                let (stated, shown) = (said.name(), termination.name());
                let reason = format!("the records say {stated}, but the board shows {shown}");
                Err(of_chunk(RejectKind::Contradiction, reason))
            }
        };
    }
    let adjudicated = last.ending & ADJUDICATED != 0;
    let otherwise = if adjudicated { Termination::Adjudication } else { Termination::Other };
    Ok(match said {
        GameResult::Draw => match ending::drawn(line).filter(|_| complete) {
            Some(reason) => (said, reason),
            None if last.ending & LENGTH_CAP != 0 => (GameResult::Unknown, Termination::PlyCap),
            None => (said, otherwise),
        },
        _ => (said, otherwise),
    })
}

/// The recorded result; unknown if a rescorer replaced it by an estimate.
fn stated(record: &RecordData) -> GameResult {
    const CERTAIN: f32 = 1.0 - RANGE_TOLERANCE;
    let side = record.state.side_to_move();
    let winner = match record.result {
        RecordedEvaluation { q, .. } if q >= CERTAIN => side,
        RecordedEvaluation { q, .. } if q <= -CERTAIN => side.other(),
        RecordedEvaluation { d, .. } if d >= CERTAIN => return GameResult::Draw,
        _ => return GameResult::Unknown,
    };
    GameResult::won_by(winner)
}

/// The indices of `records` in game order: each position follows by a move from the one before.
fn restore_order(records: &[RecordData]) -> Result<Vec<usize>, Rejected> {
    let by_state = by_state(records)?;
    let mut next = vec![None; records.len()];
    let mut has_earlier = vec![false; records.len()];
    for (i, record) in records.iter().enumerate() {
        let Some(follower) = follower(record, i, &by_state, records)? else { continue };
        if std::mem::replace(&mut has_earlier[follower], true) {
            return Err(wrong(follower, "two records lead to it"));
        }
        next[i] = Some(follower);
    }
    let first = has_earlier.iter().position(|&has| !has).unwrap_or(0);
    let order: Vec<usize> = std::iter::successors(Some(first), |&i| next[i]).take(records.len()).collect();
    if order.len() < records.len() {
        let last = order[order.len() - 1];
        return Err(wrong(last, "no record follows it, and others are left: records are missing or of several games"));
    }
    Ok(order)
}

fn by_state(records: &[RecordData]) -> Result<HashMap<&State, usize>, Rejected> {
    let mut by_state = HashMap::with_capacity(records.len());
    for (i, record) in records.iter().enumerate() {
        if by_state.insert(&record.state, i).is_some() {
            return Err(wrong(i, "another record shows the same position at the same count of rule 50"));
        }
    }
    Ok(by_state)
}

/// The record that follows by a move from this one; `None` for the game's last.
fn follower(
    record: &RecordData,
    i: usize,
    by_state: &HashMap<&State, usize>,
    records: &[RecordData],
) -> Result<Option<usize>, Rejected> {
    let position = record.position(i)?;
    let moves = position.list_moves().into_iter();
    let led_to = moves.filter(|&mv| record.may_be_played(&position, mv)).find_map(|mv| {
        let found = *by_state.get(&after(&position, mv))?;
        records[found].follows(&record.state).then_some(found)
    });
    Ok(led_to)
}

fn after(position: &ChessPosition, mv: Move) -> State {
    State::of_position(&position.after(mv))
}

fn wrong(record: usize, reason: &str) -> Rejected {
    in_record(record, RejectKind::Syntax, reason)
}
