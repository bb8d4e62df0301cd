//! What is to be played, and under which conditions.

use super::adjudicate::{DrawRule, WinRule};
use super::error::GenerateError;
use crate::engines::EngineSettings;
use dataset::PerSplit;
use games::GameKind;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The longest game a dataset holds.
const MOST_PLIES: u32 = u16::MAX as u32;

/// Everything that a generation needs to know.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The game.
    pub game: GameKind,
    /// The engine, its options, how many moves it compares and how long it may take over an answer.
    pub engine: EngineSettings,
    /// Nodes a move.
    pub nodes: u64,
    /// How many games.
    pub games: u64,
    /// Engines that play at the same time; no byte of the dataset depends on it.
    pub processes: usize,
    /// The seed of everything that is drawn.
    pub seed: u64,
    /// A book of openings.
    pub openings: Option<PathBuf>,
    /// So many plies, drawn uniformly between the two, are played at random, behind the book's if there is one.
    pub random_plies: Option<(u16, u16)>,
    /// Behind the opening and before ply [`Self::random_until`], the move is drawn among those within so many
    /// centipawns of the best.
    pub random_within: Option<u16>,
    /// See [`Self::random_within`].
    pub random_until: u16,
    /// Centipawns by which scores are divided before the softmax that makes a policy of them.
    pub temperature: f64,
    /// When a game counts as won.
    pub win_rule: Option<WinRule>,
    /// When a game counts as drawn.
    pub draw_rule: Option<DrawRule>,
    /// Games are stopped at so many plies.
    pub ply_cap: u32,
    /// A stopped game is a draw instead of unfinished.
    pub cap_is_draw: bool,
    /// Every game begins with a newly started engine: for those that do not forget the last game when told to.
    pub fresh_engine: bool,
    /// The dataset's folder, which must not exist yet.
    pub output: PathBuf,
    /// The dataset's name.
    pub name: String,
    /// Where the games come from; `None` says it of the conditions.
    pub source: Option<String>,
    /// Under which licence they may be used.
    pub licence: String,
    /// The command that this is.
    pub made_by: String,
    /// The shares of the splits.
    pub fractions: PerSplit<f64>,
    /// The seed of the split.
    pub split_seed: u64,
}

/// A book of openings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Book {
    /// Its file, without folders.
    pub file: String,
    /// The hash of its text, unpacked.
    pub blake3: String,
    /// How many openings are in it.
    pub openings: u64,
}

/// What decides how games go: games of the same conditions and number are the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conditions {
    /// The game.
    pub game: GameKind,
    /// The engine's name and version.
    pub engine: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Its options.
    pub options: Vec<(String, String)>,
    /// Nodes a move.
    pub nodes: u64,
    /// Moves that a search compares.
    pub multipv: usize,
    /// The seed.
    pub seed: u64,
    /// The book.
    pub openings: Option<Book>,
    /// Random plies, from and to.
    pub random_plies: Option<(u16, u16)>,
    /// Centipawns of the choice among near-equals.
    pub random_within: Option<u16>,
    /// Where that choice ends.
    pub random_until: u16,
    /// When a game counts as won.
    pub adjudicate_win: Option<WinRule>,
    /// When a game counts as drawn.
    pub adjudicate_draw: Option<DrawRule>,
    /// Where games are stopped.
    pub ply_cap: u32,
    /// Whether that is a draw.
    pub cap_is_draw: bool,
    /// Whether the engine is started anew for every game.
    pub fresh_engine: bool,
}

impl Settings {
    /// The conditions, once the engine has said its name and the book is read.
    pub(super) fn conditions(&self, engine: String, openings: Option<Book>) -> Conditions {
        Conditions {
            game: self.game,
            engine,
            arguments: self.engine.arguments.clone(),
            options: self.engine.options.clone(),
            nodes: self.nodes,
            multipv: self.engine.multipv,
            seed: self.seed,
            openings,
            random_plies: self.random_plies,
            random_within: self.random_within,
            random_until: self.random_until,
            adjudicate_win: self.win_rule,
            adjudicate_draw: self.draw_rule,
            ply_cap: self.ply_cap,
            cap_is_draw: self.cap_is_draw,
            fresh_engine: self.fresh_engine,
        }
    }

    /// Refuses what makes no sense, before anything is started.
    pub(super) fn check(&self) -> Result<(), GenerateError> {
        let wrong = |option, reason: &str| Err(GenerateError::Option { option, reason: reason.to_owned() });
        if self.output.symlink_metadata().is_ok() {
            return Err(dataset::DatasetError::OutputExists(self.output.clone()).into());
        }
        if self.games == 0 || self.nodes == 0 || self.processes == 0 {
            return wrong("--games, --nodes and --processes", "must be at least 1");
        }
        if self.engine.multipv == 0 {
            return wrong("--multipv", "must be at least 1");
        }
        if !(self.temperature.is_finite() && self.temperature > 0.0) {
            return wrong("--temperature", "must be a number of centipawns above 0");
        }
        if self.ply_cap == 0 || self.ply_cap > MOST_PLIES {
            return wrong("--ply-cap", "must lie between 1 and the 65,535 plies that a dataset holds");
        }
        if self.random_plies.is_some_and(|(from, to)| from > to) {
            return wrong("--random-plies", "expected A..B with A at most B");
        }
        if self.random_within.is_some() && self.engine.multipv < 2 {
            return wrong("--random-within", "needs moves to choose from: raise --multipv");
        }
        if self.random_within.is_some() != (self.random_until > 0) {
            return wrong("--random-within and --random-until", "belong together");
        }
        let varied = self.openings.is_some() || self.random_plies.is_some() || self.random_within.is_some();
        if self.games > 1 && !varied {
            let reason = "without one of these every game would be the same";
            return wrong("--openings, --random-plies, --random-within", reason);
        }
        Ok(())
    }
}

impl Conditions {
    /// The conditions in a sentence, for `dataset.yaml`; `temperature` makes policies of scores.
    #[must_use]
    pub fn sentence(&self, temperature: f64) -> String {
        let mut parts = vec![format!("{} against itself, {} nodes a move", self.engine, self.nodes)];
        if self.multipv > 1 {
            parts.push(format!("MultiPV {}, policy = softmax(score / {temperature} centipawns)", self.multipv));
        }
        let options: Vec<String> = self.options.iter().map(|(name, value)| format!("{name}={value}")).collect();
        if !options.is_empty() {
            parts.push(format!("options {}", options.join(" ")));
        }
        parts.extend(self.openings.as_ref().map(|book| format!("openings of {}", book.file)));
        parts.extend(self.random_plies.map(|(from, to)| format!("{from} to {to} random plies")));
        if let Some(within) = self.random_within {
            let until = self.random_until;
            parts.push(format!(
                "a random choice among moves within {within} centipawns up to ply {until}, then the best"
            ));
        }
        if let Some(WinRule { points, plies }) = self.adjudicate_win {
            parts.push(format!("won at {points} centipawns over {plies} plies"));
        }
        if let Some(DrawRule { points, plies, from_ply }) = self.adjudicate_draw {
            parts.push(format!("drawn within {points} centipawns over {plies} plies from ply {from_ply} on"));
        }
        let capped = if self.cap_is_draw { "a draw" } else { "unfinished" };
        parts.push(format!("{capped} at {} plies", self.ply_cap));
        parts.join("; ")
    }
}
