//! Whether a difference is smaller than a margin: two one-sided t-tests.
//!
//! A mean lies within `±m` if one test rejects that it is at or below `−m` and the other that it is at or above `m`. Both
//! have the mean, the standard error and the degrees of freedom of the test against zero. Schuirmann, "A comparison of the
//! two one-sided tests procedure and the power approach for assessing the equivalence of average bioavailability", Journal
//! of Pharmacokinetics and Biopharmaceutics 15 (1987); statsmodels' `ttost_paired`.

use super::{Holm, Interval, MeanTest, two_sided};

/// The larger p-value of the two tests: both reject at a level above it. Without an error it is 0 or 1: callers should ask
/// why nothing varies.
pub fn two_one_sided(test: &MeanTest, margin: f64) -> f64 {
    let room = margin - test.mean.abs();
    if test.error == 0.0 {
        return if room > 0.0 { 0.0 } else { 1.0 };
    }
    let tail = two_sided(room / test.error, test.freedom) / 2.0;
    if room >= 0.0 { tail } else { 1.0 - tail }
}

/// The interval that lies within the margin exactly if Holm's procedure rejects: of the level `1 − 2α/k` where the one of a
/// two-sided test has `1 − α/k`, so 90 % at the last step.
pub fn interval(test: &MeanTest, holm: &Holm) -> Interval {
    test.interval(2.0 * holm.level - 1.0)
}
