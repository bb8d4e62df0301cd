//! Lists of seeds.

use crate::yaml::source::{ConfigError, YamlPath, at};
use crate::yaml::tree::Node;
use std::collections::HashSet;

/// Refuses the experiment's seeds if there are none, or one is listed twice.
pub(crate) fn check(seeds: &[u64], document: &Node) -> Result<(), ConfigError> {
    if seeds.is_empty() {
        let error = document.error_at(&at!["seeds"], "there is no seed");
        return Err(error.help("list them: [0, 1, 2]; a verdict needs 3 or more"));
    }
    each_once(seeds, at!["seeds"], document)
}

/// Refuses a list, written at this place, in which a seed is listed twice.
pub(crate) fn each_once(seeds: &[u64], mut place: YamlPath, document: &Node) -> Result<(), ConfigError> {
    let mut seen = HashSet::new();
    let Some(i) = seeds.iter().position(|seed| !seen.insert(seed)) else { return Ok(()) };
    place.push(i.into());
    let error = document.error_at(&place, format!("the seed {} is listed twice", seeds[i]));
    Err(error.help("a repeated seed repeats the same numbers; name each once"))
}
