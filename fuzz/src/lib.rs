//! The laws that the fuzz targets hold: those of the seeded tests in `games/tests/damage`.

#[path = "../../games/tests/damage/laws.rs"]
pub mod laws;
