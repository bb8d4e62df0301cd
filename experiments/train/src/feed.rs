//! Batches from a thread of their own, each with the hash of everything up to it.

use super::error::TrainError;
use super::stages::Course;
use dataset::{Batch, DatasetError, LoaderConfig, TrainLoader};
use std::sync::mpsc::{Receiver, sync_channel};

/// Batches that wait; two are enough to hide a batch's making, and the thread sleeps when they are there.
const AHEAD: usize = 2;

/// Training batches in order.
#[derive(Debug)]
pub(super) struct Feed {
    batches: Receiver<Result<Fed, DatasetError>>,
}

/// A batch and its place in the chain of hashes.
#[derive(Debug)]
pub(super) struct Fed {
    pub(super) batch: Batch,
    pub(super) chain: blake3::Hash,
}

impl Feed {
    /// Batches from number `start` on, each from the course that its number falls into; `chain` is the hash of those before
    /// it. `values`: whether they train on the values of positions, which every batch has.
    pub(super) fn start(
        courses: Vec<Course>,
        config: LoaderConfig,
        start: u64,
        mut chain: blake3::Hash,
        values: bool,
    ) -> Result<Self, TrainError> {
        let (sender, batches) = sync_channel(AHEAD);
        let produce = move || {
            for course in courses.iter().filter(|course| course.end > start) {
                let first = start.max(course.begin);
                let mut loader = match TrainLoader::new(&course.dataset, config, first - course.begin) {
                    Ok(loader) => loader,
                    // A receiver that is gone needs no batch and no error.
                    Err(error) => return drop(sender.send(Err(error))),
                };
                for _ in first..course.end {
                    let fed = loader.next().map(|batch| {
                        chain = link(&chain, &batch, values);
                        Fed { batch, chain }
                    });
                    let failed = fed.is_err();
                    if sender.send(fed).is_err() || failed {
                        return;
                    }
                }
            }
        };
        std::thread::Builder::new().name("feed".to_owned()).spawn(produce).map_err(TrainError::Thread)?;
        Ok(Self { batches })
    }

    /// The next batch.
    pub(super) fn next(&self) -> Result<Fed, TrainError> {
        let lost = || TrainError::Thread(std::io::Error::other("it died; its own message stands above"));
        Ok(self.batches.recv().map_err(|_| lost())??)
    }
}

/// The hash before the first batch.
pub(super) fn beginning() -> blake3::Hash {
    blake3::hash(b"posenc training batches v1")
}

/// The hash after one more batch: of the hash before it and of everything that training reads from it.
fn link(before: &blake3::Hash, batch: &Batch, values: bool) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(before.as_bytes()).update(&batch.packed).update(&batch.legal);
    for index in &batch.policy_index {
        hasher.update(&index.to_le_bytes());
    }
    for prob in &batch.policy_prob {
        hasher.update(&prob.to_le_bytes());
    }
    for outcome in &batch.outcome {
        hasher.update(&outcome.to_le_bytes());
    }
    // The rest is empty where it was not asked for, and then no part of the hash.
    let values = if values { &batch.value[..] } else { &[] };
    let further = [&batch.short_term, &batch.plies_left, &batch.points];
    for number in values.iter().chain(further.into_iter().flatten()) {
        hasher.update(&number.to_le_bytes());
    }
    for label in &batch.map {
        hasher.update(&label.to_le_bytes());
    }
    for rights in &batch.rights {
        hasher.update(&rights.to_le_bytes());
    }
    hasher.update(&batch.repeats);
    hasher.finalize()
}
