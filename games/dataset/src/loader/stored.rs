//! A game as moves, as it is while its positions are replayed.

use crate::derived::OptionalColumns;
use crate::error::DatasetError;
use crate::playback::{Move, ReplayError, play};
use crate::store::GameRow;
use games::record::Candidate;
use games::{Game, GameKind, GameResult, Line, MoveText, Position as _, Termination, with_game};
use std::borrow::Cow;

#[derive(Debug, Clone)]
pub(crate) struct StoredGame {
    pub(crate) id: u32,
    /// The game that its positions count to: of several positions of one game the `id` of the first one, otherwise its own.
    pub(crate) cluster: u32,
    pub(crate) start: GameStart,
    pub(crate) moves: Box<str>,
    pub(crate) plies: u16,
    pub(crate) result: GameResult,
    pub(crate) termination: Termination,
    pub(crate) policy_from_ply: u16,
    /// Per ply, NaN if unknown.
    pub(crate) value: Box<[f32]>,
    /// Per ply, NaN if unknown; empty if all are unknown.
    pub(crate) draw: Box<[f32]>,
    /// Targets that replace or extend the stored value, if requested.
    pub(crate) targets: Option<Box<GameTargets>>,
    /// Per ply; empty for training games.
    pub(crate) seen_in_train: Box<[bool]>,
    /// Per ply, whether the position is used; `None` if all are.
    pub(crate) used: Option<Box<[bool]>>,
    pub(crate) positions: u32,
    pub(crate) policy: Option<Box<StoredPolicy>>,
    /// Per ply, NaN if unknown; empty if games were not merged.
    pub(crate) mean_result: Box<[f32]>,
    pub(crate) ratings: [Option<i32>; 2],
    /// The labels of every ply's map, concatenated; empty without a map.
    pub(crate) map: Box<[i8]>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum GameStart {
    Standard,
    /// FEN or SFEN.
    Text(Box<str>),
    /// The bytes of [`games::Position::compact`].
    Compact(Box<[u8]>),
}

impl GameStart {
    pub(crate) fn position<G: Game>(&self) -> Result<G::Position, ReplayError> {
        let position = match self {
            Self::Standard => return Ok(G::Position::start()),
            Self::Text(text) => G::Position::parse(text),
            Self::Compact(bytes) => G::Position::from_compact(bytes),
        };
        position.map_err(|error| ReplayError { ply: 0, reason: error.to_string() })
    }

    /// FEN or SFEN; `None` for the standard start.
    pub(crate) fn text(&self, game: GameKind) -> Option<Cow<'_, str>> {
        match self {
            Self::Standard => None,
            Self::Text(text) => Some(Cow::Borrowed(text)),
            // Bytes that are no position have no text; replaying them reports why.
            Self::Compact(_) => {
                with_game!(game, G => self.position::<G>().ok().map(|position| position.to_text().into()))
            }
        }
    }
}

/// The candidate moves of all plies, twelve bytes each.
#[derive(Debug, Clone)]
pub(crate) struct StoredPolicy {
    pub(crate) moves: Box<[MoveText]>,
    pub(crate) probabilities: Box<[f32]>,
    pub(crate) counts: Box<[u16]>,
}

/// The candidates of a ply; none if only the played move is known.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Candidates<'a> {
    moves: &'a [MoveText],
    probabilities: &'a [f32],
}

impl<'a> Candidates<'a> {
    /// Whether only the played move is known.
    pub(crate) fn is_empty(self) -> bool {
        self.moves.is_empty()
    }

    pub(crate) fn iter(self) -> impl Iterator<Item = (&'a MoveText, f32)> {
        self.moves.iter().zip(self.probabilities.iter().copied())
    }
}

impl StoredPolicy {
    pub(crate) fn plies(&self) -> impl Iterator<Item = Candidates<'_>> {
        let (mut moves, mut probabilities) = (&self.moves[..], &self.probabilities[..]);
        self.counts.iter().map(move |&count| {
            let of_ply;
            (of_ply, moves) = moves.split_at(count.into());
            let theirs;
            (theirs, probabilities) = probabilities.split_at(count.into());
            Candidates { moves: of_ply, probabilities: theirs }
        })
    }
}

