//! Tests of the command line and of everything that it joins, in one binary.

mod bundle;
mod cells;
mod check;
mod cli;
mod data_cli;
mod data_view;
mod expand;
mod generate;
mod grid;
mod identity;
mod import_net;
mod import_resume;
mod inspect;
mod interactions;
mod list;
mod matched;
mod outputs;
mod probe;
mod schema;
mod show;
mod soak;
mod starter_batches;
mod submit;
mod upkeep;
mod yaml_errors;
