//! The settings of a generation, and the conditions that determine its games.

use super::adjudicate::{DrawRule, WinRule};
use super::error::GenerateError;
use crate::engine::EngineSettings;
use dataset::PerSplit;
use games::GameKind;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The longest game a dataset holds.
const MAX_PLIES: u32 = u16::MAX as u32;

#[derive(Debug, Clone)]
pub struct Settings {
    pub game: GameKind,
    /// The engine, its options, the number of compared moves and the timeout of an answer.
    pub engine: EngineSettings,
    pub nodes: u64,
    pub games: u64,
    /// Engines that play at the same time; the dataset does not depend on it.
    pub processes: usize,
    pub seed: u64,
    pub openings: Option<PathBuf>,
    /// This many plies, drawn uniformly from the range, are random moves, after the book's if there is one.
    pub random_plies: Option<(u16, u16)>,
    /// After the opening and before ply [`Self::random_until`], the move is drawn among those within this many
    /// centipawns of the best.
    pub random_within: Option<u16>,
    pub random_until: u16,
    /// The temperature in centipawns: scores are divided by it before the softmax that makes a policy of them.
    pub temperature: f64,
    pub win_rule: Option<WinRule>,
    pub draw_rule: Option<DrawRule>,
    pub ply_cap: u32,
    /// A stopped game is a draw instead of unfinished.
    pub cap_is_draw: bool,
    /// Restart the engine before every game, for engines that do not reset their state on request.
    pub fresh_engine: bool,
    /// The dataset's folder, which must not exist yet.
    pub output: PathBuf,
    pub name: String,
    /// Where the games come from; `None` for the description of the conditions.
    pub source: Option<String>,
    pub licence: String,
    pub made_by: String,
    pub fractions: PerSplit<f64>,
    pub split_seed: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Book {
    pub file: String,
    pub blake3: String,
    pub openings: u64,
}

/// The conditions that determine the games: the same conditions and number give the same game. Fields are those of [`Settings`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GenerationConditions {
    pub game: GameKind,
    pub engine: String,
    pub arguments: Vec<String>,
    pub options: Vec<(String, String)>,
    pub nodes: u64,
    pub multipv: usize,
    pub seed: u64,
    pub openings: Option<Book>,
    pub random_plies: Option<(u16, u16)>,
    pub random_within: Option<u16>,
    pub random_until: u16,
    pub adjudicate_win: Option<WinRule>,
    pub adjudicate_draw: Option<DrawRule>,
    pub ply_cap: u32,
    pub cap_is_draw: bool,
    pub fresh_engine: bool,
}

impl Settings {
    pub(super) fn conditions(&self, engine: String, openings: Option<Book>) -> GenerationConditions {
        GenerationConditions {
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

    pub(super) fn check(&self) -> Result<(), GenerateError> {
        let wrong = |option, reason: &str| Err(GenerateError::Option { option, reason: reason.to_owned() });
        if self.output.symlink_metadata().is_ok() {
            return Err(dataset::DatasetError::OutputExists(self.output.clone()).into());
        }
        if !(self.temperature.is_finite() && self.temperature > 0.0) {
            return wrong("--temperature", "must be a number of centipawns above 0");
        }
        if self.ply_cap == 0 || self.ply_cap > MAX_PLIES {
            return wrong("--ply-cap", "must lie between 1 and the 65,535 plies that a dataset holds");
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

impl GenerationConditions {
    /// A description of the conditions for `dataset.yaml`; `temperature` is that of the policies.
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
