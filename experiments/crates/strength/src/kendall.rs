//! How well two rankings agree: Kendall's τ-b.
//!
//! Of all pairs of items, `C` are ordered alike by both lists (concordant), `D` oppositely (discordant), `T` tied by the
//! first list only and `U` by the second only: `τ_b = (C − D)/√((C + D + T)(C + D + U))`, from −1 to 1.
//! Kendall, "The treatment of ties in ranking problems", Biometrika 33 (1945), <https://doi.org/10.1093/biomet/33.3.239>.
//! SciPy's `kendalltau` has the same number.

/// Kendall's τ-b of two lists with a value of each item; none if a list ties all items or a value is not a number. Every pair
/// is looked at: the lists are short.
///
/// # Panics
/// If the lists have different lengths.
pub fn tau(first: &[f64], second: &[f64]) -> Option<f64> {
    assert_eq!(first.len(), second.len(), "lists of one length");
    if first.iter().chain(second).any(|value| value.is_nan()) {
        return None;
    }
    let (mut concordant, mut discordant, mut tied_in_first, mut tied_in_second) = (0_u64, 0_u64, 0_u64, 0_u64);
    for i in 0..first.len() {
        for j in 0..i {
            match (first[i] == first[j], second[i] == second[j]) {
                (true, true) => {}
                (true, false) => tied_in_first += 1,
                (false, true) => tied_in_second += 1,
                (false, false) if (first[i] > first[j]) == (second[i] > second[j]) => concordant += 1,
                (false, false) => discordant += 1,
            }
        }
    }
    let ordered = concordant + discordant;
    let (by_first, by_second) = (ordered + tied_in_second, ordered + tied_in_first);
    let product = by_first as f64 * by_second as f64;
    (product > 0.0).then(|| (concordant as f64 - discordant as f64) / product.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_and_opposite_order_are_one_and_minus_one() {
        let up: Vec<f64> = (0..10).map(f64::from).collect();
        let down: Vec<f64> = up.iter().map(|value| -value).collect();
        assert_eq!(tau(&up, &up), Some(1.0));
        assert_eq!(tau(&up, &down), Some(-1.0));
        assert_eq!(tau(&up, &[1.0; 10]), None);
        assert_eq!(tau(&[], &[]), None);
        assert_eq!(tau(&[0.0, f64::NAN], &[0.0, 1.0]), None);
        assert_eq!(tau(&[0.0, -0.0, 1.0], &[1.0, 2.0, 3.0]), tau(&[0.0, 0.0, 1.0], &[1.0, 2.0, 3.0]));
    }
}
