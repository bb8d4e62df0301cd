//! How well two rankings agree: Kendall's τ-b.
//!
//! Of all pairs of items, `C` are ordered alike by both lists (concordant), `D` oppositely (discordant), `T` tied by the
//! first list only and `U` by the second only: `τ_b = (C − D)/√((C + D + T)(C + D + U))`, from −1 to 1.
//! Kendall, "The treatment of ties in ranking problems", Biometrika 33 (1945), <https://doi.org/10.1093/biomet/33.3.239>;
//! the counts in `n log n` steps: Knight, Journal of the American Statistical Association 61 (1966),
//! <https://doi.org/10.1080/01621459.1966.10480879>. SciPy's `kendalltau` has the same number.

/// The pairs of items of two lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Concordance {
    /// Pairs that both lists order alike.
    pub concordant: u64,
    /// Pairs that the lists order oppositely.
    pub discordant: u64,
    /// Pairs that the first list ties and the second orders.
    pub tied_in_first: u64,
    /// Pairs that the second list ties and the first orders.
    pub tied_in_second: u64,
    /// Pairs that both lists tie.
    pub tied_in_both: u64,
}

impl Concordance {
    /// Of items with two values each; none if a value is not a number.
    pub fn of(items: &[(f64, f64)]) -> Option<Self> {
        if items.iter().any(|(first, second)| first.is_nan() || second.is_nan()) {
            return None;
        }
        // −0 and 0 are equal; `total_cmp` would order them.
        let mut sorted: Vec<(f64, f64)> = items.iter().map(|(first, second)| (first + 0.0, second + 0.0)).collect();
        sorted.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let all = pairs_of(sorted.len());
        let in_first = tied(&sorted, |a, b| a.0 == b.0);
        let in_both = tied(&sorted, |a, b| a == b);
        let mut second: Vec<f64> = sorted.iter().map(|(_, second)| *second).collect();
        let discordant = sort_counting(&mut second);
        let in_second = tied(&second, |a, b| a == b);
        Some(Self {
            concordant: all + in_both - in_first - in_second - discordant,
            discordant,
            tied_in_first: in_first - in_both,
            tied_in_second: in_second - in_both,
            tied_in_both: in_both,
        })
    }

    /// Kendall's τ-b; none if a list ties all items.
    pub fn tau(&self) -> Option<f64> {
        let ordered = self.concordant + self.discordant;
        let (by_first, by_second) = (ordered + self.tied_in_second, ordered + self.tied_in_first);
        let product = by_first as f64 * by_second as f64;
        (product > 0.0).then(|| (self.concordant as f64 - self.discordant as f64) / product.sqrt())
    }
}

/// Pairs of this many items.
fn pairs_of(items: usize) -> u64 {
    let items = items as u64;
    items * items.saturating_sub(1) / 2
}

/// Pairs of equal items in a list where equal ones are neighbours.
fn tied<T>(sorted: &[T], equal: impl Fn(&T, &T) -> bool) -> u64 {
    sorted.chunk_by(equal).map(|run| pairs_of(run.len())).sum()
}

/// Sorts by merging, and counts the pairs whose larger value stood first.
fn sort_counting(values: &mut [f64]) -> u64 {
    let half = values.len() / 2;
    if half == 0 {
        return 0;
    }
    let mut swapped = sort_counting(&mut values[..half]) + sort_counting(&mut values[half..]);
    let (left, right) = (values[..half].to_vec(), values[half..].to_vec());
    let (mut from_left, mut from_right) = (0, 0);
    for value in values {
        let takes_right = from_left == left.len() || (from_right < right.len() && right[from_right] < left[from_left]);
        if takes_right {
            swapped += (left.len() - from_left) as u64;
            *value = right[from_right];
            from_right += 1;
        } else {
            *value = left[from_left];
            from_left += 1;
        }
    }
    swapped
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

    fn one_by_one(items: &[(f64, f64)]) -> Concordance {
        let mut counts =
            Concordance { concordant: 0, discordant: 0, tied_in_first: 0, tied_in_second: 0, tied_in_both: 0 };
        for (i, a) in items.iter().enumerate() {
            for b in &items[..i] {
                let (first, second) = (a.0 - b.0, a.1 - b.1);
                let count = match (first == 0.0, second == 0.0) {
                    (true, true) => &mut counts.tied_in_both,
                    (true, false) => &mut counts.tied_in_first,
                    (false, true) => &mut counts.tied_in_second,
                    _ if first * second > 0.0 => &mut counts.concordant,
                    _ => &mut counts.discordant,
                };
                *count += 1;
            }
        }
        counts
    }

    #[test]
    fn counts_are_those_of_every_pair_by_itself() {
        let mut state = 1_u64;
        let mut draw = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) % below) as f64 - 3.0
        };
        for below in [2, 4, 10, 1000] {
            for len in 0..60 {
                let items: Vec<(f64, f64)> = (0..len).map(|_| (draw(below), draw(below))).collect();
                let counts = Concordance::of(&items).unwrap();
                assert_eq!(counts, one_by_one(&items), "{items:?}");
                assert!(counts.tau().is_none_or(|tau| tau.abs() <= 1.0));
            }
        }
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
