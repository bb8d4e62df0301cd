//! Batches from a separate thread, each with the hash of all batches up to it.

use super::error::TrainError;
use super::phases::DataSegment;
use super::tensors::Staged;
use dataset::{Batch, Dataset, DatasetError, LoaderConfig, TrainLoader};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::JoinHandle;
use tch::Device;

/// Batches in the queue. Two hide the time of making a batch; the thread sleeps while the queue is full.
const AHEAD: usize = 2;

/// Batches that a thread makes ahead. Dropping the feed ends the thread: LibTorch's CUDA part crashes if a thread frees pinned memory
/// while the process exits.
#[derive(Debug)]
pub(super) struct Feed {
    batches: Receiver<Result<ChainedBatch, TrainError>>,
    thread: Option<JoinHandle<()>>,
}

/// A batch and the hash of all batches up to it.
#[derive(Debug)]
pub(super) struct ChainedBatch {
    pub(super) batch: Staged,
    pub(super) chain: blake3::Hash,
}

impl Feed {
    /// Starts at batch `start`, each batch from the segment that contains its number, staged for the device. `chain` is the hash
    /// of the earlier batches. `values`: whether the run trains on position values, which every batch has.
    pub(super) fn start(
        segments: Vec<DataSegment>,
        (config, device): (LoaderConfig, Device),
        start: u64,
        mut chain: blake3::Hash,
        values: bool,
    ) -> Result<Self, TrainError> {
        let (sender, batches) = sync_channel(AHEAD);
        let produce = move || {
            let parts = segments.iter().filter(|segment| segment.end > start);
            let mut parts = parts.map(|segment| SegmentPart::of(segment, start, config)).peekable();
            let mut opening = None;
            while let Some(part) = parts.next() {
                let opened = opening.take().map_or_else(|| part.open(), joined);
                let mut loader = match opened {
                    Ok(loader) => loader,
                    // The receiver is gone, so an error has no reader.
                    Err(error) => return drop(sender.send(Err(error.into()))),
                };
                opening = parts.peek().and_then(SegmentPart::open_in_advance);
                for _ in 0..part.batches {
                    let chained = loader.next().map_err(TrainError::from).and_then(|batch| {
                        chain = next_hash(&chain, &batch, values);
                        Ok(ChainedBatch { batch: Staged::new(&batch, device)?, chain })
                    });
                    let failed = chained.is_err();
                    if sender.send(chained).is_err() || failed {
                        return;
                    }
                }
            }
        };
        let thread = std::thread::Builder::new().name("feed".to_owned()).spawn(produce).map_err(TrainError::Thread)?;
        Ok(Self { batches, thread: Some(thread) })
    }

    pub(super) fn next(&self) -> Result<ChainedBatch, TrainError> {
        self.batches.recv().map_err(|_| TrainError::NoBatches)?
    }
}

impl Drop for Feed {
    fn drop(&mut self) {
        // The thread may wait for room in the queue until its receiver is gone.
        self.batches = sync_channel(0).1;
        // A panic has printed its message.
        let _ended = self.thread.take().map(JoinHandle::join);
    }
}

/// The batches of a segment that are still to come.
#[derive(Clone)]
struct SegmentPart {
    dataset: Arc<Dataset>,
    config: LoaderConfig,
    /// The number of its first batch within the segment.
    first: u64,
    batches: u64,
}

impl SegmentPart {
    /// Those from batch `start` of the run on.
    fn of(segment: &DataSegment, start: u64, config: LoaderConfig) -> Self {
        let first = start.max(segment.begin);
        let (dataset, batches) = (Arc::clone(&segment.dataset), segment.end - first);
        Self { dataset, config, first: first - segment.begin, batches }
    }

    fn open(&self) -> Result<TrainLoader, DatasetError> {
        TrainLoader::new(&self.dataset, self.config, self.first)
    }

    /// Replays its first games in another thread, so that no step waits for them; `None` for a single worker, or if the
    /// thread cannot be started.
    fn open_in_advance(&self) -> Option<Opening> {
        let part = (self.config.workers > 1).then(|| self.clone())?;
        std::thread::Builder::new().name("feed-next".to_owned()).spawn(move || part.open()).ok()
    }
}

type Opening = JoinHandle<Result<TrainLoader, DatasetError>>;

