//! One game: an opening, then the engine against itself under posenc's rules.

use super::adjudicate::Adjudicator;
use super::conditions::Settings;
use super::openings::{Opening, set_up_with_random_plies};
use super::policy_from_scores::{Decision, near_best};
use crate::engine::{Answer, Engine, EngineError, EngineSearch};
use games::{GameResult, Played, Position, Referee, Score, Termination};
use serde::{Deserialize, Serialize};
use streams::Stream;

/// A finished game, a line of the journal. Scores are kept as the engine gave them, because the temperature of the
/// policies is not one of the game's conditions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct FinishedGame {
    pub(super) number: u64,
    /// FEN or SFEN; `None` for the standard start.
    pub(super) start: Option<String>,
    pub(super) moves: Vec<String>,
    /// Opening plies of the book and random ones; the engine searched every later position.
    pub(super) opening_plies: usize,
    /// Plies whose move was drawn among near-best moves.
    pub(super) drawn: Vec<usize>,
    /// Per ply, the score of the best move, from the first player's point of view.
    pub(super) scores: Vec<Option<Score>>,
    /// Per ply, the legal moves that the engine compared, from the mover's point of view.
    pub(super) lines: Vec<Vec<(String, Score)>>,
    pub(super) result: GameResult,
    pub(super) termination: Termination,
    /// Answers that posenc's rules refused: illegal moves, invalid declarations.
    pub(super) refused: u64,
}

#[derive(Debug)]
pub(super) enum PlayError {
    /// The engine exited or did not answer; another one may retry the game.
    Engine(EngineError),
    /// The game cannot be played: the reason.
    Unplayable(String),
    Stopped,
}

impl From<EngineError> for PlayError {
    fn from(error: EngineError) -> Self {
        Self::Engine(error)
    }
}

/// Plays game `number`. The result depends only on the settings and the number.
pub(super) fn play<G: Referee>(
    settings: &Settings,
    opening: &Opening,
    number: u64,
    engine: &mut Engine,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<FinishedGame, PlayError> {
    let mut stream = streams::stream(settings.seed, &["generate", "game", &number.to_string()]);
    let played = set_up_with_random_plies::<G>(opening, settings.random_plies, &mut stream);
    let played = played.map_err(PlayError::Unplayable)?;
    engine.new_game()?;
    let mut game = InProgress::<G>::new(settings, opening, number, played);
    loop {
        if stop() {
            return Err(PlayError::Stopped);
        }
        if let Some((result, termination)) = game.next_ply(engine, &mut stream)? {
            return Ok(FinishedGame { result, termination, ..game.record });
        }
    }
}

struct InProgress<'a, G: Referee> {
    settings: &'a Settings,
    played: Played<G::Position>,
    adjudicator: Adjudicator,
    record: FinishedGame,
}

type Ending = (GameResult, Termination);

/// The meaning of an answer: a move to play, or the end of the game.
enum NextStep {
    Move(Decision),
    End(Ending),
}

impl<'a, G: Referee> InProgress<'a, G> {
    fn new(settings: &'a Settings, opening: &Opening, number: u64, played: Played<G::Position>) -> Self {
        let moves = texts::<G>(&played);
        let opening_plies = moves.len();
        let record = FinishedGame {
            number,
            start: opening.start.clone(),
            moves,
            opening_plies,
            drawn: Vec::new(),
            scores: vec![None; opening_plies],
            lines: vec![Vec::new(); opening_plies],
            result: GameResult::Unknown,
            termination: Termination::Other,
            refused: 0,
        };
        Self { settings, played, adjudicator: Adjudicator::new(settings.win_rule, settings.draw_rule), record }
    }

    /// Plays one move; returns the result if the game is over.
    fn next_ply(&mut self, engine: &mut Engine, stream: &mut Stream) -> Result<Option<Ending>, PlayError> {
        let ply = self.record.moves.len();
        if ply >= self.settings.ply_cap as usize {
            let result = if self.settings.cap_is_draw { GameResult::Draw } else { GameResult::Unknown };
            return Ok(Some((result, Termination::PlyCap)));
        }
        let decision = match self.ask(engine)? {
            NextStep::Move(decision) => decision,
            NextStep::End(ending) => return Ok(Some(ending)),
        };
        let score = decision.score.map(|score| score.from_mover(self.played.position().side_to_move()));
        let mv = self.choose(ply, &decision, stream);
        let legal = self.played.position().parse_move(&mv).map_err(|error| PlayError::Unplayable(error.to_string()))?;
        self.played.play(legal);
        self.record.moves.push(mv);
        self.record.scores.push(score);
        self.record.lines.push(decision.lines);
        Ok(G::verdict(&self.played).or_else(|| self.adjudicator.observe(ply, score)))
    }

    /// The engine's best move, or early in the game a near-best one.
    fn choose(&mut self, ply: usize, decision: &Decision, stream: &mut Stream) -> String {
        let within = self.settings.random_within.filter(|_| ply < usize::from(self.settings.random_until));
        let drawn = within.and_then(|within| near_best(&decision.lines, within, stream));
        if drawn.is_some() {
            self.record.drawn.push(ply);
        }
        drawn.unwrap_or(&decision.best).to_owned()
    }

    /// Asks the engine. If its answer is illegal, the best legal move among those it compared replaces it; if there is
    /// none, the engine searches again, restricted to the legal moves.
    fn ask(&mut self, engine: &mut Engine) -> Result<NextStep, PlayError> {
        let search = self.search(engine, &[])?;
        let mover = self.played.position().side_to_move();
        match &search.answer {
            Answer::Resigns => return Ok(NextStep::End((GameResult::won_by(mover.other()), Termination::Resignation))),
            Answer::DeclaresWin if G::may_declare_win(self.played.position()) => {
                return Ok(NextStep::End((GameResult::won_by(mover), Termination::Declaration)));
            }
            _ => {}
        }
        if let Some(decision) = self.decide(&search) {
            return Ok(NextStep::Move(decision));
        }
        let legal = self.legal_moves();
        let search = self.search(engine, &legal)?;
        self.decide(&search).map(NextStep::Move).ok_or_else(|| {
            let position = self.played.position().to_text();
            PlayError::Unplayable(format!(
                "the engine finds no legal move in \"{position}\"; it answered {:?}",
                search.answer
            ))
        })
    }

    fn search(&self, engine: &mut Engine, only: &[String]) -> Result<EngineSearch, EngineError> {
        engine.search(self.record.start.as_deref(), &self.record.moves, self.settings.nodes, only)
    }

    /// The legal part of a search result, if any.
    fn decide(&mut self, search: &EngineSearch) -> Option<Decision> {
        let decision = Decision::of(self.played.position(), search, self.settings.engine.multipv);
        let was_refused = decision.as_ref().is_none_or(|decision| decision.was_refused);
        self.record.refused += u64::from(was_refused);
        decision
    }

    fn legal_moves(&self) -> Vec<String> {
        let position = self.played.position();
        position.list_moves().into_iter().map(|mv| position.move_text(mv)).collect()
    }
}

/// The moves of a game, written from its start.
pub(crate) fn texts<G: Referee>(played: &Played<G::Position>) -> Vec<String> {
    let mut position = played.start().clone();
    let text = |&mv| {
        let text = position.move_text(mv);
        position.play(mv);
        text
    };
    played.moves().iter().map(text).collect()
}
