//! Facts about networks and comparisons as plain data: heads and their metrics, masks, weights, sizes, roles, margins.
//!
//! Experiment files, networks, run folders and reports share these types. Nothing here needs LibTorch, so programs that only
//! read records or draw reports do not load it.

pub mod columns;
mod distinct;
mod docs;
pub mod heads;
mod in_words;
mod margins;
pub mod metric;
pub mod metrics;
pub mod name;
pub mod number_or_word;
pub mod numbers;
pub mod numerics;
pub mod plan;
mod printable;
mod row;
pub mod row_name;
pub mod setting;

pub use distinct::distinct;
pub use docs::Docs;
pub use heads::HeadName;
pub use in_words::{counted, grouped, in_words, listed};
pub use margins::Margins;
pub use metric::{Aggregation, Direction, Loss, Metric, Target};
pub use numerics::Numerics;
pub use plan::{Extrapolate, Interaction, Primary, ReadAt, Weights};
pub use printable::{printable, printable_lines, shell_word};
pub use row::{Mask, NetworkFacts, Quantity, Role, TOLERANCE};
