//! Matches: games between networks and engines, from the same openings with both colours.
//!
//! ```text
//! contestants ─ schedule (pairings × openings × colours) ─▶ workers ─▶ journal, a line a game ─▶ standings, records
//! ```
//! A game depends on its number and the conditions only, so that workers and interruptions change nothing. A finished game is a
//! line of the journal; the same command resumes after it. An engine that dies or does not answer forfeits its game and is started
//! again. A pair of games that repeats an earlier one is no further observation: statistics count it once.

mod contestant;
mod game;
mod journal;
mod records;
mod run;
mod schedule;
mod sequential;
mod standings;

pub use contestant::{ANSWER_TIMEOUT, Contestant, Kind};
pub use engines::{DrawRule, WinRule};
pub use game::{Conditions, FinishedGame, GameLimits};
pub use run::{MatchOptions, play_match};
pub use schedule::Schedule;
pub use sequential::{Sequential, SprtProgress};
pub use standings::{Pairing, Rated, Scale, Standings};
pub use strength::bradley_terry::{Anchor, Draws};
