//! The metrics of each evaluated position as a Parquet file, so that encodings can be compared position by position
//! without their networks.
//!
//! One row per position, in the order of the evaluation, which is the same for every cell of a dataset: `game` (u32,
//! the game's id), `ply` (u16), `phase`, `novel`; the traits of the target move (null without a target): `move_type`,
//! `piece`, `relation` of the squares (`drop` for drops), `distance` (u8, king moves; null for drops); then f32
//! [`MEASURES`], null if the position has no such target. In a file of means (see [`of_games`]) a row stands for several
//! positions of a game, and `positions` (u32) says how many; other files lack this column. `map_cells` (u32) says over how many
//! labelled cells the map loss is the mean, so that positions weigh as they do in the mean over all cells. Text columns are dictionary-encoded and the file is
//! compressed with zstd, so the metrics take most of its size.

use crate::bounded;
use crate::loader::{MoveTraits, PositionTraits};
use crate::store::guarded;
use arrow_array::cast::AsArray as _;
use arrow_array::types::{Float32Type, UInt8Type, UInt16Type, UInt32Type};
use arrow_array::{
    Array as _, ArrayRef, BooleanArray, Float32Array, RecordBatch, StringArray, UInt8Array, UInt16Array, UInt32Array,
};
use games::Relation;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub const MEASURES: [&str; 5] = ["policy_loss", "policy_accuracy", "value_loss", "value_accuracy", MAP_LOSS];

/// The mean over a position's labelled cells. Files of earlier versions lack it.
pub const MAP_LOSS: &str = "map_loss";

/// The number of labelled cells. Files of earlier versions and of networks without a map lack it.
const MAP_CELLS: &str = "map_cells";

/// The number of positions of a row, if it is not one.
const POSITIONS: &str = "positions";

pub const DROP: &str = "drop";

/// No file may have more rows: others may have made it, and it is read as a whole.
const MOST_ROWS: usize = 4_000_000;

/// A row may not stand for more positions.
const MOST_POSITIONS: u32 = 1_000_000;

/// A row may not have more labelled cells: a map of pairs has up to 6,561 for each position.
const MOST_CELLS: u32 = 100_000_000;

/// The most bytes of a name of a phase, a piece or a type of move.
const LONGEST_NAME: i32 = 64;

/// The metrics of one position, in the order of [`MEASURES`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PositionMetrics {
    pub game: u32,
    pub ply: u16,
    /// Whether the position occurs in no training game.
    pub novel: bool,
    /// Labelled cells of the map; `None` without one.
    pub map_cells: Option<u32>,
    /// `None` if the network has no such head or the position no such target.
    pub values: [Option<f32>; MEASURES.len()],
}

