//! The exact sign-flip test, which makes no assumption about the shape of the distribution. With `n` pairs no p is below
//! `2 / 2ⁿ`, so a few seeds can never be significant by it: it is shown and decides nothing.
//!
//! Fisher, "The Design of Experiments" (1935), §21; the same as SciPy's `permutation_test(…, permutation_type="samples")`.

/// More pairs than this have too many sign patterns to look at each.
const MOST_PAIRS: usize = 20;
/// Sums that differ by less, relative to the largest possible sum, are the same sum added in another order.
const SAME: f64 = 1e-12;

/// The two-sided p-value of a sample of differences under the null hypothesis that each sign is as likely as the other:
/// the share of all sign patterns whose sum is as far from zero as the observed one. `None` without differences, with
/// more than 20, or if one is not finite.
pub fn sign_flip(differences: &[f64]) -> Option<f64> {
    let n = differences.len();
    if n == 0 || n > MOST_PAIRS || differences.iter().any(|difference| !difference.is_finite()) {
        return None;
    }
    let sum = |pattern: u32| -> f64 {
        let signed = |(i, d): (usize, &f64)| if (pattern >> i) & 1 == 1 { -d } else { *d };
        differences.iter().enumerate().map(signed).sum()
    };
    let largest: f64 = differences.iter().map(|d| d.abs()).sum();
    let observed = sum(0).abs() - SAME * largest;
    let patterns = 1_u32 << n;
    let as_far = (0..patterns).filter(|&pattern| sum(pattern).abs() >= observed).count();
    Some(as_far as f64 / f64::from(patterns))
}

/// The smallest p-value of this number of pairs.
pub fn least(pairs: usize) -> Option<f64> {
    (1..=MOST_PAIRS).contains(&pairs).then(|| 2.0_f64.powi(1 - pairs as i32))
}
