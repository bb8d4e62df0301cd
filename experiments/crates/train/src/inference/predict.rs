//! A network's output on one position in numbers: moves with probabilities, and the other heads.

use super::situation::Request;
use crate::error::TrainError;
use games::Vocabulary;
use models::{Answer, HeadName, Reading};
use serde_json::{Map, Value, json};
use tch::{Device, Kind, Tensor};

#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    pub position: String,
    /// Its moves, the most probable first (in the order of the rules if there is no policy).
    pub moves: Vec<MovePrediction>,
    pub others: Vec<(String, Meaning)>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct MovePrediction {
    pub text: String,
    pub index: u16,
    /// Whether the rules allow it; [`predictions_of_all_moves`] lists illegal moves too.
    pub is_legal: bool,
    /// Its logit and its probability among the listed moves, by the policy.
    pub policy: Option<MoveProbability>,
    /// The same by the soft policy.
    pub soft: Option<MoveProbability>,
    /// The same by further policies, by their names.
    pub further: Vec<(String, MoveProbability)>,
    /// Its probability in the refinement pass, if the network has one and this move is a candidate.
    pub refined: Option<f64>,
}

/// A policy's logit and probability of a move.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MoveProbability {
    pub logit: f32,
    pub probability: f64,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Meaning {
    /// Probabilities of win, draw and loss for the side to move; for `result_shares` its raw values.
    Wdl([f64; 3]),
    /// A number as the head gives it.
    Number(f64),
    /// The probability of a win for the side to move, which was trained with draws as half a win.
    WinRate(f64),
    Intervals(Vec<f64>),
    /// Probabilities of yes, each for itself.
    Answers(Vec<f64>),
    Labels(Vec<usize>),
    /// The pairs of squares that are likelier than not.
    Pairs(Vec<[usize; 2]>),
}

/// Turns a network's outputs into one prediction per position. The policy's logits are divided by `temperature`; at 0 the
/// likeliest move has probability 1.
pub fn predictions(requests: &[Request], outputs: &[Answer], temperature: f64) -> Result<Vec<Prediction>, TrainError> {
    let of_head = |head: HeadName| {
        outputs.iter().find(|answer| answer.name() == head.name()).map(|answer| rows(&answer.tensor)).transpose()
    };
    let (policy, soft) = (of_head(HeadName::Policy)?, of_head(HeadName::SoftPolicy)?);
    let further = outputs.iter().filter(|answer| answer.head == HeadName::FurtherPolicies);
    let further: Vec<(&str, Vec<Vec<f32>>)> =
        further.map(|answer| Ok((answer.part.as_ref(), rows(&answer.tensor)?))).collect::<Result<_, TrainError>>()?;
    let choice = of_head(HeadName::Refined)?;
    let candidates = outputs.iter().find(|answer| answer.reading == Reading::Moves);
    let candidates = candidates.map(|answer| rows(&answer.tensor)).transpose()?;
    let is_of_moves = |reading| matches!(reading, Reading::Policy | Reading::Moves | Reading::Choice);
    let others = outputs.iter().filter(|answer| !is_of_moves(answer.reading));
    let others: Vec<(String, Reading, Vec<Vec<f32>>)> = others
        .map(|answer| Ok((shown_name(answer.head, answer.name()), answer.reading, rows(&answer.tensor)?)))
        .collect::<Result<_, TrainError>>()?;
    let prediction = |(i, request): (usize, &Request)| Prediction {
        position: request.text.clone(),
        moves: move_predictions(
            request,
            policy.as_ref().map(|rows| shares(request, &rows[i], temperature)),
            soft.as_ref().map(|rows| shares(request, &rows[i], 1.0)),
            &further.iter().map(|(name, rows)| (*name, shares(request, &rows[i], 1.0))).collect::<Vec<_>>(),
            candidates
                .as_ref()
                .zip(choice.as_ref())
                .map(|(moves, logits)| refined_probabilities(&moves[i], &logits[i])),
        ),
        others: others
            .iter()
            .filter_map(|(name, reading, rows)| Some((name.clone(), meaning(*reading, &rows[i], request.squares)?)))
            .collect(),
    };
    Ok(requests.iter().enumerate().map(prediction).collect())
}

/// The same over all entries of the vocabulary, legal or not, as with ChessDecoder's `force_legal=False`.
pub fn predictions_of_all_moves(
    requests: &[Request],
    outputs: &[Answer],
    temperature: f64,
    moves: Vocabulary,
) -> Result<Vec<Prediction>, TrainError> {
    let with_all: Vec<Request> = requests.iter().map(|request| request.with_all_moves(moves)).collect();
    let mut predictions = predictions(&with_all, outputs, temperature)?;
    for (prediction, request) in predictions.iter_mut().zip(requests) {
        for mv in &mut prediction.moves {
            mv.is_legal = request.legal.iter().any(|legal| legal.index == mv.index);
        }
    }
    Ok(predictions)
}

/// The candidates of the refinement pass, by index, with their probabilities.
fn refined_probabilities(moves: &[f32], logits: &[f32]) -> Vec<(u16, f64)> {
    moves.iter().map(|&index| index as u16).zip(softmax(logits, 1.0)).collect()
}

