//! Which cell runs when: a few child processes at a time, each with its cell's lock.

use super::interrupt::{Interrupt, StopRequest};
use super::limits::Limits;
use super::progress::Watch;
use super::task::{Outcome, Task};
use super::worker::{self, Worker};
use records::failure::{Failure, log_since};
use records::folder::LOG;
use records::lock::CellLock;
use records::status::{State, Status};
use std::collections::VecDeque;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant, SystemTime};

/// How often children and status files are looked at.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// How often cells of another runner are looked at: each look takes a lock.
const LOOK_ELSEWHERE_EVERY: Duration = Duration::from_millis(500);

/// Runs tasks.
#[derive(Debug)]
pub struct Scheduler<'a> {
    /// What trains a cell.
    pub worker: &'a Worker,
    /// Cells at a time.
    pub jobs: usize,
    /// Whether the first failure stops everything.
    pub fail_fast: bool,
    /// The person at the keyboard.
    pub interrupt: &'a Interrupt,
    /// What it may take.
    pub limits: Limits,
}

/// A child and what belongs to it.
struct Running {
    task: usize,
    slot: usize,
    child: Child,
    lock: CellLock,
    since: Instant,
    /// Where this attempt's part of the log begins.
    log_start: u64,
    /// When it was asked to stop because its own time was over.
    overdue: Option<Instant>,
}

/// What came of trying to start a cell.
enum Start {
    Child(Running),
    Settled(Outcome),
    /// Another runner has its lock.
    Elsewhere,
}

impl Scheduler<'_> {
    /// Brings every task to an outcome, in order as far as slots allow. Call it from a thread that lives as long as
    /// the program (see [`Worker::start`]).
    pub fn run(&self, tasks: &[Task], watch: &mut dyn Watch) -> Vec<Outcome> {
        Shift {
            scheduler: self,
            tasks,
            outcomes: vec![None; tasks.len()],
            waiting: (0..tasks.len()).collect(),
            elsewhere: VecDeque::new(),
            again: VecDeque::new(),
            retried: vec![0; tasks.len()],
            seen_elsewhere: vec![false; tasks.len()],
            running: Vec::new(),
            began: SystemTime::now(),
            since: Instant::now(),
            looked_elsewhere: None,
            told: StopRequest::Continue,
        }
        .run(watch)
    }

    fn start(&self, (index, task): (usize, &Task), slot: usize, began: SystemTime) -> Start {
        match self.try_start((index, task), slot, began) {
            Ok(start) => start,
            Err(error) => Start::Settled(Outcome::Failed(Failure::error(format!("cannot start it: {error}")))),
        }
    }

    fn try_start(&self, (index, task): (usize, &Task), slot: usize, began: SystemTime) -> std::io::Result<Start> {
        if let Some(outcome) = settled(&task.dir, began) {
            return Ok(Start::Settled(outcome));
        }
        let Some(lock) = CellLock::try_take(&task.dir)? else { return Ok(Start::Elsewhere) };
        // Another runner may have finished it between the two; now, with the lock, the status stays as it is.
        if let Some(outcome) = settled(&task.dir, began) {
            return Ok(Start::Settled(outcome));
        }
        let log_start = std::fs::metadata(task.dir.join(LOG)).map_or(0, |log| log.len());
        let child = self.worker.start(&task.dir, &lock, slot)?;
        Ok(Start::Child(Running { task: index, slot, child, lock, since: Instant::now(), log_start, overdue: None }))
    }
}

/// The outcome of a cell that needs no training. A failure is final if another runner saw it since this one began, or
/// if the same bits would fail in the same way.
fn settled(dir: &Path, began: SystemTime) -> Option<Outcome> {
    match Status::read(dir).ok()?? {
        Status { state: State::Done, .. } => Some(Outcome::AlreadyFinished),
        Status { state: State::Failed, error, .. } => {
            let failure = Failure::told(error.as_deref().unwrap_or("it did not say why"));
            let written = std::fs::metadata(dir.join(records::status::FILE)).and_then(|file| file.modified());
            let just_now = written.is_ok_and(|written| written >= began);
            (just_now || failure.kind.is_final()).then_some(Outcome::Failed(failure))
        }
        _ => None,
    }
}

