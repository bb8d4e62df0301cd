//! A player's attempts at puzzles.
//!
//! Every move of the solver is tested at its place in the puzzle's line, so that one wrong move does not hide the others.

use super::read::Puzzle;
use crate::error::PlayError;
use crate::player::Player;
use games::referee::mating_among;
use games::{Position, Referee};
use std::path::Path;
use std::str::FromStr;
use streams::Stream;
use train::inference::Situation;

games::named! {
    /// When a puzzle counts as solved.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Rule {
        /// Every move of the solver is the line's, up to a move that gives mate, whichever it is: the rule of searchless_chess
        /// (Ruoss et al. 2024, `puzzles.py`).
        AnyMate = "any_mate",
        /// Every move of the solver is the line's.
        Strict = "strict",
    }
}

impl FromStr for Rule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|rule| rule.name() == text);
        found.ok_or_else(|| "the rules are `any_mate` and `strict`".to_owned())
    }
}

/// The answer of a player to a puzzle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// Its moves, in UCI, one for each of the solver's.
    pub answers: Vec<String>,
    /// Whether each is the line's.
    pub right: Vec<bool>,
    pub mates: Vec<bool>,
}

impl Attempt {
    pub fn solves(&self, rule: Rule) -> bool {
        match self.right.iter().position(|right| !right) {
            None => true,
            Some(wrong) => rule == Rule::AnyMate && self.mates[wrong],
        }
    }
}

/// The answers of a player to every puzzle of a file. `file` is where they come from, for errors.
pub fn attempts<G: Referee>(
    player: &Player<'_>,
    puzzles: &[Puzzle],
    file: &Path,
    stream: &mut Stream,
) -> Result<Vec<Attempt>, PlayError> {
    let mut situations = Vec::new();
    let mut wanted = Vec::new();
    for puzzle in puzzles {
        let asked = asked::<G>(player, puzzle).map_err(|reason| PlayError::File {
            file: file.to_owned(),
            place: format!(", puzzle {}", puzzle.id),
            reason,
        })?;
        wanted.push(asked.iter().map(|(_, mv)| mv.clone()).collect::<Vec<_>>());
        situations.extend(asked.into_iter().map(|(situation, _)| situation));
    }
    let all: Vec<&Situation<G>> = situations.iter().collect();
    let mut decisions = player.decide(&all, stream)?.into_iter().zip(&situations);
    let attempt = |wanted: Vec<String>| {
        let mut attempt = Attempt { answers: Vec::new(), right: Vec::new(), mates: Vec::new() };
        for (wanted, (decision, situation)) in wanted.into_iter().zip(&mut decisions) {
            let answer = decision.text().unwrap_or_default().to_owned();
            attempt.right.push(answer == wanted);
            attempt.mates.push(mates::<G>(situation, &answer));
            attempt.answers.push(answer);
        }
        attempt
    };
    Ok(wanted.into_iter().map(attempt).collect())
}

/// The situations in which the solver moves, each with the line's move in the rules' own notation.
fn asked<G: Referee>(player: &Player<'_>, puzzle: &Puzzle) -> Result<Vec<(Situation<G>, String)>, String> {
    let start = G::Position::beginning(puzzle.start.as_deref()).map_err(|error| error.to_string())?;
    let mut situation = Situation::<G>::of_run(start, &player.cell().config);
    let mut asked = Vec::new();
    for mv in &puzzle.before {
        let mv = situation.position().parse_move(mv).map_err(|error| error.to_string())?;
        situation.play(mv);
    }
    for (place, text) in puzzle.line.iter().enumerate() {
        let mv = situation.position().parse_move(text).map_err(|error| error.to_string())?;
        if place % 2 == 1 {
            asked.push((situation.clone(), situation.position().move_text(mv)));
        }
        situation.play(mv);
    }
    Ok(asked)
}

fn mates<G: Referee>(situation: &Situation<G>, answer: &str) -> bool {
    let position = situation.position();
    position.parse_move(answer).is_ok_and(|mv| !mating_among(position, &[mv]).is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attempt(right: &[bool], mates: &[bool]) -> Attempt {
        Attempt { answers: vec![String::new(); right.len()], right: right.to_vec(), mates: mates.to_vec() }
    }

    #[test]
    fn any_mate_ends_a_puzzle_and_any_other_wrong_move_loses_it() {
        let both = |attempt: &Attempt| [Rule::AnyMate, Rule::Strict].map(|rule| attempt.solves(rule));
        assert_eq!(both(&attempt(&[true, true], &[false, true])), [true, true]);
        assert_eq!(both(&attempt(&[true, false], &[false, true])), [true, false]);
        assert_eq!(both(&attempt(&[false, true], &[false, true])), [false, false]);
        // Moves after the mate are not tested.
        assert_eq!(both(&attempt(&[false, false], &[true, false])), [true, false]);
    }
}
