//! Who is stronger, by how much, and how sure that is.

use super::conditions::Conditions;
use super::game::FinishedGame;
use super::schedule::Schedule;
use games::{GameResult, Termination};
use serde::Serialize;
use std::collections::BTreeMap;
use strength::elo::Difference;
use strength::pairs::{self, Pentanomial};

/// The level of intervals.
const LEVEL: f64 = 0.95;

/// The results of a match.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Standings {
    /// The contestants' names.
    pub names: Vec<String>,
    /// Every two of them.
    pub pairings: Vec<Pairing>,
    /// How games ended, by the names of endings.
    pub endings: BTreeMap<String, u64>,
}

/// Two contestants' games.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Pairing {
    /// Their places in the list of names.
    pub players: [usize; 2],
    /// Wins, draws and losses of the first one.
    pub wins_draws_losses: [u64; 3],
    /// Pairs of games in which the first one had 0, ½, 1, 1½ and 2 points; pairs of which a game is missing are left out.
    pub pairs: [u64; 5],
    /// Points a game of the first one in these pairs, 0 to 1.
    pub score: Option<f64>,
    /// Elo of the first one less the other's, with its interval at 95 % by the variance of pairs.
    pub elo: Option<[f64; 3]>,
    /// The same in normalised Elo.
    pub normalised: Option<[f64; 3]>,
    /// The probability that the first one is stronger.
    pub superiority: Option<f64>,
}

impl Standings {
    /// The standings after these games.
    #[must_use]
    pub fn of(conditions: &Conditions, games: &[&FinishedGame]) -> Self {
        let schedule = Schedule::new(conditions.contestants.len(), conditions.pairs);
        let mut endings = BTreeMap::new();
        for game in games {
            *endings.entry(name_of(game.termination)).or_default() += 1;
        }
        Self {
            names: conditions.contestants.iter().map(|contestant| contestant.name.clone()).collect(),
            pairings: schedule.pairings().map(|players| pairing(players, games)).collect(),
            endings,
        }
    }
}

fn pairing(players: [usize; 2], games: &[&FinishedGame]) -> Pairing {
    let reversed = [players[1], players[0]];
    let own = games.iter().filter(|game| game.players == players || game.players == reversed);
    let results: BTreeMap<u64, pairs::GameResult> = own.map(|game| (game.number, of_first(game, players[0]))).collect();
    let mut wins_draws_losses = [0; 3];
    let mut counts = Pentanomial::default();
    for (&number, &result) in &results {
        let place = match result {
            pairs::GameResult::Win => 0,
            pairs::GameResult::Draw => 1,
            pairs::GameResult::Loss => 2,
        };
        wins_draws_losses[place] += 1;
        let twin = Schedule::twin(number);
        if let Some(&other) = results.get(&twin).filter(|_| number < twin) {
            counts.add([result, other]);
        }
    }
    let difference = Difference::of(&counts, LEVEL);
    let three = |estimate: strength::elo::Estimate| [estimate.value, estimate.interval.low, estimate.interval.high];
    Pairing {
        players,
        wins_draws_losses,
        pairs: counts.0,
        score: difference.map(|found| found.score),
        elo: difference.map(|found| three(found.elo)),
        normalised: difference.map(|found| three(found.normalized)),
        superiority: difference.map(|found| found.superiority),
    }
}

/// The result for a player of the game.
fn of_first(game: &FinishedGame, player: usize) -> pairs::GameResult {
    let moves_first = game.players[0] == player;
    match game.result {
        GameResult::FirstWins if moves_first => pairs::GameResult::Win,
        GameResult::SecondWins if !moves_first => pairs::GameResult::Win,
        GameResult::FirstWins | GameResult::SecondWins => pairs::GameResult::Loss,
        GameResult::Draw | GameResult::Unknown => pairs::GameResult::Draw,
    }
}

fn name_of(termination: Termination) -> String {
    serde_json::to_value(termination).ok().and_then(|name| name.as_str().map(str::to_owned)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(number: u64, players: [usize; 2], result: GameResult) -> FinishedGame {
        let (moves, termination) = (Vec::new(), Termination::Checkmate);
        FinishedGame { number, players, start: None, moves, opening: 0, result, termination }
    }

    #[test]
    fn games_are_counted_in_pairs_for_the_first_player() {
        use GameResult::{Draw, FirstWins, SecondWins};
        let games = [
            // Two wins, with either colour.
            game(0, [0, 1], FirstWins),
            game(1, [1, 0], SecondWins),
            // A loss and a draw.
            game(2, [0, 1], SecondWins),
            game(3, [1, 0], Draw),
            // Its twin is missing.
            game(4, [0, 1], FirstWins),
        ];
        let found = pairing([0, 1], &games.iter().collect::<Vec<_>>());
        assert_eq!(found.wins_draws_losses, [3, 1, 1]);
        assert_eq!(found.pairs, [0, 1, 0, 0, 1]);
        assert_eq!(found.score, Some(0.625));
    }
}
