//! Runs cells: a few child processes at a time, each holding its cell's lock.

use crate::interrupt::{Interrupt, StopRequest};
use crate::limits::RunLimits;
use crate::prepare::write_config;
use crate::progress::GridProgress;
use crate::worker::{Outcome, Processes, Task, Worker};
use records::failure::log_since;
use records::folder::LOG;
use records::status::State;
use records::{CellLock, Failure, Status};
use std::collections::VecDeque;
use std::path::Path;
use std::process::ExitStatus;
use std::time::{Duration, Instant, SystemTime};

const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// The interval of checking cells of another runner; each check takes a lock.
const LOCKED_POLL_INTERVAL: Duration = Duration::from_millis(500);

#[derive(Debug)]
pub struct Scheduler<'a> {
    pub worker: &'a Worker,
    pub jobs: usize,
    pub fail_fast: bool,
    pub interrupt: &'a Interrupt,
    pub limits: RunLimits,
}

struct Running {
    task: usize,
    slot: usize,
    processes: Processes,
    lock: CellLock,
    since: Instant,
    /// The length of the log before this attempt.
    log_start: u64,
    /// The time of the stop request for exceeding the cell's time limit.
    overdue: Option<Instant>,
}

enum TaskStart {
    Child(Running),
    Settled(Outcome),
    /// Another runner has its lock.
    Elsewhere,
}

impl Scheduler<'_> {
    /// Runs every task to an outcome, in order as far as slots allow. Call it from a thread that lives as long as the
    /// program (see [`Worker::start`]).
    pub fn run(&self, tasks: &[Task], progress: &mut GridProgress<'_>) -> Vec<Outcome> {
        SchedulerRun {
            scheduler: self,
            tasks,
            outcomes: vec![None; tasks.len()],
            waiting: (0..tasks.len()).collect(),
            elsewhere: VecDeque::new(),
            retries: VecDeque::new(),
            retried: vec![0; tasks.len()],
            seen_elsewhere: vec![false; tasks.len()],
            running: Vec::new(),
            began: SystemTime::now(),
            since: Instant::now(),
            polled_elsewhere: None,
            sent_request: StopRequest::Continue,
        }
        .run(progress)
    }
}

/// The outcome of a cell that needs no training. A failure is final if another runner recorded it since this one began,
/// or if it would happen again.
fn existing_outcome(dir: &Path, began: SystemTime) -> Option<Outcome> {
    let status = Status::read(dir).ok()??;
    match status.state {
        State::Done => Some(Outcome::AlreadyFinished),
        State::Failed => {
            let failure = status.failure();
            let written = std::fs::metadata(dir.join(records::status::FILE)).and_then(|file| file.modified());
            let just_now = written.is_ok_and(|written| written >= began);
            (just_now || failure.kind.is_final()).then_some(Outcome::Failed(failure))
        }
        _ => None,
    }
}

struct SchedulerRun<'a> {
    scheduler: &'a Scheduler<'a>,
    tasks: &'a [Task],
    outcomes: Vec<Option<Outcome>>,
    waiting: VecDeque<usize>,
    elsewhere: VecDeque<usize>,
    /// Cells with a temporary failure: they are retried one at a time, after all others.
    retries: VecDeque<usize>,
    retried: Vec<u32>,
    /// Cells that another runner was found to train, so that each is announced once.
    seen_elsewhere: Vec<bool>,
    running: Vec<Running>,
    began: SystemTime,
    since: Instant,
    polled_elsewhere: Option<Instant>,
    /// The strongest request that was forwarded to the children.
    sent_request: StopRequest,
}

