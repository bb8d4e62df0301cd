//! A network's predictions for players: weights of legal moves, and a position's result.

use crate::error::PlayError;
use models::{Answer, Reading};
use train::inference::predict::{Meaning, Prediction, predictions};
use train::inference::{Loaded, Request, outputs};

/// Positions that a network sees at a time.
pub(crate) const BATCH: usize = 256;

/// The predictions on at most [`BATCH`] positions.
pub(crate) fn predicted(cell: &Loaded, requests: &[Request]) -> Result<Vec<Prediction>, PlayError> {
    Ok(predictions(requests, &outputs(cell, requests)?, 1.0)?)
}

/// The same without moves: policies are not read.
pub(crate) fn predicted_results(cell: &Loaded, requests: &[Request]) -> Result<Vec<Prediction>, PlayError> {
    let tells_result = |answer: &Answer| matches!(answer.reading, Reading::Result | Reading::Shares | Reading::WinRate);
    let answers: Vec<Answer> = outputs(cell, requests)?.into_iter().filter(tells_result).collect();
    Ok(predictions(requests, &answers, 1.0)?)
}

/// The weights of the legal moves, each with its place among the prediction's; `None` without a policy. Where a refinement pass
/// compares some moves, the others have no weight.
pub(crate) fn weights(prediction: &Prediction) -> Option<Vec<f64>> {
    let is_refined = prediction.moves.iter().any(|mv| mv.refined.is_some());
    let refined = prediction.moves.iter().map(|mv| Some(mv.refined.unwrap_or(0.0)));
    let own = prediction.moves.iter().map(|mv| mv.policy.map(|share| share.probability));
    if is_refined { refined.collect() } else { own.collect() }
}

/// Probabilities at a temperature above 0: `p^(1/T)`, normalised. At a very low one all powers would be 0: these are of the
/// shares of the largest weight.
pub(crate) fn at_temperature(weights: &[f64], temperature: f64) -> Vec<f64> {
    let of_shares = |unit: f64| {
        let powers: Vec<f64> = weights.iter().map(|weight| (weight / unit).powf(temperature.recip())).collect();
        let sum: f64 = powers.iter().sum();
        (powers, sum)
    };
    let (mut powers, mut sum) = of_shares(1.0);
    if !sum.is_normal() {
        (powers, sum) = of_shares(weights.iter().copied().fold(0.0, f64::max));
    }
    powers.into_iter().map(|power| power / sum).collect()
}

/// Win, draw and loss for the side to move, if the network predicts them.
pub(crate) fn win_draw_loss(prediction: &Prediction) -> Option<[f64; 3]> {
    prediction.others.iter().find_map(|(_, meaning)| match meaning {
        Meaning::Wdl(shares) => Some(*shares),
        _ => None,
    })
}

/// The expected points of the side to move, where a draw is half a point; `None` if the network has no output for the result.
pub(crate) fn points(prediction: &Prediction) -> Option<f64> {
    let from_shares = win_draw_loss(prediction).map(|[win, draw, _]| win + draw / 2.0);
    from_shares.or_else(|| {
        prediction.others.iter().find_map(|(_, meaning)| match meaning {
            Meaning::WinRate(win) => Some(*win),
            _ => None,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use train::inference::predict::{MovePrediction, MoveProbability};

    fn prediction(moves: &[(f64, Option<f64>)], others: Vec<(String, Meaning)>) -> Prediction {
        let moves = moves.iter().map(|&(probability, refined)| MovePrediction {
            text: String::new(),
            index: 0,
            is_legal: true,
            policy: Some(MoveProbability { logit: 0.0, probability }),
            soft: None,
            further: Vec::new(),
            refined,
        });
        Prediction { position: String::new(), moves: moves.collect(), others }
    }

    #[test]
    fn the_refinement_pass_decides_among_its_moves() {
        assert_eq!(weights(&prediction(&[(0.6, None), (0.4, None)], Vec::new())), Some(vec![0.6, 0.4]));
        assert_eq!(weights(&prediction(&[(0.6, None), (0.4, Some(1.0))], Vec::new())), Some(vec![0.0, 1.0]));
    }

    #[test]
    fn a_low_temperature_sharpens_and_a_high_one_flattens() {
        let of = |temperature| at_temperature(&[0.8, 0.2, 0.0], temperature)[0];
        assert!((of(1.0) - 0.8).abs() < 1e-12 && (of(0.5) - 0.64 / 0.68).abs() < 1e-12);
        assert!(of(10.0) > 0.5 && of(10.0) < 0.6);
        for coldest in [1e-3, 1e-300, f64::MIN_POSITIVE, 5e-324] {
            assert_eq!(at_temperature(&[0.3, 0.5, 0.2], coldest), [0.0, 1.0, 0.0], "{coldest}");
        }
    }

    #[test]
    fn a_draw_is_half_a_point() {
        let of = |meaning| points(&prediction(&[], vec![("wdl".to_owned(), meaning)]));
        assert_eq!(of(Meaning::Wdl([0.5, 0.25, 0.25])), Some(0.625));
        assert_eq!(of(Meaning::WinRate(0.7)), Some(0.7));
        assert_eq!(of(Meaning::Number(0.7)), None, "moves that are left are no points");
        assert_eq!(of(Meaning::Labels(Vec::new())), None);
    }
}
