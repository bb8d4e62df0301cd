//! Reports of finished cells, with intervals and tests.
//!
//! It takes three steps: [`files`] reads a run folder, [`Report::of`] computes a [`Report`] ([`model`], [`statistics`]), and a
//! format such as [`text`] draws it.

pub mod asked;
mod axes;
pub mod between_grids;
mod budgets;
mod build;
mod conclusions;
pub mod csv;
pub mod curves;
mod distinct;
mod document;
pub mod error;
pub mod figures;
pub mod files;
mod heads;
pub mod html;
mod inactive;
mod interactions;
pub mod latex;
mod learnable;
mod learning_curves;
pub mod markdown;
pub mod model;
pub mod numbers;
mod pairs;
mod phrases;
mod positions;
mod provenance;
pub mod ranks;
mod settings;
pub mod side_by_side;
pub mod sizes;
mod slices;
pub mod statistics;
mod strength;
mod systems;
pub mod table;
mod tables;
pub mod text;
pub mod text_table;
mod ties;
pub mod transfer;
pub mod tuning;
mod variants;
mod warnings;

pub use asked::Asked;
pub use document::printed_tables;
pub use error::{CurvesError, ReportError};
pub use model::Report;
