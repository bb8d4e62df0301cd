//! Who is stronger, by how much, and how sure that is.

use super::game::{Conditions, FinishedGame};
use super::schedule::{Schedule, copies};
use super::sequential::SprtProgress;
use serde::Serialize;
use std::collections::BTreeMap;
use strength::bradley_terry::{self, Anchor, Draws, Ratings};
use strength::elo::Difference;
use strength::pairs::{self, Pentanomial, Trinomial};
use strength::sweep::Bound;

const LEVEL: f64 = 0.95;

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Standings {
    pub names: Vec<String>,
    pub pairings: Vec<Pairing>,
    /// Ratings of three or more contestants from their games without copies.
    pub ratings: Vec<Rated>,
    /// Why there are no ratings although three or more play.
    pub unrated: Option<String>,
    pub sequential: Option<SprtProgress>,
    /// How games ended, by the names of endings.
    pub endings: BTreeMap<String, u64>,
    /// Games that contestants forfeited because their engines died or did not answer, by their names.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub forfeits: BTreeMap<String, u64>,
}

/// How ratings are estimated from games.
#[derive(Debug, Clone, PartialEq)]
pub struct Scale {
    /// Where the scale has its zero. Errors are those of the difference to it.
    pub anchor: Anchor,
    pub draws: Draws,
}

impl Default for Scale {
    /// The mean of all is 0, and a draw is half a win.
    fn default() -> Self {
        Self { anchor: Anchor::Mean(0.0), draws: Draws::Half }
    }
}

/// A contestant's rating by Bradley and Terry's model on a [`Scale`].
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Rated {
    pub name: String,
    pub elo: f64,
    /// Its standard error in Elo; games of a pair are counted as independent.
    pub error: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Pairing {
    /// Their places in the list of names.
    pub players: [usize; 2],
    /// Wins, draws and losses of the first one, copies included.
    pub wins_draws_losses: [u64; 3],
    /// Pairs of games in which the first one had 0, ½, 1, 1½ and 2 points; copies, and pairs of which a game is missing, are left
    /// out.
    pub pairs: [u64; 5],
    /// Pairs that repeat the moves and results of an earlier one.
    pub copies: u64,
    /// Points a game of the first one in these pairs, 0 to 1.
    pub score: Option<f64>,
    /// Elo of the first one less the other's, with its interval at 95 % by the variance of pairs; none if all pairs have the same
    /// points, so that there is no variance.
    pub elo: Option<[f64; 3]>,
    /// The same in normalised Elo.
    pub normalised: Option<[f64; 3]>,
    /// The probability that the first one is stronger.
    pub superiority: Option<f64>,
    /// If the first one won every game: the Elo that it has more at least, at 95 % (one-sided).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elo_at_least: Option<f64>,
    /// If it lost every game: the Elo that it has more at most, a negative number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elo_at_most: Option<f64>,
}

impl Standings {
    pub fn of(conditions: &Conditions, games: &[&FinishedGame], scale: &Scale) -> Self {
        let schedule = Schedule::new(conditions.contestants.len(), conditions.pairs);
        let mut endings = BTreeMap::new();
        for game in games {
            *endings.entry(game.termination.name().to_owned()).or_default() += 1;
        }
        let mut forfeits = BTreeMap::new();
        for loser in games.iter().filter_map(|game| game.forfeited_by()) {
            *forfeits.entry(conditions.contestants[loser].name.clone()).or_default() += 1;
        }
        let copies = copies(games.iter().copied());
        let distinct: Vec<&FinishedGame> =
            games.iter().copied().filter(|game| !copies.contains(&game.number)).collect();
        let (ratings, unrated) = match ratings(conditions, &distinct, scale) {
            Ok(ratings) => (ratings, None),
            Err(reason) => (Vec::new(), Some(reason)),
        };
        Self {
            ratings,
            unrated,
            sequential: None,
            names: conditions.contestants.iter().map(|contestant| contestant.name.clone()).collect(),
            pairings: schedule.pairings().map(|players| pairing(players, games)).collect(),
            endings,
            forfeits,
        }
    }
}

fn pairing(players: [usize; 2], games: &[&FinishedGame]) -> Pairing {
    let reversed = [players[1], players[0]];
    let own = games.iter().copied().filter(|game| game.players == players || game.players == reversed);
    let own: Vec<&FinishedGame> = own.collect();
    let copies = copies(own.iter().copied());
    let results: BTreeMap<u64, pairs::GameResult> =
        own.iter().map(|game| (game.number, game.result_of(players[0]))).collect();
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
        if let Some(&other) = results.get(&twin).filter(|_| number < twin && !copies.contains(&number)) {
            counts.add([result, other]);
        }
    }
    let difference = Difference::of(&counts, LEVEL);
    let varied = difference.filter(|found| found.error > 0.0);
    let (elo_at_least, elo_at_most) = match Bound::of(&counts, LEVEL) {
        Some(Bound::AtLeast(elo)) => (Some(elo), None),
        Some(Bound::AtMost(elo)) => (None, Some(elo)),
        None => (None, None),
    };
    let three = |estimate: strength::elo::Estimate| [estimate.value, estimate.interval.low, estimate.interval.high];
    Pairing {
        players,
        wins_draws_losses,
        pairs: counts.0,
        copies: copies.len() as u64 / 2,
        score: difference.map(|found| found.score),
        elo: varied.map(|found| three(found.elo)),
        normalised: varied.map(|found| three(found.normalized)),
        superiority: varied.map(|found| found.superiority),
        elo_at_least,
        elo_at_most,
    }
}

