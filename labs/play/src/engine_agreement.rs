//! A player beside an engine that scores every legal move: does the player order the moves as the engine does, and what do the
//! moves that it chooses cost?

use crate::error::PlayError;
use crate::player::Player;
use dataset::ValueCurve;
use engines::{Engine, EngineSettings};
use games::{Position, Referee, Side};
use serde::Serialize;
use std::path::PathBuf;
use std::time::Duration;
use streams::Stream;
use strength::interval::standard_errors;
use strength::kendall::tau;

/// The maximum number of compared moves: Stockfish's limit. No position of chess has more than 218 legal moves; one of shogi can
/// have 593.
const MOST_MOVES: usize = 500;

/// How long the engine may take for a position.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judge {
    pub program: PathBuf,
    /// Nodes a position, for all of its moves together.
    pub nodes: u64,
    pub options: Vec<(String, String)>,
}

/// An engine's evaluation of a position: its legal moves with the mover's winning probability, the best first.
pub type Judgement = Vec<(String, f64)>;

/// How a player does by an engine's scores. Intervals are at 95 %, over positions.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JudgedScore {
    /// Positions in which the engine scored two moves or more, the chosen one among them.
    pub positions: usize,
    /// The mean of Kendall's τ-b between the player's weights and the engine's scores of the moves of a position, with its interval;
    /// positions in which either ties all moves are left out.
    pub tau: Option<[f64; 3]>,
    /// Mean loss of the chosen move: the engine's winning probability of its best move less that of the chosen one.
    pub loss: Option<[f64; 3]>,
    /// The share of positions in which the chosen move is one of the engine's best; none without positions.
    pub best: Option<f64>,
}

impl Judge {
    /// The engine's scores of every legal move of these positions, each compared at one depth. Scores become winning probabilities by
    /// the usual curve of the game ([`ValueCurve::of`]).
    pub fn scores<G: Referee>(&self, positions: &[G::Position]) -> Result<Vec<Judgement>, PlayError> {
        let settings = EngineSettings {
            options: self.options.clone(),
            ..EngineSettings::new(&self.program, G::KIND, MOST_MOVES, ANSWER_TIMEOUT)
        };
        let mut engine = Engine::start(&settings)?;
        let curve = ValueCurve::of(G::KIND);
        let mut judge = |position: &G::Position| {
            engine.new_game()?;
            let search = engine.search(Some(&position.to_text()), &[], self.nodes, &[])?;
            // Scores are the mover's; the curve is the same for both sides.
            let points = |score| f64::from(curve.win_probability(score, Side::First));
            Ok(search.lines.compared(MOST_MOVES).into_iter().map(|(mv, score)| (mv, points(score))).collect())
        };
        positions.iter().map(&mut judge).collect()
    }
}

/// The player's score by these judgements, one for each position.
pub fn score<G: Referee>(
    player: &Player<'_>,
    positions: &[G::Position],
    judgements: &[Judgement],
    stream: &mut Stream,
) -> Result<JudgedScore, PlayError> {
    let decisions = player.decide_in::<G>(positions, stream)?;
    let (mut taus, mut losses) = (Vec::new(), Vec::new());
    for (decision, judgement) in decisions.iter().zip(judgements).filter(|(_, judgement)| judgement.len() > 1) {
        let points = |mv: &str| judgement.iter().find(|(own, _)| own == mv).map(|&(_, points)| points);
        let both = decision.moves.iter().filter_map(|mv| Some((mv.weight, points(&mv.text)?)));
        let (weights, judged): (Vec<f64>, Vec<f64>) = both.unzip();
        taus.extend(tau(&weights, &judged));
        let best = judgement.iter().map(|&(_, points)| points).fold(0.0, f64::max);
        losses.extend(decision.text().and_then(points).map(|own| best - own));
    }
    let best = losses.iter().filter(|&&loss| loss == 0.0).count() as f64 / losses.len() as f64;
    let best = (!losses.is_empty()).then_some(best);
    Ok(JudgedScore { positions: losses.len(), tau: mean(&taus), loss: mean(&losses), best })
}

/// The mean with its interval at 95 %; none below two values.
fn mean(values: &[f64]) -> Option<[f64; 3]> {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0);
    let reach = standard_errors(0.95) * (variance / count).sqrt();
    (values.len() > 1).then_some([mean, mean - reach, mean + reach])
}
