//! Bytes that are damaged.

use super::pieces::damage;
use super::{laws, network};

#[test]
fn network_is_safe() {
    damage("network", network(), laws::network);
}
