//! How well two rankings agree: Kendall's τ-b.
//!
//! Of all pairs of items, `C` are ordered alike by both lists (concordant), `D` oppositely (discordant), `T` tied by the
//! first list only and `U` by the second only: `τ_b = (C − D)/√((C + D + T)(C + D + U))`, from −1 to 1.
//! Kendall, "The treatment of ties in ranking problems", Biometrika 33 (1945), <https://doi.org/10.1093/biomet/33.3.239>.
//! SciPy's `kendalltau` has the same number.

/// The pairs of items of two lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Concordance {
    concordant: u64,
    discordant: u64,
    /// Pairs that the first list ties and the second orders.
    tied_in_first: u64,
    /// Pairs that the second list ties and the first orders.
    tied_in_second: u64,
}

impl Concordance {
    /// Of items with two values each; none if a value is not a number. Every pair is looked at: the lists are short.
    pub fn of(items: &[(f64, f64)]) -> Option<Self> {
        if items.iter().any(|(first, second)| first.is_nan() || second.is_nan()) {
            return None;
        }
        let mut pairs = Self::default();
        for (i, a) in items.iter().enumerate() {
            for b in &items[..i] {
                match (a.0 == b.0, a.1 == b.1) {
                    (true, true) => {}
                    (true, false) => pairs.tied_in_first += 1,
                    (false, true) => pairs.tied_in_second += 1,
                    (false, false) if (a.0 > b.0) == (a.1 > b.1) => pairs.concordant += 1,
                    (false, false) => pairs.discordant += 1,
                }
            }
        }
        Some(pairs)
    }

    /// Kendall's τ-b; none if a list ties all items.
    pub fn tau(&self) -> Option<f64> {
        let ordered = self.concordant + self.discordant;
        let (by_first, by_second) = (ordered + self.tied_in_second, ordered + self.tied_in_first);
        let product = by_first as f64 * by_second as f64;
        (product > 0.0).then(|| (self.concordant as f64 - self.discordant as f64) / product.sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tau(first: &[f64], second: &[f64]) -> Option<f64> {
        let items: Vec<(f64, f64)> = first.iter().copied().zip(second.iter().copied()).collect();
        Concordance::of(&items)?.tau()
    }

    /// SciPy's documentation of `kendalltau` and its tests, `scipy/stats/tests/test_stats.py`.
    #[test]
    fn tau_is_scipys() {
        let tied = tau(&[12.0, 2.0, 1.0, 12.0, 2.0], &[1.0, 4.0, 7.0, 1.0, 0.0]).unwrap();
        assert!((tied + 0.471_404_520_791_031_73).abs() < 1e-15);
    }

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
