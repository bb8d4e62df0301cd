//! How many seeds a difference needs: the power of the two-sided t-test.
//!
//! With `n` pairs, true mean difference `d` and standard deviation `σ`, the test statistic is noncentral t with `n − 1`
//! degrees of freedom and noncentrality `d √n / σ`. Cohen, "Statistical Power Analysis for the Behavioral Sciences"
//! (1988), §2; statsmodels' `TTestPower` computes the same.

use super::quantile;
use statrs::distribution::{ContinuousCDF, Normal};
use statrs::function::gamma::ln_gamma;

/// Target power: the probability of detecting a true difference.
pub const POWER: f64 = 0.8;
/// The largest number of seeds that is considered.
pub const MOST_SEEDS: usize = 1000;

/// Intervals of Simpson's rule over the distribution of the sample deviation; doubling them changes no tenth digit.
const STRIPS: usize = 2000;
/// The range of integration on either side of the mean of the sample deviation, in its standard deviations.
const INTEGRATION_RANGE: f64 = 12.0;

/// The probability that a difference gives a p-value below `alpha`. `noncentrality` is the difference in standard errors, which
/// have these degrees of freedom (1 or more).
pub fn power(noncentrality: f64, freedom: f64, alpha: f64) -> f64 {
    let critical = quantile(1.0 - alpha / 2.0, freedom);
    1.0 - noncentral_cdf(critical, freedom, noncentrality) + noncentral_cdf(-critical, freedom, noncentrality)
}

/// The least number of seeds that detects `difference` with probability [`POWER`] at level `alpha`, where a number of seeds, from two
/// on, gives this standard error with these degrees of freedom; `None` if even [`MOST_SEEDS`] do not.
pub fn seeds_needed(difference: f64, alpha: f64, error_of: impl Fn(usize) -> (f64, f64)) -> Option<usize> {
    let enough = |seeds: usize| {
        let (error, freedom) = error_of(seeds);
        power(difference.abs() / error, freedom, alpha) >= POWER
    };
    if !(difference.is_finite() && enough(MOST_SEEDS)) {
        return None;
    }
    // Power grows with the pairs: bisection.
    let (mut too_few, mut enough_at) = (1, MOST_SEEDS);
    while enough_at - too_few > 1 {
        let middle = usize::midpoint(too_few, enough_at);
        if enough(middle) { enough_at = middle } else { too_few = middle }
    }
    Some(enough_at)
}

/// The true difference that is detected with probability [`POWER`] at level `alpha`, for a standard error with these degrees of
/// freedom; `None` without any error.
pub fn detectable_difference(error: f64, freedom: f64, alpha: f64) -> Option<f64> {
    if error.is_nan() || error <= 0.0 {
        return None;
    }
    let (mut low, mut high) = (0.0, 1.0);
    while power(high, freedom, alpha) < POWER {
        high *= 2.0;
    }
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if power(middle, freedom, alpha) < POWER { low = middle } else { high = middle }
    }
    Some(high * error)
}

/// `P(T ≤ t)` for T noncentral t: `∫ Φ(t s − δ) f(s) ds`, where `s` is the sample deviation in units of the true one and
/// `f` its density, `s = χ_ν / √ν`.
fn noncentral_cdf(t: f64, nu: f64, noncentrality: f64) -> f64 {
    let log_constant = (nu / 2.0) * nu.ln() - (nu / 2.0 - 1.0) * std::f64::consts::LN_2 - ln_gamma(nu / 2.0);
    let density = |s: f64| match s > 0.0 {
        true => (log_constant + (nu - 1.0) * s.ln() - nu * s * s / 2.0).exp(),
        // One degree of freedom has all of its density's maximum at zero.
        false if nu == 1.0 => log_constant.exp(),
        false => 0.0,
    };
    let normal = Normal::standard();
    let at = |s: f64| normal.cdf(t * s - noncentrality) * density(s);
    let spread = 1.0 / (2.0 * nu).sqrt();
    let (low, high) = ((1.0 - INTEGRATION_RANGE * spread).max(0.0), 1.0 + INTEGRATION_RANGE * spread);
    let width = (high - low) / STRIPS as f64;
    let weight = |i: usize| match i {
        0 | STRIPS => 1.0,
        _ if i % 2 == 1 => 4.0,
        _ => 2.0,
    };
    (0..=STRIPS).map(|i| weight(i) * at(low + width * i as f64)).sum::<f64>() * width / 3.0
}
