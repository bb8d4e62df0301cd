//! Facts about networks and comparisons as plain data: heads and their metrics, masks, weights, sizes, roles, margins.
//!
//! Experiment files, networks, run folders and reports share these types. Nothing here needs LibTorch, so programs that only
//! read records or draw reports do not load it.

pub mod columns;
mod docs;
pub mod heads;
mod margins;
pub mod metric;
pub mod metrics;
pub mod name;
pub mod numbers;
pub mod numerics;
pub mod plan;
mod row;
pub mod row_name;
pub mod setting;
mod text;

pub use docs::Docs;
pub use heads::HeadName;
pub use margins::Margins;
pub use metric::{Aggregation, Direction, Loss, Metric, Target};
pub use numerics::Numerics;
pub use plan::{Extrapolate, Interaction, Primary, ReadAt, Weights};
pub use row::{Mask, NetworkFacts, Quantity, Role, TOLERANCE};
pub use text::{counted, grouped, in_words, listed, printable, printable_lines, shell_word};

/// The values without repetitions, in the order of their first occurrence.
pub fn distinct<T: PartialEq>(all: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut distinct = Vec::new();
    for one in all {
        if !distinct.contains(&one) {
            distinct.push(one);
        }
    }
    distinct
}

/// The keys without repetitions, in the order of their first occurrence, each with the values that it stands beside.
pub fn by_key<K: PartialEq, V>(pairs: impl IntoIterator<Item = (K, V)>) -> Vec<(K, Vec<V>)> {
    let mut groups: Vec<(K, Vec<V>)> = Vec::new();
    for (key, value) in pairs {
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, values)) => values.push(value),
            None => groups.push((key, vec![value])),
        }
    }
    groups
}
