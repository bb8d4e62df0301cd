//! Why there are no ratings.

/// Why there are no ratings.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RatingError {
    #[error("there are no games to rate")]
    Empty,
    /// A pairing of a player with itself.
    #[error("{0} is paired with itself; name two different players")]
    Itself(String),
    /// The anchor did not play.
    #[error("the anchor {0} has no games; name a player of the schedule")]
    UnknownAnchor(String),
    /// A prior or anchor that is not a number in its range.
    #[error("{what} must be {range}, got {value}")]
    NotANumber { what: &'static str, range: &'static str, value: f64 },
    /// Nobody who is connected with one player met the other.
    #[error("no chain of games connects {player} with {other}; play more games, or give a prior")]
    Disconnected {
        player: String,
        /// A player of another part of the schedule.
        other: String,
    },
    /// All points against the rest, alone or as a group.
    #[error("{player}{} won every game against the others, so the rating is infinite; give a prior", group(*companions))]
    OnlyWins {
        player: String,
        /// How many others are in the same group.
        companions: usize,
    },
    /// No points against the rest, alone or as a group.
    #[error("{player}{} lost every game against the others, so the rating is infinite; give a prior", group(*companions))]
    OnlyLosses {
        player: String,
        /// How many others are in the same group.
        companions: usize,
    },
    /// The likelihood has no maximum, as when all games are drawn or one side never loses but draws.
    #[error(
        "the rating of {player} grows without limit, as if draws had no rate; count draws as half, or give a prior"
    )]
    Diverges {
        /// The player with the most extreme rating.
        player: String,
    },
}

fn group(companions: usize) -> String {
    if companions == 0 { String::new() } else { format!(" with {companions} more") }
}
