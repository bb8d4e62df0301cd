//! The datasets of a new experiment: those that exist, and a small one that a command makes.

use super::answers::{Games, asked};
use config::{listed, shell_word};
use dataset::{MANIFEST_FILE, Manifest, PerSplit};
use games::GameKind;
use models::HeadName;
use records::UserError;
use std::path::{Path, PathBuf};

/// A dataset, and what of it the file needs.
#[derive(Debug, Clone)]
pub(super) struct Dataset {
    pub(super) game: GameKind,
    /// From the working directory.
    pub(super) folder: PathBuf,
    /// The heads among [`HEADS`] that it has targets for.
    pub(super) heads: Vec<HeadName>,
    pub(super) classes: u16,
    pub(super) positions: PerSplit<u64>,
    /// Whether its policies are equal shares of the legal moves, which a mask of legal moves would tell.
    pub(super) is_of_legal_moves: bool,
    made: bool,
}

/// Heads in the order in which a new experiment prefers them. A map is there to be learnt; moves are there in all records.
const HEADS: [HeadName; 5] = [HeadName::PerSquare, HeadName::Pairs, HeadName::Policy, HeadName::Result, HeadName::Q];

/// The small dataset: its label, its positions, and fewer than its splits hold.
const TASK: &str = "attacked-squares";
const CLASSES: u16 = 4;
const POSITIONS: u64 = 30_000;
const PER_SPLIT: PerSplit<u64> = PerSplit { train: 23_000, validation: 2_800, test: 2_800 };

impl Dataset {
    /// The dataset in a folder; one that does not exist yet is for the game that is asked for.
    pub(super) fn at(folder: &Path, asked: Option<&Games>) -> anyhow::Result<Self> {
        if folder.join(MANIFEST_FILE).exists() {
            return Self::made(folder);
        }
        match asked.map(|games| &games.0[..]) {
            Some(&[game]) => Ok(Self::planned(folder, game)),
            _ => {
                let message = format!("{} has no {MANIFEST_FILE}, so its game is unknown", folder.display());
                Err(UserError::new(message, "name a dataset that exists, or add --game").at("--data").into())
            }
        }
    }

    fn made(folder: &Path) -> anyhow::Result<Self> {
        let manifest = Manifest::read(folder)?;
        Ok(Self {
            game: manifest.game,
            folder: folder.to_owned(),
            heads: config::taught(&HEADS, folder, &manifest)?,
            classes: manifest.map.as_ref().map_or(0, |map| map.classes),
            positions: manifest.split.positions,
            is_of_legal_moves: manifest.made_by.contains("probe legal-moves"),
            made: true,
        })
    }

    fn planned(folder: &Path, game: GameKind) -> Self {
        let (heads, folder) = (vec![HeadName::PerSquare], folder.to_owned());
        let (classes, positions, is_of_legal_moves) = (CLASSES, PER_SPLIT, false);
        Self { game, folder, heads, classes, positions, is_of_legal_moves, made: false }
    }

    /// Whether it does not exist yet.
    pub(super) fn is_planned(&self) -> bool {
        !self.made
    }

    pub(super) fn command(&self) -> String {
        let (game, folder) = (self.game.name(), shell_word(&self.folder.display().to_string()));
        format!("posenc data generate probe {TASK} --game {game} --positions {POSITIONS} --seed 1 --out {folder}")
    }
}

/// A dataset for each game: of those given, otherwise that of the quickstart beside the file in `folder`, made or not.
pub(super) fn of_games(games: &Games, given: &[Dataset], folder: &Path) -> anyhow::Result<Vec<Dataset>> {
    let wrong = |message: String, help: &str| anyhow::Error::new(UserError::new(message, help).at("--data"));
    for (place, data) in given.iter().enumerate() {
        let (game, own) = (data.game.name(), data.folder.display());
        if !games.0.contains(&data.game) {
            return Err(wrong(format!("{own} is a dataset of {game}"), "add --game, or leave it out"));
        }
        if let Some(other) = given[..place].iter().find(|other| other.game == data.game) {
            let other = other.folder.display();
            return Err(wrong(format!("{other} and {own} are both datasets of {game}"), "name one for each game"));
        }
    }
    let of_game = |&game: &GameKind| -> anyhow::Result<Dataset> {
        let given = given.iter().find(|data| data.game == game).cloned();
        let default = folder.join(format!("data/attacked-{}", game.name())).display().to_string();
        let read = |text: &str| {
            let found = Dataset::at(Path::new(text), Some(&Games(vec![game]))).map_err(|error| error.to_string())?;
            let other = found.game.name();
            if found.game == game { Ok(found) } else { Err(format!("this is a dataset of {other}")) }
        };
        asked(&format!("dataset of {}", game.name()), "--data", given, &default, read)
    };
    games.0.iter().map(of_game).collect()
}

/// The head that the rows learn: the first of [`HEADS`] that every dataset has targets for.
pub(super) fn common_head(datasets: &[Dataset]) -> Result<HeadName, UserError> {
    let same_map = |head: &HeadName| {
        *head != HeadName::PerSquare || datasets.windows(2).all(|two| two[0].classes == two[1].classes)
    };
    let in_all = |head: &HeadName| datasets.iter().all(|data| data.heads.contains(head)) && same_map(head);
    HEADS.into_iter().find(in_all).ok_or_else(|| {
        let names: Vec<String> = datasets.iter().map(|data| data.folder.display().to_string()).collect();
        let message = format!("{} have no target in common", listed(&names));
        UserError::new(message, "compare on one game with --game, or name datasets of the same kind").at("--data")
    })
}
