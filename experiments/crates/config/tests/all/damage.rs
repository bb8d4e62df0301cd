//! Settings of strangers: damaged bytes, and documents whose meaning is changed. Every reader holds its law ([`laws`]) on
//! them.

mod bytes;
#[path = "../../../../../games/tests/all/damage/counts.rs"]
pub mod counts;
#[path = "../../../../../games/dataset/tests/all/damage/documents.rs"]
pub mod documents;
pub mod laws;
mod meaning;
pub mod pieces;
#[path = "../../../../../games/tests/all/damage/seeded.rs"]
pub mod seeded;
