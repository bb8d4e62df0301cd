//! PUCT: a tree search whose moves are weighted by the policy and whose leaves are valued by the network.
//!
//! A visit descends by the move with the largest Q + U to a position that was not evaluated, and adds its value to every position of
//! the path. With the prior P of a move, its visits n, those of all moves N = Σn and the mean value Q from −1 to 1:
//!
//! ```text
//! U = cpuct · P · √max(N, 1) / (1 + n)          Silver et al. 2017, "Mastering the game of Go without human knowledge"
//! Q = Q(parent) − fpu · √(Σ P of visited moves)  of a move without a visit: Lc0's "reduction" (src/search/classic/search.cc)
//! ```
//!
//! n in U counts visits in flight, which are the others of a batch: Lc0's virtual loss. cpuct does not grow with N. Left out are also
//! noise, tree reuse, transpositions, and bounds of solved positions.

mod pace;
mod tree;

use crate::decision::{Decision, WeightedMove, drawn};
use crate::error::PlayError;
use crate::network::{BATCH, at_temperature};
use games::{Position, Referee};
use pace::Pace;
use std::time::Instant;
use streams::{Stream, uniform};
use train::inference::situation::Move;
use train::inference::{Request, Situation};
use tree::{Child, Leaf, LeafEvaluation, Tree};

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Search {
    /// How often the tree is descended, the root's evaluation included: 1 gives the policy's move.
    pub visits: u32,
    /// The weight of exploration.
    pub cpuct: f64,
    /// How much less than the parent a move without a visit is worth.
    pub fpu: f64,
    /// Leaves of a tree that are evaluated together. With 1 each visit uses all earlier results.
    pub batch: u32,
    /// At 0 the most visited move is played, otherwise a move is drawn by visits^(1/temperature).
    pub temperature: f64,
}

impl Default for Search {
    /// Lc0's values of `CPuct` and `FpuValue`, one leaf at a time.
    fn default() -> Self {
        Self { visits: 100, cpuct: 1.745, fpu: 0.33, batch: 1, temperature: 0.0 }
    }
}

/// Trees that grow at a time: their leaves are evaluated together.
const TREES: usize = 64;

/// Visits of trees that grow at a time: each keeps the legal moves of a position.
const VISITS_IN_MEMORY: usize = 400_000;

/// A network's output on a position.
pub(crate) struct Evaluated {
    /// Places in the request's list of legal moves, each with its share of the policy.
    pub(crate) moves: Vec<(usize, f64)>,
    /// Expected points of the side to move.
    pub(crate) points: f64,
    pub(crate) result: Option<[f64; 3]>,
}

/// Evaluates at most [`BATCH`] positions.
pub(crate) type Evaluate<'a> = dyn FnMut(&[Request]) -> Result<Vec<Evaluated>, PlayError> + 'a;

/// A position and the tree that grows from it.
struct SearchState<'a, G: Referee> {
    root: &'a Situation<G>,
    tree: Tree<Move<G>>,
    /// The network's own win, draw and loss of the root.
    result: Option<[f64; 3]>,
}

/// A leaf before its evaluation, with its legal moves.
struct PendingLeaf<G: Referee> {
    tree: usize,
    leaf: Leaf<Move<G>>,
    over: Option<f64>,
    legal: Vec<Move<G>>,
}

impl Search {
    /// The most visits: their tree still fits into memory.
    pub const MOST_VISITS: u32 = 100_000;

    pub(crate) const LARGEST_BATCH: u32 = 256;

    /// Decides in every situation. Every root is evaluated, then `is_stopped` or `end` may end the search before its visits are made.
    /// Before an end batches are only as large as the time allows. `stream` is drawn from at a temperature, once for each situation.
    pub(crate) fn decisions<G: Referee>(
        self,
        situations: &[&Situation<G>],
        stream: &mut Stream,
        evaluate: &mut Evaluate<'_>,
        is_stopped: &dyn Fn() -> bool,
        end: Option<Instant>,
    ) -> Result<Vec<Decision>, PlayError> {
        let mut decisions = Vec::with_capacity(situations.len());
        let trees_at_a_time = (VISITS_IN_MEMORY / self.visits.max(1) as usize).clamp(1, TREES);
        for roots in situations.chunks(trees_at_a_time) {
            let trees =
                roots.iter().map(|&root| SearchState { root, tree: Tree::new(self.cpuct, self.fpu), result: None });
            let mut states: Vec<SearchState<'_, G>> = trees.collect();
            let mut pace = Pace::new(end);
            while let Some(evaluated) = self.visit(&mut states, pace.most(), evaluate)? {
                if is_stopped() || !pace.has_time(evaluated) {
                    break;
                }
            }
            decisions.extend(states.iter().map(|state| self.decision(state, stream)));
        }
        Ok(decisions)
    }

