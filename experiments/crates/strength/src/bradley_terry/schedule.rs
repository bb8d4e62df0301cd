//! The pairings of players, and whether they connect all players.
//!
//! A graph has an arrow from each player to whom it took a point from. Ratings are finite only if a chain of arrows leads
//! from every player to every other. Ford, "Solution of a ranking problem from binary comparisons", American Mathematical
//! Monthly 64 (1957), <https://doi.org/10.1080/00029890.1957.11989117>.

use crate::StrengthError;
use crate::pairs::{Outcomes, Trinomial};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pairing<'a> {
    /// The player whose results are counted.
    pub first: &'a str,
    pub second: &'a str,
    /// Losses, draws and wins of the first player.
    pub results: Trinomial,
}

/// Games by the places of their players.
pub(super) struct Schedule<'a> {
    /// In the order in which pairings name them.
    pub(super) players: Vec<&'a str>,
    pub(super) pairings: Vec<Counted>,
}

pub(super) struct Counted {
    pub(super) first: usize,
    pub(super) second: usize,
    pub(super) losses: f64,
    pub(super) draws: f64,
    pub(super) wins: f64,
}

impl<'a> Schedule<'a> {
    /// Pairings without games are left out.
    pub(super) fn of(pairings: &[Pairing<'a>]) -> Result<Self, StrengthError> {
        let mut schedule = Self { players: vec![], pairings: vec![] };
        for pairing in pairings.iter().filter(|pairing| pairing.results.observations() > 0) {
            if pairing.first == pairing.second {
                let reason = format!("{} is paired with itself; name two different players", pairing.first);
                return Err(StrengthError(reason));
            }
            let [first, second] = [pairing.first, pairing.second].map(|name| schedule.place(name));
            let [losses, draws, wins] = pairing.results.0.map(|count| count as f64);
            schedule.pairings.push(Counted { first, second, losses, draws, wins });
        }
        match schedule.pairings.is_empty() {
            true => Err(StrengthError("there are no games to rate".to_owned())),
            false => Ok(schedule),
        }
    }

    fn place(&mut self, name: &'a str) -> usize {
        self.players.iter().position(|player| *player == name).unwrap_or_else(|| {
            self.players.push(name);
            self.players.len() - 1
        })
    }

    /// That every player took points from every other, along chains.
    pub(super) fn check(&self) -> Result<(), StrengthError> {
        let met = self.reached(|_, _| true);
        if let Some(other) = met.iter().position(|met| !met) {
            let (player, other) = (self.players[0], self.players[other]);
            return Err(StrengthError(format!("no chain of games connects {player} with {other}; play more games")));
        }
        // Arrows from winners: players whom player 0 does not reach won every game against those it reaches; with reversed arrows
        // they lost every game.
        let beaten = self.reached(|pairing, forward| pairing.draws > 0.0 || pairing.won_a_game(forward));
        let above = outside(&beaten);
        if let Some(&first) = above.first() {
            return Err(self.extreme(&above, first, true));
        }
        let better = self.reached(|pairing, forward| pairing.draws > 0.0 || pairing.won_a_game(!forward));
        let below = outside(&better);
        below.first().map_or(Ok(()), |&first| Err(self.extreme(&below, first, false)))
    }

    /// The error of a group outside of the reach of player 0: the group, or all others if those are fewer.
    fn extreme(&self, group: &[usize], first: usize, above: bool) -> StrengthError {
        let others: Vec<usize> = (0..self.players.len()).filter(|place| !group.contains(place)).collect();
        let (player, companions, wins) = match others.len() < group.len() {
            true => (others[0], others.len() - 1, !above),
            false => (first, group.len() - 1, above),
        };
        let group = if companions == 0 { String::new() } else { format!(" with {companions} more") };
        StrengthError(format!(
            "{}{group} {} every game against the others, so the rating is infinite; play more games",
            self.players[player],
            if wins { "won" } else { "lost" }
        ))
    }

    /// Which players are reached from player 0 along arrows; asks whether a pairing has one, from its first player
    /// (`true`) or from its second.
    fn reached(&self, has_arrow: impl Fn(&Counted, bool) -> bool) -> Vec<bool> {
        let mut reached = vec![false; self.players.len()];
        reached[0] = true;
        loop {
            let before = reached.iter().filter(|is| **is).count();
            for pairing in &self.pairings {
                let Counted { first, second, .. } = *pairing;
                reached[second] |= reached[first] && has_arrow(pairing, true);
                reached[first] |= reached[second] && has_arrow(pairing, false);
            }
            if reached.iter().filter(|is| **is).count() == before {
                return reached;
            }
        }
    }
}

impl Counted {
    /// Whether the first player (`true`) or the second won a game.
    fn won_a_game(&self, first: bool) -> bool {
        if first { self.wins > 0.0 } else { self.losses > 0.0 }
    }
}

fn outside(reached: &[bool]) -> Vec<usize> {
    (0..reached.len()).filter(|place| !reached[*place]).collect()
}
