//! What integration tests of several crates share: small datasets and an experiment over them, and, with feature `cells`,
//! tiny cells. Crates name it in `dev-dependencies` only.

#![allow(clippy::new_without_default, reason = "a folder that is made on disk is no default")]

mod datasets;
mod experiment;
mod repository_files;

#[cfg(feature = "cells")]
mod events;
#[cfg(feature = "cells")]
mod tiny_cells;

pub use datasets::{chess_records, datasets, imported, opening_records, openings, rated, shogi_records, split};
pub use experiment::{
    CONFIG, DATA, EXPERIMENT, assert_says, depths, flip, hashes, load, load_in, load_with, pairs, place, program,
    refused, refused_with, small, write_experiment,
};
pub use repository_files::{experiment_files, experiments_folder, root};

#[cfg(feature = "cells")]
pub use events::{Events, event_files, events};
#[cfg(feature = "cells")]
pub use tiny_cells::{
    Bench, Finished, GAME_PLIES, assert_same_bits, batches, dlshogi, encoding, lines, manifest, options, random_games,
    status, train, train_with,
};
