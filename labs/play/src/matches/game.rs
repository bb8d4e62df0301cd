//! The conditions of a match, and one game between two contestants.

use super::contestant::{Action, Contestant, Kind, ReadyPlayer};
use crate::error::PlayError;
use engines::{Adjudicator, DrawRule, EngineError, WinRule};
use games::{GameKind, GameResult, Played, Position, Referee, Side, Termination};
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicBool, Ordering};
use streams::Stream;
use strength::pairs;
use train::inference::Situation;
use train::inference::situation::Move;

/// What determines the games: the same conditions and number give the same game.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conditions {
    pub game: GameKind,
    /// The players, at least two with different names.
    pub contestants: Vec<Contestant>,
    /// The version of each, in their order: the hash of a network's weights, the name and version that an engine states.
    /// [`play_match`](super::play_match) writes it, so that a match is not resumed with a network that was trained again.
    pub identities: Vec<String>,
    /// Openings for every two players, each with both colours.
    pub pairs: u64,
    /// The hash of the book of openings.
    pub book: Option<String>,
    /// Random plies after the opening: from, to.
    pub random_plies: Option<(u16, u16)>,
    pub limits: GameLimits,
    /// Of the order of the openings, random plies and draws of moves.
    pub seed: u64,
}

impl Conditions {
    /// Whether both have the same games. A network that lies elsewhere is the same network: its weights decide.
    pub(super) fn are_those_of(&self, other: &Self) -> bool {
        self.without_folders() == other.without_folders()
    }

    fn without_folders(&self) -> Self {
        let mut conditions = self.clone();
        for contestant in &mut conditions.contestants {
            if let Kind::Network { cell, .. } = &mut contestant.kind {
                cell.clear();
            }
        }
        conditions
    }
}

/// When a game ends although the rules do not end it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameLimits {
    /// A game of this many plies is a draw.
    pub plies: u32,
    /// A win by agreement: both players' scores agree for some plies in a row.
    pub win: Option<WinRule>,
    pub draw: Option<DrawRule>,
}

/// A finished game, a line of the journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FinishedGame {
    pub number: u64,
    /// Who moves first and second: places in the list of contestants.
    pub players: [usize; 2],
    /// FEN or SFEN; none for the standard start.
    pub start: Option<String>,
    /// UCI or USI, with the opening's.
    pub moves: Vec<String>,
    pub opening: usize,
    pub result: GameResult,
    pub termination: Termination,
    /// The error of the loser's engine, if it forfeited the game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forfeit: Option<String>,
}

impl FinishedGame {
    /// Who forfeited it because its engine died or did not answer: a place in the list of contestants.
    pub fn forfeited_by(&self) -> Option<usize> {
        let [first, second] = self.players;
        match (&self.forfeit, self.result) {
            (Some(_), GameResult::FirstWins) => Some(second),
            (Some(_), GameResult::SecondWins) => Some(first),
            _ => None,
        }
    }

    pub fn result_of(&self, player: usize) -> pairs::GameResult {
        let side = if self.players[0] == player { Side::First } else { Side::Second };
        match self.result.points_of(side) {
            Some(1.0) => pairs::GameResult::Win,
            Some(0.0) => pairs::GameResult::Loss,
            _ => pairs::GameResult::Draw,
        }
    }
}

/// A game that can be played: its number, its players in the order of their colours, and its opening.
pub(super) struct Fixture<'a, G: Referee> {
    pub(super) number: u64,
    pub(super) players: [usize; 2],
    pub(super) start: Option<&'a str>,
    pub(super) opening: Played<G::Position>,
}

struct Board<G: Referee> {
    played: Played<G::Position>,
    /// The moves as text, which engines read.
    moves: Vec<String>,
    /// The game as networks read it, by colour; `None` for an engine.
    situations: [Option<Situation<G>>; 2],
}

