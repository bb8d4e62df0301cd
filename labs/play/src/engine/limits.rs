//! What ends a search before its visits are made: `go`'s limits, and `stop`.

use games::{Notation, Side};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Milliseconds of `movetime` for everything but the search.
const RESERVE: u64 = 5;

/// A clock is planned to last for this many moves.
const MOVES_LEFT: u64 = 40;

pub(super) struct SearchLimits {
    pub(super) nodes: Option<u32>,
    pub(super) time: Option<Duration>,
}

impl SearchLimits {
    /// Those in the words after `go`, for this side's move. `infinite` and `ponder` have no time.
    pub(super) fn of(words: &[&str], notation: Notation, side: Side) -> Self {
        let number = |name: &str| {
            let at = words.iter().position(|&word| word == name)?;
            let number: i64 = words.get(at + 1)?.parse().ok()?;
            // Clocks of clients may be below 0.
            u32::try_from(number.clamp(0, u32::MAX.into())).ok()
        };
        let milliseconds = |name: &str| number(name).map(u64::from);
        // Black moves first where USI is spoken.
        let is_white = (side == Side::First) == (notation == Notation::Uci);
        let (clock, increment) = if is_white { ("wtime", "winc") } else { ("btime", "binc") };
        let (clock, byoyomi) = (milliseconds(clock), milliseconds("byoyomi"));
        let each_move = milliseconds(increment).unwrap_or(0) + byoyomi.unwrap_or(0);
        let of_clock = clock.or(byoyomi).map(|_| clock.unwrap_or(0) / MOVES_LEFT + each_move / 2);
        // The increment is added after the move, byoyomi is there before it.
        let of_clock = of_clock.map(|time| match notation {
            Notation::Uci => time.min(clock.unwrap_or(0) * 9 / 10),
            Notation::Usi => time,
        });
        let waits = words.iter().any(|&word| word == "infinite" || word == "ponder");
        let of_move = milliseconds("movetime").map(|time| time.saturating_sub(RESERVE));
        let time = of_move.or(of_clock).filter(|_| !waits);
        Self { nodes: number("nodes"), time: time.map(Duration::from_millis) }
    }

    /// The end of a search that begins now.
    pub(super) fn end(&self) -> Option<Instant> {
        self.time.and_then(|time| Instant::now().checked_add(time))
    }
}

/// Counts the lines `stop` and `ponderhit` that were read and not yet answered. A search ends while there is one: it was read
/// after its `go`, because earlier ones were answered before.
#[derive(Debug, Clone, Default)]
pub struct Interrupts(Arc<AtomicUsize>);

impl Interrupts {
    /// Counts a line that was read if it ends a search; the engine must be given every counted line.
    pub fn note(&self, line: &str) {
        if matches!(line.split_ascii_whitespace().next(), Some("stop" | "ponderhit")) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    pub(super) fn answered(&self) {
        // Only `note` changes it at the same time, and never to a smaller number.
        if self.is_pending() {
            self.0.fetch_sub(1, Ordering::Relaxed);
        }
    }

    pub(super) fn is_pending(&self) -> bool {
        self.0.load(Ordering::Relaxed) > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_planned_by_the_clock_of_the_side_to_move() {
        let of = |notation, side, line: &str| {
            let limits = SearchLimits::of(&line.split(' ').collect::<Vec<_>>(), notation, side);
            (limits.nodes, limits.time.map(|time| time.as_millis()))
        };
        let (chess, shogi, first, second) = (Notation::Uci, Notation::Usi, Side::First, Side::Second);
        let clocks = "wtime 80000 btime 40000 winc 1000 binc 2000";
        assert_eq!(of(chess, first, clocks), (None, Some(2500)));
        assert_eq!(of(chess, second, clocks), (None, Some(2000)));
        assert_eq!(of(shogi, first, clocks), (None, Some(2000)));
        assert_eq!(of(shogi, second, "btime 0 wtime 4000 byoyomi 1000"), (None, Some(600)));
        assert_eq!(of(shogi, first, "byoyomi 1000"), (None, Some(500)));
        assert_eq!(of(chess, first, "movetime 30 nodes 7"), (Some(7), Some(25)));
        assert_eq!(of(chess, first, "wtime -5 btime 9"), (None, Some(0)));
        assert_eq!(of(chess, first, "ponder wtime 9000"), (None, None));
        assert_eq!(of(chess, first, "nodes many depth 3"), (None, None));
        assert_eq!(of(chess, first, "wtime 1000 winc 10000"), (None, Some(900)), "no more than the clock has");
        let most = of(chess, first, "wtime 9223372036854775807 winc 9223372036854775807");
        assert_eq!(most.1, Some(u128::from(u32::MAX) / 40 + u128::from(u32::MAX) / 2));
    }
}
