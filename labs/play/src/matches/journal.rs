//! The finished games of a match, a line each, in the order in which they ended.

use super::game::{Conditions, FinishedGame};
use super::schedule::Schedule;
use crate::error::PlayError;
use ::records::atomic;
use dataset::bounded;
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::Write as _;
use std::path::{Path, PathBuf};

const CONDITIONS: &str = "match.json";
pub(super) const GAMES: &str = "games.jsonl";

pub(super) struct Journal {
    file: File,
    path: PathBuf,
    games: BTreeMap<u64, FinishedGame>,
}

impl Journal {
    /// Opens the journal of these conditions, or begins it. A last line that a kill left unfinished is dropped. Games that the
    /// conditions do not have are refused.
    pub(super) fn open(dir: &Path, conditions: &Conditions) -> Result<Self, PlayError> {
        fn io(path: &Path) -> impl FnOnce(std::io::Error) -> PlayError {
            move |error| PlayError::file(path, error)
        }
        fs::create_dir_all(dir).map_err(io(dir))?;
        let (settings, path) = (dir.join(CONDITIONS), dir.join(GAMES));
        // First: another match may begin in the same folder.
        let file = OpenOptions::new().create(true).append(true).open(&path).map_err(io(&path))?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => {
                let reason = "another match writes it; wait for its end, or name another folder with --out";
                return Err(PlayError::file(&path, reason));
            }
            outcome => outcome.map_err(|error| io(&path)(error.into()))?,
        }
        let wanted = serde_json::to_string_pretty(conditions).expect("conditions are JSON") + "\n";
        if settings.exists() {
            let found = bounded::read_text(&settings, bounded::TEXT).map_err(io(&settings))?;
            if !serde_json::from_str::<Conditions>(&found).is_ok_and(|found| found.are_those_of(conditions)) {
                let reason =
                    "the folder holds a match of other players, weights or conditions; name another folder with --out";
                return Err(PlayError::file(&settings, reason));
            }
        } else {
            atomic::replace(&settings, wanted.as_bytes()).map_err(io(&settings))?;
        }
        let text = bounded::read(&path, bounded::RECORD).map_err(io(&path))?;
        let whole = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        let schedule = Schedule::new(conditions.contestants.len(), conditions.pairs);
        let mut games = BTreeMap::new();
        for (number, line) in (1..).zip(text[..whole].split_inclusive(|&byte| byte == b'\n')) {
            let wrong = |reason| PlayError::at(&path, (format!(", line {number}"), reason));
            let game = game(line, schedule).map_err(wrong)?;
            games.insert(game.number, game);
        }
        file.set_len(whole as u64).map_err(io(&path))?;
        Ok(Self { file, path, games })
    }

    pub(super) fn add(&mut self, game: FinishedGame) -> Result<(), PlayError> {
        let line = serde_json::to_string(&game).expect("a game is JSON") + "\n";
        self.file.write_all(line.as_bytes()).map_err(|error| PlayError::file(&self.path, error))?;
        self.games.insert(game.number, game);
        Ok(())
    }

    pub(super) fn games(&self) -> &BTreeMap<u64, FinishedGame> {
        &self.games
    }
}

fn game(line: &[u8], schedule: Schedule) -> Result<FinishedGame, String> {
    let game: FinishedGame = serde_json::from_slice(line).map_err(|error| error.to_string())?;
    if game.number >= schedule.games() || game.players != schedule.slot(game.number).players {
        return Err(format!("this match has no game {} of the players {:?}", game.number, game.players));
    }
    Ok(game)
}
