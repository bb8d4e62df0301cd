//! The loss of a rank: every rank hears of the next one, and what it hears goes round the ring. The other ranks then end, even
//! those that wait for the lost one or compute.

use crate::error::TrainError;
use nn::group::Group;
use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// The exit code of a rank that ends because another one is lost: the launcher may start all again.
const LOST: i32 = 75;

/// The interval of signs of life.
const BEAT: Duration = Duration::from_secs(1);
/// A rank without a sign of life for this long hangs.
const PATIENCE: Duration = Duration::from_secs(8);
/// How long a last word may take.
const LAST_WORD: Duration = Duration::from_secs(1);
/// Where a wait of Gloo's runs out, it closes all connections of this rank, and others would take this one for lost.
const ANY_TIME: Duration = Duration::from_secs(30 * 24 * 3600);

/// What ranks tell the rank before them; numbers above are those of a [`Loss`].
const ALIVE: i64 = 0;
const ENDED: i64 = 1;
const LOSSES: i64 = 2;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum How {
    Gone,
    /// It gave no sign of life.
    Silent,
    /// It said itself why it stopped.
    Stopped,
}

const WAYS: [How; 3] = [How::Gone, How::Silent, How::Stopped];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Loss {
    rank: usize,
    how: How,
}

impl Loss {
    fn number(self) -> i64 {
        let way = WAYS.iter().position(|&way| way == self.how).unwrap_or_default();
        LOSSES + (self.rank * WAYS.len() + way) as i64
    }

    fn of_number(number: i64) -> Self {
        let number = (number - LOSSES).max(0) as usize;
        Self { rank: number / WAYS.len(), how: WAYS[number % WAYS.len()] }
    }

    /// The message of the rank that notices; the log of a cell keeps it as the reason of the failure.
    fn text(self) -> Option<String> {
        let what = match self.how {
            How::Gone => "is gone".to_owned(),
            How::Silent => format!("has not answered for {} s", PATIENCE.as_secs()),
            How::Stopped => return None,
        };
        Some(format!("posenc: killed: rank {} {what}; the next run resumes from the last checkpoint", self.rank))
    }
}

#[derive(Debug)]
struct Shared {
    group: Arc<Group>,
    /// This rank ends with an error, which its main thread reports. The end of others is then not a loss.
    is_leaving: AtomicBool,
}

/// Three threads: one gives signs of life, one receives those of the next rank, one notices when they stay away.
#[derive(Debug)]
pub(super) struct Watch {
    shared: Arc<Shared>,
    ending: Sender<()>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl Watch {
    pub(super) fn start(group: &Arc<Group>) -> Result<Self, TrainError> {
        let ((ending, ends), (hearing, heard)) = (channel(), channel());
        let shared = Arc::new(Shared { group: Arc::clone(group), is_leaving: AtomicBool::new(false) });
        let [beating, listening, waiting] = std::array::from_fn(|_| Arc::clone(&shared));
        let named = |name: &str| thread::Builder::new().name(name.to_owned());
        let beats = named("beat").spawn(move || beat(&beating.group, &ends)).map_err(TrainError::Thread)?;
        let listens = named("listen").spawn(move || listen(&listening, &hearing)).map_err(TrainError::Thread)?;
        let waits = named("wait").spawn(move || wait(&waiting, &heard)).map_err(TrainError::Thread)?;
        Ok(Self { shared, ending, threads: Mutex::new(vec![beats, listens, waits]) })
    }

    /// Ends the threads, once all ranks have come here.
    pub(super) fn end(&self) {
        // The thread is gone only if the rank before is.
        let _ = self.ending.send(());
        for thread in self.threads.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            let _ = thread.join();
        }
    }

    /// Tells all other ranks that this one stops.
    pub(super) fn stop(&self) {
        self.shared.is_leaving.store(true, Ordering::SeqCst);
        let group = &self.shared.group;
        tell_before(group, Loss { rank: group.rank(), how: How::Stopped });
    }

    /// Ends this process because a rank did not answer. If another one was lost first, the ring says so.
    pub(super) fn lose(&self, rank: usize) -> ! {
        thread::sleep(LAST_WORD);
        end_process(&self.shared, Loss { rank, how: How::Gone }, true)
    }
}

