//! Lists of seeds.

use super::source::{ConfigError, YamlPath};
use super::tree::Node;
use std::collections::HashSet;

/// Refuses a list, written at this place, in which a seed stands twice.
pub(super) fn each_once(seeds: &[u64], mut place: YamlPath, document: &Node) -> Result<(), ConfigError> {
    let mut seen = HashSet::new();
    let Some(i) = seeds.iter().position(|seed| !seen.insert(seed)) else { return Ok(()) };
    place.push(i.into());
    let error = document.error_at(&place, format!("the seed {} stands twice", seeds[i]));
    Err(error.help("a repeated seed repeats the same numbers; name each once"))
}
