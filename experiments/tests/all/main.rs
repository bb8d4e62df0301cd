//! Tests of the command line and of everything that it joins, in one binary.

mod bundle;
mod bundles;
#[path = "../../crates/report/tests/all/by_hand.rs"]
pub mod by_hand;
mod cells;
mod check;
#[cfg(feature = "inspect")]
#[path = "../../crates/report/tests/all/chromium.rs"]
mod chromium;
mod cli;
mod contrasts;
mod data_cli;
mod endless;
#[cfg(feature = "engines")]
mod generate;
mod grid;
pub mod hostile;
#[cfg(feature = "lc0")]
pub mod import_net;
mod import_resume;
#[cfg(feature = "inspect")]
mod inspect;
#[cfg(not(any(
    feature = "engines",
    feature = "inspect",
    feature = "lc0",
    feature = "play",
    feature = "slurm",
    feature = "watch"
)))]
mod labs;
mod list;
mod matched;
mod new;
mod pages;
#[cfg(feature = "play")]
mod play;
mod probe;
mod recipes;
mod show;
mod soak;
#[cfg(feature = "slurm")]
mod submit;
mod test_set;
mod third_game;
mod tuning;
mod upkeep;
#[cfg(feature = "watch")]
mod watch;
