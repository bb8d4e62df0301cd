//! Confidence intervals, and the normal distribution that gives their width.

use statrs::distribution::{ContinuousCDF, Normal};

/// A two-sided interval; an end may be infinite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    pub low: f64,
    pub high: f64,
}

impl Interval {
    pub fn excludes_zero(&self) -> bool {
        self.low > 0.0 || self.high < 0.0
    }

    /// The interval of an increasing function of the value.
    pub fn map(&self, of: impl Fn(f64) -> f64) -> Self {
        Self { low: of(self.low), high: of(self.high) }
    }

    /// Half the distance of the ends, the number after ±. Infinite if one end is; not a number if both ends are the
    /// same infinity.
    pub fn half_width(&self) -> f64 {
        (self.high - self.low) / 2.0
    }
}

/// `P(Z ≤ z)` of the standard normal distribution.
pub fn normal_cdf(z: f64) -> f64 {
    Normal::standard().cdf(z)
}

/// How many standard errors a two-sided normal interval reaches to either side, e.g. 1.96 at `level` 0.95.
///
/// # Panics
/// If `level` is not inside (0, 1).
pub fn standard_errors(level: f64) -> f64 {
    assert!(level > 0.0 && level < 1.0, "a confidence level lies inside (0, 1), got {level}");
    Normal::standard().inverse_cdf(1.0 - (1.0 - level) / 2.0)
}

/// The interval of the share of successes, `successes` of `trials`, at confidence `level`, e.g. 0.95. None without trials
/// or with more successes than trials.
///
/// Wilson's score interval is the set of shares `p` that a two-sided normal test with variance `p(1 − p)/n` does not
/// reject: `(k + z²/2 ± z·√(k(n − k)/n + z²/4)) / (n + z²)`. It stays inside [0, 1] and has width at `k = 0` and `k = n`.
/// Wilson, "Probable inference, the law of succession, and statistical inference", Journal of the American Statistical
/// Association 22 (1927), <https://doi.org/10.1080/01621459.1927.10502953>.
///
/// # Panics
/// If `level` is not inside (0, 1).
pub fn wilson(successes: u64, trials: u64, level: f64) -> Option<Interval> {
    let z = standard_errors(level);
    let failures = trials.checked_sub(successes)?;
    if trials == 0 {
        return None;
    }
    let (k, n) = (successes as f64, trials as f64);
    let centre = k + z * z / 2.0;
    let reach = z * (k * failures as f64 / n + z * z / 4.0).sqrt();
    let low = if successes == 0 { 0.0 } else { (centre - reach) / (n + z * z) };
    let high = if failures == 0 { 1.0 } else { (centre + reach) / (n + z * z) };
    Some(Interval { low, high })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.1, table of the normal distribution.
    #[test]
    fn normal_probabilities_are_those_of_the_tables() {
        assert!((standard_errors(0.95) - 1.959_963_984_540_054).abs() < 1e-9);
        assert!((standard_errors(0.99) - 2.575_829_303_548_901).abs() < 1e-9);
        assert!((normal_cdf(1.0) - 0.841_344_746).abs() < 1e-8);
        assert_eq!(normal_cdf(0.0), 0.5);
        assert_eq!(normal_cdf(f64::INFINITY), 1.0);
    }

    #[test]
    #[should_panic(expected = "a confidence level lies inside (0, 1)")]
    fn a_level_of_one_is_refused() {
        let _ = standard_errors(1.0);
    }

    /// The cases of <https://codegolf.stackexchange.com/questions/105389>, where `z` is 1.96 instead of 1.959964.
    #[test]
    fn intervals_agree_with_other_programs() {
        let cases = [
            (0, 1, 0.0, 0.793_456_708_526_107_1),
            (1, 11, 0.016_231_752_262_825_982, 0.377_364_625_486_203_8),
            (25, 100, 0.175_450_940_037_242_65, 0.343_046_463_700_758_3),
            (100, 100, 0.963_005_192_523_998_1, 1.0),
        ];
        for (successes, trials, low, high) in cases {
            let ours = wilson(successes, trials, 0.95).unwrap();
            assert!((ours.low - low).abs() < 2e-5 && (ours.high - high).abs() < 2e-5, "{ours:?}");
        }
    }

    #[test]
    fn intervals_stay_inside_and_turn_round() {
        for trials in 1..40 {
            for successes in 0..=trials {
                let ours = wilson(successes, trials, 0.95).unwrap();
                assert!(0.0 <= ours.low && ours.low < ours.high && ours.high <= 1.0, "{ours:?}");
                let share = successes as f64 / trials as f64;
                assert!(ours.low <= share && share <= ours.high, "{ours:?}");
                let turned = wilson(trials - successes, trials, 0.95).unwrap();
                assert!((ours.low + turned.high - 1.0).abs() < 1e-12);
            }
        }
        assert_eq!(wilson(0, 0, 0.95), None);
        assert_eq!(wilson(2, 1, 0.95), None);
    }
}
