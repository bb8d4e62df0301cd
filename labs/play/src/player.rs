//! A network as a player: by its policy, or by its values one ply ahead.
//!
//! Both agents are those of Ruoss et al. 2024 (arXiv 2402.04494) and of the Chessformer paper (arXiv 2409.12272): behavioural
//! cloning takes the likeliest legal move, the state values' agent the move with the best position after it.

use crate::decision::{Decision, WeightedMove};
use crate::error::PlayError;
use crate::network::{BATCH, at_temperature, points, predicted, predicted_results, weights, win_draw_loss};
use games::{Position, Referee};
use std::fmt;
use std::str::FromStr;
use streams::{Stream, uniform};
use train::inference::predict::Prediction;
use train::inference::situation::Move;
use train::inference::{Loaded, Request, Situation};

/// How a network chooses a move.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Agent {
    /// By its policy among the legal moves.
    Policy {
        /// Logits are divided by it; at 0 the likeliest move is played, otherwise a move is drawn.
        temperature: f64,
        /// Only the likeliest moves are drawn, as few as have this share together; 1 for all.
        top_p: f64,
    },
    /// The move after which the opponent's expected points are fewest. Every successor is evaluated in one batch; where the rules
    /// end the game, repetitions included, their result counts.
    Value,
}

impl Agent {
    /// The likeliest move of the policy.
    pub const POLICY: Self = Self::Policy { temperature: 0.0, top_p: 1.0 };

    pub const fn name(self) -> &'static str {
        match self {
            Self::Policy { .. } => "policy",
            Self::Value => "value",
        }
    }

    /// How many positions the network evaluates for a move: 1 for the policy; for values the paper counts 20, the average of
    /// legal moves in its games.
    const fn evaluations(self) -> u64 {
        match self {
            Self::Policy { .. } => 1,
            Self::Value => 20,
        }
    }
}

impl fmt::Display for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Policy { temperature, .. } if *temperature == 0.0 => f.write_str("policy"),
            Self::Policy { temperature, top_p } if *top_p < 1.0 => {
                write!(f, "policy:temperature={temperature},top_p={top_p}")
            }
            Self::Policy { temperature, .. } => write!(f, "policy:temperature={temperature}"),
            Self::Value => f.write_str("value"),
        }
    }
}

impl FromStr for Agent {
    type Err = PlayError;

