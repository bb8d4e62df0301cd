//! The datasets of a new experiment: those that exist, and a small one that a command makes.

use super::answers::{Games, asked};
use config::{listed, nearest, printable, shell_word};
use dataset::{MANIFEST_FILE, Manifest, PerSplit};
use games::GameKind;
use models::HeadName;
use records::UserError;
use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};

/// A dataset, and what of it the file needs.
#[derive(Debug, Clone)]
pub(super) struct Dataset {
    pub(super) game: GameKind,
    /// Relative to the working directory.
    pub(super) folder: PathBuf,
    /// The heads among [`HEADS`] that it has targets for.
    pub(super) heads: Vec<HeadName>,
    pub(super) classes: u16,
    pub(super) positions: PerSplit<u64>,
    /// Whether its policies are equal shares of the legal moves, which a mask of legal moves would tell.
    pub(super) is_of_legal_moves: bool,
    pub(super) is_planned: bool,
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
                let help = match similar(folder) {
                    Some(meant) => format!("did you mean `{meant}`? A new one needs --game with one game"),
                    None => "name a dataset that exists, or add --game with one game".to_owned(),
                };
                Err(UserError::new(message, help).at("--data").into())
            }
        }
    }

    fn made(folder: &Path) -> anyhow::Result<Self> {
        let manifest = Manifest::read(folder)?;
        Ok(Self {
            game: manifest.game,
            folder: folder.to_owned(),
            heads: config::heads_with_targets(&HEADS, folder, &manifest)?,
            classes: manifest.map.as_ref().map_or(0, |map| map.classes),
            positions: manifest.split.positions,
            is_of_legal_moves: manifest.made_by.contains("probe legal-moves"),
            is_planned: false,
        })
    }

    fn planned(folder: &Path, game: GameKind) -> Self {
        let (heads, folder) = (vec![HeadName::PerSquare], folder.to_owned());
        let (classes, positions, is_of_legal_moves) = (CLASSES, PER_SPLIT, false);
        Self { game, folder, heads, classes, positions, is_of_legal_moves, is_planned: true }
    }

    /// A sentence about a dataset that does not exist yet, whose path may be a mistake.
    pub(super) fn absence(&self) -> Option<String> {
        if !self.is_planned {
            return None;
        }
        let folder = printable(&self.folder.display().to_string());
        let what = match self.folder.is_dir() {
            true => format!("{folder} holds no {MANIFEST_FILE}"),
            false => format!("there is no folder {folder}"),
        };
        let meant = similar(&self.folder).map_or_else(String::new, |meant| format!(" (did you mean `{meant}`?)"));
        Some(format!("{what}{meant}; the file is for attacked squares, which the first command makes"))
    }

    pub(super) fn command(&self) -> String {
        let (game, folder) = (self.game.name(), shell_word(&self.folder.display().to_string()));
        format!("posenc data generate probe {TASK} --game {game} --positions {POSITIONS} --seed 1 --out {folder}")
    }
}

/// The dataset beside a folder whose name is most similar to the folder's, if one is.
fn similar(folder: &Path) -> Option<String> {
    let wanted = folder.file_name()?.to_string_lossy();
    let beside = folder.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let entries = fs::read_dir(beside).ok()?.filter_map(Result::ok);
    let datasets = entries.filter(|entry| entry.path().join(MANIFEST_FILE).is_file());
    let mut names: Vec<String> = datasets.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort_unstable();
    let meant = nearest(&wanted, names.iter().map(String::as_str))?;
    Some(printable(&folder.with_file_name(meant).display().to_string()))
}

/// The dataset that a person names. A folder that does not exist, other than the default, is doubted once: the same answer
/// again, or yes, keeps it.
fn answered(text: &str, game: GameKind, default: &str, doubted: &RefCell<Option<String>>) -> Result<Dataset, String> {
    let before = doubted.take();
    let text = before.as_deref().filter(|_| ["y", "yes"].contains(&text)).unwrap_or(text);
    let found = Dataset::at(Path::new(text), Some(&Games(vec![game]))).map_err(|error| error.to_string())?;
    if found.game != game {
        return Err(format!("this is a dataset of {}", found.game.name()));
    }
    match found.absence().filter(|_| text != default && before.as_deref() != Some(text)) {
        None => Ok(found),
        Some(absence) => {
            doubted.replace(Some(text.to_owned()));
            Err(format!("{absence}; answer yes to keep it, or name another folder"))
        }
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
        let doubted = RefCell::new(None);
        let read = |text: &str| answered(text, game, &default, &doubted);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_does_not_exist_is_doubted_once() {
        let (default, doubted) = ("data/attacked-chess", RefCell::new(None));
        let read = |text: &str| answered(text, GameKind::Chess, default, &doubted).map(|data| data.folder);
        assert_eq!(read(default), Ok(default.into()));
        let reason = read("nowhere").expect_err("doubted");
        assert!(reason.starts_with("there is no folder nowhere; the file is for attacked squares"), "{reason}");
        assert_eq!(read("yes"), Ok("nowhere".into()));
        assert!(read("yes").is_err_and(|reason| reason.contains("folder yes")), "nothing was asked");
        assert!(read("nowhere").is_err());
        assert_eq!(read("nowhere"), Ok("nowhere".into()));
    }
}
