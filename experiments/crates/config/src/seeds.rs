//! Lists of seeds.

use std::collections::HashSet;

/// The place of the first seed that stands earlier in the list, too.
pub(super) fn repeated(seeds: &[u64]) -> Option<usize> {
    let mut seen = HashSet::new();
    seeds.iter().position(|seed| !seen.insert(seed))
}