/// One call of [`Scheduler::run`].
struct Shift<'a> {
    scheduler: &'a Scheduler<'a>,
    tasks: &'a [Task],
    outcomes: Vec<Option<Outcome>>,
    waiting: VecDeque<usize>,
    elsewhere: VecDeque<usize>,
    /// Those that failed in a way that may pass: they are tried again alone, when nothing else is left.
    again: VecDeque<usize>,
    /// How often each was tried again.
    retried: Vec<u32>,
    /// Those that were ever elsewhere, so that each is announced once.
    seen_elsewhere: Vec<bool>,
    running: Vec<Running>,
    began: SystemTime,
    since: Instant,
    looked_elsewhere: Option<Instant>,
    /// The strongest request that the children know of.
    told: StopRequest,
}

impl Shift<'_> {
    fn run(mut self, watch: &mut dyn Watch) -> Vec<Outcome> {
        loop {
            self.collect(watch);
            // After collecting, because a failure may be a request; before filling, because that obeys it.
            self.pass_on_wishes(watch);
            self.stop_overdue();
            self.fill_slots(watch);
            if self.running.is_empty() && (self.stopping() || self.nothing_is_left()) {
                break;
            }
            watch.look(&self.running.iter().map(|running| running.task).collect::<Vec<_>>());
            std::thread::sleep(LOOK_EVERY);
        }
        watch.end();
        // One that waited for another attempt was begun.
        let open = |retried: u32| if retried > 0 { Outcome::Interrupted } else { Outcome::NotStarted };
        self.outcomes.into_iter().zip(self.retried).map(|(outcome, retried)| outcome.unwrap_or(open(retried))).collect()
    }

    fn stopping(&self) -> bool {
        self.told > StopRequest::Continue
    }

    fn nothing_is_left(&self) -> bool {
        self.waiting.is_empty() && self.elsewhere.is_empty() && self.again.is_empty()
    }

    /// Asks cells for a checkpoint and their end whose own time is over, and ends those that do not listen.
    fn stop_overdue(&mut self) {
        let Some(limit) = self.scheduler.limits.cell else { return };
        for running in &mut self.running {
            match running.overdue {
                None if running.since.elapsed() >= limit => {
                    worker::stop(&running.child);
                    running.overdue = Some(Instant::now());
                }
                Some(asked) if asked.elapsed() >= Limits::GRACE => worker::kill(&running.child),
                _ => {}
            }
        }
    }

    fn pass_on_wishes(&mut self, watch: &mut dyn Watch) {
        let failed = |outcome: &Option<Outcome>| matches!(outcome, Some(Outcome::Failed(_)));
        let fail_fast = self.scheduler.fail_fast && self.outcomes.iter().any(failed);
        let late = self.scheduler.limits.run.is_some_and(|limit| self.since.elapsed() >= limit);
        let request = self.scheduler.interrupt.request().max(if fail_fast || late {
            StopRequest::Stop
        } else {
            StopRequest::Continue
        });
        if request <= self.told {
            return;
        }
        self.told = request;
        watch.request(request, self.running.len());
        for running in &self.running {
            match request {
                StopRequest::Kill => worker::kill(&running.child),
                _ => worker::stop(&running.child),
            }
        }
    }

    fn collect(&mut self, watch: &mut dyn Watch) {
        let mut still = Vec::with_capacity(self.running.len());
        for mut running in std::mem::take(&mut self.running) {
            match running.child.try_wait() {
                Ok(None) => still.push(running),
                Ok(Some(exit)) => {
                    let outcome = self.outcome(&running, exit);
                    let task = running.task;
                    let again = self.worth_another_attempt(task, &outcome);
                    if again {
                        mark_for_retry(&self.tasks[task].dir, &outcome);
                    }
                    // The lock goes back only after the status says how it ended.
                    drop(running.lock);
                    if again {
                        self.try_again(task, &outcome, watch);
                    } else {
                        self.settle(task, outcome, watch);
                    }
                }
                Err(error) => {
                    worker::kill(&running.child);
                    self.settle(running.task, Outcome::Failed(Failure::error(error)), watch);
                }
            }
        }
        self.running = still;
    }

    fn outcome(&self, running: &Running, exit: ExitStatus) -> Outcome {
        let dir = &self.tasks[running.task].dir;
        let status = Status::read(dir).ok().flatten();
        match status.as_ref().map(|status| (status.state, status.error.as_deref())) {
            // However it ended: what follows that word is tidying up, and a finished cell is never trained again.
            Some((State::Done, _)) => return Outcome::Finished { took: running.since.elapsed() },
            Some((State::Failed, Some(error))) if exit.code() == Some(1) => {
                return Outcome::Failed(Failure::told(error));
            }
            _ => {}
        }
        // From here on the status may be an older attempt's: this one could not write its own.
        let log = log_since(dir, running.log_start).unwrap_or_default();
        if running.overdue.is_some() && !self.stopping() && Failure::said(&log).is_none() {
            let failure = Failure::overdue(running.since.elapsed(), status.as_ref().map_or(0, |status| status.step));
            record(dir, status, &failure);
            return Outcome::Failed(failure);
        }
        let stopped = matches!(&status, Some(status) if status.state == State::Interrupted) && exit.signal().is_none();
        if Failure::said(&log).is_none() && (stopped || self.stopping()) {
            return Outcome::Interrupted;
        }
        let failure = Failure::of(exit, &log);
        record(dir, status, &failure);
        Outcome::Failed(failure)
    }

    fn worth_another_attempt(&self, task: usize, outcome: &Outcome) -> bool {
        let may_pass = matches!(outcome, Outcome::Failed(failure) if failure.kind.may_pass());
        may_pass && !self.stopping() && self.retried[task] < self.scheduler.limits.retries
    }

    fn try_again(&mut self, task: usize, outcome: &Outcome, watch: &mut dyn Watch) {
        self.retried[task] += 1;
        self.again.push_back(task);
        if let Outcome::Failed(failure) = outcome {
            watch.again(task, failure);
        }
    }

    fn fill_slots(&mut self, watch: &mut dyn Watch) {
        while !self.stopping() && self.running.len() < self.scheduler.jobs.max(1) {
            let Some(index) = self.next() else { break };
            let taken = |slot: &usize| self.running.iter().any(|running| running.slot == *slot);
            let slot = (0..).find(|slot| !taken(slot)).unwrap_or_default();
            match self.scheduler.start((index, &self.tasks[index]), slot, self.began) {
                Start::Child(running) => {
                    watch.started(index);
                    self.running.push(running);
                }
                Start::Settled(outcome) => self.settle(index, outcome, watch),
                Start::Elsewhere => {
                    if !std::mem::replace(&mut self.seen_elsewhere[index], true) {
                        watch.elsewhere(index);
                    }
                    self.elsewhere.push_back(index);
                }
            }
            // A failure may have to stop everything before the next cell starts.
            self.pass_on_wishes(watch);
        }
    }

    /// The next cell to try: those that wait, in order; then, now and again, those of another runner.
    fn next(&mut self) -> Option<usize> {
        if let Some(index) = self.waiting.pop_front() {
            return Some(index);
        }
        if self.looked_elsewhere.is_some_and(|looked| looked.elapsed() < LOOK_ELSEWHERE_EVERY) {
            return None;
        }
        self.looked_elsewhere = Some(Instant::now());
        self.waiting = std::mem::take(&mut self.elsewhere);
        // Alone: what it ran out of may be what the others held.
        self.waiting.pop_front().or_else(|| if self.running.is_empty() { self.again.pop_front() } else { None })
    }

    fn settle(&mut self, task: usize, outcome: Outcome, watch: &mut dyn Watch) {
        watch.ended(task, &outcome);
        self.outcomes[task] = Some(outcome);
    }
}

/// Takes a failure back from a cell's status, for another attempt, here or by another runner.
fn mark_for_retry(dir: &Path, outcome: &Outcome) {
    let Outcome::Failed(failure) = outcome else { return };
    let (step, steps) = Status::read(dir).ok().flatten().map_or((0, 0), |status| (status.step, status.steps));
    let status = Status { error: Some(failure.to_string()), ..Status::new(State::Interrupted, step, steps) };
    let _ = status.write(dir);
}

/// Writes down how a cell ended that could not do so itself. If even that fails (a full disk), the report still knows
/// the cell as interrupted, and the next run goes on with it.
fn record(dir: &Path, status: Option<Status>, failure: &Failure) {
    let (step, steps) = status.map_or((0, 0), |status| (status.step, status.steps));
    let mut status = Status::new(State::Failed, step, steps);
    status.error = Some(failure.to_string());
    status.resumable = true;
    let _ = status.write(dir);
}
