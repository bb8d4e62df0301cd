//! Communication with an engine: handshake, options, games, searches.

use super::error::EngineError;
use super::info::{LONGEST_MOVE, Lines};
use super::process::{PipeFailure, Process};
use games::{GameKind, Notation};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// An option set before every game.
const THREADS: &str = "Threads";

/// The most options of an engine that are kept.
const MOST_OPTIONS: usize = 1_000;

/// The most characters of an engine's name and of its output in messages and records.
const LONGEST_TEXT: usize = 200;

/// A longer wait for an answer is cut to this.
const LONGEST_WAIT: Duration = Duration::from_secs(24 * 60 * 60);

#[derive(Debug, Clone)]
pub struct EngineSettings {
    pub program: PathBuf,
    pub arguments: Vec<String>,
    pub notation: Notation,
    pub options: Vec<(String, String)>,
    /// How many moves a search compares.
    pub multipv: usize,
    pub timeout: Duration,
}

impl EngineSettings {
    /// An engine of a game without arguments and options.
    pub fn new(program: impl Into<PathBuf>, game: GameKind, multipv: usize, timeout: Duration) -> Self {
        let (program, notation) = (program.into(), game.notation());
        Self { program, arguments: Vec::new(), notation, options: Vec::new(), multipv, timeout }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// A move in UCI or USI, legal or not.
    Move(String),
    Resigns,
    /// It declares that it has won (shogi: entering kings).
    DeclaresWin,
    Nothing,
}

#[derive(Debug, Clone, PartialEq)]
pub struct EngineSearch {
    pub lines: Lines,
    pub answer: Answer,
}

/// A running engine. It is killed on drop.
#[derive(Debug)]
pub struct Engine {
    process: Process,
    notation: Notation,
    name: String,
    timeout: Duration,
    has_threads: bool,
    last_line: String,
}

impl Engine {
    /// Starts the engine and sets it up: one thread, so that its games can be repeated, and the requested options.
    pub fn start(settings: &EngineSettings) -> Result<Self, EngineError> {
        let process = Process::start(&settings.program, &settings.arguments)
            .map_err(|source| EngineError::Start { program: settings.program.clone(), source })?;
        let mut engine = Self {
            process,
            notation: settings.notation,
            name: settings.program.display().to_string(),
            timeout: settings.timeout,
            has_threads: false,
            last_line: String::new(),
        };
        let known = engine.handshake()?;
        engine.has_threads = known.iter().any(|option| option == THREADS);
        for (option, value) in wanted(settings, &known) {
            engine.set(&known, &option, &value)?;
        }
        engine.wait_until_ready()?;
        Ok(engine)
    }

    /// Its name and version, as it reports them.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Resets the engine's state, so that the next game does not depend on the last.
    ///
    /// `ucinewgame` clears the hash table, but Stockfish and its relatives keep tables in their search threads, and
    /// Fairy-Stockfish's answers depend on them (one game in twenty differed). Setting the number of threads creates
    /// new ones.
    pub fn new_game(&mut self) -> Result<(), EngineError> {
        const TASK: &str = "begin a game";
        if self.has_threads {
            self.write_line("setoption name Threads value 1", TASK)?;
        }
        self.write_line(&format!("{}newgame", self.notation.name()), TASK)?;
        self.wait_until_ready()
    }

    /// Searches a position (`start`, `None` for the standard one, and the moves from there) over this many nodes;
    /// `only` restricts the search to some moves unless it is empty.
    /// The answer may be any text.
    pub fn search(
        &mut self,
        start: Option<&str>,
        moves: &[String],
        nodes: u64,
        only: &[String],
    ) -> Result<EngineSearch, EngineError> {
        const TASK: &str = "search a position";
        self.write_line(&position(self.notation, start, moves), TASK)?;
        let mut go = format!("go nodes {nodes}");
        if !only.is_empty() {
            go.push_str(" searchmoves ");
            go.push_str(&only.join(" "));
        }
        self.write_line(&go, TASK)?;
        let deadline = self.deadline();
        let mut lines = Lines::default();
        loop {
            let line = self.read_line(deadline, TASK)?;
            let mut words = line.split_ascii_whitespace();
            if words.next() == Some("bestmove") {
                return Ok(EngineSearch { lines, answer: parse_answer(words.next()) });
            }
            lines.record(self.notation, &line);
        }
    }

    /// Runs the handshake and returns the names of its options.
    fn handshake(&mut self) -> Result<Vec<String>, EngineError> {
        const TASK: &str = "introduce itself";
        self.write_line(self.notation.name(), TASK)?;
        let deadline = self.deadline();
        let mut options = Vec::new();
        loop {
            let line = self.read_line(deadline, TASK)?;
            if line.strip_suffix("ok") == Some(self.notation.name()) {
                return Ok(options);
            }
            if let Some(name) = line.strip_prefix("id name ") {
                self.name = cut(name.trim(), LONGEST_TEXT);
            } else if let Some(option) = line.strip_prefix("option name ")
                && options.len() < MOST_OPTIONS
            {
                let name = option.split_once(" type ").map_or(option, |(name, _)| name);
                options.push(cut(name.trim(), LONGEST_TEXT));
            }
        }
    }

