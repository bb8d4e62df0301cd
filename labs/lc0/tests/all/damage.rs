//! Networks of strangers: damaged bytes, and files whose fields are changed and whose lengths are right. Their reader holds its
//! law ([`laws`]) on them.

#[path = "../../../../games/tests/all/damage/counts.rs"]
pub mod counts;
#[path = "../../../../games/dataset/tests/all/damage/documents.rs"]
pub mod documents;
pub mod laws;
pub mod messages;
#[path = "../../../../games/tests/all/damage/seeded.rs"]
pub mod seeded;

use crate::random::{Net, SWISH, Shape};
use crate::samples::with_a_map;

/// A network with an attention body, of random numbers in 16 bits.
fn network() -> Vec<u8> {
    let shape = Shape {
        width: 4,
        heads: 2,
        layers: 1,
        ff: 4,
        smolgen: Some([1, 2, 1]),
        policies: vec![("", 3)],
        mish: true,
        smolgen_activation: SWISH,
        ..with_a_map()
    };
    let file = Net::new(shape, 1).file(false);
    assert!(file.len() < 20_000, "{}", file.len());
    file
}

mod bytes {
    use super::{laws, network, seeded};

    #[test]
    fn network_is_safe() {
        seeded::damage("network", 2_000, network(), laws::network);
    }
}

mod meaning {
    use super::{documents, laws, messages, network, seeded};
    use proptest::prelude::*;

    #[test]
    fn a_changed_network_is_refused_or_finite_and_of_its_shapes() {
        let good = network();
        let document = messages::document(&good).expect("a message");
        assert_eq!(messages::written(&document), good);
        let files = documents::values(document).prop_map(|document| messages::written(&document));
        seeded::hold("Lc0's network", 1_000, &files, laws::network);
    }
}
