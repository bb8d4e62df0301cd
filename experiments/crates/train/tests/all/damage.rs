//! Weights of strangers: damaged bytes, and a header whose values are changed. Their reader holds its law ([`laws`]) on
//! them.

#[path = "../../../../../games/tests/all/damage/counts.rs"]
pub mod counts;
#[path = "../../../../../games/dataset/tests/all/damage/documents.rs"]
pub mod documents;
pub mod laws;
#[path = "../../../../../games/tests/all/damage/seeded.rs"]
pub mod seeded;

mod bytes {
    use super::{laws, seeded};

    #[test]
    fn weights_are_safe() {
        seeded::damage("weights", 2_000, laws::good_weights(), laws::weights);
    }
}

/// A header whose meaning is changed.
mod meaning {
    use super::{documents, laws, seeded};
    use proptest::prelude::*;
    use serde_json::Value;

    #[test]
    fn a_changed_header_of_weights_is_refused_or_of_the_networks_shapes() {
        let good = laws::good_weights();
        let (length, rest) = good.split_first_chunk::<8>().expect("a length");
        let (header, data) = rest.split_at(u64::from_le_bytes(*length) as usize);
        let (header, data): (Value, Vec<u8>) = (serde_json::from_slice(header).expect("JSON"), data.to_vec());
        let files = documents::values(header).prop_map(move |header| {
            let header = documents::text(&header);
            [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), data.as_slice()].concat()
        });
        seeded::hold("header of safetensors", 1_000, &files, laws::weights);
    }
}
