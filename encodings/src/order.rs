//! The order of a stack: some encodings act on what earlier ones have left, and then their order is part of the network.
//!
//! Terms of logits and values add up, so their order changes rounding only. At the input embedding, a gate multiplies the
//! sums before it and leaves those after it. Of queries and keys, a fixed length removes the factors before it and keeps
//! those after it; rotations change no length, and factors change no direction, so they commute with both.

use crate::EncodingConfig;
use crate::zoo::absolute::InjectAt;

/// A stack in the one order that stands for all orders with the same function: that of the list of all encodings, except that
/// two encodings that do not commute stay in the given order.
pub fn in_order(mut stack: Vec<EncodingConfig>) -> Vec<EncodingConfig> {
    let mut ordered = Vec::with_capacity(stack.len());
    while !stack.is_empty() {
        let may_come_next =
            |place: &usize| stack[..*place].iter().all(|before| before.act().commutes_with(stack[*place].act()));
        // The first one always may, and of equal ranks the first one is taken.
        let next = (0..stack.len()).filter(may_come_next).min_by_key(|&place| rank(&stack[place]));
        ordered.push(stack.remove(next.unwrap_or_default()));
    }
    ordered
}

fn rank(one: &EncodingConfig) -> (Option<usize>, bool) {
    let listed = EncodingConfig::NAMES.iter().position(|name| *name == one.info().name);
    let is_later = matches!(one, EncodingConfig::Absolute(table) if table.at == InjectAt::EveryLayer);
    (listed, is_later)
}