/// `[b,…]` as a list of values for each position.
pub(super) fn rows(tensor: &Tensor) -> Result<Vec<Vec<f32>>, TrainError> {
    let flat = tensor.f_to_device(Device::Cpu)?.f_to_kind(Kind::Float)?.f_reshape([tensor.size()[0], -1])?;
    Ok(Vec::<Vec<f32>>::try_from(flat)?)
}

/// The moves, the most probable first: the refinement pass's candidates by its probabilities, then the others by the
/// policy.
fn move_predictions(
    request: &Request,
    policy: Option<Vec<MoveProbability>>,
    soft: Option<Vec<MoveProbability>>,
    further: &[(&str, Vec<MoveProbability>)],
    refined: Option<Vec<(u16, f64)>>,
) -> Vec<MovePrediction> {
    let refined = refined.unwrap_or_default();
    let share = |shares: &Option<Vec<MoveProbability>>, i: usize| shares.as_ref().map(|shares| shares[i]);
    let moves = request.legal.iter().enumerate().map(|(i, mv)| MovePrediction {
        text: mv.text.clone(),
        index: mv.index,
        is_legal: true,
        policy: share(&policy, i),
        soft: share(&soft, i),
        further: further.iter().map(|(name, shares)| ((*name).to_owned(), shares[i])).collect(),
        refined: refined.iter().find(|&&(index, _)| index == mv.index).map(|&(_, probability)| probability),
    });
    let mut moves: Vec<MovePrediction> = moves.collect();
    // Stable: moves with the same logit stay in the order of the rules.
    let logit = |mv: &MovePrediction| mv.policy.map_or(0.0, |share| share.logit);
    moves.sort_by(|a, b| logit(b).total_cmp(&logit(a)));
    let looked_at = |mv: &MovePrediction| mv.refined.unwrap_or(-1.0);
    moves.sort_by(|a, b| looked_at(b).total_cmp(&looked_at(a)));
    moves
}

/// The probability of each legal move, in the order of the rules.
fn shares(request: &Request, logits: &[f32], temperature: f64) -> Vec<MoveProbability> {
    let own: Vec<f32> = request.legal.iter().map(|mv| logits[usize::from(mv.index)]).collect();
    let probabilities = if temperature == 0.0 { winner(&own) } else { softmax(&own, temperature) };
    own.into_iter().zip(probabilities).map(|(logit, probability)| MoveProbability { logit, probability }).collect()
}

/// 1 for the first maximum, 0 for the rest.
fn winner(logits: &[f32]) -> Vec<f64> {
    let most = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let best = logits.iter().position(|&logit| logit == most);
    (0..logits.len()).map(|i| if Some(i) == best { 1.0 } else { 0.0 }).collect()
}

fn softmax(logits: &[f32], temperature: f64) -> Vec<f64> {
    let most = f64::from(logits.iter().copied().fold(f32::NEG_INFINITY, f32::max));
    let weights: Vec<f64> = logits.iter().map(|&logit| ((f64::from(logit) - most) / temperature).exp()).collect();
    let sum: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / sum).collect()
}

fn shown_name(head: HeadName, name: String) -> String {
    if head == HeadName::Result { "wdl".to_owned() } else { name }
}

/// The meaning of an output on a board of `squares` squares; `None` for outputs that are listed with the moves.
fn meaning(reading: Reading, numbers: &[f32], squares: usize) -> Option<Meaning> {
    let first = || f64::from(numbers.first().copied().unwrap_or(f32::NAN));
    let three = || [0, 1, 2].map(|i| numbers.get(i).copied().unwrap_or(f32::NAN));
    Some(match reading {
        Reading::Result => wdl(three()),
        // No softmax: the shares are trained as raw values and need not be probabilities.
        Reading::Shares => Meaning::Wdl(three().map(f64::from)),
        Reading::Number => Meaning::Number(first()),
        Reading::WinRate => Meaning::WinRate(first()),
        Reading::Intervals => Meaning::Intervals(softmax(numbers, 1.0)),
        Reading::Labels => Meaning::Labels(numbers.chunks(numbers.len() / squares).map(largest).collect()),
        Reading::Pairs => {
            let likely = numbers.iter().enumerate().filter(|&(_, &logit)| logit > 0.0);
            Meaning::Pairs(likely.map(|(i, _)| [i / squares, i % squares]).collect())
        }
        Reading::Bits => Meaning::Answers(numbers.iter().map(|&logit| 1.0 / (1.0 + f64::from(-logit).exp())).collect()),
        Reading::Policy | Reading::Moves | Reading::Choice | Reading::Internal => return None,
    })
}

fn wdl(logits: [f32; 3]) -> Meaning {
    let shares = softmax(&logits, 1.0);
    Meaning::Wdl([shares[0], shares[1], shares[2]])
}

fn largest(logits: &[f32]) -> usize {
    logits.iter().enumerate().max_by(|(i, a), (j, b)| a.total_cmp(b).then(j.cmp(i))).map_or(0, |(i, _)| i)
}

