//! Whether results carry over from one game or grid to another: standardised effects, Welch's test, rank correlation.

use super::{Interval, MeanTest, Summary};
use statrs::function::gamma::ln_gamma;
use streams::below;
use strength::kendall::tau;

/// Welch's test of two independent means with their standard errors. None if neither has an error, or if the errors are too
/// small or too large for their squares.
///
/// Welch, "The generalization of 'Student's' problem when several different population variances are involved",
/// Biometrika 34 (1947); SciPy's `ttest_ind(…, equal_var=False)`.
pub fn welch(a: &MeanTest, b: &MeanTest) -> Option<MeanTest> {
    let [error_a, error_b] = [a, b].map(|test| test.error.powi(2));
    let error = error_a + error_b;
    if error.is_nan() || error <= 0.0 {
        return None;
    }
    // Satterthwaite's approximation.
    let freedom = error.powi(2) / (error_a.powi(2) / a.freedom + error_b.powi(2) / b.freedom);
    freedom.is_finite().then(|| MeanTest::new(a.mean - b.mean, error.sqrt(), freedom))
}

/// The standard deviation of several samples around their own means, and its degrees of freedom `Σ (n − 1)`. None
/// without a degree of freedom or without any spread.
pub fn pooled_sd(samples: &[Vec<f64>]) -> Option<(f64, usize)> {
    let (mut squares, mut freedom) = (0.0, 0);
    for summary in samples.iter().filter_map(|sample| Summary::of(sample)) {
        squares += summary.sd.unwrap_or_default().powi(2) * (summary.n - 1) as f64;
        freedom += summary.n - 1;
    }
    let sd = (squares / freedom as f64).sqrt();
    (freedom > 0 && sd > 0.0).then_some((sd, freedom))
}

/// The factor by which an effect in units of a sample deviation is too large on average: `J(ν) = Γ(ν/2) /
/// (√(ν/2) Γ((ν−1)/2))`. One degree of freedom has none (the expectation does not exist): 0.
///
/// Hedges, "Distribution theory for Glass's estimator of effect size", Journal of Educational Statistics 6 (1981).
pub fn hedges(freedom: usize) -> f64 {
    let nu = freedom as f64;
    if freedom < 2 { 0.0 } else { (ln_gamma(nu / 2.0) - ln_gamma((nu - 1.0) / 2.0)).exp() / (nu / 2.0).sqrt() }
}

/// How often seeds or items are drawn for an interval.
pub const DRAWS: usize = 10_000;

/// Kendall's τ_b of two rankings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankCorrelation {
    pub tau: f64,
    /// The middle 95 % of τ over [`DRAWS`] draws with replacement, the same in every call. Draws without a τ are left out.
    pub interval: Interval,
}

impl RankCorrelation {
    fn of(tau: f64, mut of_draw: impl FnMut() -> Option<f64>) -> Option<Self> {
        let mut taus: Vec<f64> = (0..DRAWS).filter_map(|_| of_draw()).collect();
        taus.sort_by(f64::total_cmp);
        Some(Self { tau, interval: middle(&taus)? })
    }
}

/// The rank correlation of the means of rows over their seeds: `a[row][seed]` and `b[row][seed]`, the same rows in both. For the
/// interval, the seeds of each list are drawn for all of its rows together; with three seeds it is a sketch. None below three
/// rows, without seeds, or if all means are equal.
pub fn rank_correlation(a: &[Vec<f64>], b: &[Vec<f64>]) -> Option<RankCorrelation> {
    let seeds = |rows: &[Vec<f64>]| rows.first().map_or(0, Vec::len);
    let (seeds_a, seeds_b) = (seeds(a), seeds(b));
    if a.len() < ITEMS_NEEDED || a.len() != b.len() || seeds_a == 0 || seeds_b == 0 {
        return None;
    }
    let means = |rows: &[Vec<f64>], chosen: &[usize]| -> Vec<f64> {
        rows.iter().map(|row| chosen.iter().map(|&i| row[i]).sum::<f64>() / chosen.len() as f64).collect()
    };
    let all = |n: usize| (0..n).collect::<Vec<_>>();
    let of_all = tau(&means(a, &all(seeds_a)), &means(b, &all(seeds_b)))?;
    let mut stream = streams::stream(0, &["report", "rank correlation"]);
    let mut draw = |n: usize| (0..n).map(|_| below(&mut stream, n as u64) as usize).collect::<Vec<_>>();
    RankCorrelation::of(of_all, || {
        let (of_a, of_b) = (draw(seeds_a), draw(seeds_b));
        tau(&means(a, &of_a), &means(b, &of_b))
    })
}

pub const ITEMS_NEEDED: usize = 3;

/// The rank correlation of two lists with a value of each item. For the interval, items are drawn; one that is drawn twice is
/// tied with itself, which τ_b leaves out. None below [`ITEMS_NEEDED`] items, or if a list ties all of them.
///
/// # Panics
/// If the lists have different lengths.
pub fn agreement(a: &[f64], b: &[f64]) -> Option<RankCorrelation> {
    let of_all = tau(a, b)?;
    let items = a.len();
    if items < ITEMS_NEEDED {
        return None;
    }
    let mut stream = streams::stream(0, &["report", "agreement of rankings"]);
    RankCorrelation::of(of_all, || {
        let drawn: Vec<usize> = (0..items).map(|_| below(&mut stream, items as u64) as usize).collect();
        let of = |values: &[f64]| -> Vec<f64> { drawn.iter().map(|&item| values[item]).collect() };
        tau(&of(a), &of(b))
    })
}

/// The middle 95 % of sorted values, between order statistics in a straight line (numpy's `percentile`); none without
/// values.
pub fn middle(sorted: &[f64]) -> Option<Interval> {
    let at = |share: f64| {
        let place = share * (sorted.len().checked_sub(1)?) as f64;
        let below = sorted[place.floor() as usize];
        let above = sorted[place.ceil() as usize];
        Some(below + (above - below) * place.fract())
    };
    Some(Interval { low: at(0.025)?, high: at(0.975)? })
}
