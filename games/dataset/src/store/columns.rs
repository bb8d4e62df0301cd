//! The columns: between rows and Arrow arrays.

use super::GameRow;
use crate::split::Split;
use arrow_array::builder::{
    ArrayBuilder, BooleanBuilder, Float32Builder, Int32Builder, ListBuilder, StringBuilder, UInt16Builder,
    UInt32Builder, UInt64Builder,
};
use arrow_array::cast::AsArray as _;
use arrow_array::types::{Float32Type, Int32Type, UInt16Type, UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use games::{GameResult, Termination};
use std::sync::Arc;

/// Names and types of all columns.
pub(super) fn schema() -> SchemaRef {
    let list = |item: DataType, nullable| DataType::List(Arc::new(Field::new("item", item, nullable)));
    let columns = vec![
        Field::new("id", DataType::UInt32, false),
        Field::new("split", DataType::Utf8, false),
        Field::new("start", DataType::Utf8, true),
        Field::new("moves", DataType::Utf8, false),
        Field::new("plies", DataType::UInt16, false),
        Field::new("result", DataType::Utf8, false),
        Field::new("termination", DataType::Utf8, false),
        Field::new("policy_from_ply", DataType::UInt16, false),
        Field::new("value", list(DataType::Float32, true), false),
        Field::new("clock", list(DataType::Float32, true), true),
        Field::new("time", list(DataType::Float32, true), true),
        Field::new("seen_in_train", list(DataType::Boolean, false), true),
        Field::new("first_rating", DataType::Int32, true),
        Field::new("second_rating", DataType::Int32, true),
        Field::new("source_file", DataType::Utf8, false),
        Field::new("source_game", DataType::UInt64, false),
    ];
    Arc::new(Schema::new(columns))
}

/// Collects rows into columns.
pub(super) struct Columns {
    id: UInt32Builder,
    split: StringBuilder,
    start: StringBuilder,
    moves: StringBuilder,
    plies: UInt16Builder,
    result: StringBuilder,
    termination: StringBuilder,
    policy_from_ply: UInt16Builder,
    value: ListBuilder<Float32Builder>,
    clock: ListBuilder<Float32Builder>,
    time: ListBuilder<Float32Builder>,
    seen_in_train: ListBuilder<BooleanBuilder>,
    ratings: [Int32Builder; 2],
    source_file: StringBuilder,
    source_game: UInt64Builder,
}

impl Columns {
    pub(super) fn new() -> Self {
        let not_null = Field::new("item", DataType::Boolean, false);
        Self {
            id: UInt32Builder::new(),
            split: StringBuilder::new(),
            start: StringBuilder::new(),
            moves: StringBuilder::new(),
            plies: UInt16Builder::new(),
            result: StringBuilder::new(),
            termination: StringBuilder::new(),
            policy_from_ply: UInt16Builder::new(),
            value: ListBuilder::new(Float32Builder::new()),
            clock: ListBuilder::new(Float32Builder::new()),
            time: ListBuilder::new(Float32Builder::new()),
            seen_in_train: ListBuilder::new(BooleanBuilder::new()).with_field(not_null),
            ratings: [Int32Builder::new(), Int32Builder::new()],
            source_file: StringBuilder::new(),
            source_game: UInt64Builder::new(),
        }
    }

    pub(super) fn rows(&self) -> usize {
        self.id.len()
    }

    pub(super) fn push(&mut self, row: &GameRow) {
        self.id.append_value(row.id);
        self.split.append_value(row.split.name());
        self.start.append_option(row.start.as_deref());
        self.moves.append_value(&row.moves);
        self.plies.append_value(row.plies);
        self.result.append_value(row.result.name());
        self.termination.append_value(row.termination.name());
        self.policy_from_ply.append_value(row.policy_from_ply);
        push_list(&mut self.value, Some(&row.value));
        push_list(&mut self.clock, row.clock.as_ref());
        push_list(&mut self.time, row.time.as_ref());
        if let Some(seen) = &row.seen_in_train {
            self.seen_in_train.values().append_slice(seen);
        }
        self.seen_in_train.append(row.seen_in_train.is_some());
        for (builder, rating) in self.ratings.iter_mut().zip(row.ratings) {
            builder.append_option(rating);
        }
        self.source_file.append_value(&row.source_file);
        self.source_game.append_value(row.source_game);
    }

    /// The rows so far; leaves none behind.
    pub(super) fn take(&mut self) -> Result<RecordBatch, ArrowError> {
        let [first_rating, second_rating] = &mut self.ratings;
        let builders: [&mut dyn ArrayBuilder; 16] = [
            &mut self.id,
            &mut self.split,
            &mut self.start,
            &mut self.moves,
            &mut self.plies,
            &mut self.result,
            &mut self.termination,
            &mut self.policy_from_ply,
            &mut self.value,
            &mut self.clock,
            &mut self.time,
            &mut self.seen_in_train,
            first_rating,
            second_rating,
            &mut self.source_file,
            &mut self.source_game,
        ];
        RecordBatch::try_new(schema(), builders.map(|builder| builder.finish()).to_vec())
    }
}

fn push_list(list: &mut ListBuilder<Float32Builder>, values: Option<&Vec<Option<f32>>>) {
    for &value in values.into_iter().flatten() {
        list.values().append_option(value);
    }
    list.append(values.is_some());
}

/// The rows of a batch that has [`schema`]'s columns.
pub(super) fn rows(batch: &RecordBatch) -> Result<Vec<GameRow>, String> {
    (0..batch.num_rows()).map(|row| Row { batch, row }.read()).collect()
}

/// One row of a batch.
struct Row<'a> {
    batch: &'a RecordBatch,
    row: usize,
}

