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
}
