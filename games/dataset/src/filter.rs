//! Filters of an import.
//!
//! Game filters look at the record and drop whole games. Position filters keep the game, because later positions need
//! its moves for their history, and mark the positions: the loader replays them but does not deliver them. Every
//! excluded game or position is counted once, at the first filter (in the order of the fields here) that it fails; a
//! game without remaining positions is counted at [`NO_POSITION`].

use crate::playback::Move;
use crate::time_control::{self, TimeControl};
use games::{Game, GameResult, ParsedGame, Position, Termination};
use serde::{Deserialize, Serialize};
use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

/// The count of games whose positions are all excluded.
pub const NO_POSITION: &str = "no_position_left";

/// The count of games without moves: valid records without a position.
pub const NO_MOVES: &str = "no_moves";

/// The filters of an import; `None` or false excludes nothing.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Filters {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_games: Option<u64>,
    /// Games were stopped at this many plies: their result is unknown, not a draw.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ply_cap: Option<u32>,
    /// Scores are those of the positions after the moves, not before them.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub eval_after: bool,
    /// Both players' ratings must be in this range.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rating_each: Option<Range>,
    /// The average of both ratings must be in this range.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rating_average: Option<Range>,
    /// The winner's rating must be in this range (both players' in a draw).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rating_winner: Option<Range>,
    /// At least this many minutes at the start; games without a time control are excluded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_minutes: Option<f64>,
    /// At least this many seconds of increment; games without a time control are excluded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_increment: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub results: Option<Vec<GameResult>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terminations: Option<Vec<Termination>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_plies: Option<u16>,
    /// Positions before this ply (counted from 0) are excluded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skip_plies: Option<u16>,
    /// Positions with the loser to move are excluded, and all of games without a known result; in a draw none are.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub winner_only: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub drop_in_check: bool,
    /// Positions with a single legal move are excluded.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub drop_forced: bool,
}

/// The error about filters that single positions do not support.
pub(crate) const OF_GAMES_ONLY: &str = "single positions have neither ratings nor a time control nor a length: \
                                        these filters need records of games";

impl Filters {
    /// The first filter that a game fails.
    pub fn game(&self, game: &ParsedGame) -> Option<&'static str> {
        let both = game.ratings[0].zip(game.ratings[1]);
        let average = both.map(|(first, second)| mean(first, second));
        let winner: Vec<Option<i32>> = match game.result {
            GameResult::FirstWins => vec![game.ratings[0]],
            GameResult::SecondWins => vec![game.ratings[1]],
            GameResult::Draw | GameResult::Unknown => game.ratings.to_vec(),
        };
        let holds = |range: &Option<Range>, ratings: &[Option<i32>]| {
            let inside = |range: &Range| ratings.iter().all(|rating| rating.is_some_and(|r| range.holds(r.into())));
            range.as_ref().is_none_or(inside)
        };
        let time = time_control::written(&game.tags).and_then(TimeControl::read);
        let checks = [
            ("rating_each", holds(&self.rating_each, &game.ratings)),
            (
                "rating_average",
                self.rating_average.as_ref().is_none_or(|range| average.is_some_and(|average| range.holds(average))),
            ),
            ("rating_winner", holds(&self.rating_winner, &winner)),
            ("min_minutes", self.min_minutes.is_none_or(|min| time.is_some_and(|time| time.base_s >= 60.0 * min))),
            ("min_increment", self.min_increment.is_none_or(|min| time.is_some_and(|time| time.increment_s >= min))),
            ("results", self.results.as_ref().is_none_or(|results| results.contains(&game.result))),
            ("terminations", self.terminations.as_ref().is_none_or(|kinds| kinds.contains(&game.termination))),
            ("min_plies", self.min_plies.is_none_or(|min| game.moves.len() >= usize::from(min))),
        ];
        checks.into_iter().find(|&(_, passes)| !passes).map(|(name, _)| name)
    }

    /// Whether any filter examines single positions.
    pub fn looks_at_positions(&self) -> bool {
        self.skip_plies.is_some() || self.winner_only || self.drop_in_check || self.drop_forced
    }

    /// Whether any filter needs a record of a whole game.
    pub(crate) fn looks_at_games(&self) -> bool {
        let ratings =
            [&self.rating_each, &self.rating_average, &self.rating_winner].iter().any(|range| range.is_some());
        let times = self.min_minutes.is_some() || self.min_increment.is_some();
        ratings || times || self.min_plies.is_some() || self.ply_cap.is_some()
    }

    /// The first filter that a position fails. `ply` counts from 0; `legal` is a buffer for the legal moves.
    pub(crate) fn position<G: Game>(
        &self,
        position: &G::Position,
        ply: usize,
        result: GameResult,
        legal: &mut Vec<Move<G>>,
    ) -> Option<&'static str> {
        if self.skip_plies.is_some_and(|plies| ply < usize::from(plies)) {
            return Some("skip_plies");
        }
        let points = result.points_of(position.side_to_move());
        if self.winner_only && points.is_none_or(|points| points == 0.0) {
            return Some("winner_only");
        }
        if self.drop_in_check && position.in_check() {
            return Some("drop_in_check");
        }
        if self.drop_forced {
            position.legal_moves(legal);
            return (legal.len() == 1).then_some("drop_forced");
        }
        None
    }
}

