//! Datasets of positions with exact labels: `posenc data generate probe`.
//!
//! Labels follow from the rules of the game, so they are exact and need no download. A dataset depends on task, game,
//! number and seed. Each random game draws from a separate stream, so the number of threads does not matter, and a
//! larger dataset contains the smaller one.

mod endgame;
mod endless;
mod random_play;
mod task;
mod unseen;

pub use endless::{EndlessProbe, FIRST_PLY};
pub use task::Task;
pub use unseen::{Unseen, UnseenKind};

use dataset::{
    DatasetError, GeneratedOptions, MadePosition, Manifest, MapInfo, SplitBy, SplitPlan, WorkDone, write_made,
};
use games::attacks::Tactics;
use games::map_labels::MapTask;
use games::{GameKind, Referee, with_game};
use random_play::RandomGame;
use std::num::NonZeroU16;
use std::path::PathBuf;
use task::LATEST_PLY;

pub const LICENCE: &str = "CC0-1.0";

#[derive(Debug, Clone)]
pub struct ProbeSettings {
    pub task: Task,
    /// What only test positions have, for maps.
    pub unseen: Option<Unseen>,
    /// A position of a game every N plies, for tasks of random games; one position of a game if `None`.
    pub every: Option<NonZeroU16>,
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
    if let Some(every) = settings.every {
        let wrong = |reason: &str| Err(DatasetError::Option { option: "every", reason: reason.to_owned() });
        if let Task::Endgame(_) = settings.task {
            return wrong("positions of an ending are drawn one by one, not from games: leave it out");
        }
        if settings.unseen.is_some() {
            return wrong("with --unseen a game gives one position, to one part of the dataset: leave it out");
        }
        check_every(every)?;
    }
    check_board(settings.task, settings.game, settings.every)?;
    let split = SplitPlan { by: SplitBy::Position, ..settings.split.clone() };
    let options = GeneratedOptions {
        output: settings.output.clone(),
        name: settings.name.clone(),
        game: settings.game,
        maker: format!("probe {}", settings.task.name()),
        source: settings.task.sentence(settings.game, settings.seed, settings.every)
            + settings.unseen.map_or("", Unseen::sentence),
        licence: LICENCE.to_owned(),
        made_by: settings.made_by.clone(),
        split: split.clone(),
    };
    let wanted = settings.positions;
    match settings.task {
        Task::MateInOne | Task::LegalMoves | Task::Map(_) => with_game!(settings.game, G => {
            let map = match settings.task {
                Task::Map(task) => Some(MapInfo::of(task, settings.game)),
                _ => None,
            };
            let positions = random_play::games(wanted, |number| made::<G>(settings, &split, number));
            write_made(&options, map, settings.every, wanted, counted(positions, wanted, progress))
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
            let positions = endgame::positions(ending, settings.seed);
            write_made(&options, None, None, wanted, counted(positions, wanted, progress))
        }
    }
}

fn check_every(every: NonZeroU16) -> Result<(), DatasetError> {
    if usize::from(every.get()) < LATEST_PLY {
        return Ok(());
    }
    let reason = format!("{every} plies are a whole game: take fewer than {LATEST_PLY}");
    Err(DatasetError::Option { option: "every", reason })
}

/// Refuses what random placements on a board do not have: check, and further positions of a game.
fn check_board(task: Task, game: GameKind, every: Option<NonZeroU16>) -> Result<(), DatasetError> {
    let wrong = |option, reason: String| Err(DatasetError::Option { option, reason });
    match (task, every) {
        _ if !game.is_board() => Ok(()),
        (Task::MateInOne | Task::Map(MapTask::Pins), _) => {
            let (task, game) = (task.name(), game.name());
            wrong("task", format!("no piece of {game} can be in check, so {task} has no positions: take another task"))
        }
        (_, Some(_)) => {
            wrong("every", format!("each position of {} is one random placement: leave it out", game.name()))
        }
        _ => Ok(()),
    }
}

fn made<G: Referee + Tactics>(settings: &ProbeSettings, split: &SplitPlan, number: u64) -> Vec<MadePosition> {
    let ProbeSettings { task, every, seed, .. } = *settings;
    let unseen = settings.unseen.map(|unseen| (unseen, split));
    let mut positions = Vec::new();
    RandomGame { task, unseen, every, from_ply: 0, seed, set: None, number }.visit::<G>(|position, label| {
        let made = MadePosition::new::<G>(position, label);
        positions.push(if every.is_some() { made.of_game(number) } else { made });
    });
    positions
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
