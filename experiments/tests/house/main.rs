//! The rules of the house that no tool has, as tests: which crate may depend on which, and what the sources keep to. What tools
//! know is in clippy.toml and deny.toml.
//!
//! Each rule is one test; its message names the place and the remedy. The table of the crates is in [`crates`].

mod circles;
mod crates;
mod example;
mod labs;
mod laws;
mod lines;
mod metadata;
mod seeds;
mod source;

/// Fails with every breach of a law at once, so that one run shows all of them.
fn expect_none(law: &str, remedy: &str, breaches: &[String]) {
    assert!(breaches.is_empty(), "{law}\n  {}\n{remedy}", breaches.join("\n  "));
}
