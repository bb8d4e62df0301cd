//! The laws that the fuzz targets hold: those of the seeded tests in `games/tests/all/damage`.

#[path = "../../games/tests/all/damage/laws.rs"]
pub mod laws;
