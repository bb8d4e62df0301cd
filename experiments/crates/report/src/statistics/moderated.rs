//! The moderated t of a few seeds and many rows: each row's variance is shrunk towards what the variances of all rows have in
//! common. It is shown beside the test that decides.
//!
//! The variances are taken as scaled F variables around a prior `s0²` that is worth `d0` degrees of freedom; both follow from
//! mean and variance of `ln s²`. Smyth, "Linear models and empirical Bayes methods for assessing differential expression in
//! microarray experiments", Statistical Applications in Genetics and Molecular Biology 3 (2004), §6.2; limma's `fitFDist`
//! and `squeezeVar`.

use super::{MeanTest, PairedTest};
use statrs::function::gamma::digamma;

/// Fewer rows say nothing about how variances vary.
pub const ROWS_NEEDED: usize = 3;

/// What the variances of all rows have in common.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prior {
    pub variance: f64,
    /// The degrees of freedom that it is worth; infinite if the variances vary no more than by chance.
    pub freedom: f64,
    /// The degrees of freedom of all rows together, which no test exceeds.
    pub pooled: f64,
}

/// The prior of rows with these variances and degrees of freedom; none below [`ROWS_NEEDED`] rows whose variance is above 0.
pub fn prior(rows: &[(f64, usize)]) -> Option<Prior> {
    let rows: Vec<(f64, f64)> =
        rows.iter().filter(|(s2, d)| s2.is_finite() && *s2 > 0.0 && *d > 0).map(|&(s2, d)| (s2, d as f64)).collect();
    if rows.len() < ROWS_NEEDED {
        return None;
    }
    let n = rows.len() as f64;
    let pooled: f64 = rows.iter().map(|(_, d)| d).sum();
    let logs: Vec<f64> = rows.iter().map(|(s2, d)| s2.ln() - digamma(d / 2.0) + (d / 2.0).ln()).collect();
    let mean = logs.iter().sum::<f64>() / n;
    let spread = logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let excess = spread - rows.iter().map(|(_, d)| trigamma(d / 2.0)).sum::<f64>() / n;
    Some(match excess > 0.0 {
        true => {
            let half = trigamma_inverse(excess);
            Prior { variance: (mean + digamma(half) - half.ln()).exp(), freedom: 2.0 * half, pooled }
        }
        false => {
            let variance = rows.iter().map(|(s2, d)| d * s2).sum::<f64>() / pooled;
            Prior { variance, freedom: f64::INFINITY, pooled }
        }
    })
}

impl Prior {
    /// The test of a row with its shrunk variance.
    pub fn moderate(&self, test: &PairedTest) -> MeanTest {
        let own = (test.n - 1) as f64;
        let variance = match self.freedom.is_finite() {
            true => (self.freedom * self.variance + own * test.sd.powi(2)) / (self.freedom + own),
            false => self.variance,
        };
        let freedom = (self.freedom + own).min(self.pooled);
        MeanTest::new(test.mean, (variance / test.n as f64).sqrt(), freedom)
    }
}

/// The second derivative of `ln Γ`, by its recurrence and its asymptotic series (Abramowitz & Stegun 6.4.6, 6.4.12).
fn trigamma(x: f64) -> f64 {
    /// From here on the series has every digit.
    const LARGE: f64 = 20.0;
    let (mut x, mut sum) = (x, 0.0);
    while x < LARGE {
        sum += 1.0 / (x * x);
        x += 1.0;
    }
    let square = 1.0 / (x * x);
    let series = 1.0 / 6.0 - square * (1.0 / 30.0 - square * (1.0 / 42.0 - square / 30.0));
    sum + 1.0 / x + square / 2.0 + square / x * series
}

/// Where [`trigamma`], which falls from infinity to 0, has this value above 0.
fn trigamma_inverse(value: f64) -> f64 {
    let (mut low, mut high) = (1e-8_f64, 1e8_f64);
    for _ in 0..200 {
        let middle = (low * high).sqrt();
        if trigamma(middle) > value { low = middle } else { high = middle }
    }
    (low * high).sqrt()
}
