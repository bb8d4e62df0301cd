//! Tests of the command line and of everything that it joins, in one binary.

mod bounds;
mod brought;
mod bundle;
mod bundles;
mod cells;
mod check;
mod cli;
mod completions;
mod contrasts;
pub mod damage;
mod data_cli;
mod data_view;
mod expand;
#[cfg(feature = "engines")]
mod generate;
mod grid;
mod hostile;
mod identity;
#[cfg(feature = "lc0")]
mod import_net;
mod import_resume;
mod inspect;
mod interactions;
#[cfg(not(any(feature = "engines", feature = "inspect", feature = "lc0", feature = "play", feature = "slurm")))]
mod labs;
mod list;
mod matched;
mod outputs;
mod pages;
#[cfg(feature = "play")]
mod play;
mod probe;
mod published;
mod references;
mod schema;
mod settings;
mod show;
mod soak;
mod starter_batches;
#[cfg(feature = "slurm")]
mod submit;
mod tuning;
mod upkeep;
mod yaml_errors;
