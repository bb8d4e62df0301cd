//! Adjudication of games before the rules end them.

use crate::engine::points;
use games::{GameResult, Score, Termination};
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// A game is won by a player whose score is at least `points` for this many plies in a row, by both engines' scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct WinRule {
    /// Centipawns; a mate counts as more than any score.
    pub points: u16,
    pub plies: u16,
}

impl FromStr for WinRule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        // At 0 points an even score would be a win.
        let numbers = numbers::<2>(text).filter(|[points, _]| *points > 0);
        let [points, plies] = numbers.ok_or("expected CP:PLIES, e.g. 1500:8")?;
        Ok(Self { points, plies })
    }
}

/// A game is drawn if both scores are within ±`points` for this many plies in a row, from a ply on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DrawRule {
    pub points: u16,
    pub plies: u16,
    pub from_ply: u16,
}

impl FromStr for DrawRule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let [points, plies, from_ply] = numbers(text).ok_or("expected CP:PLIES:FROM, e.g. 8:16:80")?;
        Ok(Self { points, plies, from_ply })
    }
}

/// This many numbers, separated by colons; the second, the plies in a row, is at least one.
fn numbers<const N: usize>(text: &str) -> Option<[u16; N]> {
    let numbers: Vec<u16> = text.split(':').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    <[u16; N]>::try_from(numbers).ok().filter(|numbers| numbers[1] > 0)
}

/// Tracks the scores of one game.
#[derive(Debug)]
pub struct Adjudicator {
    win: Option<WinRule>,
    draw: Option<DrawRule>,
    /// Who is winning, and for how many plies.
    winning: Option<GameResult>,
    winning_plies: u16,
    quiet_plies: u16,
}

impl Adjudicator {
    pub fn new(win: Option<WinRule>, draw: Option<DrawRule>) -> Self {
        Self { win, draw, winning: None, winning_plies: 0, quiet_plies: 0 }
    }

    /// Adds the score of the next ply, from the first player's point of view; returns the result if this decides the
    /// game. A ply without a score ends every row.
    pub fn observe(&mut self, ply: usize, score: Option<Score>) -> Option<(GameResult, Termination)> {
        let score = score.map(points);
        let result = self.won(score).or_else(|| self.drawn(ply, score))?;
        Some((result, Termination::Adjudication))
    }

    fn won(&mut self, score: Option<i32>) -> Option<GameResult> {
        let rule = self.win?;
        let winner = score
            .filter(|score| score.abs() >= i32::from(rule.points))
            .map(|score| if score > 0 { GameResult::FirstWins } else { GameResult::SecondWins });
        self.winning_plies = match winner {
            None => 0,
            winner if winner == self.winning => self.winning_plies + 1,
            Some(_) => 1,
        };
        self.winning = winner;
        winner.filter(|_| self.winning_plies >= rule.plies)
    }

    fn drawn(&mut self, ply: usize, score: Option<i32>) -> Option<GameResult> {
        let rule = self.draw?;
        let quiet =
            score.is_some_and(|score| score.abs() <= i32::from(rule.points)) && ply >= usize::from(rule.from_ply);
        self.quiet_plies = if quiet { self.quiet_plies + 1 } else { 0 };
        (self.quiet_plies >= rule.plies).then_some(GameResult::Draw)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(win: Option<&str>, draw: Option<&str>, scores: &[i32]) -> Option<(usize, GameResult)> {
        let rule = |text: &str| text.parse().expect("a rule");
        let mut adjudicator = Adjudicator::new(win.map(rule), draw.map(|text| text.parse().expect("a rule")));
        let mut ends = scores.iter().enumerate().filter_map(|(ply, &score)| {
            adjudicator.observe(ply, Some(Score::Centipawns(score))).map(|(result, _)| (ply, result))
        });
        ends.next()
    }

    #[test]
    fn a_win_needs_a_row_of_the_same_sign() {
        assert_eq!(end(Some("500:3"), None, &[600, 700, 499, 600, 700, 500]), Some((5, GameResult::FirstWins)));
        assert_eq!(end(Some("500:3"), None, &[600, 700, -600, -700, -500]), Some((4, GameResult::SecondWins)));
        assert_eq!(end(None, None, &[9000; 9]), None);
    }

    #[test]
    fn a_draw_needs_a_row_of_small_scores_late_enough() {
        assert_eq!(end(None, Some("8:3:4"), &[0; 9]), Some((6, GameResult::Draw)));
        assert_eq!(end(None, Some("8:3:0"), &[0, 8, -9, 0, -8, 8]), Some((5, GameResult::Draw)));
    }

    #[test]
    fn a_ply_without_a_score_interrupts_the_row() {
        let mut adjudicator = Adjudicator::new(Some(WinRule { points: 100, plies: 2 }), None);
        let winning = Some(Score::MateIn(3));
        assert_eq!(adjudicator.observe(0, winning), None);
        assert_eq!(adjudicator.observe(1, None), None);
        assert_eq!(adjudicator.observe(2, winning), None);
        assert_eq!(adjudicator.observe(3, winning), Some((GameResult::FirstWins, Termination::Adjudication)));
    }

    #[test]
    fn rules_are_read_or_refused() {
        assert_eq!("1500:8".parse(), Ok(WinRule { points: 1500, plies: 8 }));
        for wrong in ["", "1500", "1500:8:1", "1500:0", "0:8", "-5:3", "a:b"] {
            assert!(wrong.parse::<WinRule>().is_err(), "{wrong}");
        }
        assert!("8:16".parse::<DrawRule>().is_err());
    }
}
