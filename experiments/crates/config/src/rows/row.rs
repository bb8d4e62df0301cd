//! One row of an experiment: a complete run that is repeated with every seed.

use super::network_cost::NetworkCost;
use crate::settings::run::RunConfig;
use dataset::{TestSet, content};
use facts::row_name::readable;
use facts::{Quantity, Role};
use std::fmt;

#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The game and its values on the axes, as part of a folder's name: `chess-shaw-batch64`.
    pub label: String,
    /// The same for people, without the game: `shaw, batch 64`.
    pub name: String,
    /// The name that the file gives it, instead of the one above.
    pub custom_name: Option<String>,
    pub hash: String,
    /// The run with seed 0.
    pub run: RunConfig,
    pub cost: NetworkCost,
    pub data: RowData,
    pub role: Role,
    /// The label of the row that it is compared with, where its game has several references; a reference has its own.
    pub reference: Option<String>,
    /// Whether the file names contrasts and this row is none of them: its difference gets no verdict.
    pub exploratory: bool,
    /// The row that it was matched to, if it is a matched control.
    pub matched: Option<Matched>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowData {
    pub name: String,
    /// See [`dataset::Manifest::identity`].
    pub content_hash: String,
    /// The dataset of the test games, if it is another one.
    pub test: Option<TestSet>,
    /// Positions of the training split that the run uses.
    pub train_positions: u64,
    /// Rows of a pass through them: these positions, or of a network that reads sequences all plies with their padding.
    pub train_rows: u64,
    /// Positions of the validation split that it uses.
    pub validation_positions: u64,
    /// Positions of the test split that it uses.
    pub test_positions: u64,
    /// The step after the last one of each phase of training; empty without phases.
    pub phase_ends: Vec<u64>,
}

impl RowData {
    /// What of it enters a cell's hash.
    pub fn content(&self) -> String {
        content(&self.content_hash, self.test.as_ref().map(|test| test.content_hash.as_str()))
    }
}

impl Row {
    /// The number of passes through the training split.
    pub fn epochs(&self) -> f64 {
        let seen = self.run.train.steps as f64 * self.run.train.batch as f64;
        seen / self.data.train_rows as f64
    }

    /// Whether another row is the reference that it is compared with.
    pub fn is_compared_with(&self, other: &Self) -> bool {
        let is_own = self.reference.as_ref().is_none_or(|label| *label == other.label);
        other.role == Role::Reference && other.run.game == self.run.game && is_own
    }

    /// The row's folder name, as [`Cell::row`](crate::Cell::row).
    pub fn folder(&self) -> String {
        format!("{}-{}", self.label, self.hash)
    }

    /// Its name for people, unique within its game.
    pub fn display_name(&self) -> &str {
        self.custom_name.as_ref().unwrap_or(&self.name)
    }

    /// Whether it has this name or label, with the game or without; a row with a given name also keeps its own ones.
    pub fn is_called(&self, name: &str) -> bool {
        let game = self.run.game.name();
        let within_game =
            |text: &str| text.strip_prefix(game).and_then(|rest| rest.strip_prefix('-')).map(str::to_owned);
        let bare = within_game(name).unwrap_or_else(|| name.to_owned());
        self.label == name
            || within_game(&self.label).as_ref() == Some(&bare)
            || [name, bare.as_str()].contains(&self.name.as_str())
            || for_folder(&self.name) == bare
            || self.custom_name.as_deref() == Some(name)
    }

    /// Whether its folder or, with the game or without, its name in reports is this, or begins with it and goes on with
    /// settings: tables leave out rates. A twin has its reference's settings and is found by its whole name.
    pub fn is_shown_as(&self, name: &str) -> bool {
        let name = name.strip_prefix(self.run.game.name()).and_then(|rest| rest.strip_prefix(' ')).unwrap_or(name);
        let is = |shown: &str| {
            let rest = shown.strip_prefix(name);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(", ") && self.role != Role::Twin)
        };
        self.folder() == name || is(self.display_name()) || is(&readable(self.display_name()))
    }
}

/// The row that a control was matched to, and how.
#[derive(Debug, Clone, PartialEq)]
pub struct Matched {
    /// The label of the row whose network was changed.
    pub source: String,
    pub quantity: Quantity,
    /// The label of the row that it was matched to.
    pub goal: String,
    pub goal_folder: String,
    pub sizes: Vec<ChangedSize>,
    /// Its count and the goal's; `None` for step times, which are measured.
    pub counts: Option<[u64; 2]>,
}

/// A size that differs between a control and the row that it was made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedSize {
    /// `ffn`, `width`, `depth`, or the option of the encoding.
    pub name: String,
    /// In the row that it was made from.
    pub from: usize,
    pub to: usize,
}

impl Matched {
    /// The sizes that changed, as a part of a folder's name: `-ffn352`.
    pub fn folder_words(&self) -> String {
        self.sizes.iter().map(|size| format!("-{}{}", size.name, size.to)).collect()
    }

    /// Its own count divided by the goal's.
    pub fn ratio(&self) -> Option<f64> {
        self.counts.map(|[own, goal]| own as f64 / goal as f64)
    }
}

/// `params of shaw by ffn 352`.
impl fmt::Display for Matched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sizes: Vec<String> = self.sizes.iter().map(|size| format!("{} {}", size.name, size.to)).collect();
        write!(f, "{} of {} by {}", self.quantity.words(), self.goal, sizes.join(" and "))
    }
}

/// A text as a part of a folder's name: letters, digits and `+ - . _`; anything else becomes a dash.
pub(crate) fn for_folder(text: &str) -> String {
    let text = text.replace("× ", "x").replace(" #", "");
    let spaced: String =
        text.chars().map(|c| if c.is_ascii_alphanumeric() || "+-._".contains(c) { c } else { ' ' }).collect();
    spaced.split_whitespace().collect::<Vec<_>>().join("-").replace("-+-", "+")
}
