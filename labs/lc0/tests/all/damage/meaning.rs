//! Networks whose meaning is changed.

use super::{laws, messages, network, seeded};
use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;
use std::io::Write as _;

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::none());
    encoder.write_all(content).expect("written");
    encoder.finish().expect("written")
}

#[test]
fn a_changed_network_is_refused_or_finite_and_of_its_shapes() {
    let files = messages::changed(&network()).prop_map(|message| gzip(&message));
    seeded::hold("Lc0's network", 1_000, &files, laws::network);
}
