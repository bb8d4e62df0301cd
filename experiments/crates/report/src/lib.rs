//! Reports of finished cells, with intervals and tests.
//!
//! It takes three steps: [`run_folder`] reads a run folder, [`Report::of`] computes a [`Report`] ([`model`], [`sections`],
//! [`statistics`]), and a format such as [`text`] draws it.

mod build;
pub mod comparison;
pub mod csv;
pub mod curves;
mod document;
pub mod figures;
pub mod html;
pub mod latex;
pub mod markdown;
pub mod model;
pub mod no_verdict;
pub mod noise;
pub mod numbers;
mod order;
pub mod primary;
pub mod ranks;
pub mod run_folder;
pub mod run_summary;
pub mod sections;
pub mod side_by_side;
pub mod statistics;
pub mod table;
pub mod text;

pub use model::Report;
pub use primary::ReportOptions;
