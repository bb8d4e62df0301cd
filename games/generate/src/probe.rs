//! Datasets of positions with exact labels: `posenc data generate probe`.
//!
//! Labels follow from the rules of the game, so they are exact and need no download. A dataset depends on task, game,
//! number and seed. Each random game draws from a separate stream, so the number of threads does not matter, and a
//! larger dataset contains the smaller one.

mod endgame;
mod maps;
mod random_play;
mod unseen;

pub use unseen::{Unseen, UnseenKind};

use dataset::{DatasetError, GeneratedOptions, Manifest, SplitBy, SplitPlan, WorkDone, write_maps, write_positions};
use games::chess::endgame::Ending;
use games::maps::{MapShape, MapTask};
use games::{Candidate, GameKind, ParsedPosition, Position, with_game};
use std::path::PathBuf;

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
    fn sentence(self, seed: u64) -> String {
        match self {
            Self::MateInOne => format!(
                "exact labels: the first position with a mate in one of each game of uniformly random moves (at most {} \
                 plies, seed {seed}); policy = uniform over all mating moves, value = won",
                random_play::PLY_CAP
            ),
            Self::LegalMoves => format!(
                "exact labels: one position of each game of uniformly random moves, at a uniformly random ply below {} \
                 (seed {seed}); policy = uniform over all legal moves, no value",
                random_play::LATEST_PLY
            ),
            Self::Endgame(ending) => format!(
                "exact labels: positions of {} by retrograde analysis, drawn uniformly from all legal ones that have a \
                 move, White the strong side (seed {seed}); result = win, draw or loss under best play, policy = uniform \
                 over all moves that keep it",
                ending.name()
            ),
            Self::Map(MapTask::Pins) => format!(
                "exact labels: of each game of uniformly random moves the first position from a uniformly random ply below \
                 {} on (and before {}) in which a piece is pinned to its king, in turn one of the side to move and of the \
                 opponent (seed {seed}); a label for each piece, neither policy nor value",
                random_play::LATEST_PLY,
                random_play::PLY_CAP
            ),
            Self::Map(task) => format!(
                "exact labels: one position of each game of uniformly random moves, at a uniformly random ply below {} \
                 (seed {seed}); {}, neither policy nor value",
                random_play::LATEST_PLY,
                match task.shape() {
                    MapShape::Squares => "labels for the squares of the board",
                    MapShape::Pairs => "a label for each pair of squares",
                }
            ),
        }
    }
}

#[derive(Debug, Clone)]
pub struct ProbeSettings {
    pub task: Task,
    /// What only test positions have, for maps.
    pub unseen: Option<Unseen>,
    pub game: GameKind,
    pub positions: u64,
    pub seed: u64,
    /// The dataset's folder, which must not exist yet.
    pub output: PathBuf,
    pub name: String,
    pub made_by: String,
    /// The split. Single positions have neither games nor openings: they are split by position.
    pub split: SplitPlan,
}

/// Writes the dataset. `progress` is called after each position.
pub fn probe(settings: &ProbeSettings, progress: &mut dyn FnMut(WorkDone)) -> Result<Manifest, DatasetError> {
    if settings.split.by == SplitBy::Opening {
        let reason = "single positions have no opening: they are split by position".to_owned();
        return Err(DatasetError::Option { option: "split by opening", reason });
    }
    if settings.unseen.is_some() && !matches!(settings.task, Task::Map(_)) {
        let reason = format!("{} does not label maps of the board: leave it out", settings.task.name());
        return Err(DatasetError::Option { option: "unseen", reason });
    }
    let split = SplitPlan { by: SplitBy::Position, ..settings.split.clone() };
    let options = GeneratedOptions {
        output: settings.output.clone(),
        name: settings.name.clone(),
        game: settings.game,
        maker: format!("probe {}", settings.task.name()),
        source: settings.task.sentence(settings.seed) + settings.unseen.map_or("", Unseen::sentence),
        licence: "CC0-1.0".to_owned(),
        made_by: settings.made_by.clone(),
        split: split.clone(),
    };
    let (wanted, seed) = (settings.positions, settings.seed);
    match settings.task {
        Task::MateInOne => with_game!(settings.game, G => {
            let positions = random_play::games(wanted, |number| random_play::mate_in_one::<G>(seed, number));
            write_positions(&options, wanted, counted(positions, wanted, progress))
        }),
        Task::LegalMoves => with_game!(settings.game, G => {
            let positions = random_play::games(wanted, |number| random_play::legal_moves::<G>(seed, number));
            write_positions(&options, wanted, counted(positions, wanted, progress))
        }),
        Task::Map(task) => with_game!(settings.game, G => {
            let unseen = settings.unseen.map(|unseen| (unseen, &split));
            let positions = random_play::games(wanted, |number| maps::mapped::<G>(task, unseen, seed, number));
            write_maps(&options, maps::info::<G>(task), wanted, counted(positions, wanted, progress))
        }),
        Task::Endgame(_) if settings.game != GameKind::Chess => {
            let reason = format!("{} is an ending of chess: take --game chess", settings.task.name());
            Err(DatasetError::Option { option: "task", reason })
        }
        Task::Endgame(ending) => {
            // Reported before labelling starts. The count includes positions that end the game.
            let legal = ending.placements().count();
            if wanted > legal as u64 {
                let reason = format!("{} has {legal} legal positions: ask for fewer", ending.name());
                return Err(DatasetError::Option { option: "positions", reason });
            }
            write_positions(&options, wanted, counted(endgame::positions(ending, seed), wanted, progress))
        }
    }
}

/// Reports each position as it passes.
fn counted<T>(
    positions: impl Iterator<Item = T>,
    total: u64,
    progress: &mut dyn FnMut(WorkDone),
) -> impl Iterator<Item = T> {
    let mut done = 0;
    positions.inspect(move |_| {
        // Some positions occur twice, so a few more than requested may pass.
        done = total.min(done + 1);
        progress(WorkDone { what: "positions", done, total });
    })
}

fn uniform<P: Position>(position: &P, moves: &[P::Move]) -> Vec<Candidate> {
    let share = 1.0 / moves.len() as f32;
    moves.iter().map(|&mv| (position.move_text(mv), share)).collect()
}

/// A position with a uniform policy target over `moves` and without a value.
fn labelled<P: Position>(position: &P, moves: &[P::Move]) -> ParsedPosition {
    ParsedPosition { candidates: uniform(position, moves), ..ParsedPosition::new(position.to_text()) }
}
