//! Positions of random games: both sides play uniformly random legal moves. On a board for probes a game is one random placement.

use super::Unseen;
use super::task::{LATEST_PLY, PLY_CAP, Task};
use dataset::{Decided, Label, SplitPlan};
use games::attacks::Tactics;
use games::map_labels::MapTask;
use games::referee::mating_among;
use games::{GameResult, Played, Position as _, Referee, Termination};
use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};
use std::num::NonZeroU16;
use streams::{Stream, below, stream};

/// Games played at a time, on all cores.
const BLOCK: u64 = 128;

/// Games per requested position after which the search for further distinct ones ends.
const GAMES_PER_POSITION: u64 = 1000;

/// The results of the games, in the order of their numbers.
pub(super) fn games<T: Send>(wanted: u64, play: impl Fn(u64) -> Vec<T> + Sync) -> impl Iterator<Item = T> {
    let blocks = wanted.saturating_mul(GAMES_PER_POSITION).div_ceil(BLOCK);
    (0..blocks).flat_map(move |block| {
        let numbers = block * BLOCK..(block + 1) * BLOCK;
        numbers.into_par_iter().map(&play).collect::<Vec<_>>().into_iter().flatten()
    })
}

type PositionOf<G> = <G as games::Game>::Position;
type Move<G> = <PositionOf<G> as games::Position>::Move;

/// The random game of a number, and which of its positions a task takes.
#[derive(Debug, Clone, Copy)]
pub(super) struct RandomGame<'a> {
    pub(super) task: Task,
    /// What only test positions have.
    pub(super) unseen: Option<(Unseen, &'a SplitPlan)>,
    /// A position every N plies; `None` for one position.
    pub(super) every: Option<NonZeroU16>,
    /// The first ply of a position.
    pub(super) from_ply: usize,
    pub(super) seed: u64,
    /// The set that the game is played for; `None` in datasets on disk.
    pub(super) set: Option<&'a str>,
    pub(super) number: u64,
}

enum TaskPosition<G: Referee> {
    /// Its label, and the position itself if it is not the one that was played.
    Label(Label<Move<G>>, Option<PositionOf<G>>),
    NotHere,
    NotInThisGame,
}

impl RandomGame<'_> {
    /// Plays the game and passes on the positions that the task takes. Without `every` it is at most one, because the next
    /// ones are similar: a mate in one often stays.
    pub(super) fn visit<G: Referee + Tactics>(self, mut take: impl FnMut(&PositionOf<G>, Label<Move<G>>)) {
        let mut play = RandomPlay::<G>::begin(self);
        let end = if self.task == Task::MateInOne { PLY_CAP } else { LATEST_PLY };
        let mut first = if G::IS_PROBE_BOARD { 0 } else { self.from_ply };
        if self.task != Task::MateInOne && !G::IS_PROBE_BOARD {
            let plies = LATEST_PLY - self.from_ply;
            let window = self.every.map_or(plies, |every| plies.min(every.get().into()));
            first += below(&mut play.stream, window as u64) as usize;
        }
        if !play.advance(first) {
            return;
        }
        loop {
            let (label, changed) = loop {
                match self.label(&mut play) {
                    TaskPosition::Label(label, changed) => break (label, changed),
                    TaskPosition::NotHere if play.plies() >= PLY_CAP => return,
                    TaskPosition::NotHere => {
                        if !play.step() {
                            return;
                        }
                    }
                    TaskPosition::NotInThisGame => return,
                }
            };
            take(changed.as_ref().unwrap_or_else(|| play.position()), label);
            let Some(every) = self.every else { return };
            if !play.advance(every.get().into()) || play.plies() >= end {
                return;
            }
        }
    }

    fn label<G: Referee + Tactics>(self, play: &mut RandomPlay<G>) -> TaskPosition<G> {
        match self.task {
            Task::MateInOne => {
                play.list();
                let position = play.position();
                let right = mating_among(position, &play.legal);
                if right.is_empty() {
                    return TaskPosition::NotHere;
                }
                let result = GameResult::won_by(position.side_to_move());
                let decided = Some(Decided { result, termination: Termination::Checkmate, value: 1.0 });
                TaskPosition::Label(Label::Moves { right, decided }, None)
            }
            Task::LegalMoves => {
                play.list();
                if play.legal.is_empty() {
                    return TaskPosition::NotInThisGame;
                }
                TaskPosition::Label(Label::Moves { right: play.legal.clone(), decided: None }, None)
            }
            Task::Map(task) => {
                if !is_wanted::<G>(task, self.number, play.position()) {
                    return TaskPosition::NotHere;
                }
                let mut changed = None;
                if let Some((unseen, plan)) = self.unseen {
                    changed = unseen.version::<G>(play.played.position(), plan, &mut play.stream);
                    if changed.is_none() {
                        return TaskPosition::NotInThisGame;
                    }
                }
                let position = changed.as_ref().unwrap_or_else(|| play.position());
                let Some(mv) = position.choose_move(|_| 0) else { return TaskPosition::NotInThisGame };
                let labels = task.labels::<G>(position);
                TaskPosition::Label(Label::Map { mv, labels }, changed)
            }
            // Its positions are of no game.
            Task::Endgame(_) => TaskPosition::NotInThisGame,
        }
    }
}

