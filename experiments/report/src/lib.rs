//! Tables of finished cells, with intervals and tests.
//!
//! Three steps, each in its place: [`files`] reads a run folder as it is at this moment, [`Report::of`] makes numbers
//! of it ([`model`], [`statistics`]), and a format such as [`text`] draws them.

pub mod budgets;
mod build;
mod conclusions;
mod controls;
pub mod csv;
pub mod curves;
pub mod error;
pub mod files;
pub mod html;
pub mod interactions;
pub mod latex;
pub mod markdown;
pub mod model;
pub mod numbers;
mod pairs;
mod plot;
pub mod provenance;
pub mod sheet;
pub mod side_by_side;
pub mod sizes;
pub mod slices;
pub mod statistics;
pub mod sweep;
pub mod systems;
mod tables;
pub mod text;
pub mod text_table;
pub mod transfer;
mod variants;
mod warnings;
mod words;

pub use error::ReportError;
pub use model::Report;
