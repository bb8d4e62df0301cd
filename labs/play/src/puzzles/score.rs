//! How a player does on a file of puzzles: shares with intervals, by rating and theme, and a rating.

use super::read::Puzzle;
use super::solve::{Attempt, Rule};
use crate::share::Share;
use serde::Serialize;
use std::collections::BTreeMap;
use strength::puzzle_rating;

/// Width of a band of ratings, in Glicko points.
const BAND: u64 = 200;
/// A theme of fewer puzzles is not listed.
const FEWEST: u64 = 20;

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
    /// Puzzles whose first move was right.
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
        let attempt =
            |right: &[bool]| Attempt { answers: Vec::new(), right: right.to_vec(), mates: vec![false; right.len()] };
        let attempts = [attempt(&[true, true]), attempt(&[true, false, true]), attempt(&[false])];
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
