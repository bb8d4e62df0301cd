//! A network as a player: by its policy, by its values one ply ahead, or by a search.
//!
//! The first two agents are those of Ruoss et al. 2024 (arXiv 2402.04494) and of the Chessformer paper (arXiv 2409.12272):
//! behavioural cloning takes the likeliest legal move, the state values' agent the move with the best position after it.

use crate::agent::Agent;
use crate::decision::{Decision, WeightedMove, drawn};
use crate::error::PlayError;
use crate::network::{BATCH, at_temperature, points, predicted, predicted_results, weights, win_draw_loss};
use crate::search::Evaluated;
use games::{Position, Referee};
use std::time::Instant;
use streams::{Stream, stream, uniform};
use train::inference::predict::Prediction;
use train::inference::situation::Move;
use train::inference::{Loaded, Request, Situation};

#[derive(Debug, Clone, Copy)]
pub struct Player<'a> {
    cell: &'a Loaded,
    agent: Agent,
}

impl<'a> Player<'a> {
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

    /// An error if the network lacks an output that the agent needs: it decides at the start of the game.
    pub fn check_outputs<G: Referee>(&self) -> Result<(), PlayError> {
        let player = Self::new(self.cell, self.agent.with_visits(1));
        player.decide_in::<G>(&[G::Position::start()], &mut stream(0, &["play", "check"])).map(drop)
    }

    /// Decides in every position, without moves before it.
    pub(crate) fn decide_in<G: Referee>(
        &self,
        positions: &[G::Position],
        stream: &mut Stream,
    ) -> Result<Vec<Decision>, PlayError> {
        let situation = |start: &G::Position| Situation::<G>::of_run(start.clone(), &self.cell.config);
        let situations: Vec<Situation<G>> = positions.iter().map(situation).collect();
        self.decide(&situations.iter().collect::<Vec<_>>(), stream)
    }

    /// Decides in every situation, in batches. `stream` is drawn from where moves are drawn, once for each situation.
    pub fn decide<G: Referee>(
        &self,
        situations: &[&Situation<G>],
        stream: &mut Stream,
    ) -> Result<Vec<Decision>, PlayError> {
        self.decide_until(situations, stream, &|| false, None)
    }

    /// The same; a search ends when `is_stopped` and before `end`, after one visit at the earliest.
    pub(crate) fn decide_until<G: Referee>(
        &self,
        situations: &[&Situation<G>],
        stream: &mut Stream,
        is_stopped: &dyn Fn() -> bool,
        end: Option<Instant>,
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
            Agent::Search(search) => {
                search.decisions(situations, stream, &mut |requests| self.evaluated(requests), is_stopped, end)
            }
        }
    }

    fn by_policy<G: Referee>(
        &self,
        situations: &[&Situation<G>],
        temperature: f64,
        top_p: f64,
        stream: &mut Stream,
    ) -> Result<Vec<Decision>, PlayError> {
        let requests: Vec<Request> = situations.iter().map(|situation| situation.request(String::new())).collect();
        let decide = |prediction: &Prediction| {
            let weights = self.policy(prediction)?;
            let weights = if temperature > 0.0 { at_temperature(&weights, temperature) } else { weights };
            let moves = prediction.moves.iter().zip(weights);
            let moves = moves.map(|(mv, weight)| WeightedMove { text: mv.text.clone(), weight, points: None });
            let (points, result) = (points(prediction), win_draw_loss(prediction));
            let mut decision = Decision { points, result, ..Decision::of(moves.collect()) };
            if temperature > 0.0 {
                decision.chosen = drawn(&decision.moves, top_p, uniform(stream));
            }
            Ok(decision)
        };
        predicted(self.cell, &requests)?.iter().map(decide).collect()
    }

    fn by_value<G: Referee>(&self, situations: &[&Situation<G>]) -> Result<Vec<Decision>, PlayError> {
        let successors: Vec<Vec<Successor>> = situations.iter().map(|situation| successors(situation)).collect();
        let open: Vec<&Request> = successors.iter().flatten().filter_map(|after| after.open.as_ref().err()).collect();
        let mut values = Vec::with_capacity(open.len());
        for batch in open.chunks(BATCH) {
            let requests: Vec<Request> = batch.iter().map(|&request| request.clone()).collect();
            for prediction in predicted_results(self.cell, &requests)? {
                values.push(1.0 - self.points(&prediction)?);
            }
        }
        let mut values = values.into_iter();
        let mut weighted = |after: Successor| {
            let weight = after.open.unwrap_or_else(|_| values.next().expect("every open successor was evaluated"));
            WeightedMove { text: after.text, weight, points: Some(weight) }
        };
        let mut decision = |moves: Vec<Successor>| {
            let nodes = moves.len() as u64;
            Decision { nodes, ..Decision::of(moves.into_iter().map(&mut weighted).collect()) }
        };
        Ok(successors.into_iter().map(&mut decision).collect())
    }

    /// What a search needs of these positions.
    fn evaluated(&self, requests: &[Request]) -> Result<Vec<Evaluated>, PlayError> {
        let evaluated = |(request, prediction): (&Request, &Prediction)| {
            let place = |index: u16| request.legal.iter().position(|mv| mv.index == index).expect("a legal move");
            let weights = self.policy(prediction)?;
            let moves = prediction.moves.iter().zip(weights).map(|(mv, weight)| (place(mv.index), weight)).collect();
            Ok(Evaluated { moves, points: self.points(prediction)?, result: win_draw_loss(prediction) })
        };
        requests.iter().zip(&predicted(self.cell, requests)?).map(evaluated).collect()
    }

    fn policy(&self, prediction: &Prediction) -> Result<Vec<f64>, PlayError> {
        weights(prediction).ok_or(PlayError::NoOutput {
            agent: self.agent.name(),
            needed: "a policy",
            remedy: "take the agent `value`, or a network with the output `policy`",
        })
    }

    fn points(&self, prediction: &Prediction) -> Result<f64, PlayError> {
        points(prediction).ok_or(PlayError::NoOutput {
            agent: self.agent.name(),
            needed: "an output for the result of the game",
            remedy: "take the agent `policy`, or a network with the output `result`",
        })
    }
}

/// A legal move and the position after it.
struct Successor {
    text: String,
    /// The mover's points if the game is over, otherwise the position for the network.
    open: Result<f64, Request>,
}

fn successors<G: Referee>(situation: &Situation<G>) -> Vec<Successor> {
    let position = situation.position();
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
    position.list_moves().into_iter().map(after).collect()
}
