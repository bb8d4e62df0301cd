//! The columns: their names and types, and rows becoming Arrow arrays.

use super::GameRow;
use arrow_array::RecordBatch;
use arrow_array::builder::{
    ArrayBuilder, BooleanBuilder, Float32Builder, Int8Builder, Int32Builder, ListBuilder, StringBuilder, UInt16Builder,
    UInt32Builder, UInt64Builder,
};
use arrow_schema::{ArrowError, Field, Schema, SchemaRef};
use std::sync::Arc;

/// The columns that every shard has; later ones may be missing.
pub(super) const FIRST_COLUMNS: usize = 16;

/// The columns of every shard that is written today. A later column is written only to a shard with a value in it, so
/// that a dataset without values has the same bytes as before the column existed.
const ALWAYS_WRITTEN: usize = 24;

/// Whether a shard has each of the columns after [`ALWAYS_WRITTEN`].
pub(super) type Optional = [bool; 2];

/// The places in [`schema`] of the columns of a shard.
pub(super) fn places(optional: Optional) -> Vec<usize> {
    let optional = (ALWAYS_WRITTEN..).zip(optional).filter_map(|(place, has)| has.then_some(place));
    (0..ALWAYS_WRITTEN).chain(optional).collect()
}

/// The optional columns in which any row of a batch of all columns has a value.
pub(super) fn with_values(all: &RecordBatch) -> Optional {
    std::array::from_fn(|i| all.column(ALWAYS_WRITTEN + i).null_count() < all.num_rows())
}

/// Declares the columns in their order: name, builder, whether values may be missing.
macro_rules! columns {
    ($($name:ident: $builder:ty, $nullable:literal;)+) => {
        #[derive(Default)]
        pub(super) struct Columns {
            $($name: $builder,)+
        }

        impl Columns {
            fn builders(&mut self) -> Vec<(&'static str, bool, &mut dyn ArrayBuilder)> {
                vec![$((stringify!($name), $nullable, &mut self.$name as &mut dyn ArrayBuilder)),+]
            }
        }
    };
}

columns! {
    id: UInt32Builder, false;
    split: StringBuilder, false;
    start: StringBuilder, true;
    moves: StringBuilder, false;
    plies: UInt16Builder, false;
    result: StringBuilder, false;
    termination: StringBuilder, false;
    policy_from_ply: UInt16Builder, false;
    value: ListBuilder<Float32Builder>, false;
    clock: ListBuilder<Float32Builder>, true;
    time: ListBuilder<Float32Builder>, true;
    seen_in_train: ListBuilder<BooleanBuilder>, true;
    first_rating: Int32Builder, true;
    second_rating: Int32Builder, true;
    source_file: StringBuilder, false;
    source_game: UInt64Builder, false;
    used: ListBuilder<BooleanBuilder>, true;
    policy_moves: ListBuilder<ListBuilder<StringBuilder>>, true;
    policy_probs: ListBuilder<ListBuilder<Float32Builder>>, true;
    mean_result: ListBuilder<Float32Builder>, true;
    count: UInt32Builder, true;
    group: UInt64Builder, true;
    rating_bucket: StringBuilder, true;
    time_control: StringBuilder, true;
    map: ListBuilder<ListBuilder<Int8Builder>>, true;
    draw: ListBuilder<Float32Builder>, true;
}

pub(super) fn schema() -> SchemaRef {
    let mut columns = Columns::new();
    let fields = columns.builders().into_iter().map(|(name, nullable, builder)| {
        let values = builder.finish();
        Field::new(name, values.data_type().clone(), nullable)
    });
    Arc::new(Schema::new(fields.collect::<Vec<Field>>()))
}

impl Columns {
    pub(super) fn new() -> Self {
        Self {
            seen_in_train: of_present(BooleanBuilder::new()),
            used: of_present(BooleanBuilder::new()),
            policy_moves: of_present(of_present(StringBuilder::new())),
            policy_probs: of_present(of_present(Float32Builder::new())),
            map: of_present(of_present(Int8Builder::new())),
            ..Self::default()
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
        self.first_rating.append_option(row.ratings[0]);
        self.second_rating.append_option(row.ratings[1]);
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

    /// Takes the rows so far, with all columns.
    pub(super) fn take(&mut self) -> Result<RecordBatch, ArrowError> {
        let columns = self.builders().into_iter().map(|(_, _, builder)| builder.finish());
        RecordBatch::try_new(schema(), columns.collect())
    }
}

/// Lists in which no item is missing.
fn of_present<B: ArrayBuilder>(mut items: B) -> ListBuilder<B> {
    let none = items.finish();
    ListBuilder::new(items).with_field(Field::new("item", none.data_type().clone(), false))
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