impl PositionMetrics {
    /// The weight of a value in the mean over all positions: of the map loss its cells, of others 1.
    pub fn weight(&self, place: usize) -> f64 {
        weight(place, 1, self.map_cells)
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct PositionRow {
    pub game: u32,
    pub ply: u16,
    pub phase: String,
    /// Whether the position occurs in no training game.
    pub novel: bool,
    /// The type of move, the piece and the relation of the squares.
    pub target: Option<[String; 3]>,
    pub distance: Option<u8>,
    /// How many positions the row is the mean of.
    pub positions: u32,
    /// How many labelled cells [`MAP_LOSS`] is the mean of.
    pub map_cells: Option<u32>,
    /// In the order of [`MEASURES`].
    pub values: [Option<f32>; MEASURES.len()],
}

impl PositionRow {
    /// The weight of a value in the mean over all of them: of the map loss its cells, of others its positions.
    pub fn weight(&self, place: usize) -> f64 {
        weight(place, self.positions, self.map_cells)
    }
}

fn weight(place: usize, positions: u32, map_cells: Option<u32>) -> f64 {
    f64::from(map_cells.filter(|_| MEASURES[place] == MAP_LOSS).unwrap_or(positions))
}

/// Why the file cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum PositionsError {
    #[error("position {place} of the evaluation is ply {ply} of game {game}, its traits are of another")]
    Other { place: usize, game: u32, ply: u16 },
    #[error(transparent)]
    Parquet(#[from] ParquetError),
    #[error(transparent)]
    Arrow(#[from] arrow_schema::ArrowError),
    #[error(transparent)]
    Io(#[from] std::io::Error),
    #[error("the column {0} is missing, of another type or of long names; another version of posenc wrote it")]
    Column(&'static str),
    #[error("{} has more than {most} rows", path.display())]
    TooLong { path: PathBuf, most: usize },
    #[error("{} is not a file of positions: {reason}", path.display())]
    Damaged { path: PathBuf, reason: String },
}

pub fn encode(measured: &[PositionMetrics], traits: &[PositionTraits]) -> Result<Vec<u8>, PositionsError> {
    let same = |(own, other): (&PositionMetrics, &PositionTraits)| own.game == other.game && own.ply == other.ply;
    let differing = measured.iter().zip(traits).position(|pair| !same(pair));
    let lengths = (measured.len() != traits.len()).then(|| measured.len().min(traits.len()));
    if let Some(place) = differing.or(lengths) {
        let (game, ply) = measured.get(place).map_or((0, 0), |row| (row.game, row.ply));
        return Err(PositionsError::Other { place, game, ply });
    }
    let row = |(row, like): (&PositionMetrics, &PositionTraits)| {
        let target = like.target.as_ref();
        PositionRow {
            game: row.game,
            ply: row.ply,
            phase: like.phase.name().to_owned(),
            novel: row.novel,
            target: target.map(|target| [target.kind, target.piece, relation(target)].map(str::to_owned)),
            distance: target.and_then(|target| Some(target.way?.1)),
            positions: 1,
            map_cells: row.map_cells,
            values: row.values,
        }
    };
    write(&measured.iter().zip(traits).map(row).collect::<Vec<_>>())
}

/// The means over the positions of each game that agree in stage, novelty and targets. They give every mean over games of
/// the whole file, but none over kinds of moves.
pub fn of_games(rows: &[PositionRow]) -> Vec<PositionRow> {
    let mut sums: Vec<(PositionRow, [f64; MEASURES.len()])> = Vec::new();
    let mut places = BTreeMap::new();
    for row in rows {
        let measured = (row.values.map(|value| value.is_some()), row.map_cells.is_some());
        let key = (row.game, row.phase.clone(), row.novel, measured);
        let place = *places.entry(key).or_insert_with(|| {
            let map_cells = row.map_cells.map(|_| 0);
            let first = PositionRow { target: None, distance: None, positions: 0, map_cells, ..row.clone() };
            sums.push((first, [0.0; MEASURES.len()]));
            sums.len() - 1
        });
        let (of_group, sums) = &mut sums[place];
        of_group.positions += row.positions;
        of_group.map_cells = of_group.map_cells.zip(row.map_cells).map(|(sum, cells)| sum + cells);
        for (place, sum) in sums.iter_mut().enumerate() {
            *sum += row.weight(place) * f64::from(row.values[place].unwrap_or_default());
        }
    }
    let mean = |(row, sums): (PositionRow, [f64; MEASURES.len()])| {
        let mean = |place: usize| row.values[place].map(|_| (sums[place] / row.weight(place)) as f32);
        let values = std::array::from_fn(mean);
        PositionRow { values, ..row }
    };
    sums.into_iter().map(mean).collect()
}

pub fn write(rows: &[PositionRow]) -> Result<Vec<u8>, PositionsError> {
    let batch = RecordBatch::try_from_iter_with_nullable(columns(rows))?;
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_created_by("posenc".to_owned())
        .build();
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties))?;
    writer.write(&batch)?;
    Ok(writer.into_inner()?)
}

fn columns(rows: &[PositionRow]) -> Vec<(&'static str, ArrayRef, bool)> {
    let games = UInt32Array::from_iter_values(rows.iter().map(|row| row.game));
    let plies = UInt16Array::from_iter_values(rows.iter().map(|row| row.ply));
    let phases = StringArray::from_iter_values(rows.iter().map(|row| &row.phase));
    let novel: Vec<bool> = rows.iter().map(|row| row.novel).collect();
    let words = |place: usize| -> ArrayRef {
        let words = rows.iter().map(|row| row.target.as_ref().map(|target| &target[place]));
        Arc::new(words.collect::<StringArray>())
    };
    let distances: UInt8Array = rows.iter().map(|row| row.distance).collect();
    let mut columns: Vec<(&'static str, ArrayRef, bool)> = vec![
        ("game", Arc::new(games), false),
        ("ply", Arc::new(plies), false),
        ("phase", Arc::new(phases), false),
        ("novel", Arc::new(BooleanArray::from(novel)), false),
        ("move_type", words(0), true),
        ("piece", words(1), true),
        ("relation", words(2), true),
        ("distance", Arc::new(distances), true),
    ];
    if rows.iter().any(|row| row.positions != 1) {
        let counts = UInt32Array::from_iter_values(rows.iter().map(|row| row.positions));
        columns.push((POSITIONS, Arc::new(counts), false));
    }
    if rows.iter().any(|row| row.map_cells.is_some()) {
        let cells: UInt32Array = rows.iter().map(|row| row.map_cells).collect();
        columns.push((MAP_CELLS, Arc::new(cells), true));
    }
    columns.extend(MEASURES.iter().enumerate().map(|(place, &name)| {
        let values: Float32Array = rows.iter().map(|row| row.values[place]).collect();
        (name, Arc::new(values) as ArrayRef, true)
    }));
    columns
}

fn relation(target: &MoveTraits) -> &'static str {
    match target.way.map(|(relation, _)| relation) {
        None => DROP,
        Some(Relation::Rank) => "rank",
        Some(Relation::File) => "file",
        Some(Relation::Diagonal) => "diagonal",
        Some(Relation::Knight) => "knight",
        Some(Relation::Same | Relation::Other) => "other",
    }
}

pub fn read(path: &Path) -> Result<Vec<PositionRow>, PositionsError> {
    read_within(path, MOST_ROWS)
}

fn read_within(path: &Path, most: usize) -> Result<Vec<PositionRow>, PositionsError> {
    let damaged = |reason| PositionsError::Damaged { path: path.to_owned(), reason };
    let rows = guarded(|| Ok(all_rows(path, most))).map_err(damaged)??;
    // Sums over any rows of a game are u32 too.
    let mut of_games: BTreeMap<u32, u64> = BTreeMap::new();
    for (place, row) in rows.iter().enumerate() {
        let (positions, cells) = (row.positions, row.map_cells.unwrap_or_default());
        let sum = of_games.entry(row.game).or_default();
        *sum += u64::from(positions) + u64::from(cells);
        if positions > MOST_POSITIONS || cells > MOST_CELLS || *sum > u64::from(u32::MAX) {
            let reason = format!("row {place} is of {positions} positions with {cells} cells, which is too many");
            return Err(damaged(reason));
        }
    }
    Ok(rows)
}

fn all_rows(path: &Path, most: usize) -> Result<Vec<PositionRow>, PositionsError> {
    let too_long = || PositionsError::TooLong { path: path.to_owned(), most };
    let file = ParquetRecordBatchReaderBuilder::try_new(bounded::open(path)?)?;
    if usize::try_from(file.metadata().file_metadata().num_rows()).is_ok_and(|stated| stated > most) {
        return Err(too_long());
    }
    let mut rows = Vec::new();
    for batch in file.build()? {
        rows.extend(decode(&batch?)?);
        // The footer may have stated another number.
        if rows.len() > most {
            return Err(too_long());
        }
    }
    Ok(rows)
}

fn decode(batch: &RecordBatch) -> Result<Vec<PositionRow>, PositionsError> {
    let column = |name: &'static str| batch.column_by_name(name).ok_or(PositionsError::Column(name));
    let words = |name| {
        let words = column(name)?.as_string_opt::<i32>().ok_or(PositionsError::Column(name))?;
        let is_long = (0..words.len()).any(|i| words.value_length(i) > LONGEST_NAME);
        if is_long { Err(PositionsError::Column(name)) } else { Ok(words) }
    };
    let floats = |name| column(name)?.as_primitive_opt::<Float32Type>().ok_or(PositionsError::Column(name));
    let games = column("game")?.as_primitive_opt::<UInt32Type>().ok_or(PositionsError::Column("game"))?;
    let plies = column("ply")?.as_primitive_opt::<UInt16Type>().ok_or(PositionsError::Column("ply"))?;
    let novel = column("novel")?.as_boolean_opt().ok_or(PositionsError::Column("novel"))?;
    let distance = column("distance")?.as_primitive_opt::<UInt8Type>().ok_or(PositionsError::Column("distance"))?;
    let phase = words("phase")?;
    let target = [words("move_type")?, words("piece")?, words("relation")?];
    let mut values = [None; MEASURES.len()];
    for (own, name) in values.iter_mut().zip(MEASURES) {
        if name != MAP_LOSS || batch.column_by_name(MAP_LOSS).is_some() {
            *own = Some(floats(name)?);
        }
    }
    let optional = |name: &'static str| {
        let column = batch.column_by_name(name);
        column.map(|column| column.as_primitive_opt::<UInt32Type>().ok_or(PositionsError::Column(name))).transpose()
    };
    let (counts, cells) = (optional(POSITIONS)?, optional(MAP_CELLS)?);
    let row = |i: usize| PositionRow {
        positions: counts.map_or(1, |counts| counts.value(i)),
        map_cells: cells.filter(|cells| cells.is_valid(i)).map(|cells| cells.value(i)),
        game: games.value(i),
        ply: plies.value(i),
        phase: phase.value(i).to_owned(),
        novel: novel.value(i),
        target: target[0].is_valid(i).then(|| target.map(|column| column.value(i).to_owned())),
        distance: distance.is_valid(i).then(|| distance.value(i)),
        values: values.map(|column| column.filter(|column| column.is_valid(i)).map(|column| column.value(i))),
    };
    Ok((0..batch.num_rows()).map(row).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(game: u32, ply: u16, novel: bool, loss: f32, value: Option<f32>) -> PositionRow {
        let target = Some(["quiet", "knight", "knight"].map(str::to_owned));
        let values = [Some(loss), Some(1.0), value, None, None];
        PositionRow {
            game,
            ply,
            phase: "opening".to_owned(),
            novel,
            target,
            distance: Some(2),
            positions: 1,
            map_cells: None,
            values,
        }
    }

    fn read_back(rows: &[PositionRow]) -> Vec<PositionRow> {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("positions.parquet");
        std::fs::write(&path, write(rows).expect("rows")).expect("a file");
        read(&path).expect("a file")
    }

    #[test]
    fn what_was_written_is_read() {
        let rows = [row(3, 0, true, 2.5, None), row(3, 1, false, 0.5, Some(1.0))];
        assert_eq!(read_back(&rows), rows);
    }

    #[test]
    fn files_that_would_fill_memory_or_sums_are_refused() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("positions.parquet");
        let refused = |rows: &[PositionRow], most: usize, reason: &str| {
            std::fs::write(&path, write(rows).expect("rows")).expect("a file");
            let error = read_within(&path, most).expect_err(reason).to_string();
            assert!(error.contains(reason), "{error}");
        };
        let rows = vec![row(3, 0, true, 2.5, None); 3];
        refused(&rows, 2, "positions.parquet has more than 2 rows");
        let many = |positions, cells| PositionRow { positions, map_cells: Some(cells), ..rows[0].clone() };
        refused(&[many(u32::MAX, 1)], 9, "not a file of positions: row 0 is of 4294967295 positions");
        refused(&[many(1, MOST_CELLS + 1)], 9, "row 0 is of 1 positions with 100000001 cells, which is too many");
        let full = vec![many(MOST_POSITIONS, MOST_CELLS); 43];
        refused(&full, full.len(), "row 42 is of 1000000 positions");
        refused(&[PositionRow { phase: "x".repeat(65), ..rows[0].clone() }], 9, "the column phase");
        assert_eq!(read_back(&full[1..]).len(), 42);
    }

    #[test]
    fn maps_weigh_by_their_cells() {
        let map = |cells: u32, loss: f32| {
            let values = [None, None, None, None, Some(loss)];
            PositionRow { map_cells: Some(cells), values, ..row(3, 0, true, 0.0, None) }
        };
        let rows = [map(1, 4.0), map(3, 0.0)];
        assert_eq!(read_back(&rows), rows);
        let games = of_games(&rows);
        assert_eq!((games[0].map_cells, games[0].positions, games[0].values[4]), (Some(4), 2, Some(1.0)));
        assert_eq!(of_games(&games), games);
    }

    #[test]
    fn games_keep_their_sums() {
        let rows = [
            row(3, 0, true, 2.5, None),
            row(3, 2, true, 0.5, None),
            row(3, 4, true, 4.0, Some(1.0)),
            row(5, 0, true, 1.0, None),
        ];
        let games = of_games(&rows);
        assert_eq!(read_back(&games), games);
        let kept: Vec<_> = games.iter().map(|row| (row.game, row.positions, row.values[0], row.values[2])).collect();
        assert_eq!(kept, [(3, 2, Some(1.5), None), (3, 1, Some(4.0), Some(1.0)), (5, 1, Some(1.0), None)]);
        assert!(games.iter().all(|row| row.target.is_none() && row.values[1] == Some(1.0) && row.values[3].is_none()));
        assert_eq!(of_games(&games), games, "means of means");
    }
}
