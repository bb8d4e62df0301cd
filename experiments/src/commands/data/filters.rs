//! The filters of an import on the command line.

use crate::commands::options::by_name;
use dataset::filter::Range;
use dataset::{Buckets, Filters};
use games::{GameResult, Termination};

/// The filters of an import.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Filters")]
pub(super) struct FilterArgs {
    /// Both players' ratings: 2000 (and more), ..1500, 1000..1500.
    #[arg(long, value_name = "RANGE")]
    rating_each: Option<Range>,
    /// The average of both ratings.
    #[arg(long, value_name = "RANGE")]
    rating_average: Option<Range>,
    /// The winner's rating (both players' in a draw).
    #[arg(long, value_name = "RANGE")]
    rating_winner: Option<Range>,
    /// Minimum minutes on the clock at the start.
    #[arg(long, value_name = "MINUTES")]
    min_minutes: Option<f64>,
    /// Minimum increment in seconds.
    #[arg(long, value_name = "SECONDS")]
    min_increment: Option<f64>,
    /// Keep only games with these results: first_wins, second_wins, draw, unknown.
    #[arg(long, value_name = "RESULT", value_delimiter = ',')]
    #[arg(value_parser = by_name("results", &GameResult::ALL, GameResult::name))]
    result: Vec<GameResult>,
    /// Keep only games with this termination: checkmate, resignation (%TORYO), declaration (%KACHI), time, …
    #[arg(long, value_name = "ENDING", value_delimiter = ',')]
    #[arg(value_parser = by_name("terminations", &Termination::ALL, Termination::name))]
    termination: Vec<Termination>,
    /// Minimum number of plies.
    #[arg(long, value_name = "N")]
    min_plies: Option<u16>,
    /// Skip the positions before this ply (the first is 0).
    #[arg(long, value_name = "N")]
    skip_plies: Option<u16>,
    /// Skip the positions in which the loser moves (a draw has none).
    #[arg(long)]
    winner_only: bool,
    /// Skip positions in check.
    #[arg(long)]
    drop_in_check: bool,
    /// Skip positions with a single legal move.
    #[arg(long)]
    drop_forced: bool,
    /// Games of this many plies were cut off: their result is unknown, not a draw.
    #[arg(long, value_name = "N")]
    ply_cap: Option<u32>,
    /// Read `[%eval]` in PGN as the value of the position after the move, as Lichess writes it. In games that an engine
    /// played it is the value of the position before the move, the default.
    #[arg(long)]
    pub(super) eval_after: bool,
    /// Stop after this many kept games.
    #[arg(long, value_name = "N")]
    max_games: Option<u64>,
    /// Name subsets by average rating between these bounds, e.g. 500,1000,1500,2000,2500.
    #[arg(long, value_name = "BOUNDS", value_delimiter = ',')]
    rating_buckets: Vec<i32>,
}

impl FilterArgs {
    pub(super) fn filters(&self) -> Filters {
        Filters {
            max_games: self.max_games,
            ply_cap: self.ply_cap,
            eval_after: self.eval_after,
            rating_each: self.rating_each,
            rating_average: self.rating_average,
            rating_winner: self.rating_winner,
            min_minutes: self.min_minutes,
            min_increment: self.min_increment,
            results: (!self.result.is_empty()).then(|| self.result.clone()),
            terminations: (!self.termination.is_empty()).then(|| self.termination.clone()),
            min_plies: self.min_plies,
            skip_plies: self.skip_plies,
            winner_only: self.winner_only,
            drop_in_check: self.drop_in_check,
            drop_forced: self.drop_forced,
        }
    }

    pub(super) fn buckets(&self) -> Buckets {
        Buckets::new(self.rating_buckets.clone())
    }

    /// The same as words of a command line.
    pub(super) fn words(&self) -> Vec<String> {
        fn option(name: &str, value: Option<impl ToString>) -> Option<String> {
            value.map(|value| format!("--{name} {}", value.to_string()))
        }
        fn names<T: Copy>(name: &str, list: &[T], of: fn(T) -> &'static str) -> Option<String> {
            let names: Vec<&str> = list.iter().map(|&item| of(item)).collect();
            (!names.is_empty()).then(|| format!("--{name} {}", names.join(",")))
        }
        let flag = |name: &str, set: bool| set.then(|| format!("--{name}"));
        let bounds: Vec<String> = self.rating_buckets.iter().map(i32::to_string).collect();
        [
            option("ply-cap", self.ply_cap),
            flag("eval-after", self.eval_after),
            option("max-games", self.max_games),
            option("rating-each", self.rating_each),
            option("rating-average", self.rating_average),
            option("rating-winner", self.rating_winner),
            option("min-minutes", self.min_minutes),
            option("min-increment", self.min_increment),
            names("result", &self.result, GameResult::name),
            names("termination", &self.termination, Termination::name),
            option("min-plies", self.min_plies),
            option("skip-plies", self.skip_plies),
            flag("winner-only", self.winner_only),
            flag("drop-in-check", self.drop_in_check),
            flag("drop-forced", self.drop_forced),
            (!bounds.is_empty()).then(|| format!("--rating-buckets {}", bounds.join(","))),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}
