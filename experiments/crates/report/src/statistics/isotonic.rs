//! The best non-increasing fit of a series: pool adjacent violators.
//!
//! Ayer, Brunk, Ewing, Reid & Silverman, "An empirical distribution function for sampling with incomplete information",
//! Annals of Mathematical Statistics 26 (1955); scikit-learn's `isotonic_regression`.

/// The non-increasing series with the least squared distance to `values`: neighbours that rise are replaced by their mean.
pub fn non_increasing(values: &[f64]) -> Vec<f64> {
    // Pools of neighbours: their mean and how many they are.
    let mut pools: Vec<(f64, usize)> = Vec::new();
    for &value in values {
        let mut own = (value, 1);
        while let Some(&(mean, count)) = pools.last().filter(|(mean, _)| *mean < own.0) {
            own = ((mean * count as f64 + own.0 * own.1 as f64) / (count + own.1) as f64, count + own.1);
            pools.pop();
        }
        pools.push(own);
    }
    pools.into_iter().flat_map(|(mean, count)| std::iter::repeat_n(mean, count)).collect()
}