impl From<Vec<Vec<Candidate>>> for StoredPolicy {
    fn from(plies: Vec<Vec<Candidate>>) -> Self {
        Self {
            moves: plies.iter().flatten().map(|(mv, _)| MoveText::from(mv.as_str())).collect(),
            probabilities: plies.iter().flatten().map(|&(_, probability)| probability).collect(),
            counts: plies.iter().map(|candidates| candidates.len() as u16).collect(),
        }
    }
}

/// The requested [`Targets`](super::Targets) of one game: per ply, NaN if unknown; `None` unless requested.
#[derive(Debug, Clone)]
pub(crate) struct GameTargets {
    pub(super) value: Option<Box<[f32]>>,
    /// `draw`, `short_term`, `short_term_draw`, `plies_left` and `points` of batches.
    pub(super) further: [Option<Box<[f32]>>; 5],
}

impl StoredGame {
    /// The value of each position in batches.
    pub(super) fn target_value(&self) -> &[f32] {
        self.targets.as_ref().and_then(|targets| targets.value.as_deref()).unwrap_or(&self.value)
    }

    /// Replays the game, see [`play`].
    pub(crate) fn play_through<G: Game>(
        &self,
        on_ply: impl FnMut(&Line<G::Position>, Move<G>),
    ) -> Result<(), DatasetError> {
        self.play_from::<G>(Line::new, on_ply)
    }

    /// The same on the line that `begin` makes of its first position.
    pub(super) fn play_from<G: Game>(
        &self,
        begin: impl FnOnce(G::Position) -> Line<G::Position>,
        on_ply: impl FnMut(&Line<G::Position>, Move<G>),
    ) -> Result<(), DatasetError> {
        let played = self.start.position::<G>().and_then(|start| play::<G>(begin(start), &self.moves, on_ply));
        played.map_err(|ReplayError { ply, reason }| DatasetError::BadGame { game: self.id, ply, reason })
    }

    pub(crate) fn has(&self) -> OptionalColumns {
        let any = |column: &[f32]| column.iter().any(|value| !value.is_nan());
        let rating = self.ratings.iter().any(Option::is_some);
        OptionalColumns { value: any(&self.value), draw: any(&self.draw), rating }
    }

    /// Whether a ply is one of the dataset's positions.
    pub(crate) fn is_used(&self, ply: usize) -> bool {
        self.used.as_ref().is_none_or(|used| used[ply])
    }

    /// Keeps only these of its positions.
    pub(super) fn use_only(&mut self, used: Box<[bool]>) {
        let positions = used.iter().filter(|&&used| used).count() as u32;
        if positions < self.positions {
            (self.used, self.positions) = (Some(used), positions);
        }
    }

    /// The number of labels of a ply's map.
    pub(crate) fn map_cells(&self) -> usize {
        self.map.len() / usize::from(self.plies.max(1))
    }

    pub(crate) fn map_of(&self, ply: usize) -> &[i8] {
        let cells = self.map_cells();
        &self.map[ply * cells..][..cells]
    }
}

impl From<GameRow> for StoredGame {
    fn from(row: GameRow) -> Self {
        let numbers = |values: Vec<Option<f32>>| values.into_iter().map(|value| value.unwrap_or(f32::NAN)).collect();
        Self {
            positions: row.positions() as u32,
            id: row.id,
            cluster: row.id,
            start: row.start.map_or(GameStart::Standard, |text| GameStart::Text(text.into_boxed_str())),
            moves: row.moves.into_boxed_str(),
            plies: row.plies,
            result: row.result,
            termination: row.termination,
            policy_from_ply: row.policy_from_ply,
            value: numbers(row.value),
            draw: numbers(row.draw.unwrap_or_default()),
            targets: None,
            seen_in_train: row.seen_in_train.unwrap_or_default().into_boxed_slice(),
            used: row.used.map(Vec::into_boxed_slice),
            policy: row.policy.map(|plies| Box::new(StoredPolicy::from(plies))),
            mean_result: numbers(row.mean_result.unwrap_or_default()),
            ratings: row.ratings,
            map: row.map.unwrap_or_default().concat().into_boxed_slice(),
        }
    }
}
