//! Settings of strangers: damaged bytes, and documents whose meaning is changed. Every reader holds its law ([`laws`]) on
//! them.

#[path = "../../../../../games/tests/all/damage/counts.rs"]
pub mod counts;
#[path = "../../../../../games/dataset/tests/all/damage/documents.rs"]
pub mod documents;
pub mod laws;
mod meaning;
pub mod pieces;
#[path = "../../../../../games/tests/all/damage/seeded.rs"]
pub mod seeded;

#[test]
fn a_damaged_configuration_is_safe() {
    pieces::damage("run_config", testing::CONFIG.into(), laws::run_config);
}