/// The ratings of three or more contestants, the strongest first.
fn ratings(conditions: &Conditions, games: &[&FinishedGame], scale: &Scale) -> Result<Vec<Rated>, String> {
    let names: Vec<&str> = conditions.contestants.iter().map(|contestant| contestant.name.as_str()).collect();
    if names.len() < 3 {
        return Ok(Vec::new());
    }
    let mut results: BTreeMap<[usize; 2], Trinomial> = BTreeMap::new();
    for game in games {
        results.entry(game.players).or_default().add(game.result_of(game.players[0]));
    }
    let pairings: Vec<bradley_terry::Pairing<'_>> = results
        .into_iter()
        .map(|([first, second], results)| bradley_terry::Pairing {
            first: names[first],
            second: names[second],
            results,
        })
        .collect();
    let found = Ratings::of(&pairings, scale.draws, &scale.anchor).map_err(|error| error.to_string())?;
    let rated = |(place, name): (usize, &String)| Rated {
        name: name.clone(),
        elo: found.elo[place],
        error: found.error(place),
    };
    let mut rated: Vec<Rated> = found.players.iter().enumerate().map(rated).collect();
    rated.sort_by(|a, b| b.elo.total_cmp(&a.elo));
    Ok(rated)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use games::{GameResult, Termination};

    /// A game whose moves differ from those of every other number.
    pub(crate) fn game(number: u64, players: [usize; 2], result: GameResult) -> FinishedGame {
        let (moves, termination) = (vec![number.to_string()], Termination::Checkmate);
        FinishedGame { number, players, start: None, moves, opening: 0, result, termination, forfeit: None }
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

    #[test]
    fn pairs_that_repeat_earlier_games_count_once() {
        use GameResult::{Draw, FirstWins, SecondWins};
        let results = [[FirstWins, Draw], [Draw, Draw], [SecondWins, Draw], [Draw, FirstWins]];
        let games = |pairs: usize| -> Vec<FinishedGame> {
            let pair = |number: usize| {
                let (even, of_pair) = (2 * number as u64, number % results.len());
                let games = [game(even, [0, 1], results[of_pair][0]), game(even + 1, [1, 0], results[of_pair][1])];
                games.map(|game| FinishedGame { moves: vec![of_pair.to_string()], ..game })
            };
            (0..pairs).flat_map(pair).collect()
        };
        let (all, once) = (games(40), games(4));
        let of = |games: &[FinishedGame]| pairing([0, 1], &games.iter().collect::<Vec<_>>());
        let expected = Pairing { copies: 36, wins_draws_losses: [10, 50, 20], ..of(&once) };
        assert_eq!(of(&all), expected);
        assert!(of(&once).elo.is_some() && of(&once).copies == 0, "{expected:?}");
        let mut longer = all.clone();
        longer[9].moves.push("again".to_owned());
        assert_eq!(of(&longer).copies, 35, "one other move is another pair");
        let mut foreign = once.clone();
        foreign.extend(
            all[8..12].iter().cloned().map(|game| FinishedGame { players: game.players.map(|one| 2 * one), ..game }),
        );
        assert!(copies(&foreign).is_empty(), "other players repeat nothing");
    }

    #[test]
    fn a_sweep_has_a_bound_and_equal_pairs_have_no_interval() {
        use GameResult::{FirstWins, SecondWins};
        let wins = |number: u64| {
            if number.is_multiple_of(2) { game(number, [0, 1], FirstWins) } else { game(number, [1, 0], SecondWins) }
        };
        let won: Vec<FinishedGame> = (0..8).map(wins).collect();
        let won: Vec<&FinishedGame> = won.iter().collect();
        let of_winner = pairing([0, 1], &won);
        assert_eq!((of_winner.elo, of_winner.normalised, of_winner.superiority), (None, None, None));
        let bound = of_winner.elo_at_least.expect("a bound");
        // 400·log₁₀(s / (1 − s)) of s = 0.05^(1/8).
        assert!((bound - 137.095).abs() < 1e-3 && of_winner.elo_at_most.is_none(), "{of_winner:?}");
        let of_loser = pairing([1, 0], &won);
        assert_eq!((of_loser.elo_at_least, of_loser.elo_at_most), (None, Some(-bound)));
        // White wins every game.
        let players = |number: u64| if number.is_multiple_of(2) { [0, 1] } else { [1, 0] };
        let even: Vec<FinishedGame> = (0..8).map(|number| game(number, players(number), FirstWins)).collect();
        let even = pairing([0, 1], &even.iter().collect::<Vec<_>>());
        assert_eq!((even.score, even.elo, even.elo_at_least, even.elo_at_most), (Some(0.5), None, None, None));
        let json = serde_json::to_string(&of_winner).expect("JSON");
        assert!(json.contains("\"elo_at_least\":137.09") && !json.contains("elo_at_most"), "{json}");
    }
}
