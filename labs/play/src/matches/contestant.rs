//! Who plays: a network as an agent, or an engine.

use crate::agent::Agent;
use crate::error::PlayError;
use crate::player::Player;
use config::Weights;
use engines::{Answer, Engine, EngineSettings};
use games::{GameKind, Position, Referee, Score};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::time::Duration;
use streams::Stream;
use tch::Device;
use train::inference::{Loaded, Situation};

/// How long an engine may take for an answer before it forfeits the game, unless another time is given.
pub const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contestant {
    pub name: String,
    #[serde(flatten)]
    pub kind: Kind,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Network {
        cell: PathBuf,
        averaged: bool,
        /// How it chooses, as [`Agent`] writes it.
        agent: String,
    },
    /// An engine in UCI or USI, with one thread.
    Engine { program: PathBuf, nodes: u64, options: Vec<(String, String)> },
}

impl Contestant {
    /// Gets it ready to play: a network on this device, an engine with this time for an answer.
    pub(super) fn load(&self, game: GameKind, device: Device, timeout: Duration) -> Result<ReadyPlayer, PlayError> {
        match &self.kind {
            Kind::Network { cell, averaged, agent } => {
                let weights = if *averaged { Weights::Averaged } else { Weights::Raw };
                let loaded = Loaded::cell(cell, weights, device)?;
                if loaded.config.game != game {
                    let found = loaded.config.game.name();
                    return Err(PlayError::Agent(format!("{}: a cell of {found}, not of {}", self.name, game.name())));
                }
                Ok(ReadyPlayer::Network { cell: Box::new(loaded), agent: agent.parse()? })
            }
            Kind::Engine { program, nodes, options } => {
                let settings =
                    EngineSettings { options: options.clone(), ..EngineSettings::new(program, game, 1, timeout) };
                Ok(ReadyPlayer::Engine { engine: Box::new(Engine::start(&settings)?), nodes: *nodes })
            }
        }
    }

    /// The game of a network; an engine plays either.
    pub fn game(&self) -> Result<Option<GameKind>, PlayError> {
        match &self.kind {
            Kind::Network { cell, .. } => Ok(Some(train::inference::cell::config_of(cell)?.game)),
            Kind::Engine { .. } => Ok(None),
        }
    }
}

pub(super) enum ReadyPlayer {
    Network { cell: Box<Loaded>, agent: Agent },
    Engine { engine: Box<Engine>, nodes: u64 },
}

pub(super) enum Action {
    /// It plays this text, legal or not, with this score from its own point of view.
    Moves(String, Option<Score>),
    Resigns,
    DeclaresWin,
}

impl ReadyPlayer {
    /// What distinguishes it from another version of itself: the hash of a network's weights, or the name
    /// and version that an engine states.
    pub(super) fn identity(&self) -> Result<String, PlayError> {
        match self {
            Self::Network { cell, .. } => Ok(cell.weights_hash()?),
            Self::Engine { engine, .. } => Ok(engine.name().to_owned()),
        }
    }

    pub(super) fn new_game(&mut self) -> Result<(), PlayError> {
        match self {
            Self::Network { .. } => Ok(()),
            Self::Engine { engine, .. } => Ok(engine.new_game()?),
        }
    }

    /// The situation at the start of a game for this contestant.
    pub(super) fn situation<G: Referee>(&self, start: &G::Position) -> Option<Situation<G>> {
        match self {
            Self::Network { cell, .. } => Some(Situation::of_run(start.clone(), &cell.config)),
            Self::Engine { .. } => None,
        }
    }

    /// Its move; `start` and `moves` are the game so far as text, which engines read.
    pub(super) fn act<G: Referee>(
        &mut self,
        situation: Option<&Situation<G>>,
        start: Option<&str>,
        moves: &[String],
        stream: &mut Stream,
    ) -> Result<Action, PlayError> {
        match self {
            Self::Network { cell, agent } => {
                let situation = situation.expect("a network follows the game");
                let decision = Player::new(cell, *agent).decide(&[situation], stream)?.pop();
                let decision = decision.expect("there is a decision for each situation");
                let text = decision.text().map_or_else(|| situation.position().to_text(), str::to_owned);
                let points = decision.moves.first().and_then(|best| best.points).or(decision.points);
                Ok(Action::Moves(text, points.map(|points| Score::Centipawns(crate::score::centipawns(points)))))
            }
            Self::Engine { engine, nodes } => {
                let search = engine.search(start, moves, *nodes, &[])?;
                Ok(match search.answer {
                    Answer::Move(text) => {
                        let score = search.lines.score_of(&text);
                        Action::Moves(text, score)
                    }
                    Answer::Resigns => Action::Resigns,
                    Answer::DeclaresWin => Action::DeclaresWin,
                    Answer::Nothing => Action::Moves("nothing".to_owned(), None),
                })
            }
        }
    }
}
