//! t-tests of paired differences, and Holm's correction over a grid.
//!
//! Two cells of one seed see the same batches and start from identical shared weights, so the mean of their
//! *differences* is tested. Student, "The probable error of a mean", Biometrika 6 (1908); Holm, "A simple sequentially
//! rejective multiple test procedure", Scandinavian Journal of Statistics 6 (1979).

pub mod across;
pub mod crossed;
pub mod curve;
pub mod ladder;
pub mod power;
pub mod power_law;

pub use strength::Interval;

use statrs::distribution::{ContinuousCDF, StudentsT};
use statrs::function::beta::checked_beta_reg;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summary {
    pub n: usize,
    pub mean: f64,
    /// Sample standard deviation (division by `n − 1`); none for a single value.
    pub sd: Option<f64>,
}

impl Summary {
    /// Of `values`; none if there are none. Values are summed in their order, so equal input gives equal bits.
    pub fn of(values: &[f64]) -> Option<Self> {
        if values.is_empty() {
            return None;
        }
        let n = values.len();
        let mean = values.iter().sum::<f64>() / n as f64;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let sd = (n > 1).then(|| (squares / (n - 1) as f64).sqrt());
        Some(Self { n, mean, sd })
    }
}

/// The paired t-test of a sample of differences against zero.
///
/// ```
/// use report::statistics::PairedTest;
///
/// // Row less reference, for three seeds.
/// let test = PairedTest::of(&[-0.10, -0.09, -0.10]).expect("three pairs");
/// assert!(test.p < 0.05 && test.interval(0.95).excludes_zero());
/// assert_eq!(PairedTest::of(&[-0.10]), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairedTest {
    pub n: usize,
    pub mean: f64,
    pub sd: f64,
    /// Two-sided p-value with `n − 1` degrees of freedom.
    pub p: f64,
}

impl PairedTest {
    /// Of one difference a pair; none below two pairs, or if one, their mean or their spread is not a finite number.
    /// Differences without any spread have `p` 1 if they are zero and 0 otherwise: callers should ask why they do not vary.
    pub fn of(differences: &[f64]) -> Option<Self> {
        if differences.iter().any(|difference| !difference.is_finite()) {
            return None;
        }
        let Summary { n, mean, sd: Some(sd) } = Summary::of(differences)? else { return None };
        if !(mean.is_finite() && sd.is_finite()) {
            return None;
        }
        Some(Self { n, mean, sd, p: MeanTest::new(mean, sd / (n as f64).sqrt(), (n - 1) as f64).p })
    }

    pub fn error(&self) -> f64 {
        self.sd / (self.n as f64).sqrt()
    }

    /// That of the mean at confidence `level`, e.g. 0.95.
    pub fn interval(&self, level: f64) -> Interval {
        MeanTest::from(*self).interval(level)
    }
}

/// A mean, its standard error and the t-test of the mean against zero.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeanTest {
    pub mean: f64,
    pub error: f64,
    /// Degrees of freedom; an approximation need not be a whole number.
    pub freedom: f64,
    pub p: f64,
}

impl MeanTest {
    /// Of a mean with its standard error. Without an error, `p` is 1 if the mean is zero and 0 otherwise: callers should
    /// ask why nothing varies.
    pub fn new(mean: f64, error: f64, freedom: f64) -> Self {
        let p = match (error == 0.0, mean == 0.0) {
            (true, true) => 1.0,
            (true, false) => 0.0,
            (false, _) => two_sided(mean / error, freedom),
        };
        Self { mean, error, freedom, p }
    }

    /// The t-interval of the mean at confidence `level`, e.g. 0.95.
    ///
    /// # Panics
    /// If `level` is not inside (0, 1).
    pub fn interval(&self, level: f64) -> Interval {
        assert!(level > 0.0 && level < 1.0, "a confidence level lies inside (0, 1), got {level}");
        if self.error == 0.0 {
            return Interval { low: self.mean, high: self.mean };
        }
        let half = quantile(1.0 - (1.0 - level) / 2.0, self.freedom) * self.error;
        Interval { low: self.mean - half, high: self.mean + half }
    }

    /// The test of the same mean in other units, of which one has this many of the present ones; negative units change its sign.
    pub fn over(&self, unit: f64) -> Self {
        Self { mean: self.mean / unit, error: self.error / unit.abs(), ..*self }
    }
}

impl From<PairedTest> for MeanTest {
    fn from(test: PairedTest) -> Self {
        Self { mean: test.mean, error: test.error(), freedom: (test.n - 1) as f64, p: test.p }
    }
}

/// `P(|T| ≥ |t|)`, by the incomplete beta function of the *small* tail: `2 · (1 − cdf)` would lose every digit of a
/// small p. It is 1 where `t` or the degrees of freedom are not numbers, which shows nothing.
fn two_sided(t: f64, freedom: f64) -> f64 {
    checked_beta_reg(freedom / 2.0, 0.5, freedom / (freedom + t * t)).unwrap_or(1.0)
}

/// Not a number where the degrees of freedom are not above 0.
fn quantile(probability: f64, freedom: f64) -> f64 {
    StudentsT::new(0.0, 1.0, freedom).map_or(f64::NAN, |distribution| distribution.inverse_cdf(probability))
}

/// Holm's correction of one comparison of a family.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Holm {
    /// The adjusted p-value; the comparison is significant if it lies below α.
    pub p: f64,
    /// The confidence level whose plain interval excludes zero exactly if Holm rejects: `1 − α / k`, where `k` is the
    /// number of hypotheses that were still standing when this one was tested. The guarantee over the whole family
    /// belongs to the verdicts; these intervals are not claimed to hold simultaneously.
    pub level: f64,
}

/// Holm's step-down procedure over a family of p-values at `alpha`.
///
/// The family is the planned comparisons, not the finished ones: a comparison without a p-value
/// counts in the number of hypotheses (as if its p were 1) and gets none, so results do not become significant by
/// failing cells, and a report of a half-finished grid is not bolder than the final one.
pub fn holm(p_values: &[Option<f64>], alpha: f64) -> Vec<Option<Holm>> {
    let family = p_values.len();
    let mut order: Vec<(usize, f64)> = p_values.iter().enumerate().filter_map(|(i, p)| Some((i, (*p)?))).collect();
    order.sort_by(|a, b| a.1.total_cmp(&b.1));
    let mut corrected = vec![None; family];
    let mut largest = 0.0_f64;
    let mut rejected = 0;
    for (rank, &(index, p)) in order.iter().enumerate() {
        largest = largest.max(((family - rank) as f64 * p).min(1.0));
        if largest < alpha {
            rejected = rank + 1;
        }
        let standing = family - if largest < alpha { rank } else { rejected };
        corrected[index] = Some(Holm { p: largest, level: 1.0 - alpha / standing as f64 });
    }
    corrected
}

/// Two one-sided t-tests of whether a mean lies within `±margin`: one rejects that it is at or below `−margin`, the other that it
/// is at or above `margin`. Schuirmann, "A comparison of the two one-sided tests procedure and the power approach for assessing
/// the equivalence of average bioavailability", Journal of Pharmacokinetics and Biopharmaceutics 15 (1987); statsmodels'
/// `ttost_paired`.
///
/// The larger p-value of the two: both reject at a level above it. Without an error it is 0 or 1: callers should ask why nothing
/// varies.
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
pub fn equivalence_interval(test: &MeanTest, holm: &Holm) -> Interval {
    test.interval(2.0 * holm.level - 1.0)
}
