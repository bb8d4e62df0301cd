//! A player's attempts at puzzles, and their score: shares with intervals, by rating and theme, and a rating.
//!
//! Every move of the solver is tested at its place in the puzzle's line, so that one wrong move does not hide the others.

use super::read::Puzzle;
use crate::error::PlayError;
use crate::player::Player;
use crate::share::Share;
use games::referee::mating_among;
use games::{Position, Referee};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;
use std::str::FromStr;
use streams::Stream;
use strength::puzzle_rating;
use train::inference::Situation;

/// Width of a band of ratings, in Glicko points.
const BAND: u64 = 200;
/// A theme of fewer puzzles is not listed.
const FEWEST: u64 = 20;

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
    /// Whether each answer is the puzzle's move.
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
        let wrong = |reason| PlayError::at(file, (format!(", puzzle {}", puzzle.id), reason));
        let asked = asked::<G>(player, puzzle).map_err(wrong)?;
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

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Band {
    pub from: u64,
    /// The rating above the highest.
    pub to: u64,
    pub solved: Share,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Theme {
    pub name: String,
    pub solved: Share,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PuzzleScore {
    pub rule: &'static str,
    pub solved: Share,
    pub first_move: Share,
    /// Right moves of all that the solver must find.
    pub moves: Share,
    /// The same by the move's number, from 1.
    pub by_move: Vec<Share>,
    pub bands: Vec<Band>,
    /// By theme, the most frequent first; themes of fewer than 20 puzzles are left out.
    pub themes: Vec<Theme>,
    /// The rating of which these results are likeliest, and its standard error, in the points of the puzzles' ratings; none if the
    /// puzzles have no ratings, or all or none are solved.
    pub rating: Option<[f64; 2]>,
}

impl PuzzleScore {
    /// The score of these attempts, one for each puzzle.
    pub fn of(puzzles: &[Puzzle], attempts: &[Attempt], rule: Rule) -> Self {
        let solved: Vec<bool> = attempts.iter().map(|attempt| attempt.solves(rule)).collect();
        let longest = attempts.iter().map(|attempt| attempt.right.len()).max().unwrap_or(0);
        let by_move =
            (0..longest).map(|n| Share::of(attempts.iter().filter_map(|attempt| attempt.right.get(n).copied())));
        Self {
            rule: rule.name(),
            solved: Share::of(solved.iter().copied()),
            first_move: Share::of(attempts.iter().map(|attempt| attempt.right[0])),
            moves: Share::of(attempts.iter().flat_map(|attempt| attempt.right.iter().copied())),
            by_move: by_move.collect(),
            bands: bands(puzzles, &solved),
            themes: themes(puzzles, &solved),
            rating: rating(puzzles, &solved),
        }
    }
}

fn bands(puzzles: &[Puzzle], solved: &[bool]) -> Vec<Band> {
    let mut bands: BTreeMap<u64, Vec<bool>> = BTreeMap::new();
    for (puzzle, &solved) in puzzles.iter().zip(solved) {
        if let Some([rating, _]) = puzzle.rating {
            bands.entry(rating.max(0.0) as u64 / BAND).or_default().push(solved);
        }
    }
    let band = |(number, solved)| Band { from: number * BAND, to: (number + 1) * BAND, solved: Share::of(solved) };
    bands.into_iter().map(band).collect()
}

fn themes(puzzles: &[Puzzle], solved: &[bool]) -> Vec<Theme> {
    let mut themes: BTreeMap<&str, Vec<bool>> = BTreeMap::new();
    for (puzzle, &solved) in puzzles.iter().zip(solved) {
        for theme in &puzzle.themes {
            themes.entry(theme).or_default().push(solved);
        }
    }
    let theme = |(name, solved): (&str, Vec<bool>)| Theme { name: name.to_owned(), solved: Share::of(solved) };
    let mut themes: Vec<Theme> = themes.into_iter().map(theme).filter(|theme| theme.solved.of >= FEWEST).collect();
    // Stable: themes of one size stay in the order of their names.
    themes.sort_by_key(|theme| std::cmp::Reverse(theme.solved.of));
    themes
}

fn rating(puzzles: &[Puzzle], solved: &[bool]) -> Option<[f64; 2]> {
    let rated = puzzles.iter().zip(solved).filter_map(|(puzzle, &solved)| {
        puzzle.rating.map(|[rating, deviation]| puzzle_rating::Attempt { rating, deviation, solved })
    });
    puzzle_rating::rating(&rated.collect::<Vec<_>>())
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

    fn puzzle(rating: f64, themes: &[&str]) -> Puzzle {
        Puzzle {
            id: String::new(),
            start: None,
            before: Vec::new(),
            line: Vec::new(),
            rating: Some([rating, 80.0]),
            themes: themes.iter().map(|&theme| theme.to_owned()).collect(),
        }
    }

    #[test]
    fn shares_are_by_move_band_and_theme() {
        let puzzles = [puzzle(990.0, &["fork"]), puzzle(1010.0, &["fork", "pin"]), puzzle(1199.0, &["pin"])];
        let attempts = [&[true, true][..], &[true, false, true], &[false]];
        let attempts = attempts.map(|right| attempt(right, &vec![false; right.len()]));
        let score = PuzzleScore::of(&puzzles, &attempts, Rule::Strict);
        let counts = |share: &Share| (share.right, share.of);
        assert_eq!(counts(&score.solved), (1, 3));
        assert_eq!(counts(&score.first_move), (2, 3));
        assert_eq!(score.by_move.iter().map(counts).collect::<Vec<_>>(), [(2, 3), (1, 2), (1, 1)]);
        let bands: Vec<_> = score.bands.iter().map(|band| (band.from, counts(&band.solved))).collect();
        assert_eq!(bands, [(800, (1, 1)), (1000, (0, 2))]);
        assert!(score.themes.is_empty(), "fewer than 20 each");
        assert!(score.rating.is_some());
    }
}