    fn set(&mut self, known: &[String], option: &str, value: &str) -> Result<(), EngineError> {
        let Some(name) = known.iter().find(|name| name.eq_ignore_ascii_case(option)) else {
            return Err(EngineError::UnknownOption {
                engine: self.name.clone(),
                option: option.to_owned(),
                near: nearest(option, known).cloned(),
                known: known.join(", "),
            });
        };
        if name == THREADS && value.trim() != "1" {
            return Err(EngineError::NotReproducible {
                option: name.clone(),
                value: value.to_owned(),
                remedy: "use one thread each and more --processes",
            });
        }
        self.write_line(&format!("setoption name {name} value {value}"), "take an option")
    }

    fn wait_until_ready(&mut self) -> Result<(), EngineError> {
        const TASK: &str = "get ready";
        self.write_line("isready", TASK)?;
        let deadline = self.deadline();
        while self.read_line(deadline, TASK)? != "readyok" {}
        Ok(())
    }

    fn deadline(&self) -> Instant {
        Instant::now() + self.timeout.min(LONGEST_WAIT)
    }

    fn write_line(&mut self, line: &str, task: &'static str) -> Result<(), EngineError> {
        self.process.write_line(line).map_err(|cause| self.failed(cause, task))
    }

    fn read_line(&mut self, deadline: Instant, task: &'static str) -> Result<String, EngineError> {
        let line = self.process.read_line(deadline).map_err(|cause| self.failed(cause, task))?;
        if !line.is_empty() {
            self.last_line.clone_from(&line);
        }
        Ok(line)
    }

    fn failed(&self, cause: PipeFailure, task: &'static str) -> EngineError {
        let (engine, stderr_line) = (self.name.clone(), self.process.last_stderr_line(cause));
        let last_output = cut(if stderr_line.is_empty() { &self.last_line } else { &stderr_line }, LONGEST_TEXT);
        match cause {
            PipeFailure::Ended => EngineError::Ended { engine, task, last_output },
            PipeFailure::Timeout => EngineError::Silent { engine, task, seconds: self.timeout.as_secs(), last_output },
        }
    }
}

/// The command that sets up a position: from the standard start or from a text, by its moves.
fn position(notation: Notation, start: Option<&str>, moves: &[String]) -> String {
    let mut command = match (notation, start) {
        (_, None) => "position startpos".to_owned(),
        (Notation::Uci, Some(fen)) => format!("position fen {fen}"),
        (Notation::Usi, Some(sfen)) => format!("position sfen {sfen}"),
    };
    if !moves.is_empty() {
        command.push_str(" moves ");
        command.push_str(&moves.join(" "));
    }
    command
}

/// The options to set: first those of every engine that has them, then the requested ones.
fn wanted(settings: &EngineSettings, known: &[String]) -> Vec<(String, String)> {
    let has = |name: &str| known.iter().any(|option| option == name);
    let mut wanted = Vec::new();
    if has(THREADS) {
        wanted.push((THREADS.to_owned(), "1".to_owned()));
    }
    // An engine without the option compares one move, which is correct only if one is requested.
    if has("MultiPV") || settings.multipv > 1 {
        wanted.push(("MultiPV".to_owned(), settings.multipv.to_string()));
    }
    wanted.extend(settings.options.iter().cloned());
    wanted
}

/// The option most similar to a misspelt name: at most one edit in three characters, case ignored.
fn nearest<'a>(wrong: &str, known: &'a [String]) -> Option<&'a String> {
    let edits = |name: &String| strsim::osa_distance(&wrong.to_lowercase(), &name.to_lowercase());
    let near = known.iter().map(|name| (edits(name), name));
    let near = near.filter(|(edits, name)| *edits <= name.chars().count().max(3) / 3);
    near.min_by_key(|(edits, _)| *edits).map(|(_, name)| name)
}

fn parse_answer(word: Option<&str>) -> Answer {
    match word {
        Some("resign") => Answer::Resigns,
        Some("win") => Answer::DeclaresWin,
        None | Some("(none)" | "none" | "0000" | "pass") => Answer::Nothing,
        // What is cut was longer than any move, and is no move still.
        Some(mv) => Answer::Move(cut(mv, LONGEST_MOVE)),
    }
}

fn cut(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_said_as_each_protocol_wants_them() {
        let moves = ["7g7f".to_owned(), "3c3d".to_owned()];
        assert_eq!(position(Notation::Usi, None, &moves), "position startpos moves 7g7f 3c3d");
        assert_eq!(position(Notation::Uci, Some("8/8 w"), &[]), "position fen 8/8 w");
        assert_eq!(position(Notation::Usi, Some("9/9 b - 1"), &moves[..1]), "position sfen 9/9 b - 1 moves 7g7f");
    }

    #[test]
    fn answers_that_are_no_moves_are_known() {
        assert_eq!(parse_answer(Some("resign")), Answer::Resigns);
        assert_eq!(parse_answer(Some("win")), Answer::DeclaresWin);
        assert_eq!(parse_answer(Some("(none)")), Answer::Nothing);
        assert_eq!(parse_answer(None), Answer::Nothing);
        assert_eq!(parse_answer(Some("P*5e")), Answer::Move("P*5e".to_owned()));
        assert_eq!(parse_answer(Some(&"x".repeat(60_000))), Answer::Move("x".repeat(16)));
    }
}