    /// Makes up to `batch` visits in every tree, about `most` in all; how many positions were evaluated, none without a visit.
    fn visit<G: Referee>(
        self,
        states: &mut [SearchState<'_, G>],
        most: u32,
        evaluate: &mut Evaluate<'_>,
    ) -> Result<Option<u32>, PlayError> {
        let of_tree = self.batch.min((most / states.len() as u32).max(1));
        let (mut pending, mut requests) = (Vec::new(), Vec::new());
        for (tree, own) in states.iter_mut().enumerate() {
            for leaf in own.tree.gather(of_tree.min(self.visits - own.tree.visits())) {
                let (mut over, mut legal) = (leaf.over, Vec::new());
                if over.is_none() {
                    let mut situation = own.root.clone();
                    leaf.moves.iter().for_each(|&mv| situation.play(mv));
                    situation.position().legal_moves(&mut legal);
                    // The root is searched although its game may be over: programs ask for a move there, too.
                    over = points_at_end(&situation, &legal).filter(|_| !leaf.moves.is_empty());
                    if over.is_none() {
                        requests.push(situation.request(String::new()));
                    }
                }
                pending.push(PendingLeaf::<G> { tree, leaf, over, legal });
            }
        }
        let mut evaluated = Vec::with_capacity(requests.len());
        for batch in requests.chunks(BATCH) {
            evaluated.extend(evaluate(batch)?);
        }
        let mut evaluated = evaluated.into_iter();
        let count = (!pending.is_empty()).then_some(requests.len() as u32);
        for PendingLeaf { tree, leaf, over, legal } in pending {
            let own = &mut states[tree];
            let evaluation = match over {
                Some(points) => LeafEvaluation { moves: Vec::new(), points },
                None => {
                    let Evaluated { moves, points, result } = evaluated.next().expect("every open leaf was evaluated");
                    if leaf.moves.is_empty() {
                        own.result = result;
                    }
                    LeafEvaluation {
                        moves: moves.into_iter().map(|(place, prior)| (legal[place], prior)).collect(),
                        points,
                    }
                }
            };
            own.tree.finish(&leaf, evaluation);
        }
        Ok(count)
    }

    /// The most visited move, and of equally visited ones that with more points, then the likelier; a move that wins at once comes
    /// first, one that loses at once last. Without a visit to a move, weights are those of the policy.
    fn decision<G: Referee>(self, state: &SearchState<'_, G>, stream: &mut Stream) -> Decision {
        let SearchState { root, tree, result } = state;
        let mut children = tree.children();
        let keys = |child: &Child<Move<G>>| {
            let settled = child.points.filter(|&points| child.is_last && points != 0.5);
            (settled.unwrap_or(0.5), child.visits, child.points.unwrap_or(0.0))
        };
        // Stable: the likelier of equal ones stays first.
        children.sort_by(|a, b| {
            let (a, b) = (keys(a), keys(b));
            b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)).then(b.2.total_cmp(&a.2))
        });
        let visits: u32 = children.iter().map(|child| child.visits).sum();
        let share = |child: &Child<Move<G>>| f64::from(child.visits) / f64::from(visits);
        let weights = children.iter().map(|child| if visits == 0 { child.prior } else { share(child) });
        let mut weights: Vec<f64> = weights.collect();
        if self.temperature > 0.0 {
            weights = at_temperature(&weights, self.temperature);
        }
        let moves = children.iter().zip(weights).map(|(child, weight)| WeightedMove {
            text: root.position().move_text(child.mv),
            weight,
            points: child.points,
        });
        let moves: Vec<WeightedMove> = moves.collect();
        let chosen = if self.temperature > 0.0 { drawn(&moves, 1.0, uniform(stream)) } else { 0 };
        let result = result.filter(|_| visits == 0);
        Decision { moves, chosen, points: Some(tree.points()), result, nodes: tree.visits().into() }
    }
}

/// The points of the side to move, if the rules end the game here; `legal` are its moves.
fn points_at_end<G: Referee>(situation: &Situation<G>, legal: &[Move<G>]) -> Option<f64> {
    let (result, _) = G::verdict_with(situation.played(), legal)?;
    Some(f64::from(result.points_of(situation.position().side_to_move()).unwrap_or(0.5)))
}

#[cfg(test)]
mod tests;
