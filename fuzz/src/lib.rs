//! The laws that the fuzz targets hold: those of the seeded tests in `games/tests/all/damage` and
//! `experiments/tests/all/damage`.

#[path = "../../games/tests/all/damage/counts.rs"]
pub mod counts;
#[path = "../../games/tests/all/damage/laws.rs"]
pub mod laws;
#[cfg(feature = "libtorch")]
#[path = "../../experiments/tests/all/damage/laws.rs"]
pub mod run_folders;