    fn from_str(text: &str) -> Result<Self, PlayError> {
        let wrong = |reason: &str| PlayError::Agent(format!("agent `{text}`: {reason}"));
        let (name, options) = text.split_once(':').unwrap_or((text, ""));
        let options: Vec<(&str, f64)> = options
            .split(',')
            .filter(|option| !option.is_empty())
            .map(|option| {
                let (key, value) = option.split_once('=').ok_or_else(|| wrong("an option is `name=number`"))?;
                let value: f64 = value.parse().map_err(|_| wrong("an option's value is a number"))?;
                Ok((key, value))
            })
            .collect::<Result<_, PlayError>>()?;
        match name {
            "value" if options.is_empty() => Ok(Self::Value),
            "value" => Err(wrong("`value` has no options")),
            "policy" => {
                let (mut temperature, mut top_p) = (0.0, 1.0);
                for (key, value) in options {
                    match key {
                        "temperature" if value.is_finite() && value >= 0.0 => temperature = value,
                        "temperature" => return Err(wrong("a temperature is 0 or more")),
                        "top_p" if value > 0.0 && value <= 1.0 => top_p = value,
                        "top_p" => return Err(wrong("top_p is above 0 and at most 1")),
                        _ => return Err(wrong("the options are `temperature` and `top_p`")),
                    }
                }
                Ok(Self::Policy { temperature, top_p })
            }
            _ => Err(wrong("the agents are `policy` and `value`")),
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub struct Player<'a> {
    cell: &'a Loaded,
    agent: Agent,
}

impl<'a> Player<'a> {
    /// The network as this agent.
    pub fn new(cell: &'a Loaded, agent: Agent) -> Self {
        Self { cell, agent }
    }

    pub fn agent(&self) -> Agent {
        self.agent
    }

    /// "FLOPs" of a move as the Chessformer paper counts them: [`models::Macs::paper`] of each evaluated position.
    pub fn paper_flops(&self) -> u64 {
        self.agent.evaluations() * self.cell.network.macs().paper
    }

    pub fn cell(&self) -> &'a Loaded {
        self.cell
    }

    /// Decides in every situation, in batches. `stream` is drawn from where moves are drawn, once for each situation.
    pub fn decide<G: Referee>(
        &self,
        situations: &[&Situation<G>],
        stream: &mut Stream,
    ) -> Result<Vec<Decision>, PlayError> {
        match self.agent {
            Agent::Policy { temperature, top_p } => {
                let mut decisions = Vec::with_capacity(situations.len());
                for situations in situations.chunks(BATCH) {
                    decisions.extend(self.by_policy(situations, temperature, top_p, stream)?);
                }
                Ok(decisions)
            }
            Agent::Value => self.by_value(situations),
        }
    }

    fn by_policy<G: Referee>(
        &self,
        situations: &[&Situation<G>],
        temperature: f64,
        top_p: f64,
        stream: &mut Stream,
    ) -> Result<Vec<Decision>, PlayError> {
        let asked: Vec<Request> = situations.iter().map(|situation| situation.request(String::new())).collect();
        let decide = |prediction: &Prediction| {
            let weights = weights(prediction).ok_or(PlayError::NoOutput {
                agent: self.agent.name(),
                needed: "a policy",
                remedy: "take the agent `value`, or a network with the output `policy`",
            })?;
            let weights = if temperature > 0.0 { at_temperature(&weights, temperature) } else { weights };
            let moves = prediction.moves.iter().zip(weights);
            let moves = moves.map(|(mv, weight)| WeightedMove { text: mv.text.clone(), weight });
            let (points, result) = (points(prediction), win_draw_loss(prediction));
            let mut decision = Decision { points, result, ..Decision::of(moves.collect()) };
            if temperature > 0.0 {
                decision.chosen = drawn(&decision.moves, top_p, uniform(stream));
            }
            Ok(decision)
        };
        predicted(self.cell, &asked)?.iter().map(decide).collect()
    }

    fn by_value<G: Referee>(&self, situations: &[&Situation<G>]) -> Result<Vec<Decision>, PlayError> {
        let successors: Vec<Vec<Successor>> = situations.iter().map(|situation| successors(situation)).collect();
        let open: Vec<&Request> = successors.iter().flatten().filter_map(|after| after.open.as_ref().err()).collect();
        let mut values = Vec::with_capacity(open.len());
        for asked in open.chunks(BATCH) {
            let asked: Vec<Request> = asked.iter().map(|&asked| asked.clone()).collect();
            for prediction in predicted_results(self.cell, &asked)? {
                let opponent = points(&prediction).ok_or(PlayError::NoOutput {
                    agent: self.agent.name(),
                    needed: "an output for the result of the game",
                    remedy: "take the agent `policy`, or a network with the output `result`",
                })?;
                values.push(1.0 - opponent);
            }
        }
        let mut values = values.into_iter();
        let mut weighted = |after: Successor| WeightedMove {
            weight: after.open.unwrap_or_else(|_| values.next().expect("every open successor was evaluated")),
            text: after.text,
        };
        Ok(successors.into_iter().map(|moves| Decision::of(moves.into_iter().map(&mut weighted).collect())).collect())
    }
}

/// A legal move and the position after it.
struct Successor {
    text: String,
    /// The mover's points if the game is over, otherwise the position for the network.
    open: Result<f64, Request>,
}

fn successors<G: Referee>(situation: &Situation<G>) -> Vec<Successor> {
    let (position, mut legal) = (situation.position(), Vec::new());
    position.legal_moves(&mut legal);
    let mover = position.side_to_move();
    let after = |mv: Move<G>| {
        let mut after = situation.clone();
        after.play(mv);
        let open = match G::verdict(after.played()) {
            Some((result, _)) => Ok(f64::from(result.points_of(mover).unwrap_or(0.5))),
            None => Err(after.without_moves(String::new())),
        };
        Successor { text: position.move_text(mv), open }
    };
    legal.into_iter().map(after).collect()
}

/// The place of a move that is drawn by `chance` in `[0,1)` among the likeliest moves, heaviest first, that have `top_p` together.
fn drawn(moves: &[WeightedMove], top_p: f64, chance: f64) -> usize {
    let mut before = 0.0;
    let kept = moves.iter().take_while(|mv| {
        let is_kept = before < top_p;
        before += mv.weight;
        is_kept
    });
    let kept: Vec<f64> = kept.map(|mv| mv.weight).collect();
    let mut left = chance * kept.iter().sum::<f64>();
    kept.iter()
        .position(|weight| {
            left -= weight;
            left < 0.0
        })
        .unwrap_or_else(|| kept.len().saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_are_written_as_they_are_read() {
        for text in ["policy", "value", "policy:temperature=0.5", "policy:temperature=1,top_p=0.9"] {
            assert_eq!(text.parse::<Agent>().expect("an agent").to_string(), text);
        }
        for wrong in ["search", "policy:temperature=-1", "policy:top_p=0", "policy:heat=1", "value:top_p=1", "policy:x"]
        {
            let error = wrong.parse::<Agent>().expect_err("wrong").to_string();
            assert!(error.starts_with(&format!("agent `{wrong}`: ")), "{error}");
        }
    }

    #[test]
    fn moves_are_drawn_by_their_shares_among_the_likeliest() {
        let moves = [0.5, 0.3, 0.2].map(|weight| WeightedMove { text: String::new(), weight });
        let of = |top_p: f64| [0.0, 0.49, 0.51, 0.79, 0.81, 0.999].map(|chance| drawn(&moves, top_p, chance));
        assert_eq!(of(1.0), [0, 0, 1, 1, 2, 2]);
        assert_eq!(of(0.5), [0; 6]);
        // Two moves with 0.8 together: the first up to 0.5 / 0.8.
        assert_eq!(of(0.6), [0, 0, 0, 1, 1, 1]);
    }
}