impl SchedulerRun<'_> {
    fn run(mut self, progress: &mut GridProgress<'_>) -> Vec<Outcome> {
        loop {
            self.collect(progress);
            // After collecting, because a failure may cause a request; before filling, because that obeys it.
            self.forward_stop_request(progress);
            self.stop_overdue();
            self.fill_slots(progress);
            let mut queues = [&self.waiting, &self.elsewhere, &self.retries].into_iter();
            if self.running.is_empty() && (self.stopping() || queues.all(VecDeque::is_empty)) {
                break;
            }
            progress.poll(&self.running.iter().map(|running| running.task).collect::<Vec<_>>());
            std::thread::sleep(POLL_INTERVAL);
        }
        progress.end();
        // A cell that waited for a retry had started.
        let open = |retried: u32| if retried > 0 { Outcome::Interrupted } else { Outcome::NotStarted };
        self.outcomes.into_iter().zip(self.retried).map(|(outcome, retried)| outcome.unwrap_or(open(retried))).collect()
    }

    fn stopping(&self) -> bool {
        self.sent_request > StopRequest::Continue
    }

    /// Asks cells beyond their time limit for a checkpoint, and kills those that do not stop.
    fn stop_overdue(&mut self) {
        let Some(limit) = self.scheduler.limits.cell else { return };
        for running in &mut self.running {
            match running.overdue {
                None if running.since.elapsed() >= limit => {
                    running.processes.stop();
                    running.overdue = Some(Instant::now());
                }
                Some(asked) if asked.elapsed() >= RunLimits::GRACE => running.processes.kill(),
                _ => {}
            }
        }
    }

    fn forward_stop_request(&mut self, progress: &mut GridProgress<'_>) {
        let failed = |outcome: &Option<Outcome>| matches!(outcome, Some(Outcome::Failed(_)));
        let fail_fast = self.scheduler.fail_fast && self.outcomes.iter().any(failed);
        let late = self.scheduler.limits.run.is_some_and(|limit| self.since.elapsed() >= limit);
        let own = if fail_fast || late { StopRequest::Stop } else { StopRequest::Continue };
        let request = self.scheduler.interrupt.request().max(own);
        if request <= self.sent_request {
            return;
        }
        self.sent_request = request;
        progress.request(request, self.running.len());
        for running in &self.running {
            if request == StopRequest::Kill { running.processes.kill() } else { running.processes.stop() }
        }
    }

    fn collect(&mut self, progress: &mut GridProgress<'_>) {
        let mut still = Vec::with_capacity(self.running.len());
        for mut running in std::mem::take(&mut self.running) {
            match running.processes.try_wait() {
                Ok(None) => still.push(running),
                Ok(Some(exit)) => {
                    let (task, outcome) = (running.task, self.outcome(&running, exit));
                    match outcome {
                        Outcome::Failed(failure) if self.should_retry(task, &failure) => {
                            record_failure(&self.tasks[task].dir, State::Interrupted, &failure);
                            // The lock is released after the status is written.
                            drop(running.lock);
                            self.retried[task] += 1;
                            self.retries.push_back(task);
                            progress.retry_later(task, &failure);
                        }
                        outcome => {
                            drop(running.lock);
                            self.set_outcome(task, outcome, progress);
                        }
                    }
                }
                Err(error) => {
                    running.processes.kill();
                    self.set_outcome(running.task, Outcome::Failed(Failure::error(error)), progress);
                }
            }
        }
        self.running = still;
    }

    fn outcome(&self, running: &Running, exit: ExitStatus) -> Outcome {
        let dir = &self.tasks[running.task].dir;
        let status = Status::read(dir).ok().flatten();
        match &status {
            // Whatever the exit code: the cell wrote its final status, and a finished cell is never trained again.
            Some(Status { state: State::Done, .. }) => return Outcome::Finished { took: running.since.elapsed() },
            Some(failed @ Status { state: State::Failed, error: Some(_), .. }) if exit.code() == Some(1) => {
                return Outcome::Failed(failed.failure());
            }
            _ => {}
        }
        // From here on the status may be from an older attempt: this one could not write its own.
        let log = log_since(dir, running.log_start).unwrap_or_default();
        if running.overdue.is_some() && !self.stopping() && Failure::from_log(&log).is_none() {
            let failure = Failure::overdue(running.since.elapsed(), status.as_ref().map_or(0, |status| status.step));
            record_failure(dir, State::Failed, &failure);
            return Outcome::Failed(failure);
        }
        let stopped = matches!(&status, Some(status) if status.state == State::Interrupted) && exit.code() == Some(1);
        if Failure::from_log(&log).is_none() && (stopped || self.stopping()) {
            return Outcome::Interrupted;
        }
        let failure = Failure::of(exit, &log);
        record_failure(dir, State::Failed, &failure);
        Outcome::Failed(failure)
    }

    fn should_retry(&self, task: usize, failure: &Failure) -> bool {
        failure.kind.is_transient() && !self.stopping() && self.retried[task] < self.scheduler.limits.retries
    }

    fn fill_slots(&mut self, progress: &mut GridProgress<'_>) {
        while !self.stopping() && self.running.len() < self.scheduler.jobs.max(1) {
            let Some(index) = self.next() else { break };
            let taken = |slot: &usize| self.running.iter().any(|running| running.slot == *slot);
            let slot = (0..).find(|slot| !taken(slot)).unwrap_or_default();
            match self.start(index, slot) {
                Ok(TaskStart::Child(running)) => {
                    progress.started(index);
                    self.running.push(running);
                }
                Ok(TaskStart::Settled(outcome)) => self.set_outcome(index, outcome, progress),
                Ok(TaskStart::Elsewhere) => {
                    if !std::mem::replace(&mut self.seen_elsewhere[index], true) {
                        progress.waiting_for_runner(index);
                    }
                    self.elsewhere.push_back(index);
                }
                Err(error) => {
                    let failure = Failure::error(format!("cannot start it: {error}"));
                    self.set_outcome(index, Outcome::Failed(failure), progress);
                }
            }
            // A failure may have to stop the run before the next cell starts.
            self.forward_stop_request(progress);
        }
    }

    fn start(&self, index: usize, slot: usize) -> std::io::Result<TaskStart> {
        let task = &self.tasks[index];
        // A failure counts only without a runner that may try the cell again.
        if let Some(outcome @ Outcome::AlreadyFinished) = existing_outcome(&task.dir, self.began) {
            return Ok(TaskStart::Settled(outcome));
        }
        let Some(lock) = CellLock::try_take(&task.dir)? else { return Ok(TaskStart::Elsewhere) };
        // Another runner may have finished it before the lock was taken; now the status cannot change.
        if let Some(outcome) = existing_outcome(&task.dir, self.began) {
            return Ok(TaskStart::Settled(outcome));
        }
        if let Some(config) = &task.config {
            write_config(&task.dir, config)?;
        }
        let log_start = std::fs::metadata(task.dir.join(LOG)).map_or(0, |log| log.len());
        let processes = self.scheduler.worker.start(&task.dir, &lock, slot)?;
        Ok(TaskStart::Child(Running {
            task: index,
            slot,
            processes,
            lock,
            since: Instant::now(),
            log_start,
            overdue: None,
        }))
    }

    /// The next cell to try: waiting cells in order, then, at intervals, those of another runner.
    fn next(&mut self) -> Option<usize> {
        if let Some(index) = self.waiting.pop_front() {
            return Some(index);
        }
        if self.polled_elsewhere.is_some_and(|looked| looked.elapsed() < LOCKED_POLL_INTERVAL) {
            return None;
        }
        self.polled_elsewhere = Some(Instant::now());
        self.waiting = std::mem::take(&mut self.elsewhere);
        // Alone: other cells may have used up the resource it ran out of.
        self.waiting.pop_front().or_else(|| if self.running.is_empty() { self.retries.pop_front() } else { None })
    }

    fn set_outcome(&mut self, task: usize, outcome: Outcome, progress: &mut GridProgress<'_>) {
        progress.ended(task, &outcome);
        self.outcomes[task] = Some(outcome);
    }
}

/// Records a failure that the cell could not record itself, or, as interrupted, one after which this runner or another one tries
/// again. If it cannot be written (disk full), the cell counts as interrupted, and the next run resumes it.
fn record_failure(dir: &Path, state: State, failure: &Failure) {
    let (step, steps) = Status::read(dir).ok().flatten().map_or((0, 0), |status| (status.step, status.steps));
    let status = Status::new(state, step, steps).with_failure(failure.clone());
    let _ = Status { resumable: state == State::Failed, ..status }.write(dir);
}
