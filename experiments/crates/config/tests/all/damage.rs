//! Settings of strangers: damaged bytes, and documents whose meaning is changed. Every reader holds its law ([`laws`]) on
//! them.

#[path = "../../../../../games/tests/all/damage/counts.rs"]
pub mod counts;
#[path = "../../../../../games/dataset/tests/all/damage/documents.rs"]
pub mod documents;
pub mod laws;
mod meaning;
#[path = "../../../../../games/tests/all/damage/seeded.rs"]
pub mod seeded;

mod bytes {
    use super::{laws, seeded};

    #[test]
    fn configuration_is_safe() {
        seeded::damage("run_config", 2_000, testing::CONFIG.into(), laws::run_config);
    }
}
