//! Bytes that are damaged.

use super::pieces::damage;
use super::{events, laws};

#[test]
fn events_are_safe() {
    damage("events", events(), laws::events);
}

#[test]
fn weights_are_safe() {
    damage("weights", laws::good_weights(), laws::weights);
}
