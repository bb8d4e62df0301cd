//! Probes without end: `data: {generate: …}`. Training positions are made in the loader; those of validation and test are
//! made once.

use super::random_play::{self, RandomGame};
use super::{LICENCE, Task, check_board, check_every};
use dataset::{Dataset, DatasetError, Endless, EndlessOptions, MadePosition, MapInfo, Packer, PerSplit, Split};
use games::map_labels::MapTask;
use games::{GameKind, with_game};
use std::collections::HashSet;
use std::num::NonZeroU16;
use std::sync::Arc;

/// The first ply of a position. Earlier positions of random games repeat often, later ones hardly ever.
pub const FIRST_PLY: usize = 16;

/// Validation or test positions of a dataset at most: every cell makes them and keeps them in memory.
const MOST_HELD_OUT: u64 = 1 << 20;

/// Raise it when the same settings give other positions or labels.
const VERSION: u32 = 1;

/// A task of random games, and the streams that its games draw from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EndlessProbe {
    pub task: Task,
    pub game: GameKind,
    pub seed: u64,
    /// A position of a training game every N plies; one position of a game if `None`.
    pub every: Option<NonZeroU16>,
}

impl EndlessProbe {
    /// Refuses tasks and settings that have an end.
    pub fn check(&self) -> Result<(), DatasetError> {
        if let Task::Endgame(ending) = self.task {
            let reason = format!(
                "{} has few positions: make a dataset of them by `posenc data generate probe endgame`",
                ending.name()
            );
            return Err(DatasetError::Option { option: "probe", reason });
        }
        check_board(self.task, self.game, self.every)?;
        self.every.map_or(Ok(()), check_every)
    }

    /// Training positions that a core makes in a second, where that was measured (docs/data.md). An assumption about other cores.
    pub fn assumed_rate(&self) -> Option<u32> {
        match (self.task, self.game, self.every.map(NonZeroU16::get)) {
            (Task::Map(MapTask::AttackedSquares), GameKind::Chess, None) => Some(56_000),
            (Task::Map(MapTask::AttackedSquares), GameKind::Chess, Some(8)) => Some(235_000),
            (Task::Map(MapTask::AttackedSquares), GameKind::Shogi, None) => Some(25_000),
            (Task::Map(MapTask::AttackedSquares), GameKind::Shogi, Some(8)) => Some(122_000),
            _ => None,
        }
    }

    /// Its name, as that of a dataset.
    pub fn name(&self) -> String {
        format!("endless {}", self.task.name())
    }

    /// Equal for equal positions and labels: a hash of the task, the game, the seed, `every` and the generator's version.
    pub fn content_hash(&self) -> String {
        let Self { task, game, seed, every } = self;
        let every = every.map_or(0, NonZeroU16::get);
        let text = format!("{VERSION}\n{}\n{}\n{seed}\n{every}", task.name(), game.name());
        let mut hasher = blake3::Hasher::new_derive_key("posenc 2026 endless probe v1");
        hasher.update(text.as_bytes());
        hasher.finalize().to_hex().to_string()
    }

    /// The dataset, with these numbers of positions for validation and test. A larger set begins with the smaller one, for the
    /// test set whatever the other one. They are of other games than training positions, and no position is in two sets.
    pub fn open(&self, validation: u64, test: u64) -> Result<Dataset, DatasetError> {
        self.check()?;
        if let Some(many) = [validation, test].into_iter().find(|&count| count > MOST_HELD_OUT) {
            let reason = format!("{many} validation or test positions are too many; {MOST_HELD_OUT} are the most");
            return Err(DatasetError::Option { option: "generate", reason });
        }
        let mut known = HashSet::new();
        let test = self.held_out(Split::Test, test, &mut known)?;
        let validation = self.held_out(Split::Validation, validation, &mut known)?;
        let map = match self.task {
            Task::Map(task) => Some(MapInfo::of(task, self.game)),
            Task::MateInOne | Task::LegalMoves | Task::Endgame(_) => None,
        };
        let options = EndlessOptions {
            name: self.name(),
            game: self.game,
            source: self.source(),
            licence: LICENCE.to_owned(),
            made_by: self.settings(),
            map,
            content_hash: self.content_hash(),
        };
        Dataset::endless(&options, Arc::new(*self), PerSplit { train: Vec::new(), validation, test })
    }

    /// How positions and labels are made, in a sentence.
    pub fn source(&self) -> String {
        let sentence = self.task.sentence(self.game, self.seed, self.every);
        let from = if self.game.is_board() { String::new() } else { format!(" from ply {FIRST_PLY} on,") };
        format!("{sentence};{from} made while training")
    }

    /// Its settings as in an experiment file.
    pub fn settings(&self) -> String {
        let Self { task, game, seed, every } = self;
        let every = every.map_or_else(String::new, |every| format!(", every: {every}"));
        format!("data: {{generate: {{probe: {}, game: {}, seed: {seed}{every}}}}}", task.name(), game.name())
    }

    /// The first distinct positions of a set, one of a game, without known ones.
    fn held_out(&self, split: Split, wanted: u64, known: &mut HashSet<u64>) -> Result<Vec<MadePosition>, DatasetError> {
        let games = random_play::games(wanted, |number| {
            let mut positions = Vec::new();
            let game = RandomGame { every: None, ..self.random_game(split, number) };
            with_game!(self.game, G => {
                game.visit::<G>(|position, label| positions.push(MadePosition::new::<G>(position, label)));
            });
            positions
        });
        let found: Vec<_> = games.filter(|made| known.insert(made.key())).take(wanted as usize).collect();
        if (found.len() as u64) < wanted {
            let reason = format!("{wanted} {} positions are wanted, and {} were found", split.name(), found.len());
            return Err(DatasetError::Option { option: "generate", reason });
        }
        Ok(found)
    }

    fn random_game(&self, split: Split, number: u64) -> RandomGame<'static> {
        let Self { task, seed, every, .. } = *self;
        let set = Some(split.name());
        RandomGame { task, unseen: None, every, from_ply: FIRST_PLY, seed, set, number }
    }
}

impl Endless for EndlessProbe {
    fn play(&self, number: u64, packer: &mut Packer<'_>) {
        let game = self.random_game(Split::Train, number);
        with_game!(self.game, G => game.visit::<G>(|position, label| packer.push::<G>(position, label)));
    }
}
