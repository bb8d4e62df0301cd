//! The house rules, as tests: which crate may import which, and what the sources keep to.
//!
//! Each law is one test; its message names the place and the remedy. The table of the rooms is in [`rooms`].

mod arrows;
mod circles;
mod example;
mod features;
mod labs;
mod laws;
mod links;
mod metadata;
mod phrases;
mod rooms;
mod source;

/// Fails with every breach of a law at once, so that one run shows all of them.
fn expect_none(law: &str, remedy: &str, breaches: &[String]) {
    assert!(breaches.is_empty(), "{law}\n  {}\n{remedy}", breaches.join("\n  "));
}