fn before(group: &Group) -> usize {
    (group.rank() + group.size() - 1) % group.size()
}

fn beat(group: &Group, ends: &Receiver<()>) {
    loop {
        let word = match ends.recv_timeout(BEAT) {
            Err(RecvTimeoutError::Timeout) => ALIVE,
            Ok(()) => ENDED,
            Err(RecvTimeoutError::Disconnected) => return,
        };
        if group.send(word, before(group), ANY_TIME).is_err() || word == ENDED {
            return;
        }
    }
}

fn next(group: &Group) -> usize {
    (group.rank() + 1) % group.size()
}

fn listen(shared: &Shared, hearing: &Sender<()>) {
    let group = &shared.group;
    loop {
        match group.receive(next(group), ANY_TIME) {
            Ok(ALIVE) => {
                // The thread that hears this lives as long as this one.
                let _ = hearing.send(());
            }
            Ok(ENDED) => return,
            Ok(number) => end_process(shared, Loss::of_number(number), false),
            Err(_) => end_process(shared, Loss { rank: next(group), how: How::Gone }, true),
        }
    }
}

fn wait(shared: &Shared, heard: &Receiver<()>) {
    let silent = Loss { rank: next(&shared.group), how: How::Silent };
    let mut silence = Duration::ZERO;
    loop {
        let began = Instant::now();
        match heard.recv_timeout(BEAT) {
            Ok(()) => silence = Duration::ZERO,
            Err(RecvTimeoutError::Disconnected) => return,
            Err(RecvTimeoutError::Timeout) => silence = longer(silence, began.elapsed()),
        }
        if silence >= PATIENCE {
            end_process(shared, silent, true);
        }
    }
}

/// How long the next rank has been silent, after one more interval without a beat from it. `took` is the length of that interval.
/// An interval longer than a beat means that this process was stopped, perhaps with all ranks (`scontrol suspend`). It counts as
/// one beat; from `PATIENCE` on the count restarts at zero.
fn longer(silence: Duration, took: Duration) -> Duration {
    if took < PATIENCE { silence + BEAT } else { Duration::ZERO }
}

fn tell_before(group: &Group, loss: Loss) {
    if before(group) != loss.rank {
        // If that one is lost, too, the ranks before it find out themselves.
        let _ = group.send(loss.number(), before(group), LAST_WORD);
    }
}

fn end_process(shared: &Shared, loss: Loss, noticed: bool) -> ! {
    while shared.is_leaving.load(Ordering::SeqCst) {
        // The main thread ends the process, with its error and exit code.
        thread::park();
    }
    if let Some(text) = loss.text().filter(|_| noticed) {
        let _ = writeln!(std::io::stderr(), "{text}");
    }
    tell_before(&shared.group, loss);
    // SAFETY: ends the process at once. Files are replaced as a whole, and the other threads need not end.
    unsafe { libc::_exit(LOST) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_in_which_this_rank_was_stopped_itself_is_no_silence_of_another() {
        let after = |intervals: &[u64]| {
            intervals.iter().fold(Duration::ZERO, |silence, &s| longer(silence, Duration::from_secs(s)))
        };
        assert!(after(&[1; 7]) < PATIENCE && after(&[1; 8]) >= PATIENCE, "a rank that hangs is found");
        assert_eq!(after(&[1, 1, 5]), 3 * BEAT);
        assert_eq!(after(&[1, 1, 1, 1, 1, 1, 1, 12]), Duration::ZERO);
        assert!(after(&[12, 1, 1, 1, 1, 1, 1, 1, 1]) >= PATIENCE, "also after all were stopped");
    }

    #[test]
    fn a_number_on_the_ring_names_a_rank_and_its_loss() {
        for rank in [0, 1, 7] {
            for how in WAYS {
                let loss = Loss { rank, how };
                assert_eq!(Loss::of_number(loss.number()), loss);
                assert!(loss.number() >= LOSSES);
            }
        }
        let text = Loss { rank: 2, how: How::Silent }.text().expect("a message");
        assert!(text.contains("rank 2 has not answered for 8 s"), "{text}");
        assert_eq!(Loss { rank: 2, how: How::Stopped }.text(), None);
    }
}
