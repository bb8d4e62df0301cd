//! Tests of experiment files and of the settings of cells, in one binary.

mod bounds;
mod changes;
pub mod damage;
mod data_view;
mod expand;
mod identity;
mod interactions;
mod matched;
mod names;
mod references;
mod refusals;
mod schema;
mod settings;
mod tuning;
mod yaml_all;