fn joined(opening: Opening) -> Result<TrainLoader, DatasetError> {
    opening.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

pub(super) fn initial_hash() -> blake3::Hash {
    blake3::hash(b"posenc training batches v1")
}

/// The hash after one more batch: of the previous hash and of everything in the batch that training uses.
fn next_hash(before: &blake3::Hash, batch: &Batch, values: bool) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(before.as_bytes()).update(&batch.packed).update(&batch.legal);
    let mut add = |bytes: &[u8]| {
        hasher.update(bytes);
    };
    batch.policy_index.iter().for_each(|index| add(&index.to_le_bytes()));
    batch.policy_prob.iter().for_each(|prob| add(&prob.to_le_bytes()));
    batch.outcome.iter().for_each(|outcome| add(&outcome.to_le_bytes()));
    // The other columns are empty unless requested; empty columns do not change the hash.
    let values = if values { &batch.value[..] } else { &[] };
    let further = [&batch.short_term, &batch.plies_left, &batch.points, &batch.draw];
    values.iter().chain(further.into_iter().flatten()).for_each(|number| add(&number.to_le_bytes()));
    batch.map.iter().for_each(|label| add(&label.to_le_bytes()));
    batch.rights.iter().for_each(|rights| add(&rights.to_le_bytes()));
    hasher.update(&batch.repeats);
    hasher.finalize()
}

#[cfg(test)]
mod tests {
    use super::*;
    use games::InputName;
    use std::path::Path;
    use std::time::{Duration, Instant};

    const BATCH: usize = 2_048;
    /// A step of a simulated GPU, which leaves the processor free.
    const STEP: Duration = Duration::from_millis(14);
    /// The largest share of the steps that may be spent waiting for batches.
    const MOST_WAITED: f64 = 0.05;

    fn starter(name: &str) -> Arc<Dataset> {
        let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data").join(name);
        Arc::new(Dataset::open(&dir).expect("the starter datasets are part of the project"))
    }

    fn endless(dataset: &Arc<Dataset>, batch: usize, workers: usize) -> Feed {
        let (input, block_games) = (InputName::PieceTokens, LoaderConfig::BLOCK_GAMES);
        let config = LoaderConfig { input, batch, seed: 0, workers, block_games };
        let segments = vec![DataSegment { dataset: Arc::clone(dataset), begin: 0, end: u64::MAX }];
        Feed::start(segments, (config, Device::Cpu), 0, initial_hash(), false).expect("a thread")
    }

    #[test]
    fn dropping_a_feed_ends_its_thread() {
        let dataset = starter("chess-starter");
        for taken in 0..3 {
            let feed = endless(&dataset, 64, 1);
            (0..taken).for_each(|_| drop(feed.next().expect("a batch")));
            drop(feed);
            assert_eq!(Arc::strong_count(&dataset), 1, "the thread still holds the dataset");
        }
    }

    #[test]
    fn a_thread_that_panicked_is_not_one_that_could_not_be_started() {
        let feed = Feed { batches: sync_channel(0).1, thread: None };
        let error = feed.next().expect_err("nobody sends batches");
        assert_eq!(error.failure().kind, records::FailureKind::Panic);
        assert!(error.to_string().contains("panicked") && error.resumable(), "{error}");
    }

    /// `scripts/long-check waits` sets `POSENC_WAITS` to 300 batches. Only a quiet machine can keep the time.
    #[test]
    fn two_workers_make_batches_as_fast_as_a_gpu_takes_them() {
        let Ok(batches) = std::env::var("POSENC_WAITS") else { return };
        let batches: u32 = batches.parse().expect("a number of batches");
        for name in ["chess-starter", "shogi-starter"] {
            let feed = endless(&starter(name), BATCH, 2);
            let wait = || {
                let began = Instant::now();
                let batch = feed.next();
                let waited = began.elapsed();
                batch.expect("a batch");
                waited
            };
            // A run waits for its first block once.
            let first = wait();
            let step = |_| {
                std::thread::sleep(STEP);
                wait()
            };
            let waits: Vec<Duration> = (0..batches).map(step).collect();
            let share = waits.iter().sum::<Duration>().as_secs_f64() / (STEP * batches).as_secs_f64();
            let longest = waits.iter().max().expect("at least one batch");
            println!(
                "{name}: waits for {batches} batches of {BATCH} are {:.2} % of steps of {STEP:?}, the longest {longest:.1?}; \
                 the first batch {first:.1?}",
                100.0 * share
            );
            assert!(share <= MOST_WAITED, "{name}: {:.2} % of a step", 100.0 * share);
        }
    }
}
