//! Which pairs of games repeat earlier ones: players that draw no moves play the same games from the same opening.

use super::game::FinishedGame;
use super::schedule::Schedule;
use games::GameResult;
use std::collections::{BTreeMap, BTreeSet, HashSet};

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
