//! How large a batch may be, so that a search ends in time.

use std::time::{Duration, Instant};

/// The largest batch whose evaluation ends in time, by the time that the last one took.
pub(super) struct Pace {
    /// Without it every batch is as large as the search wants it.
    end: Option<Instant>,
    begun: Instant,
    each: Duration,
    most: u32,
}

impl Pace {
    /// The first batch before an end has one evaluation.
    pub(super) fn new(end: Option<Instant>) -> Self {
        let most = if end.is_some() { 1 } else { u32::MAX };
        Self { end, begun: Instant::now(), each: Duration::ZERO, most }
    }

    /// The most evaluations of the next batch.
    pub(super) fn most(&self) -> u32 {
        self.most
    }

    /// Ends a batch of this many evaluations; whether there is time for another one.
    pub(super) fn has_time(&mut self, evaluated: u32) -> bool {
        let Some(end) = self.end else { return true };
        let now = Instant::now();
        let took = now.saturating_duration_since(self.begun);
        self.begun = now;
        self.limit(evaluated, took, end.saturating_duration_since(now));
        self.most > 0
    }

    /// As many as fit into the time that is left, and at most twice as many as before: many at a time may be slower than one by one.
    fn limit(&mut self, evaluated: u32, took: Duration, left: Duration) {
        if evaluated > 0 {
            self.each = took / evaluated;
        }
        let fit = left.as_nanos() / self.each.as_nanos().max(1);
        self.most = u32::try_from(fit).unwrap_or(u32::MAX).min(self.most.saturating_mul(2));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_grow_to_what_fits_and_are_whole_without_an_end() {
        let of = Duration::from_millis;
        let mut pace = Pace::new(Instant::now().checked_add(of(1000)));
        assert_eq!(pace.most(), 1);
        for (evaluated, took, left, most) in
            [(1, 10, 990, 2), (2, 10, 980, 4), (4, 20, 960, 8), (8, 400, 560, 11), (0, 60, 500, 10), (10, 499, 1, 0)]
        {
            pace.limit(evaluated, of(took), of(left));
            assert_eq!(pace.most(), most, "{left} ms are left");
        }
        let mut endless = Pace::new(None);
        assert!(endless.has_time(256));
        assert_eq!(endless.most(), u32::MAX);
        assert!(!Pace::new(Some(Instant::now())).has_time(1), "no time is left");
    }
}