/// Pins are rare: wanted is a pinned piece, of the side to move in games with an even number and of the opponent in the
/// others.
fn is_wanted<G: Tactics>(task: MapTask, number: u64, position: &G::Position) -> bool {
    if task != MapTask::Pins {
        return true;
    }
    let pieces = G::pieces(position);
    let side = if number.is_multiple_of(2) { pieces.own } else { pieces.opponent };
    !pieces.pinned.and(side).is_empty()
}

struct RandomPlay<G: Referee> {
    played: Played<PositionOf<G>>,
    /// The legal moves, if `is_listed`.
    legal: Vec<Move<G>>,
    is_listed: bool,
    stream: Stream,
}

impl<G: Referee> RandomPlay<G> {
    fn begin(game: RandomGame<'_>) -> Self {
        let number = game.number.to_string();
        let purpose: Vec<&str> = ["generate", "probe", game.task.name(), G::KIND.name()]
            .into_iter()
            .chain(game.set)
            .chain([number.as_str()])
            .collect();
        let mut stream = stream(game.seed, &purpose);
        let placed = G::placement(&mut |most| below(&mut stream, most));
        let position = placed.unwrap_or_else(PositionOf::<G>::start);
        let played = Played::with_room(position, if G::IS_PROBE_BOARD { 0 } else { LATEST_PLY });
        Self { played, legal: Vec::new(), is_listed: false, stream }
    }

    fn position(&self) -> &PositionOf<G> {
        self.played.position()
    }

    fn plies(&self) -> usize {
        self.played.moves().len()
    }

    /// Fills `legal`, in the order of [`games::Position::legal_moves`].
    fn list(&mut self) {
        self.played.position().legal_moves(&mut self.legal);
        self.is_listed = true;
    }

    /// Plays this number of random moves; false if the game ends before.
    fn advance(&mut self, plies: usize) -> bool {
        (0..plies).all(|_| self.step())
    }

    /// Plays a random move; false if the game is over.
    fn step(&mut self) -> bool {
        if G::verdict_with_moves(&self.played).is_some() {
            return false;
        }
        let (legal, stream) = (&self.legal, &mut self.stream);
        let mut choose = |moves: usize| below(stream, moves as u64) as usize;
        let chosen = match self.is_listed {
            true => (!legal.is_empty()).then(|| legal[choose(legal.len())]),
            false => self.played.position().choose_move(choose),
        };
        let Some(mv) = chosen else { return false };
        self.played.play(mv);
        self.is_listed = false;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use games::{GameKind, with_game};

    fn game(number: u64, every: Option<u16>) -> RandomGame<'static> {
        let every = every.and_then(NonZeroU16::new);
        RandomGame { task: Task::LegalMoves, unseen: None, every, from_ply: 0, seed: 1, set: None, number }
    }

    fn texts(kind: GameKind, game: RandomGame<'_>) -> Vec<String> {
        let mut texts = Vec::new();
        with_game!(kind, G => game.visit::<G>(|position, _| texts.push(position.to_text())));
        texts
    }

    #[test]
    fn a_game_is_a_function_of_its_number() {
        for kind in GameKind::LISTED {
            let one_by_one: Vec<String> = (0..200).flat_map(|number| texts(kind, game(number, None))).collect();
            assert!(one_by_one.len() > 100, "{}", one_by_one.len());
            let in_parallel = games(1, |number| texts(kind, game(number, None)));
            assert_eq!(in_parallel.take(100).collect::<Vec<_>>(), one_by_one[..100]);
        }
    }

    #[test]
    fn a_game_gives_a_position_every_so_many_plies() {
        for kind in GameKind::ALL {
            let found: Vec<Vec<String>> = (0..20).map(|number| texts(kind, game(number, Some(8)))).collect();
            assert!(
                found.iter().all(|texts| texts.len() <= LATEST_PLY / 8) && found.iter().any(|texts| texts.len() > 10)
            );
            // Eight plies are four moves of each side.
            let moves = |text: &String| text.rsplit(' ').next().and_then(|number| number.parse::<usize>().ok());
            let plies = if kind == GameKind::Chess { 4 } else { 8 };
            for pair in found.iter().flat_map(|texts| texts.windows(2)) {
                assert_eq!(moves(&pair[1]), moves(&pair[0]).map(|first| first + plies), "{pair:?}");
            }
        }
    }

    #[test]
    fn sets_have_streams_of_their_own() {
        let of_set = |set| -> Vec<String> {
            (0..20).flat_map(|number| texts(GameKind::Chess, RandomGame { set, ..game(number, None) })).collect()
        };
        let [none, train, test] = [None, Some("train"), Some("test")].map(of_set);
        assert!(none != train && train != test && none != test);
    }
}
