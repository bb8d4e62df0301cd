//! The columns: their names and types, and rows becoming Arrow arrays.

use super::GameRow;
use arrow_array::RecordBatch;
use arrow_array::builder::{
    ArrayBuilder, BooleanBuilder, Float32Builder, Int8Builder, Int32Builder, ListBuilder, StringBuilder, UInt16Builder,
    UInt32Builder, UInt64Builder,
};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use std::sync::Arc;

/// The columns that every shard has; later ones may be missing.
pub(super) const FIRST_COLUMNS: usize = 16;

/// The columns of every shard that is written today. A later column is written only to a shard with a value in it, so
/// that a dataset without values has the same bytes as before the column existed.
const ALWAYS_WRITTEN: usize = 24;

/// Which of the columns after [`ALWAYS_WRITTEN`] exist.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Optional {
    map: bool,
    draw: bool,
}

impl Optional {
    pub(super) const ALL: Self = Self { map: true, draw: true };

    fn of(row: &GameRow) -> Self {
        Self { map: row.map.is_some(), draw: row.draw.is_some() }
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self { map: self.map || other.map, draw: self.draw || other.draw }
    }

    /// The places of the columns in [`schema`].
    fn places(self) -> Vec<usize> {
        let optional = [self.map, self.draw].into_iter().zip(ALWAYS_WRITTEN..);
        (0..ALWAYS_WRITTEN).chain(optional.filter_map(|(is_there, place)| is_there.then_some(place))).collect()
    }

    pub(super) fn schema(self) -> Result<SchemaRef, ArrowError> {
        schema().project(&self.places()).map(Arc::new)
    }
}

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
        Field::new("used", list(DataType::Boolean, false), true),
        Field::new("policy_moves", list(list(DataType::Utf8, false), false), true),
        Field::new("policy_probs", list(list(DataType::Float32, false), false), true),
        Field::new("mean_result", list(DataType::Float32, true), true),
        Field::new("count", DataType::UInt32, true),
        Field::new("group", DataType::UInt64, true),
        Field::new("rating_bucket", DataType::Utf8, true),
        Field::new("time_control", DataType::Utf8, true),
        Field::new("map", list(list(DataType::Int8, false), false), true),
        Field::new("draw", list(DataType::Float32, true), true),
    ];
    Arc::new(Schema::new(columns))
}

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
    used: ListBuilder<BooleanBuilder>,
    policy_moves: ListBuilder<ListBuilder<StringBuilder>>,
    policy_probs: ListBuilder<ListBuilder<Float32Builder>>,
    mean_result: ListBuilder<Float32Builder>,
    count: UInt32Builder,
    group: UInt64Builder,
    rating_bucket: StringBuilder,
    time_control: StringBuilder,
    map: ListBuilder<ListBuilder<Int8Builder>>,
    draw: ListBuilder<Float32Builder>,
    optional: Optional,
}

impl Columns {
    pub(super) fn new() -> Self {
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
            seen_in_train: of_present(BooleanBuilder::new(), DataType::Boolean),
            ratings: [Int32Builder::new(), Int32Builder::new()],
            source_file: StringBuilder::new(),
            source_game: UInt64Builder::new(),
            used: of_present(BooleanBuilder::new(), DataType::Boolean),
            policy_moves: of_lists(StringBuilder::new(), DataType::Utf8),
            policy_probs: of_lists(Float32Builder::new(), DataType::Float32),
            mean_result: ListBuilder::new(Float32Builder::new()),
            count: UInt32Builder::new(),
            group: UInt64Builder::new(),
            rating_bucket: StringBuilder::new(),
            time_control: StringBuilder::new(),
            map: of_lists(Int8Builder::new(), DataType::Int8),
            draw: ListBuilder::new(Float32Builder::new()),
            optional: Optional::default(),
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
        push_numbers(&mut self.value, Some(&row.value));
        push_numbers(&mut self.clock, row.clock.as_ref());
        push_numbers(&mut self.time, row.time.as_ref());
        push_marks(&mut self.seen_in_train, row.seen_in_train.as_ref());
        for (builder, rating) in self.ratings.iter_mut().zip(row.ratings) {
            builder.append_option(rating);
        }
        self.source_file.append_value(&row.source_file);
        self.source_game.append_value(row.source_game);
        push_marks(&mut self.used, row.used.as_ref());
        self.push_policy(row);
        push_numbers(&mut self.mean_result, row.mean_result.as_ref());
        self.count.append_option(row.count);
        self.group.append_option(row.group);
        self.rating_bucket.append_option(row.rating_bucket.as_deref());
        self.time_control.append_option(row.time_control.as_deref());
        self.push_map(row);
        push_numbers(&mut self.draw, row.draw.as_ref());
        self.optional = self.optional.and(Optional::of(row));
    }

    /// The optional columns in which the rows so far have values.
    pub(super) fn optional(&self) -> Optional {
        self.optional
    }

    fn push_map(&mut self, row: &GameRow) {
        for labels in row.map.iter().flatten() {
            self.map.values().values().append_slice(labels);
            self.map.values().append(true);
        }
        self.map.append(row.map.is_some());
    }

    fn push_policy(&mut self, row: &GameRow) {
        for candidates in row.policy.iter().flatten() {
            for (mv, probability) in candidates {
                self.policy_moves.values().values().append_value(mv);
                self.policy_probs.values().values().append_value(*probability);
            }
            self.policy_moves.values().append(true);
            self.policy_probs.values().append(true);
        }
        self.policy_moves.append(row.policy.is_some());
        self.policy_probs.append(row.policy.is_some());
    }

    /// Takes the rows so far, with these optional columns.
    pub(super) fn take(&mut self, optional: Optional) -> Result<RecordBatch, ArrowError> {
        self.optional = Optional::default();
        let [first_rating, second_rating] = &mut self.ratings;
        let builders: [&mut dyn ArrayBuilder; 26] = [
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
            &mut self.used,
            &mut self.policy_moves,
            &mut self.policy_probs,
            &mut self.mean_result,
            &mut self.count,
            &mut self.group,
            &mut self.rating_bucket,
            &mut self.time_control,
            &mut self.map,
            &mut self.draw,
        ];
        let all = RecordBatch::try_new(schema(), builders.map(|builder| builder.finish()).to_vec())?;
        all.project(&optional.places())
    }
}

fn of_present<B: ArrayBuilder>(items: B, item: DataType) -> ListBuilder<B> {
    ListBuilder::new(items).with_field(Field::new("item", item, false))
}

fn of_lists<B: ArrayBuilder>(items: B, item: DataType) -> ListBuilder<ListBuilder<B>> {
    let inner = DataType::List(Arc::new(Field::new("item", item.clone(), false)));
    of_present(of_present(items, item), inner)
}

fn push_numbers(list: &mut ListBuilder<Float32Builder>, values: Option<&Vec<Option<f32>>>) {
    for &value in values.into_iter().flatten() {
        list.values().append_option(value);
    }
    list.append(values.is_some());
}

fn push_marks(list: &mut ListBuilder<BooleanBuilder>, marks: Option<&Vec<bool>>) {
    if let Some(marks) = marks {
        list.values().append_slice(marks);
    }
    list.append(marks.is_some());
}
