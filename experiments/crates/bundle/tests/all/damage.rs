//! Run folders and bundles of strangers: damaged bytes, and formats whose meaning is changed and whose hashes are made again.
//! Every reader holds its law ([`laws`]) on them.

mod bytes;
#[path = "../../../../../games/tests/all/damage/counts.rs"]
pub mod counts;
#[path = "../../../../../games/dataset/tests/all/damage/documents.rs"]
pub mod documents;
mod fixtures;
pub mod laws;
mod meaning;
#[path = "../../../../../games/tests/all/damage/seeded.rs"]
pub mod seeded;
#[path = "../../../config/tests/all/damage/laws.rs"]
pub mod settings;
