//! Positions of random games: both sides play uniformly random legal moves.

use super::labelled;
use games::mate::mating_among;
use games::{GameResult, ParsedPosition, Played, Position, Referee, Termination};
use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};
use streams::{Stream, below, stream};

/// The ply at which the search for mates ends: by then most games have ended or have few pieces.
pub(super) const PLY_CAP: usize = 200;

/// The exclusive upper bound on the plies of positions for the legal-moves task.
pub(super) const LATEST_PLY: usize = 120;

/// Games played at a time, on all cores.
const BLOCK: u64 = 32;

/// Games per requested position after which the search for further distinct ones ends.
const GAMES_PER_POSITION: u64 = 1000;

/// The results of the games, in the order of their numbers.
pub(super) fn games<T: Send>(wanted: u64, play: impl Fn(u64) -> Option<T> + Sync) -> impl Iterator<Item = T> {
    let blocks = wanted.saturating_mul(GAMES_PER_POSITION).div_ceil(BLOCK);
    (0..blocks).flat_map(move |block| {
        let numbers = block * BLOCK..(block + 1) * BLOCK;
        numbers.into_par_iter().map(&play).collect::<Vec<_>>().into_iter().flatten()
    })
}

/// The first position of a random game with a mate in one; its label is every mating move. A game gives one position,
/// because the next ones often have the same mate.
pub(super) fn mate_in_one<G: Referee>(seed: u64, number: u64) -> Option<ParsedPosition> {
    let mut play = RandomPlay::<G>::begin(seed, "mate-in-one", number);
    loop {
        let position = play.position();
        let mates = mating_among(position, play.legal());
        if !mates.is_empty() {
            let result = GameResult::won_by(position.side_to_move());
            let termination = Termination::Checkmate;
            return Some(ParsedPosition { result, termination, value: Some(1.0), ..labelled(position, &mates) });
        }
        if play.plies() >= PLY_CAP || !play.step() {
            return None;
        }
    }
}

/// A position of a random game at a random ply; its label is every legal move. `None` if the game ends before.
pub(super) fn legal_moves<G: Referee>(seed: u64, number: u64) -> Option<ParsedPosition> {
    let mut play = RandomPlay::<G>::begin(seed, "legal-moves", number);
    for _ in 0..below(&mut play.stream, LATEST_PLY as u64) {
        if !play.step() {
            return None;
        }
    }
    (!play.legal().is_empty()).then(|| labelled(play.position(), play.legal()))
}

pub(super) struct RandomPlay<G: Referee> {
    played: Played<G::Position>,
    legal: Vec<<G::Position as Position>::Move>,
    pub(super) stream: Stream,
}

impl<G: Referee> RandomPlay<G> {
    pub(super) fn begin(seed: u64, task: &str, number: u64) -> Self {
        let stream = stream(seed, &["generate", "probe", task, G::KIND.name(), &number.to_string()]);
        let start = G::Position::start();
        let mut legal = Vec::new();
        start.legal_moves(&mut legal);
        Self { played: Played::from(start), legal, stream }
    }

    pub(super) fn position(&self) -> &G::Position {
        self.played.position()
    }

    /// The legal moves, in the order of [`Position::legal_moves`].
    pub(super) fn legal(&self) -> &[<G::Position as Position>::Move] {
        &self.legal
    }

    pub(super) fn plies(&self) -> usize {
        self.played.moves().len()
    }

    /// Plays a random move; false if the game is over.
    pub(super) fn step(&mut self) -> bool {
        if G::verdict_with(&self.played, &self.legal).is_some() {
            return false;
        }
        let mv = self.legal[below(&mut self.stream, self.legal.len() as u64) as usize];
        self.played.play(mv);
        self.played.position().legal_moves(&mut self.legal);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use games::GameKind;
    use games::chess::Chess;
    use games::shogi::Shogi;

    #[test]
    fn a_game_is_a_function_of_its_number() {
        let positions = |game: GameKind, numbers: std::ops::Range<u64>| -> Vec<ParsedPosition> {
            let play = |number| match game {
                GameKind::Chess => legal_moves::<Chess>(1, number),
                GameKind::Shogi => legal_moves::<Shogi>(1, number),
            };
            numbers.filter_map(play).collect()
        };
        for game in GameKind::ALL {
            let one_by_one = positions(game, 0..2 * BLOCK);
            assert!(one_by_one.len() > 30, "{}", one_by_one.len());
            assert_eq!(positions(game, 0..2 * BLOCK), one_by_one);
            assert_eq!(positions(game, 5..2 * BLOCK), positions(game, 0..2 * BLOCK)[positions(game, 0..5).len()..]);
        }
        let in_parallel: Vec<ParsedPosition> = games(1, |number| legal_moves::<Chess>(1, number)).take(30).collect();
        assert_eq!(in_parallel, positions(GameKind::Chess, 0..2 * BLOCK)[..30]);
    }
}
