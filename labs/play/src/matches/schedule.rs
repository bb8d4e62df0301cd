//! Which games a match has: every two contestants, every opening with both colours. Which pairs of them repeat earlier ones:
//! players that draw no moves play the same games from the same opening.

use super::game::FinishedGame;
use games::GameResult;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Games in the order of their numbers: an opening for every pairing, with both colours, then the next opening.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Schedule {
    contestants: usize,
    pairs: u64,
}

/// The games of a pair: the same opening with both colours.
const GAMES_OF_PAIR: u64 = 2;

pub(super) const MOST_GAMES: u64 = 10_000_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot {
    /// Places of the contestants: the one that moves first, then the other.
    pub players: [usize; 2],
    /// The number of the opening, from 0.
    pub opening: u64,
}

impl Schedule {
    /// Every two of `contestants` play `pairs` openings with both colours.
    pub fn new(contestants: usize, pairs: u64) -> Self {
        Self { contestants, pairs }
    }

    /// Every two contestants, the earlier one first.
    pub fn pairings(self) -> impl Iterator<Item = [usize; 2]> {
        (0..self.contestants).flat_map(move |one| (one + 1..self.contestants).map(move |other| [one, other]))
    }

    /// How many games there are; the largest number if there are more.
    pub fn games(self) -> u64 {
        self.pairs.saturating_mul(GAMES_OF_PAIR).saturating_mul(self.pairings().count() as u64)
    }

    /// The game of a number.
    ///
    /// # Panics
    /// If there are fewer than two contestants.
    pub fn slot(self, number: u64) -> Slot {
        let pair = number / GAMES_OF_PAIR;
        let pairings = self.pairings().count() as u64;
        let [one, other] = self.pairings().nth((pair % pairings) as usize).expect("at least two contestants");
        let players = if number.is_multiple_of(GAMES_OF_PAIR) { [one, other] } else { [other, one] };
        Slot { players, opening: pair / pairings }
    }

    /// The number of the other game of a pair.
    pub fn twin(number: u64) -> u64 {
        number ^ 1
    }
}

/// The numbers of the games of every pair that repeats one with smaller numbers: the same players, start, moves and results in both
/// games.
pub(super) fn copies<'a>(games: impl IntoIterator<Item = &'a FinishedGame>) -> BTreeSet<u64> {
    let games: BTreeMap<u64, &'a FinishedGame> = games.into_iter().map(|game| (game.number, game)).collect();
    let (mut seen, mut copies) = (HashSet::new(), BTreeSet::new());
    for (&number, &game) in &games {
        let twin = Schedule::twin(number);
        let Some(&other) = games.get(&twin).filter(|_| number < twin) else { continue };
        if !seen.insert([content(game), content(other)]) {
            copies.extend([number, twin]);
        }
    }
    copies
}

type Content<'a> = ([usize; 2], Option<&'a str>, &'a [String], GameResult);

fn content(game: &FinishedGame) -> Content<'_> {
    (game.players, game.start.as_deref(), game.moves.as_slice(), game.result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_two_play_every_opening_with_both_colours() {
        let schedule = Schedule::new(3, 2);
        assert_eq!(schedule.games(), 12);
        let mut seen: Vec<_> = (0..schedule.games()).map(|number| schedule.slot(number)).collect();
        assert_eq!(seen[0], Slot { players: [0, 1], opening: 0 });
        assert_eq!(seen[1], Slot { players: [1, 0], opening: 0 });
        assert_eq!(seen[6], Slot { players: [0, 1], opening: 1 });
        seen.sort_by_key(|slot| (slot.players, slot.opening));
        seen.dedup();
        assert_eq!(seen.len(), 12);
        assert_eq!((Schedule::twin(4), Schedule::twin(5)), (5, 4));
        assert_eq!(Schedule::new(3, u64::MAX / 2).games(), u64::MAX);
    }
}