impl Prediction {
    /// One JSON object, with the `top` most probable moves (all if `None`).
    pub fn json(&self, top: Option<usize>) -> Value {
        let moves: Vec<Value> = self.moves.iter().take(top.unwrap_or(usize::MAX)).map(MovePrediction::json).collect();
        let mut object = Map::new();
        object.insert("position".to_owned(), self.position.clone().into());
        object.insert("moves".to_owned(), moves.into());
        for (name, meaning) in &self.others {
            let value = match meaning {
                Meaning::Wdl([win, draw, loss]) => json!({"win": win, "draw": draw, "loss": loss}),
                Meaning::Number(number) | Meaning::WinRate(number) => json!(number),
                Meaning::Intervals(shares) | Meaning::Answers(shares) => json!(shares),
                Meaning::Labels(labels) => json!(labels),
                Meaning::Pairs(pairs) => json!(pairs),
            };
            object.insert(name.clone(), value);
        }
        object.into()
    }
}

impl MovePrediction {
    fn json(&self) -> Value {
        let mut object = json!({"move": self.text, "index": self.index});
        if !self.is_legal {
            object["legal"] = false.into();
        }
        if let Some(MoveProbability { logit, probability }) = self.policy {
            object["logit"] = logit.into();
            object["probability"] = probability.into();
        }
        if let Some(MoveProbability { probability, .. }) = self.soft {
            object["soft_probability"] = probability.into();
        }
        for (name, share) in &self.further {
            object["further_probabilities"][name] = share.probability.into();
        }
        if let Some(probability) = self.refined {
            object["refined_probability"] = probability.into();
        }
        object
    }
}

#[cfg(test)]
mod tests {
    use super::super::situation::LegalMove;
    use super::*;

    fn request() -> Request {
        let legal = [("a", 2), ("b", 0), ("c", 3)];
        let legal = legal.map(|(text, index)| LegalMove { text: text.to_owned(), index, repetitions: 0 });
        Request { text: "x".to_owned(), row: Vec::new(), earlier: Vec::new(), legal: legal.to_vec(), squares: 2 }
    }

    #[test]
    fn illegal_moves_have_no_share_whatever_their_logit() {
        // Weights e⁰ : e⁻¹ : e⁻² of the legal moves b, a, c; index 1 is illegal.
        let request = request();
        let moves = move_predictions(&request, Some(shares(&request, &[2.0, 50.0, 1.0, 0.0], 1.0)), None, &[], None);
        assert_eq!(moves.iter().map(|mv| mv.text.as_str()).collect::<Vec<_>>(), ["b", "a", "c"]);
        let sum = 1.0 + (-1f64).exp() + (-2f64).exp();
        for (mv, weight) in moves.iter().zip([1.0, (-1f64).exp(), (-2f64).exp()]) {
            assert!((mv.policy.expect("there is a policy").probability - weight / sum).abs() < 1e-15);
        }
    }

    #[test]
    fn the_refinement_pass_decides_among_its_moves() {
        let request = request();
        let policy = || Some(shares(&request, &[2.0, 50.0, 1.0, 0.0], 1.0));
        let order = |refined| {
            move_predictions(&request, policy(), None, &[], Some(refined))
                .into_iter()
                .map(|mv| mv.text)
                .collect::<String>()
        };
        assert_eq!(order(refined_probabilities(&[0.0, 2.0], &[1.0, 3.0])), "abc");
        assert_eq!(order(refined_probabilities(&[0.0, 2.0], &[3.0, 1.0])), "bac");
        // The third candidate is not a legal move.
        assert_eq!(refined_probabilities(&[0.0, 2.0, 1.0], &[0.0, 0.0, -1e30]), [(0, 0.5), (2, 0.5), (1, 0.0)]);
    }

    #[test]
    fn outputs_are_read_by_their_heads() {
        let meaning = |reading, numbers: &[f32]| meaning(reading, numbers, 2).expect("it has a meaning by itself");
        let Meaning::Wdl(shares) = meaning(Reading::Result, &[0.0, f32::ln(2.0), f32::ln(5.0)]) else {
            panic!("win, draw and loss are three logits")
        };
        for (share, wanted) in shares.into_iter().zip([0.125, 0.25, 0.625]) {
            assert!((share - wanted).abs() < 1e-7);
        }
        assert_eq!(meaning(Reading::Number, &[-0.5]), Meaning::Number(-0.5));
        assert_eq!(meaning(Reading::Intervals, &[1.0, 1.0]), Meaning::Intervals(vec![0.5, 0.5]));
        assert_eq!(meaning(Reading::Labels, &[0.0, 1.0, 0.5, 3.0, 2.0, 3.0]), Meaning::Labels(vec![1, 0]));
        assert_eq!(meaning(Reading::Pairs, &[-1.0, 2.0, 0.1, -3.0]), Meaning::Pairs(vec![[0, 1], [1, 0]]));
        assert_eq!(meaning(Reading::Shares, &[0.5, 0.25, 0.5]), Meaning::Wdl([0.5, 0.25, 0.5]));
    }
}