impl<G: Referee> Board<G> {
    fn play(&mut self, mv: Move<G>) {
        self.moves.push(self.played.position().move_text(mv));
        self.played.play(mv);
        self.situations.iter_mut().flatten().for_each(|situation| situation.play(mv));
    }
}

struct Ending {
    result: GameResult,
    termination: Termination,
    forfeit: Option<String>,
}

/// The end of a game in which this side's engine died or did not answer; any other error is one of the match.
fn forfeited(loser: Side, error: PlayError) -> Result<Ending, PlayError> {
    match error {
        PlayError::Engine(error) if !error.is_final() => {
            let is_late = matches!(error, EngineError::Silent { .. });
            let termination = if is_late { Termination::Time } else { Termination::Other };
            Ok(Ending { result: GameResult::won_by(loser.other()), termination, forfeit: Some(error.to_string()) })
        }
        error => Err(error),
    }
}

/// Plays the game; `None` if a stop was requested.
pub(super) fn play<G: Referee>(
    fixture: Fixture<'_, G>,
    mut ready: [&mut ReadyPlayer; 2],
    limits: GameLimits,
    streams: &mut [Stream; 2],
    stop: &AtomicBool,
) -> Result<Option<FinishedGame>, PlayError> {
    let Fixture { number, players, start, opening } = fixture;
    let situations = [0, 1].map(|player: usize| ready[player].situation::<G>(opening.start()));
    let mut board = Board::<G> { played: Played::from(opening.start().clone()), moves: Vec::new(), situations };
    opening.moves().iter().for_each(|&mv| board.play(mv));
    let of_opening = board.moves.len();
    let mut adjudicator = Adjudicator::new(limits.win, limits.draw);
    let failed = [Side::First, Side::Second]
        .into_iter()
        .zip(&mut ready)
        .find_map(|(side, player)| player.new_game().err().map(|error| forfeited(side, error)));
    let Ending { result, termination, forfeit } = match failed {
        Some(ending) => ending?,
        None => loop {
            if stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            let mover = board.played.position().side_to_move();
            match next_ply(&mut board, &mut ready, start, limits, &mut adjudicator, streams) {
                Ok(None) => {}
                Ok(Some((result, termination))) => break Ending { result, termination, forfeit: None },
                Err(error) => break forfeited(mover, error)?,
            }
        },
    };
    let (start, moves, opening) = (start.map(str::to_owned), board.moves, of_opening);
    Ok(Some(FinishedGame { number, players, start, moves, opening, result, termination, forfeit }))
}

/// Plays a ply; the ending, if the game is over.
fn next_ply<G: Referee>(
    board: &mut Board<G>,
    ready: &mut [&mut ReadyPlayer; 2],
    start: Option<&str>,
    limits: GameLimits,
    adjudicator: &mut Adjudicator,
    streams: &mut [Stream; 2],
) -> Result<Option<(GameResult, Termination)>, PlayError> {
    let ply = board.moves.len();
    if ply >= limits.plies as usize {
        return Ok(Some((GameResult::Draw, Termination::PlyCap)));
    }
    let mover = board.played.position().side_to_move();
    // By colour, not by turn: an opening's position may be the second player's to move.
    let place = usize::from(mover == Side::Second);
    let action = ready[place].act(board.situations[place].as_ref(), start, &board.moves, &mut streams[place])?;
    let lost = |termination| Ok(Some((GameResult::won_by(mover.other()), termination)));
    let (text, score) = match action {
        Action::Resigns => return lost(Termination::Resignation),
        Action::DeclaresWin if G::may_declare_win(board.played.position()) => {
            return Ok(Some((GameResult::won_by(mover), Termination::Declaration)));
        }
        Action::DeclaresWin => return lost(Termination::IllegalMove),
        Action::Moves(text, score) => (text, score),
    };
    let Ok(mv) = board.played.position().parse_move(&text) else { return lost(Termination::IllegalMove) };
    board.play(mv);
    let score = score.map(|score| score.from_mover(mover));
    Ok(G::verdict(&board.played).or_else(|| adjudicator.observe(ply, score)))
}
