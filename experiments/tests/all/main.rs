//! Tests of the command line and of everything that it joins, in one binary.

mod bundle;
mod bundles;
mod cells;
mod check;
mod cli;
mod completions;
mod contrasts;
mod data_cli;
mod generate;
mod grid;
mod hostile;
pub mod import_net;
mod import_resume;
mod inspect;
mod list;
mod matched;
mod pages;
mod play;
mod probe;
mod show;
mod soak;
mod submit;
mod tuning;
mod upkeep;
