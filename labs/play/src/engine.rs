//! A player that speaks to programs: UCI for chess, USI for shogi.
//!
//! UCI: Meyer-Kahlen and Huber's protocol of 2006. USI: its translation to shogi,
//! <http://shogidokoro.starfree.jp/usi.html>. Policies and values answer at once; a search makes its visits, or those of `nodes`,
//! within the time, by smaller batches, and until `stop`. `infinite` and `ponder` hold the answer back until `stop` or `ponderhit`.
//! Unknown input is ignored, as in UCI; a position that cannot be set up gives an `info string`.

mod limits;
mod options;

use crate::decision::Decision;
use crate::error::PlayError;
use crate::player::Player;
use games::{Notation, Position, Referee};
use limits::SearchLimits;
use streams::{Stream, stream};
use train::inference::{Loaded, Situation};

pub use limits::Interrupts;
pub use options::Settings;

/// The most moves of a position's history: no game is longer, and junk may be.
const MOST_MOVES: usize = 10_000;

/// Whether the engine reads another line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    Line,
    Quit,
}

/// An engine between two lines of input.
pub struct Engine<'a, G: Referee> {
    cell: &'a Loaded,
    name: String,
    settings: Settings,
    situation: Situation<G>,
    /// The answer that waits for `stop` or `ponderhit`.
    held: Option<String>,
    stream: Stream,
    interrupts: Interrupts,
}

impl<'a, G: Referee> Engine<'a, G> {
    /// The engine of a cell; `name` is its answer to `uci`.
    pub fn new(cell: &'a Loaded, name: String, settings: Settings) -> Self {
        let stream = stream(settings.seed, &["play"]);
        let situation = Situation::of_run(G::Position::start(), &cell.config);
        Self { cell, name, settings, situation, held: None, stream, interrupts: Interrupts::default() }
    }

    /// For whoever reads the lines while the engine may search.
    pub fn interrupts(&self) -> Interrupts {
        self.interrupts.clone()
    }

    /// Reads a line and adds the lines that answer it.
    /// Invalid lines are not errors.
    pub fn line(&mut self, line: &str, out: &mut Vec<String>) -> Result<Next, PlayError> {
        let mut words = line.split_ascii_whitespace();
        let Some(command) = words.next() else { return Ok(Next::Line) };
        let words: Vec<&str> = words.collect();
        match command {
            "uci" | "usi" if command == G::NOTATION.name() => self.introduce(out),
            "isready" => out.push("readyok".to_owned()),
            "setoption" => out.extend(self.set_option(&words).err().map(|reason| format!("info string {reason}"))),
            "ucinewgame" | "usinewgame" => {
                self.stream = stream(self.settings.seed, &["play"]);
                self.situation = Situation::of_run(G::Position::start(), &self.cell.config);
            }
            "position" => out.extend(self.set_up(&words).err().map(|reason| format!("info string {reason}"))),
            "go" => self.go(&words, out)?,
            "stop" | "ponderhit" => {
                self.interrupts.answered();
                out.extend(self.held.take());
            }
            "quit" => return Ok(Next::Quit),
            _ => {}
        }
        Ok(Next::Line)
    }

    fn introduce(&self, out: &mut Vec<String>) {
        out.push(format!("id name {}", self.name));
        out.push("id author posenc".to_owned());
        out.extend(self.settings.options(G::NOTATION));
        out.push(format!("{}ok", G::NOTATION.name()));
    }

    /// Sets an option. An agent that needs an output which the network lacks is refused; a seed starts its draws.
    fn set_option(&mut self, words: &[&str]) -> Result<(), String> {
        let before = self.settings;
        let name = self.settings.set(words)?;
        let Settings { agent, seed, .. } = self.settings;
        match name.as_str() {
            "agent" => Player::new(self.cell, agent).check_outputs::<G>().map_err(|error| {
                self.settings = before;
                one_line(error)
            })?,
            "seed" => self.stream = stream(seed, &["play"]),
            _ => {}
        }
        Ok(())
    }

    /// Sets up a position; of moves up to the first that is not legal. With too many the position before stays.
    fn set_up(&mut self, words: &[&str]) -> Result<(), String> {
        let at = words.iter().position(|&word| word == "moves").unwrap_or(words.len());
        let (start, moves) = (&words[..at], words.get(at + 1..).unwrap_or_default());
        if moves.len() > MOST_MOVES {
            return Err(format!("a position has at most {MOST_MOVES} moves, and this one {}", moves.len()));
        }
        let start = match start {
            ["startpos"] => G::Position::start(),
            ["fen" | "sfen", fields @ ..] => G::Position::parse(&fields.join(" ")).map_err(one_line)?,
            _ => return Err("a position is `startpos`, or `fen` or `sfen` with its fields".to_owned()),
        };
        self.situation = Situation::of_run(start, &self.cell.config);
        for text in moves {
            let mv = self.situation.position().parse_move(text).map_err(one_line)?;
            self.situation.play(mv);
        }
        Ok(())
    }

    fn go(&mut self, words: &[&str], out: &mut Vec<String>) -> Result<(), PlayError> {
        self.held = None;
        // USI has an answer for engines that do not search for mates; UCI has none, so there the best move is the answer.
        if G::NOTATION == Notation::Usi && words.first() == Some(&"mate") {
            out.push("checkmate notimplemented".to_owned());
            return Ok(());
        }
        let decision = self.decide(words)?;
        out.extend(self.settings.info(G::NOTATION, &decision));
        let nothing = if G::NOTATION == Notation::Usi { "resign" } else { "(none)" };
        let best = format!("bestmove {}", decision.text().unwrap_or(nothing));
        if words.iter().any(|&word| word == "infinite" || word == "ponder") {
            self.held = Some(best);
        } else {
            out.push(best);
        }
        Ok(())
    }

    /// The player's decision, among the moves after `searchmoves` if there are any.
    fn decide(&mut self, words: &[&str]) -> Result<Decision, PlayError> {
        let limits = SearchLimits::of(words, G::NOTATION, self.situation.position().side_to_move());
        let agent = self.settings.agent;
        let player = Player::new(self.cell, limits.nodes.map_or(agent, |nodes| agent.with_visits(nodes)));
        let is_stopped = || self.interrupts.is_pending();
        let decided = player.decide_until(&[&self.situation], &mut self.stream, &is_stopped, limits.end())?.pop();
        let mut decision = decided.expect("there is a decision for each situation");
        let Some(at) = words.iter().position(|&word| word == "searchmoves") else { return Ok(decision) };
        let position = self.situation.position();
        let legal = words[at + 1..].iter().map_while(|text| position.parse_move(text).ok());
        let only: Vec<String> = legal.map(|mv| position.move_text(mv)).collect();
        if !only.is_empty() {
            let chosen = decision.text().map(str::to_owned);
            decision.moves.retain(|mv| only.contains(&mv.text));
            let kept = decision.moves.iter().position(|mv| Some(&mv.text) == chosen.as_ref());
            decision.chosen = kept.unwrap_or(0);
        }
        Ok(decision)
    }
}

/// An error's text as one line.
fn one_line(error: impl std::fmt::Display) -> String {
    error.to_string().lines().next().unwrap_or_default().to_owned()
}