/// Ratings from `from` (inclusive) to `to` (exclusive); `None` is unbounded. Written `2000..`, `..1500`, `1000..1500`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Range {
    pub from: Option<i32>,
    pub to: Option<i32>,
}

impl Range {
    pub fn holds(&self, rating: f64) -> bool {
        self.from.is_none_or(|from| rating >= f64::from(from)) && self.to.is_none_or(|to| rating < f64::from(to))
    }
}

impl FromStr for Range {
    type Err = String;

    /// Reads `2000` or `2000..` (2000 or more), `..1500` (less than 1500), `1000..1500`.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("\"{text}\" is not a range of ratings: write 2000, 2000.., ..1500 or 1000..1500");
        let (from, to) = text.split_once("..").unwrap_or((text, ""));
        let end = |text: &str| (!text.is_empty()).then(|| text.parse()).transpose().map_err(|_| wrong());
        let range = Self { from: end(from)?, to: end(to)? };
        let empty = range.from.zip(range.to).is_some_and(|(from, to)| from >= to);
        if empty || (range.from, range.to) == (None, None) { Err(wrong()) } else { Ok(range) }
    }
}

impl Display for Range {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let end = |end: Option<i32>| end.map_or_else(String::new, |end| end.to_string());
        write!(f, "{}..{}", end(self.from), end(self.to))
    }
}

/// The average of two ratings, whose sum may be no i32.
pub(crate) fn mean(first: i32, second: i32) -> f64 {
    (f64::from(first) + f64::from(second)) / 2.0
}

/// Named subsets by the average of both ratings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Buckets(Vec<i32>);

impl Buckets {
    /// Subsets between these bounds, one below the first and one above the last. Without bounds there are no subsets.
    pub fn new(mut bounds: Vec<i32>) -> Self {
        bounds.sort_unstable();
        bounds.dedup();
        Self(bounds)
    }

    /// All names, from the lowest ratings up.
    pub fn names(&self) -> Vec<String> {
        if self.0.is_empty() { Vec::new() } else { (0..=self.0.len()).map(|i| self.name(i)).collect() }
    }

    /// The subset of a game; `None` if there are none, or a rating is unknown.
    pub fn of(&self, ratings: [Option<i32>; 2]) -> Option<String> {
        let average = mean(ratings[0]?, ratings[1]?);
        let above = self.0.iter().filter(|&&bound| average >= f64::from(bound)).count();
        (!self.0.is_empty()).then(|| self.name(above))
    }

    fn name(&self, i: usize) -> String {
        match (i.checked_sub(1).map(|below| self.0[below]), self.0.get(i)) {
            (None, Some(to)) => format!("below-{to}"),
            (Some(from), Some(to)) => format!("{from}-{to}"),
            (from, None) => format!("{}-up", from.unwrap_or(0)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_half_open() {
        let range: Range = "1000..1500".parse().expect("a range");
        assert_eq!([999.5, 1000.0, 1499.5, 1500.0].map(|rating| range.holds(rating)), [false, true, true, false]);
        assert_eq!("2000".parse(), "2000..".parse::<Range>());
        assert!("..900".parse::<Range>().expect("a range").holds(-5.0));
        for wrong in ["", "..", "x", "5..x", "9..5", "5..5"] {
            assert!(wrong.parse::<Range>().expect_err("no range").contains("is not a range of ratings"), "{wrong}");
        }
    }

    #[test]
    fn buckets_cover_every_rating() {
        let buckets = Buckets::new(vec![500, 1000, 1500]);
        assert_eq!(buckets.names(), ["below-500", "500-1000", "1000-1500", "1500-up"]);
        for (ratings, name) in
            [([0, 0], "below-500"), ([400, 600], "500-1000"), ([999, 1000], "500-1000"), ([1500, 1500], "1500-up")]
        {
            assert_eq!(buckets.of(ratings.map(Some)).as_deref(), Some(name));
        }
        assert_eq!(buckets.of([Some(1), None]), None);
        assert_eq!(buckets.of([Some(i32::MAX); 2]).as_deref(), Some("1500-up"));
        assert_eq!(buckets.of([Some(i32::MIN); 2]).as_deref(), Some("below-500"));
        assert_eq!(Buckets::default().of([Some(1), Some(1)]), None);
    }
}
