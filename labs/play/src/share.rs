//! A share with its interval.

use serde::Serialize;
use strength::interval::wilson;

const LEVEL: f64 = 0.95;

/// How many of some were right.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Share {
    pub right: u64,
    pub of: u64,
    /// The Wilson interval of the share at 95 %.
    pub interval: [f64; 2],
}

impl Share {
    pub(crate) fn of(right: impl IntoIterator<Item = bool>) -> Self {
        let (mut count, mut all) = (0, 0);
        for right in right {
            count += u64::from(right);
            all += 1;
        }
        let interval = wilson(count, all, LEVEL).map_or([0.0, 1.0], |found| [found.low, found.high]);
        Self { right: count, of: all, interval }
    }

    pub fn share(&self) -> f64 {
        self.right as f64 / self.of as f64
    }
}
