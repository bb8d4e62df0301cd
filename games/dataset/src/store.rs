//! The Parquet store: one row per game, readable by anything that reads Parquet.
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

mod columns;
mod read;
mod write;

pub use read::read_shard;
pub(crate) use read::verify;
pub use write::ShardWriter;

use crate::split::Split;
use games::{GameResult, Termination};

/// A row of the store.
#[derive(Debug, Clone, PartialEq)]
pub struct GameRow {
    /// Number of the game in the dataset.
    pub id: u32,
    /// Its split.
    pub split: Split,
    /// FEN or SFEN; `None` for the standard start.
    pub start: Option<String>,
    /// UCI or USI, separated by spaces.
    pub moves: String,
    /// How many moves.
    pub plies: u16,
    /// Who won.
    pub result: GameResult,
    /// How it ended.
    pub termination: Termination,
    /// Earlier moves are no policy targets.
    pub policy_from_ply: u16,
    /// Per ply, winning probability of the side to move.
    pub value: Vec<Option<f32>>,
    /// Per ply, seconds left on the mover's clock; `None` where the record has none.
    pub clock: Option<Vec<Option<f32>>>,
    /// Per ply, seconds that the move took; `None` where the record has none.
    pub time: Option<Vec<Option<f32>>>,
    /// Per ply, whether the position also occurs in a training game; `None` for training games.
    pub seen_in_train: Option<Vec<bool>>,
    /// Ratings of the first and the second player.
    pub ratings: [Option<i32>; 2],
    /// Name of the file it came from, without folders.
    pub source_file: String,
    /// Number of the game in that file, from 0.
    pub source_game: u64,
}
