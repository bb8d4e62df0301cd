//! The Parquet store: one row per game, readable by any Parquet reader.
//!
//! | column | type | meaning |
//! |---|---|---|
//! | `id` | u32 | number of the game in the dataset |
//! | `split` | string | `train`, `validation` or `test` |
//! | `start` | string? | FEN or SFEN; null for the standard start |
//! | `moves` | string | UCI or USI, separated by spaces |
//! | `plies` | u16 | how many moves |
//! | `result`, `termination` | string | names of [`GameResult`] and [`Termination`] |
//! | `policy_from_ply` | u16 | earlier moves are no policy targets |
//! | `value` | `list<f32?>` | winning probability of the side to move at ply *i*, from the score given with the move of ply *i* |
//! | `clock` | `list<f32?>?` | seconds left on the mover's clock after the move; null where the record has none |
//! | `time` | `list<f32?>?` | seconds that the move took; null where the record has none |
//! | `seen_in_train` | `list<bool>?` | whether the position also occurs in a training game (board, hands, turn, castling, en passant); null for training games |
//! | `first_rating`, `second_rating` | i32? | ratings of White and Black (chess), Black and White (shogi) |
//! | `source_file`, `source_game` | string, u64 | where it came from |
//! | `used` | `list<bool>?` | false for plies that a filter left out: they are replayed and never handed out; null where all are used |
//! | `policy_moves`, `policy_probs` | `list<list<string>>?`, `list<list<f32>>?` | per ply the moves that were weighed and their probabilities; an inner list is empty where only the move played is known |
//! | `mean_result` | `list<f32?>?` | mean result for the side to move (1 win, ½ draw, 0 loss), where several games were merged |
//! | `count` | u32? | how many positions were merged into this row |
//! | `group` | u64? | in datasets of positions: the same for rows of the same position, or of the same random game |
//! | `rating_bucket` | string? | the named subset that the game's average rating puts it in |
//! | `time_control` | string? | as the record writes it |
//! | `map` | `list<list<i8>>?` | per ply a label for each square, or each pair of squares, see `map` in `dataset.yaml` and [`games::map_labels`]; −1 for cells without a label |
//! | `draw` | `list<f32?>?` | probability of a draw at ply *i*, where the source has one |
//!
//! A shard may lack the columns from `used` on (posenc 0.1's first datasets do); a missing column reads as null. The
//! columns from `map` on are written only to shards that use them.

mod columns;
mod read;
mod rows;
mod survey;
mod write;

pub use read::{GameRows, ShardRows};
pub(crate) use read::{check_size, guarded, verify};
pub(crate) use survey::{ColumnSize, sum_of_groups};
pub use survey::{has_values, positions_of};
pub use write::ShardWriter;

use crate::error::DatasetError;
use crate::playback::{Move, ReplayError, play_through};
use crate::split::Split;
use games::record::Candidate;
use games::{Game, GameResult, Line, Termination};

/// A row of the store: its columns, with `ratings` of the first and the second player, and `policy` of moves and
/// probabilities.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GameRow {
    pub id: u32,
    pub split: Split,
    pub start: Option<String>,
    pub moves: String,
    pub plies: u16,
    pub result: GameResult,
    pub termination: Termination,
    pub policy_from_ply: u16,
    pub value: Vec<Option<f32>>,
    pub clock: Option<Vec<Option<f32>>>,
    pub time: Option<Vec<Option<f32>>>,
    pub seen_in_train: Option<Vec<bool>>,
    pub ratings: [Option<i32>; 2],
    pub source_file: String,
    pub source_game: u64,
    pub used: Option<Vec<bool>>,
    pub policy: Option<Vec<Vec<Candidate>>>,
    pub mean_result: Option<Vec<Option<f32>>>,
    pub count: Option<u32>,
    pub group: Option<u64>,
    pub rating_bucket: Option<String>,
    pub time_control: Option<String>,
    pub map: Option<Vec<Vec<i8>>>,
    pub draw: Option<Vec<Option<f32>>>,
}

impl GameRow {
    /// A row with only its source. The builder sets its number and its split.
    pub(crate) fn from_source(file: &str, game: u64) -> Self {
        Self { source_file: file.to_owned(), source_game: game, ..Self::default() }
    }

    /// Whether filters left the position before a ply in.
    pub fn is_used(&self, ply: usize) -> bool {
        self.used.as_ref().is_none_or(|used| used[ply])
    }

    /// Whether the policy learns the move of a ply.
    pub fn is_policy_target(&self, ply: usize) -> bool {
        self.is_used(ply) && ply >= usize::from(self.policy_from_ply)
    }

    /// The moves that were weighed at a ply; none if only the played move is known.
    pub(crate) fn candidates(&self, ply: usize) -> &[Candidate] {
        self.policy.as_ref().map_or(&[][..], |policy| &policy[ply][..])
    }

    /// Replays the game, see [`play_through`].
    pub(crate) fn play_through<G: Game>(
        &self,
        on_ply: impl FnMut(&Line<G::Position>, Move<G>),
    ) -> Result<(), DatasetError> {
        let played = play_through::<G>(self.start.as_deref(), &self.moves, on_ply);
        played.map_err(|ReplayError { ply, reason }| DatasetError::BadGame { game: self.id, ply, reason })
    }

    /// The number of used positions.
    pub fn positions(&self) -> u64 {
        match &self.used {
            Some(used) => used.iter().filter(|&&used| used).count() as u64,
            None => self.plies.into(),
        }
    }

    /// Checks that every per-ply column has an entry for every ply.
    fn check(&self) -> Result<(), String> {
        let plies = usize::from(self.plies);
        let lengths = [
            Some(("moves", self.moves.split_ascii_whitespace().count())),
            Some(("value", self.value.len())),
            self.clock.as_ref().map(|clock| ("clock", clock.len())),
            self.time.as_ref().map(|time| ("time", time.len())),
            self.seen_in_train.as_ref().map(|seen| ("seen_in_train", seen.len())),
            self.used.as_ref().map(|used| ("used", used.len())),
            self.policy.as_ref().map(|policy| ("policy_moves", policy.len())),
            self.mean_result.as_ref().map(|mean| ("mean_result", mean.len())),
            self.map.as_ref().map(|map| ("map", map.len())),
            self.draw.as_ref().map(|draw| ("draw", draw.len())),
        ];
        if self.policy.iter().flatten().any(|candidates| candidates.len() > usize::from(u16::MAX)) {
            return Err(format!("game {} has a ply with more than {} candidates", self.id, u16::MAX));
        }
        match lengths.into_iter().flatten().find(|&(_, length)| length != plies) {
            Some((column, length)) => {
                Err(format!("game {} has {plies} plies, but {length} entries in \"{column}\"", self.id))
            }
            None => Ok(()),
        }
    }
}
