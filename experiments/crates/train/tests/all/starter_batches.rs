//! The committed starter datasets and their batches: published runs depend on both, so neither may
//! change by accident.

use dataset::{Batch, Dataset, LoaderConfig, Split, TrainLoader, evaluation_batches};
use games::InputName;
use std::sync::Arc;
use testing::experiments_folder;

/// A hash over every field of these batches, floats by their bits.
fn hash(batches: impl Iterator<Item = Batch>) -> String {
    let mut hasher = blake3::Hasher::new();
    for batch in batches {
        let Batch { size, row_bytes, packed, legal, candidates, policy_index, policy_prob, .. } = &batch;
        for number in [size, row_bytes, candidates] {
            hasher.update(&(*number as u64).to_le_bytes());
        }
        hasher.update(packed).update(legal).update(&batch.phase);
        let mut add = |bytes: &[u8]| {
            hasher.update(bytes);
        };
        policy_index.iter().chain(&batch.outcome).for_each(|number| add(&number.to_le_bytes()));
        policy_prob.iter().chain(&batch.value).for_each(|number| add(&number.to_bits().to_le_bytes()));
        batch.game.iter().for_each(|number| add(&number.to_le_bytes()));
        batch.ply.iter().for_each(|number| add(&number.to_le_bytes()));
        batch.novel.iter().for_each(|&novel| add(&[u8::from(novel)]));
    }
    hasher.finalize().to_hex()[..16].to_owned()
}

#[test]
fn batches_of_the_starter_datasets_are_pinned() {
    for (name, content, training, test) in PINNED {
        let dir = experiments_folder().join("data").join(name);
        let dataset = Arc::new(Dataset::open(&dir).expect("the starter datasets are part of the project"));
        assert_eq!(&dataset.content()[..16], content, "{name}");
        let input = InputName::PieceTokens;
        let config = LoaderConfig { input, batch: 256, seed: 0, workers: 1, block_games: 64 };
        let mut loader = TrainLoader::new(&dataset, config, 0).expect("there are training games");
        let first = (0..40).map(|_| loader.next().expect("good games"));
        assert_eq!(hash(first), training, "{name}, training");
        let batches = evaluation_batches(&dataset, Split::Test, input, 256, 5_000).expect("there are test games");
        assert_eq!(hash(batches.map(|batch| batch.expect("good games"))), test, "{name}, test");
    }
}

/// Name, content hash, hash of the first training batches, hash of the first test batches.
const PINNED: [(&str, &str, &str, &str); 3] = [
    ("chess-starter", "27c98f9a5464870e", "9795504a5db8ecdc", "10b4b3c365f81b06"),
    ("shogi-starter", "39d3c71c04c2ef33", "5657b39997e1f20f", "c4b2518998d3e707"),
    ("minishogi-starter", "7cb835a6c7496a11", "fdc9dbab66a1c8dc", "34f9497614fcf570"),
];
