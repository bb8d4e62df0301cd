//! Tables of finished cells, with intervals and tests.
//!
//! Three steps, each in its place: [`files`] reads a run folder as it is at this moment, [`Report::of`] makes numbers
//! of it ([`model`], [`statistics`]), and a format such as [`text`] draws them.

mod build;
pub mod error;
pub mod files;
pub mod model;
pub mod numbers;
mod pairs;
pub mod statistics;
pub mod text;
mod warnings;

pub use error::ReportError;
pub use model::Report;
