//! What integration tests of several crates share: small datasets and an experiment over them, and, with feature `cells`,
//! tiny cells. Crates name it in `dev-dependencies` only.

#![allow(clippy::new_without_default, reason = "a folder that is made on disk is no default")]

mod brought;
mod datasets;
mod experiment;

#[cfg(feature = "cells")]
mod bench;
#[cfg(feature = "cells")]
mod events;

pub use brought::{brought_experiments, experiments_folder, root};
pub use datasets::{chess_records, datasets, imported, opening_records, openings, rated, shogi_records, split};
pub use experiment::{
    CONFIG, DATA, EXPERIMENT, assert_says, depths, flip, hashes, load, load_in, load_with, pairs, place, program,
    refused, refused_with, small, write_experiment,
};

#[cfg(feature = "cells")]
pub use bench::{
    Bench, Finished, GAME_PLIES, assert_same_bits, batches, dlshogi, encoding, lines, manifest, options, random_games,
    status, train, train_with,
};
#[cfg(feature = "cells")]
pub use events::{Events, event_files, events};
