//! What players read of a network's outputs: weights of legal moves, and a position's result.

use crate::error::PlayError;
use models::{Answer, HeadName, Reading};
use tch::{Device, Kind, Tensor};
use train::inspect::{Loaded, Request, outputs};

/// Positions that a network sees at a time.
pub(crate) const BATCH: usize = 256;

/// A network's outputs on some positions, as numbers.
pub(crate) struct Outputs {
    /// Logits of the policy over the vocabulary, one row a position.
    policy: Option<Vec<Vec<f32>>>,
    /// Indices and logits of the moves that the refinement pass compares.
    refined: Option<[Vec<Vec<f32>>; 2]>,
    /// Probabilities of win, draw and loss, or of a win where draws are not told apart.
    result: Option<Vec<ResultShares>>,
}

/// What a network says about the result, for the side to move.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum ResultShares {
    /// Win, draw and loss.
    Three([f64; 3]),
    /// Win, where a draw is half a win.
    One(f64),
}

impl ResultShares {
    /// The expected points of a game, where a draw is half a point.
    pub(crate) fn points(self) -> f64 {
        match self {
            Self::Three([win, draw, _]) => win + draw / 2.0,
            Self::One(win) => win,
        }
    }

    /// Win, draw and loss, if they are told apart.
    pub(crate) fn three(self) -> Option<[f64; 3]> {
        match self {
            Self::Three(shares) => Some(shares),
            Self::One(_) => None,
        }
    }
}

impl Outputs {
    /// The outputs on at most [`BATCH`] positions.
    pub(crate) fn of(cell: &Loaded, asked: &[Request]) -> Result<Self, PlayError> {
        let answers = outputs(cell, asked)?;
        let of_reading = |reading: Reading| answers.iter().find(|answer| answer.reading == reading);
        let policy = answers.iter().find(|answer| answer.head == HeadName::Policy && answer.reading == Reading::Policy);
        let refined = match (of_reading(Reading::Moves), of_reading(Reading::Choice)) {
            (Some(moves), Some(logits)) => Some([rows(&moves.tensor)?, rows(&logits.tensor)?]),
            _ => None,
        };
        let policy = policy.map(|answer| rows(&answer.tensor)).transpose()?;
        Ok(Self { policy, refined, result: result(&answers)? })
    }

    /// The probabilities of a position's legal moves at a temperature, in the order of the rules; `None` without a policy.
    /// Where a refinement pass compares some moves, the others have none.
    pub(crate) fn policy(&self, place: usize, asked: &Request, temperature: f64) -> Option<Vec<f64>> {
        let logits = &self.policy.as_ref()?[place];
        let own = |index: u16| f64::from(logits[usize::from(index)]);
        let mut known: Vec<f64> = asked.legal.iter().map(|mv| own(mv.index)).collect();
        if let Some([moves, choices]) = &self.refined {
            let compared: Vec<(usize, f64)> = moves[place]
                .iter()
                .zip(&choices[place])
                .filter_map(|(&index, &logit)| {
                    let place = asked.legal.iter().position(|mv| f32::from(mv.index) == index)?;
                    Some((place, f64::from(logit)))
                })
                .collect();
            if !compared.is_empty() {
                known.fill(f64::NEG_INFINITY);
                compared.into_iter().for_each(|(place, logit)| known[place] = logit);
            }
        }
        Some(softmax(&known, temperature))
    }

    /// What the network says about a position's result, if it does.
    pub(crate) fn result(&self, place: usize) -> Option<ResultShares> {
        self.result.as_ref().map(|all| all[place])
    }
}

/// The first output that tells the result: win, draw and loss if there is one, else a winning probability.
fn result(answers: &[Answer]) -> Result<Option<Vec<ResultShares>>, PlayError> {
    let read = |reading: Reading| answers.iter().find(|answer| answer.reading == reading);
    let three = |numbers: &[f32]| [0, 1, 2].map(|i| f64::from(numbers[i]));
    if let Some(answer) = read(Reading::Result) {
        let shares = |row: &Vec<f32>| {
            let shares = softmax(&three(row), 1.0);
            ResultShares::Three([shares[0], shares[1], shares[2]])
        };
        return Ok(Some(rows(&answer.tensor)?.iter().map(shares).collect()));
    }
    if let Some(answer) = read(Reading::Shares) {
        return Ok(Some(rows(&answer.tensor)?.iter().map(|row| ResultShares::Three(three(row))).collect()));
    }
    // `outputs` has made a probability of the logit.
    let Some(answer) = read(Reading::Logit) else { return Ok(None) };
    Ok(Some(rows(&answer.tensor)?.iter().map(|row| ResultShares::One(f64::from(row[0]))).collect()))
}

/// `[b,…]` as the numbers of each position.
fn rows(tensor: &Tensor) -> Result<Vec<Vec<f32>>, PlayError> {
    let flat = tensor.f_to_device(Device::Cpu)?.f_to_kind(Kind::Float)?.f_reshape([tensor.size()[0], -1])?;
    Ok(Vec::<Vec<f32>>::try_from(flat)?)
}

/// Probabilities of logits, divided by the temperature before; at 0 the first of the largest has all of it.
fn softmax(logits: &[f64], temperature: f64) -> Vec<f64> {
    let most = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if temperature == 0.0 {
        let best = logits.iter().position(|&logit| logit == most);
        return (0..logits.len()).map(|i| f64::from(u8::from(Some(i) == best))).collect();
    }
    let weights: Vec<f64> = logits.iter().map(|&logit| ((logit - most) / temperature).exp()).collect();
    let sum: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / sum).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use train::inspect::request::LegalMove;

    fn asked(indices: &[u16]) -> Request {
        let legal = indices.iter().map(|&index| LegalMove { text: index.to_string(), index, repetitions: 0 });
        Request { text: String::new(), row: Vec::new(), earlier: Vec::new(), legal: legal.collect(), squares: 4 }
    }

    #[test]
    fn illegal_moves_have_no_share_whatever_their_logit() {
        let outputs = Outputs { policy: Some(vec![vec![0.0, 50.0, 2f32.ln()]]), refined: None, result: None };
        let shares = outputs.policy(0, &asked(&[2, 0]), 1.0).expect("a policy");
        assert!((shares[0] - 2.0 / 3.0).abs() < 1e-6 && (shares[1] - 1.0 / 3.0).abs() < 1e-6, "{shares:?}");
        assert_eq!(outputs.policy(0, &asked(&[2, 0]), 0.0), Some(vec![1.0, 0.0]));
    }

    #[test]
    fn the_refinement_pass_decides_among_its_moves() {
        let refined = Some([vec![vec![0.0, 1.0]], vec![vec![0.5, 9.0]]]);
        let outputs = Outputs { policy: Some(vec![vec![0.0, 50.0, 3.0]]), refined, result: None };
        // Move 1 is not legal here, and move 2 is not among its moves.
        assert_eq!(outputs.policy(0, &asked(&[2, 0]), 1.0), Some(vec![0.0, 1.0]));
    }

    #[test]
    fn a_draw_is_half_a_point() {
        assert_eq!(ResultShares::Three([0.5, 0.25, 0.25]).points(), 0.625);
        assert_eq!(ResultShares::One(0.7).points(), 0.7);
    }
}