impl Row<'_> {
    fn read(&self) -> Result<GameRow, String> {
        let row = GameRow {
            id: self.column("id")?.as_primitive::<UInt32Type>().value(self.row),
            split: self.named("split", &Split::ALL, Split::name)?,
            start: (!self.column("start")?.is_null(self.row)).then(|| self.text("start")).transpose()?,
            moves: self.text("moves")?,
            plies: self.column("plies")?.as_primitive::<UInt16Type>().value(self.row),
            result: self.named("result", &GameResult::ALL, GameResult::name)?,
            termination: self.named("termination", &Termination::ALL, Termination::name)?,
            policy_from_ply: self.column("policy_from_ply")?.as_primitive::<UInt16Type>().value(self.row),
            value: self.numbers("value")?.unwrap_or_default(),
            clock: self.numbers("clock")?,
            time: self.numbers("time")?,
            seen_in_train: self
                .list("seen_in_train")?
                .map(|list| list.as_boolean().iter().map(|seen| seen.unwrap_or(false)).collect()),
            ratings: [self.rating("first_rating")?, self.rating("second_rating")?],
            source_file: self.text("source_file")?,
            source_game: self.column("source_game")?.as_primitive::<UInt64Type>().value(self.row),
        };
        row.check()?;
        Ok(row)
    }

    fn column(&self, name: &str) -> Result<&ArrayRef, String> {
        self.batch.column_by_name(name).ok_or_else(|| format!("no column \"{name}\""))
    }

    fn strings(&self, name: &str) -> Result<&StringArray, String> {
        Ok(self.column(name)?.as_string::<i32>())
    }

    fn text(&self, name: &str) -> Result<String, String> {
        Ok(self.strings(name)?.value(self.row).to_owned())
    }

    fn named<T: Copy>(&self, column: &str, all: &[T], name: fn(T) -> &'static str) -> Result<T, String> {
        let text = self.strings(column)?.value(self.row);
        all.iter().copied().find(|&item| name(item) == text).ok_or_else(|| format!("unknown {column} \"{text}\""))
    }

    fn rating(&self, name: &str) -> Result<Option<i32>, String> {
        let column = self.column(name)?.as_primitive::<Int32Type>();
        Ok((!column.is_null(self.row)).then(|| column.value(self.row)))
    }

    fn list(&self, name: &str) -> Result<Option<ArrayRef>, String> {
        let column = self.column(name)?.as_list::<i32>();
        Ok((!column.is_null(self.row)).then(|| column.value(self.row)))
    }

    fn numbers(&self, name: &str) -> Result<Option<Vec<Option<f32>>>, String> {
        Ok(self.list(name)?.map(|list| list.as_primitive::<Float32Type>().iter().collect()))
    }
}

impl GameRow {
    /// Whether every per-ply column has an entry for every ply.
    fn check(&self) -> Result<(), String> {
        let plies = usize::from(self.plies);
        let lengths = [
            Some(("moves", self.moves.split_ascii_whitespace().count())),
            Some(("value", self.value.len())),
            self.clock.as_ref().map(|clock| ("clock", clock.len())),
            self.time.as_ref().map(|time| ("time", time.len())),
            self.seen_in_train.as_ref().map(|seen| ("seen_in_train", seen.len())),
        ];
        match lengths.into_iter().flatten().find(|&(_, length)| length != plies) {
            Some((column, length)) => {
                Err(format!("game {} has {plies} plies, but {length} entries in \"{column}\"", self.id))
            }
            None => Ok(()),
        }
    }
}
