//! Export: datasets to the formats that other programs read.
//!
//! What is exact and what is not:
//!
//! | to | keeps | loses |
//! |---|---|---|
//! | PGN | start, moves, result, values as `[%eval]` | soft policies, ratings, clocks, marks of filters |
//! | HCPE | position, move, score, result | the ply, the game's boundaries, soft policies; games without a result |
//! | PSV | the same with the ply | the game's boundaries, soft policies; games without a result |
//!
//! Scores are made of values by the inverse of the dataset's curve: exact to the point up to 6,000 points of shogi or
//! 2,000 of chess; beyond, a value in f32 has no room for them, and a mate becomes ±30,000. What a format cannot say is left out and counted.

use crate::error::DatasetError;
use crate::loader::{Dataset, StoredGame};
use crate::playback::{Stuck, play_through};
use crate::split::Split;
use games::GameKind;
use games::chess::pgn;
use games::shogi::{Board, Shogi, hcpe::Hcpe, psv::Psv};
use std::io::Write;
use std::path::Path;

/// A format to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportFormat {
    /// PGN (chess).
    Pgn,
    /// HCPE (shogi).
    Hcpe,
    /// PackedSfenValue (shogi).
    Psv,
}

impl ExportFormat {
    /// All formats.
    pub const ALL: [Self; 3] = [Self::Pgn, Self::Hcpe, Self::Psv];

    /// Its name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pgn => "pgn",
            Self::Hcpe => "hcpe",
            Self::Psv => "psv",
        }
    }

    const fn game(self) -> GameKind {
        match self {
            Self::Pgn => GameKind::Chess,
            Self::Hcpe | Self::Psv => GameKind::Shogi,
        }
    }
}

/// What an export wrote.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Exported {
    /// Games or, in formats of positions, positions.
    pub written: u64,
    /// What the format cannot say: positions of games without a result, or that have no code.
    pub left_out: u64,
}

/// The largest score that is written: beyond it, programs mean a mate.
const MOST: f64 = 30_000.0;

/// Writes the rows of these splits, in the order of their ids.
///
/// # Errors
/// If the format is of another game, a row cannot be replayed, or `out` cannot be written.
pub fn export(
    dataset: &Dataset,
    splits: &[Split],
    format: ExportFormat,
    out: &mut dyn Write,
    path: &Path,
) -> Result<Exported, DatasetError> {
    if format.game() != dataset.game() {
        let reason = format!("{} holds {}", format.name(), format.game().name());
        return Err(DatasetError::Option { option: "format", reason });
    }
    let mut rows: Vec<&StoredGame> = splits.iter().flat_map(|&split| dataset.stored(split)).collect();
    rows.sort_unstable_by_key(|row| row.id);
    let mut done = Exported::default();
    for row in rows {
        let bytes = match format {
            ExportFormat::Pgn => {
                done.written += 1;
                game_as_pgn(dataset, row)?.into_bytes()
            }
            ExportFormat::Hcpe | ExportFormat::Psv => positions(dataset, row, format, &mut done)?,
        };
        out.write_all(&bytes).map_err(DatasetError::io("write", path))?;
    }
    out.flush().map_err(DatasetError::io("write", path))?;
    Ok(done)
}

fn game_as_pgn(dataset: &Dataset, row: &StoredGame) -> Result<String, DatasetError> {
    let evals: Vec<Option<f64>> = row.value.iter().map(|&value| score(dataset, value)).collect();
    let tags = [("Event", dataset.manifest().name.as_str()), ("Round", &(row.id + 1).to_string())];
    pgn::write(row.start.as_deref(), row.moves.split_ascii_whitespace(), row.result, &tags, &evals)
        .map_err(|(ply, reason)| DatasetError::BadGame { game: row.id, ply, reason })
}

/// The score that a value stands for, from the side to move's view.
fn score(dataset: &Dataset, value: f32) -> Option<f64> {
    let value = f64::from(value);
    let points = (value / (1.0 - value)).ln() / dataset.manifest().value_curve.per_point;
    (!value.is_nan()).then(|| points.clamp(-MOST, MOST).round())
}

fn positions(
    dataset: &Dataset,
    row: &StoredGame,
    format: ExportFormat,
    done: &mut Exported,
) -> Result<Vec<u8>, DatasetError> {
    let mut bytes = Vec::new();
    let first_ply = row.start.as_deref().and_then(ply_of).unwrap_or(1);
    play_through::<Shogi>(row.start.as_deref(), &row.moves, |line, mv| {
        let (position, ply) = (line.position(), line.plies());
        if row.used.as_ref().is_some_and(|used| !used[ply]) {
            return;
        }
        let board = Board::of(position);
        let points = score(dataset, row.value[ply]).unwrap_or(0.0) as i16;
        let number = first_ply.saturating_add(ply as u16);
        let packed = match format {
            ExportFormat::Hcpe => Hcpe::new(&board, mv, points, row.result).map(|record| record.write().to_vec()),
            _ => Psv::new(&board, mv, points, number, row.result).map(|record| record.write().to_vec()),
        };
        match packed {
            Ok(record) => {
                done.written += 1;
                bytes.extend(record);
            }
            Err(_) => done.left_out += 1,
        }
    })
    .map_err(|Stuck { ply, reason }| DatasetError::BadGame { game: row.id, ply, reason })?;
    Ok(bytes)
}

/// The move number at the end of an SFEN.
fn ply_of(start: &str) -> Option<u16> {
    start.rsplit_once(' ')?.1.parse().ok()
}
