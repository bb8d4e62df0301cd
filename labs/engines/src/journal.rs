//! The journal: every finished game is one line, written at once, so that an interruption loses only the games in
//! progress. Lines are in the order in which games end; an index gives them in the order of their numbers.

use super::conditions::GenerationConditions;
use super::error::GenerateError;
use super::play::FinishedGame;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

const FILE: &str = "games.jsonl";

#[derive(Serialize, Deserialize)]
struct Header {
    conditions: GenerationConditions,
}

/// A journal with an exclusive lock on its file, released when the process ends.
#[derive(Debug)]
pub(super) struct Journal {
    dir: PathBuf,
    path: PathBuf,
    file: File,
    end: u64,
    /// The offset of each game's line, by its number.
    index: BTreeMap<u64, u64>,
}

impl Journal {
    /// Opens or creates the journal of a dataset. An incomplete last line is dropped.
    pub(super) fn open(output: &Path, conditions: &GenerationConditions) -> Result<Self, GenerateError> {
        let dir = folder(output)?;
        fs::create_dir_all(&dir).map_err(GenerateError::io("create", &dir))?;
        let path = dir.join(FILE);
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(GenerateError::io("open", &path))?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => return Err(GenerateError::Busy(dir)),
            outcome => outcome.map_err(|error| GenerateError::io("lock", &path)(error.into()))?,
        }
        let mut journal = Self { dir, path, file, end: 0, index: BTreeMap::new() };
        journal.read_back(conditions)?;
        if journal.end == 0 {
            journal.append(&Header { conditions: conditions.clone() })?;
        }
        Ok(journal)
    }

    pub(super) fn has(&self, number: u64) -> bool {
        self.index.contains_key(&number)
    }

    /// How many games with numbers below `games` it contains.
    pub(super) fn finished(&self, games: u64) -> u64 {
        self.index.range(..games).count() as u64
    }

    pub(super) fn push(&mut self, game: &FinishedGame) -> Result<(), GenerateError> {
        let begin = self.end;
        self.append(game)?;
        self.index.insert(game.number, begin);
        Ok(())
    }

    /// Its games with numbers below `games`, in order, read one by one.
    pub(super) fn games(&self, games: u64) -> impl Iterator<Item = Result<FinishedGame, GenerateError>> {
        self.index.range(..games).map(|(_, &begin)| self.game_at(begin))
    }

    pub(super) fn remove(self) -> Result<(), GenerateError> {
        fs::remove_dir_all(&self.dir).map_err(GenerateError::io("remove", &self.dir))
    }

    fn game_at(&self, begin: u64) -> Result<FinishedGame, GenerateError> {
        let mut line = Vec::new();
        let mut file = &self.file;
        file.seek(SeekFrom::Start(begin)).map_err(GenerateError::io("read", &self.path))?;
        let left = self.end - begin;
        BufReader::new(file.take(left)).read_until(b'\n', &mut line).map_err(GenerateError::io("read", &self.path))?;
        serde_json::from_slice(&line).map_err(|error| self.damaged(&error.to_string()))
    }

    fn append(&mut self, line: &impl Serialize) -> Result<(), GenerateError> {
        let mut text =
            serde_json::to_vec(line).map_err(io::Error::other).map_err(GenerateError::io("write", &self.path))?;
        text.push(b'\n');
        self.file.seek(SeekFrom::Start(self.end)).map_err(GenerateError::io("write", &self.path))?;
        self.file.write_all(&text).map_err(GenerateError::io("write", &self.path))?;
        self.end += text.len() as u64;
        Ok(())
    }

    /// Builds the index of the existing lines.
    fn read_back(&mut self, conditions: &GenerationConditions) -> Result<(), GenerateError> {
        let mut lines = BufReader::new(self.file.try_clone().map_err(GenerateError::io("read", &self.path))?);
        let mut line = Vec::new();
        loop {
            line.clear();
            let read = lines.read_until(b'\n', &mut line).map_err(GenerateError::io("read", &self.path))? as u64;
            if line.last() != Some(&b'\n') {
                break;
            }
            if self.end == 0 {
                self.check_header(&line, conditions)?;
            } else {
                let game: FinishedGame =
                    serde_json::from_slice(&line).map_err(|error| self.damaged(&error.to_string()))?;
                self.index.insert(game.number, self.end);
            }
            self.end += read;
        }
        self.file.set_len(self.end).map_err(GenerateError::io("write", &self.path))
    }

    fn check_header(&self, line: &[u8], conditions: &GenerationConditions) -> Result<(), GenerateError> {
        let header: Header = serde_json::from_slice(line).map_err(|error| self.damaged(&error.to_string()))?;
        let differences = differences(&header.conditions, conditions);
        if differences.is_empty() {
            return Ok(());
        }
        Err(GenerateError::OtherConditions { dir: self.dir.clone(), differences: differences.join(", ") })
    }

    fn damaged(&self, reason: &str) -> GenerateError {
        GenerateError::Journal { path: self.path.clone(), reason: reason.to_owned() }
    }
}

/// The hidden folder beside the dataset.
fn folder(output: &Path) -> Result<PathBuf, GenerateError> {
    let Some(name) = output.file_name() else {
        let reason = format!("\"{}\" is not the name of a folder", output.display());
        return Err(GenerateError::Option { option: "--out", reason });
    };
    Ok(output.with_file_name(format!(".{}.generating", name.to_string_lossy())))
}

fn differences(then: &GenerationConditions, now: &GenerationConditions) -> Vec<String> {
    let fields = |conditions| match serde_json::to_value(conditions) {
        Ok(serde_json::Value::Object(fields)) => fields,
        _ => serde_json::Map::new(),
    };
    let (then, now) = (fields(then), fields(now));
    let differ = now.iter().filter(|(name, value)| then.get(*name) != Some(value));
    differ
        .map(|(name, value)| {
            format!("{name} was {} and is {value}", then.get(name).unwrap_or(&serde_json::Value::Null))
        })
        .collect()
}
