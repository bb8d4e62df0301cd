//! What is asked about positions, and its description for `dataset.yaml`.

use games::chess::endgame::Ending;
use games::map_labels::{MapShape, MapTask};
use games::{GameKind, Geometry};
use std::num::NonZeroU16;

/// The ply at which the search for mates ends: by then most games have ended or have few pieces.
pub(super) const PLY_CAP: usize = 200;

/// The exclusive upper bound on the plies of positions, for pins on the ply at which the search begins.
pub(super) const LATEST_PLY: usize = 120;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Task {
    /// Which moves mate? Positions of random games in which at least one move mates.
    MateInOne,
    /// Which moves are legal? Positions of random games.
    LegalMoves,
    /// Who wins, and which moves keep the result? Positions of a small chess endgame.
    Endgame(Ending),
    /// A label for each square or each pair of squares. Positions of random games.
    Map(MapTask),
}

impl Task {
    /// The tasks whose positions are of random games, which have no end.
    pub fn of_games() -> Vec<Self> {
        [Self::MateInOne, Self::LegalMoves].into_iter().chain(MapTask::ALL.map(Self::Map)).collect()
    }

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::MateInOne => "mate-in-one",
            Self::LegalMoves => "legal-moves",
            Self::Endgame(_) => "endgame",
            Self::Map(task) => task.name(),
        }
    }

    /// How positions and labels are made, for `dataset.yaml`.
    pub(super) fn sentence(self, game: GameKind, seed: u64, every: Option<NonZeroU16>) -> String {
        if game.is_board() {
            return self.of_placements(game.geometry(), seed);
        }
        let several = every.map_or_else(String::new, |every| format!(", then the next from {every} plies later on"));
        let (cap, latest) = (PLY_CAP, LATEST_PLY);
        let first = match every {
            None => format!("at a uniformly random ply below {latest}"),
            Some(every) => format!("every {every} plies from a random one on, below ply {latest}"),
        };
        let from = every.map_or(latest, |every| latest.min(every.get().into()));
        match self {
            Self::MateInOne => format!(
                "exact labels: the first position with a mate in one of each game of uniformly random moves (at most {cap} \
                 plies, seed {seed}){several}; policy = uniform over all mating moves, value = won"
            ),
            Self::LegalMoves => format!(
                "exact labels: {} of each game of uniformly random moves, {first} (seed {seed}); policy = uniform over all \
                 legal moves, no value",
                if every.is_none() { "one position" } else { "positions" }
            ),
            Self::Map(MapTask::Pins) => format!(
                "exact labels: of each game of uniformly random moves the first position from a uniformly random ply below \
                 {from} on (and before {cap}) in which a piece is pinned to its king{several}, in turn one of the side to move \
                 and of the opponent (seed {seed}); a label for each piece, neither policy nor value"
            ),
            Self::Map(task) => format!(
                "exact labels: {} of each game of uniformly random moves, {first} (seed {seed}); {}, neither policy nor value",
                if every.is_none() { "one position" } else { "positions" },
                labelled(task)
            ),
            Self::Endgame(ending) => format!(
                "exact labels: positions of {} by retrograde analysis, drawn uniformly from all legal ones that have a \
                 move, White the strong side (seed {seed}); result = win, draw or loss under best play, policy = uniform \
                 over all moves that keep it",
                ending.name()
            ),
        }
    }

    /// The same of a board for probes.
    fn of_placements(self, board: Geometry, seed: u64) -> String {
        let labels = match self {
            Self::Map(task) => format!("{}, neither policy nor value", labelled(task)),
            _ => "policy = uniform over all legal moves, no value".to_owned(),
        };
        format!(
            "exact labels: random placements of the pieces of chess and shogi on an eighth to a half of {}×{} squares, without \
             check, pins and promotions (seed {seed}); {labels}",
            board.files(),
            board.ranks()
        )
    }
}

/// Which cells of a map have labels.
const fn labelled(task: MapTask) -> &'static str {
    match task.shape() {
        MapShape::Squares => "labels for the squares of the board",
        MapShape::Pairs => "a label for each pair of squares",
    }
}
