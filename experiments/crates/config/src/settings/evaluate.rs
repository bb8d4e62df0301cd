//! `evaluate`: playing-strength evaluations of finished cells.
//!
//! ```yaml
//! evaluate:
//!   chess:
//!     agents: [policy, "search:visits=9"] # policy by default
//!     puzzles: [puzzles.csv]           # Lichess' columns
//!     suites: [sts.epd]                # EPD; SFEN or CSA for shogi
//!     labels: [chess-15000]            # datasets, whose test positions are predicted
//!     match: {against: {engine: {program: stockfish, nodes: 100}}, pairs: 20, openings: 8moves_v3.pgn.zip}
//!   shogi:
//!     mates: [mate_in_1.sfen]
//!     no_mates: [no_mate_in_1.sfen]
//!     match: {against: reference, pairs: 20, random_plies: 2..6}
//! ```
//! It changes no cell: a file may add it after the grid was trained, and cells keep their identity.

use crate::rows::row::Row;
use crate::yaml::source::{ConfigError, YamlPath, at};
use crate::yaml::tree::Node;
use facts::numbers::{at_least_one, number};
use games::GameKind;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The evaluations of the finished cells of a game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Evaluations {
    /// How the networks choose their moves, as `posenc eval --agent` has it. Every evaluation is done with every agent.
    #[serde(default = "policy")]
    pub agents: Vec<String>,
    /// Files of puzzles with Lichess' columns.
    #[serde(default)]
    pub puzzles: Vec<PathBuf>,
    /// Suites: EPD, SFEN with operations, or CSA.
    #[serde(default)]
    pub suites: Vec<PathBuf>,
    /// Positions with a mate in one.
    #[serde(default)]
    pub mates: Vec<PathBuf>,
    /// Positions without one: a check is a false alarm.
    #[serde(default)]
    pub no_mates: Vec<PathBuf>,
    /// Datasets with other labels: the policy loss on their test positions. It depends on no agent.
    #[serde(default)]
    pub labels: Vec<PathBuf>,
    #[serde(default, rename = "match")]
    pub games: Option<MatchEntry>,
}

/// The games of every cell against one opponent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatchEntry {
    pub against: Opponent,
    /// Openings, each played with both colours.
    pub pairs: u64,
    #[serde(default)]
    pub openings: Option<PathBuf>,
    /// Random plies after the opening: `2..6`.
    #[serde(default, deserialize_with = "range_if_any")]
    pub random_plies: Option<(u16, u16)>,
    /// A game of this many plies is a draw.
    #[serde(default = "number::<400, _>", deserialize_with = "at_least_one")]
    pub max_plies: u32,
}

/// No match of a cell has more openings.
const MOST_PAIRS: u64 = 1_000_000;

/// Whom the cells of a grid play.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Opponent {
    /// The reference's cell of the same seed, with the same agent.
    Reference,
    /// An engine in UCI or USI.
    Engine(EngineEntry),
}

/// An engine with one thread.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EngineEntry {
    pub program: PathBuf,
    #[serde(deserialize_with = "at_least_one")]
    pub nodes: u64,
    /// Options to set, each as `NAME=VALUE`.
    #[serde(default)]
    pub options: Vec<String>,
}

impl EngineEntry {
    /// The options by name; one without `=` has an empty value.
    pub fn named_options(&self) -> Vec<(String, String)> {
        let named = |option: &String| {
            let (name, value) = option.split_once('=').unwrap_or((option, ""));
            (name.to_owned(), value.to_owned())
        };
        self.options.iter().map(named).collect()
    }
}

fn range_if_any<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<(u16, u16)>, D::Error> {
    range(&String::deserialize(deserializer)?).map(Some).map_err(D::Error::custom)
}

pub fn range(text: &str) -> Result<(u16, u16), String> {
    let parsed = text.split_once("..").and_then(|(from, to)| Some((from.parse().ok()?, to.parse().ok()?)));
    parsed
        .filter(|(from, to)| from <= to)
        .ok_or_else(|| format!("expected a range FROM..TO such as 4..10, found \"{text}\""))
}

fn policy() -> Vec<String> {
    vec!["policy".to_owned()]
}

/// The evaluations with the paths of their files, relative to the experiment's file until now.
pub(crate) fn resolved(
    mut evaluations: BTreeMap<GameKind, Evaluations>,
    rows: &[Row],
    document: &Node,
) -> Result<BTreeMap<GameKind, Evaluations>, ConfigError> {
    for (&game, own) in &mut evaluations {
        let name = game.name();
        if rows.iter().all(|row| row.run.game != game) {
            let error = document.error_at(&at!["evaluate", name], format!("no row plays {name}"));
            return Err(error.help("name the games of `axes.game` or `base.game`"));
        }
        let place = |further: YamlPath| [at!["evaluate", name], further].concat();
        let find = |file: &mut PathBuf, further: YamlPath, is_there: fn(&Path) -> bool, what: &str| {
            *file = document.origin.source.folder.join(&*file);
            if is_there(file) {
                return Ok(());
            }
            Err(document.error_at(&place(further), format!("there is no {what} {}", file.display())))
        };
        let lists = [
            ("puzzles", &mut own.puzzles),
            ("suites", &mut own.suites),
            ("mates", &mut own.mates),
            ("no_mates", &mut own.no_mates),
        ];
        for (key, files) in lists {
            for (i, file) in files.iter_mut().enumerate() {
                find(file, at![key, i], Path::is_file, "file")?;
            }
        }
        for (i, folder) in own.labels.iter_mut().enumerate() {
            find(folder, at!["labels", i], Path::is_dir, "folder of a dataset")?;
        }
        let Some(games) = &mut own.games else { continue };
        if let Some(book) = &mut games.openings {
            find(book, at!["match", "openings"], Path::is_file, "file")?;
        }
        let wrong = |reason: String| document.error_at(&place(at!["match", "pairs"]), reason);
        if games.pairs == 0 {
            let error = wrong("a match needs at least 1 opening, found 0".to_owned());
            return Err(error.help("write `pairs: 20` for 40 games of each cell"));
        }
        if games.pairs > MOST_PAIRS {
            return Err(wrong(format!("a match has at most {MOST_PAIRS} openings, found {}", games.pairs)));
        }
    }
    Ok(evaluations)
}
