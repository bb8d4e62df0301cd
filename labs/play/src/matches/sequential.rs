//! A sequential test of two contestants: a match stops as soon as it is decided.

use super::game::FinishedGame;
use super::schedule::{Schedule, copies};
use serde::Serialize;
use std::collections::BTreeMap;
use std::str::FromStr;
use strength::Pentanomial;
use strength::sprt::{Decision, Model, Sprt};

/// The error rates of both hypotheses.
const RATE: f64 = 0.05;

/// A test of two hypotheses about the Elo of the first contestant less that of the second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sequential {
    sprt: Sprt,
    elo: [f64; 2],
    model: Model,
}

/// `LOW:HIGH` or `LOW:HIGH:MODEL`, with the model `logistic` or `normalized`.
impl FromStr for Sequential {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || "expected LOW:HIGH or LOW:HIGH:MODEL, e.g. 0:10:normalized".to_owned();
        let mut parts = text.split(':');
        let mut number = || parts.next().and_then(|part| part.parse::<f64>().ok()).ok_or_else(expected);
        let elo = [number()?, number()?];
        let model = parts.next().unwrap_or(Model::Logistic.name());
        let model = Model::named(model).ok_or("the models are `logistic` and `normalized`")?;
        let sprt = Sprt::new(model, elo, RATE, RATE).map_err(|error| error.to_string())?;
        parts.next().map_or(Ok(Self { sprt, elo, model }), |_| Err(expected()))
    }
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SprtProgress {
    pub model: &'static str,
    pub elo: [f64; 2],
    /// Pairs of games that were counted: up to the decision, in the order of their numbers, without gaps and copies.
    pub pairs: u64,
    /// The log-likelihood ratio of the second hypothesis to the first.
    pub ratio: f64,
    pub bounds: [f64; 2],
    /// `first` or `second` hypothesis, or none yet.
    pub accepted: Option<&'static str>,
}

impl Sequential {
    /// The test after these games of two contestants. Pairs after a missing one do not count yet, so that the decision does not
    /// depend on which games end early.
    pub fn after(&self, games: &BTreeMap<u64, FinishedGame>) -> SprtProgress {
        let copies = copies(games.values());
        let (mut counts, mut pairs, mut ratio, mut accepted) = (Pentanomial::default(), 0, 0.0, None);
        for number in (0_u64..).step_by(2) {
            let (Some(game), Some(twin)) = (games.get(&number), games.get(&Schedule::twin(number))) else { break };
            if copies.contains(&number) {
                continue;
            }
            counts.add([game, twin].map(|game| game.result_of(0)));
            pairs += 1;
            // Hypotheses that no distribution of these results reaches decide nothing.
            ratio = self.sprt.llr(&counts).unwrap_or(0.0);
            accepted = match self.sprt.decide(ratio) {
                Decision::AcceptH0 => Some("first"),
                Decision::AcceptH1 => Some("second"),
                Decision::Continue => continue,
            };
            break;
        }
        SprtProgress { model: self.model.name(), elo: self.elo, pairs, ratio, bounds: self.sprt.bounds(), accepted }
    }
}

#[cfg(test)]
mod tests {
    use super::super::standings::tests::game;
    use super::*;
    use games::GameResult;

    fn games(results: &[GameResult]) -> BTreeMap<u64, FinishedGame> {
        let players = |number: u64| if number.is_multiple_of(2) { [0, 1] } else { [1, 0] };
        (0..).zip(results).map(|(number, &result)| (number, game(number, players(number), result))).collect()
    }

    #[test]
    fn a_test_stops_at_the_first_decision_and_waits_for_missing_games() {
        let test: Sequential = "0:50".parse().expect("a test");
        // The first contestant wins with White and draws with Black.
        let results: Vec<GameResult> = [GameResult::FirstWins, GameResult::Draw].repeat(200);
        let all = games(&results);
        let decided = test.after(&all);
        assert_eq!(decided.accepted, Some("second"));
        assert!(decided.pairs < 200 && decided.ratio >= decided.bounds[1], "{decided:?}");
        let mut gap = all.clone();
        gap.remove(&4);
        assert_eq!((test.after(&gap).pairs, test.after(&gap).accepted), (2, None));
        let even = test.after(&games(&[GameResult::FirstWins, GameResult::FirstWins].repeat(3)));
        assert_eq!((even.pairs, even.accepted), (3, None));
        // The same two games again and again.
        let mut copied = all;
        copied.values_mut().for_each(|game| game.moves.clear());
        assert_eq!((test.after(&copied).pairs, test.after(&copied).accepted), (1, None));
    }

    #[test]
    fn tests_are_read_or_refused() {
        for good in ["0:10", "-5:5:normalized", "0:2.5:logistic"] {
            assert!(good.parse::<Sequential>().is_ok(), "{good}");
        }
        for wrong in ["", "0", "10:0", "0:10:bayes", "0:10:logistic:1", "a:b"] {
            assert!(wrong.parse::<Sequential>().is_err(), "{wrong}");
        }
    }
}
