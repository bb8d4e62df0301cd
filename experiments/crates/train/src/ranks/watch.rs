//! Heartbeats between neighbouring ranks; a lost rank ends all, even those that wait for it or compute.

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

const HEARTBEAT: Duration = Duration::from_secs(1);
/// A rank without a heartbeat for this long hangs.
const HEARTBEAT_TIMEOUT: Duration = Duration::from_secs(8);
const FINAL_MESSAGE_TIMEOUT: Duration = Duration::from_secs(1);
/// A timed-out Gloo wait closes this rank's connections, so waits have no timeout.
const NO_TIMEOUT: Duration = Duration::from_secs(30 * 24 * 3600);

/// What a rank sends to the previous one; numbers from `FIRST_LOSS` are those of a [`LostRank`].
const ALIVE: i64 = 0;
const ENDED: i64 = 1;
const FIRST_LOSS: i64 = 2;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LossCause {
    Gone,
    /// It sent no heartbeat.
    Silent,
    /// It printed itself why it stopped.
    Stopped,
}

const CAUSES: [LossCause; 3] = [LossCause::Gone, LossCause::Silent, LossCause::Stopped];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct LostRank {
    rank: usize,
    cause: LossCause,
}

impl LostRank {
    fn number(self) -> i64 {
        let cause = CAUSES.iter().position(|&cause| cause == self.cause).unwrap_or_default();
        FIRST_LOSS + (self.rank * CAUSES.len() + cause) as i64
    }

    fn of_number(number: i64) -> Self {
        let number = (number - FIRST_LOSS).max(0) as usize;
        Self { rank: number / CAUSES.len(), cause: CAUSES[number % CAUSES.len()] }
    }

    /// The message of the rank that notices; the log of a cell keeps it as the reason of the failure.
    fn text(self) -> Option<String> {
        let what = match self.cause {
            LossCause::Gone => "is gone".to_owned(),
            LossCause::Silent => format!("has not answered for {} s", HEARTBEAT_TIMEOUT.as_secs()),
            LossCause::Stopped => return None,
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

/// Three threads: one sends heartbeats, one receives those of the next rank, one notices when they stay away.
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
        // The thread is gone only if the previous rank is.
        let _ = self.ending.send(());
        for thread in self.threads.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            let _ = thread.join();
        }
    }

    /// Tells all other ranks that this one stops.
    pub(super) fn stop(&self) {
        self.shared.is_leaving.store(true, Ordering::SeqCst);
        let group = &self.shared.group;
        notify_previous(group, LostRank { rank: group.rank(), cause: LossCause::Stopped });
    }

    /// Ends this process because a rank did not answer. If another one was lost first, the ring says so.
    pub(super) fn lose(&self, rank: usize) -> ! {
        thread::sleep(FINAL_MESSAGE_TIMEOUT);
        end_process(&self.shared, LostRank { rank, cause: LossCause::Gone }, true)
    }
}

fn previous(group: &Group) -> usize {
    (group.rank() + group.size() - 1) % group.size()
}

fn beat(group: &Group, ends: &Receiver<()>) {
    loop {
        let message = match ends.recv_timeout(HEARTBEAT) {
            Err(RecvTimeoutError::Timeout) => ALIVE,
            Ok(()) => ENDED,
            Err(RecvTimeoutError::Disconnected) => return,
        };
        if group.send(message, previous(group), NO_TIMEOUT).is_err() || message == ENDED {
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
        match group.receive(next(group), NO_TIMEOUT) {
            Ok(ALIVE) => {
                // The thread that hears this lives as long as this one.
                let _ = hearing.send(());
            }
            Ok(ENDED) => return,
            Ok(number) => end_process(shared, LostRank::of_number(number), false),
            Err(_) => end_process(shared, LostRank { rank: next(group), cause: LossCause::Gone }, true),
        }
    }
}

fn wait(shared: &Shared, heard: &Receiver<()>) {
    let silent = LostRank { rank: next(&shared.group), cause: LossCause::Silent };
    let mut silence = Duration::ZERO;
    loop {
        let began = Instant::now();
        match heard.recv_timeout(HEARTBEAT) {
            Ok(()) => silence = Duration::ZERO,
            Err(RecvTimeoutError::Disconnected) => return,
            Err(RecvTimeoutError::Timeout) => silence = silence_after(silence, began.elapsed()),
        }
        if silence >= HEARTBEAT_TIMEOUT {
            end_process(shared, silent, true);
        }
    }
}

/// The silence of the next rank after one more interval without a heartbeat, which took `took`. An interval longer than a heartbeat
/// means that this process was stopped, perhaps with all ranks (`scontrol suspend`). It counts as one heartbeat; from
/// `HEARTBEAT_TIMEOUT` on the count restarts at zero.
fn silence_after(silence: Duration, took: Duration) -> Duration {
    if took < HEARTBEAT_TIMEOUT { silence + HEARTBEAT } else { Duration::ZERO }
}

fn notify_previous(group: &Group, loss: LostRank) {
    if previous(group) != loss.rank {
        // If that one is lost, too, earlier ranks find out themselves.
        let _ = group.send(loss.number(), previous(group), FINAL_MESSAGE_TIMEOUT);
    }
}

fn end_process(shared: &Shared, loss: LostRank, noticed: bool) -> ! {
    while shared.is_leaving.load(Ordering::SeqCst) {
        // The main thread ends the process, with its error and exit code.
        thread::park();
    }
    if let Some(text) = loss.text().filter(|_| noticed) {
        let _ = writeln!(std::io::stderr(), "{text}");
    }
    notify_previous(&shared.group, loss);
    // SAFETY: ends the process at once. Files are replaced as a whole, and the other threads need not end.
    unsafe { libc::_exit(LOST) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_in_which_this_rank_was_stopped_itself_is_no_silence_of_another() {
        let after = |intervals: &[u64]| {
            intervals.iter().fold(Duration::ZERO, |silence, &s| silence_after(silence, Duration::from_secs(s)))
        };
        assert!(
            after(&[1; 7]) < HEARTBEAT_TIMEOUT && after(&[1; 8]) >= HEARTBEAT_TIMEOUT,
            "a rank that hangs is found"
        );
        assert_eq!(after(&[1, 1, 5]), 3 * HEARTBEAT);
        assert_eq!(after(&[1, 1, 1, 1, 1, 1, 1, 12]), Duration::ZERO);
        assert!(after(&[12, 1, 1, 1, 1, 1, 1, 1, 1]) >= HEARTBEAT_TIMEOUT, "also after all were stopped");
    }

    #[test]
    fn a_number_on_the_ring_names_a_rank_and_its_loss() {
        for rank in [0, 1, 7] {
            for cause in CAUSES {
                let loss = LostRank { rank, cause };
                assert_eq!(LostRank::of_number(loss.number()), loss);
                assert!(loss.number() >= FIRST_LOSS);
            }
        }
        let text = LostRank { rank: 2, cause: LossCause::Silent }.text().expect("a message");
        assert!(text.contains("rank 2 has not answered for 8 s"), "{text}");
        assert_eq!(LostRank { rank: 2, cause: LossCause::Stopped }.text(), None);
    }
}
