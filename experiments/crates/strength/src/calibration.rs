//! Calibration of probabilities: reliability bins, expected calibration error, Brier score.
//!
//! - Bins of equal width `1/n`: bin `m` has the probabilities in `(m/n, (m + 1)/n]`, the first one also 0. Expected
//!   calibration error: the mean of |frequency − mean probability| over bins, weighted by their counts. Guo, Pleiss, Sun &
//!   Weinberger, "On calibration of modern neural networks", ICML (2017), <https://arxiv.org/abs/1706.04599>.
//! - Brier score: the mean of `Σ_c (p_c − o_c)²`, where `o_c` is 1 for the class that occurred and 0 for others. Brier,
//!   "Verification of forecasts expressed in terms of probability", Monthly Weather Review 78 (1950),
//!   <https://doi.org/10.1175/1520-0493(1950)078%3C0001:VOFEIT%3E2.0.CO;2>. The score of win, draw and
//!   loss goes from 0 to 2; scikit-learn's score of two classes is one of two equal terms of that sum.

use crate::pairs::GameResult;

/// Sums of probabilities may differ from 1 by the rounding of 32-bit numbers.
const ROUNDING: f64 = 1e-4;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bin {
    /// Lower end; probabilities lie above it, in the first bin also on it.
    pub low: f64,
    /// Upper end; probabilities lie below or on it.
    pub high: f64,
    pub count: u64,
    /// The mean predicted probability; none in an empty bin.
    pub probability: Option<f64>,
    /// The share of predictions that came true; none in an empty bin.
    pub frequency: Option<f64>,
}

/// The bins of equal width of predictions (probability, whether it came true), in ascending order; none without bins or
/// predictions, or if a number is not a probability.
pub fn reliability(predictions: &[(f64, bool)], bins: usize) -> Option<Vec<Bin>> {
    if bins == 0 || predictions.is_empty() || !predictions.iter().all(|(probability, _)| is_probability(*probability)) {
        return None;
    }
    let edges: Vec<f64> = (0..=bins).map(|edge| edge as f64 / bins as f64).collect();
    let mut sums = vec![(0_u64, 0.0, 0_u64); bins];
    for &(probability, came_true) in predictions {
        let bin = &mut sums[edges[1..bins].partition_point(|edge| *edge < probability)];
        *bin = (bin.0 + 1, bin.1 + probability, bin.2 + u64::from(came_true));
    }
    let filled = |ends: &[f64], (count, probability, came_true): (u64, f64, u64)| {
        let mean = |sum: f64| (count > 0).then(|| sum / count as f64);
        Bin { low: ends[0], high: ends[1], count, probability: mean(probability), frequency: mean(came_true as f64) }
    };
    Some(edges.windows(2).zip(sums).map(|(ends, sum)| filled(ends, sum)).collect())
}

/// The expected calibration error of bins, from 0 to 1; none if all are empty.
pub fn expected_calibration_error(bins: &[Bin]) -> Option<f64> {
    let all: u64 = bins.iter().map(|bin| bin.count).sum();
    let gap = |bin: &Bin| Some(bin.count as f64 * (bin.frequency? - bin.probability?).abs());
    (all > 0).then(|| bins.iter().filter_map(gap).sum::<f64>() / all as f64)
}

/// The Brier score of predicted results (probabilities of loss, draw and win; the result), from 0 to 2; none without
/// predictions, or if one is not a distribution.
pub fn brier_of_results(predictions: &[([f64; 3], GameResult)]) -> Option<f64> {
    let is_distribution = |probabilities: &[f64; 3]| {
        let sum: f64 = probabilities.iter().sum();
        probabilities.iter().all(|value| is_probability(*value)) && (sum - 1.0).abs() <= ROUNDING
    };
    if predictions.is_empty() || !predictions.iter().all(|(probabilities, _)| is_distribution(probabilities)) {
        return None;
    }
    let mut total = 0.0;
    for (probabilities, result) in predictions {
        for class in GameResult::ALL {
            let occurred = f64::from(u8::from(class == *result));
            total += (probabilities[class.half_points()] - occurred).powi(2);
        }
    }
    Some(total / predictions.len() as f64)
}

fn is_probability(value: f64) -> bool {
    (0.0..=1.0).contains(&value)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of scikit-learn's `calibration_curve`: probabilities, outcomes, three bins.
    const CURVE: [(f64, bool); 9] = [
        (0.1, false),
        (0.2, false),
        (0.3, false),
        (0.4, false),
        (0.65, true),
        (0.7, true),
        (0.8, true),
        (0.9, true),
        (1.0, true),
    ];

    #[test]
    fn bins_are_scikit_learns() {
        let bins = reliability(&CURVE, 3).unwrap();
        for (bin, (frequency, probability, count)) in bins.iter().zip([(0.0, 0.2, 3), (0.5, 0.525, 2), (1.0, 0.85, 4)])
        {
            assert!((bin.frequency.unwrap() - frequency).abs() < 1e-12);
            assert!((bin.probability.unwrap() - probability).abs() < 1e-12);
            assert_eq!(bin.count, count);
        }
        // (3·0.2 + 2·0.025 + 4·0.15) / 9.
        assert!((expected_calibration_error(&bins).unwrap() - 1.25 / 9.0).abs() < 1e-12);
    }

    #[test]
    fn edges_belong_to_the_bin_below() {
        let bins = reliability(&[(0.0, true), (0.07, true), (0.29, false), (1.0, true)], 100).unwrap();
        let filled: Vec<usize> = (0..100).filter(|&bin| bins[bin].count > 0).collect();
        assert_eq!(filled, [0, 6, 28, 99]);
        assert_eq!(bins[1].frequency, None);
        assert_eq!((bins[0].low, bins[99].high), (0.0, 1.0));
    }

    /// The example of scikit-learn's `brier_score_loss`; without draws, the full sum is twice its binary score.
    #[test]
    fn the_brier_score_is_scikit_learns() {
        let predictions = [(0.1, false), (0.9, true), (0.8, true), (0.3, false)]
            .map(|(win, won)| ([1.0 - win, 0.0, win], if won { GameResult::Win } else { GameResult::Loss }));
        assert!((brier_of_results(&predictions).unwrap() - 2.0 * 0.0375).abs() < 1e-15);
        assert_eq!(brier_of_results(&[([0.0, 0.0, 1.0], GameResult::Win)]), Some(0.0));
        assert_eq!(brier_of_results(&[([1.0, 0.0, 0.0], GameResult::Win)]), Some(2.0));
        let right = [(0.0, false), (1.0, true)];
        assert_eq!(expected_calibration_error(&reliability(&right, 10).unwrap()), Some(0.0));
    }

    #[test]
    fn what_is_not_a_probability_is_refused() {
        assert_eq!(reliability(&CURVE, 0), None);
        assert_eq!(reliability(&[], 2), None);
        assert_eq!(reliability(&[(f64::NAN, true)], 2), None);
        for none in [[0.5, 0.5, 0.5], [-0.5, 0.5, 1.0]] {
            assert_eq!(brier_of_results(&[(none, GameResult::Draw)]), None, "{none:?}");
        }
        assert_eq!(brier_of_results(&[]), None);
        assert_eq!(expected_calibration_error(&[]), None);
    }
}
