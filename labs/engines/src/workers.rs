//! Several engines in parallel, each playing one game at a time.

use super::conditions::Settings;
use super::error::GenerateError;
use super::journal::Journal;
use super::openings::Openings;
use super::play::{FinishedGame, PlayError, play};
use crate::engine::{Engine, EngineError};
use games::Referee;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Attempts at a game before it is given up: an engine that crashes on a position crashes every time.
const ATTEMPTS: usize = 3;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GenerationProgress {
    pub games: u64,
    /// Finished games, with those of earlier starts.
    pub finished: u64,
    /// Games finished by earlier starts.
    pub found: u64,
    /// Plies played by this start.
    pub new_plies: u64,
    /// Refused answers in all finished games.
    pub refused: u64,
    /// Restarts of engines that exited or did not answer.
    pub restarts: u64,
    pub first_restart: Option<String>,
    pub given_up: u64,
    /// Why the first of them was given up.
    pub first_given_up: Option<String>,
}

enum WorkerMessage {
    Finished(Box<FinishedGame>),
    Restarted(String),
    GivenUp { number: u64, reason: String },
    Fatal(EngineError),
}

/// Plays every game that is not in the journal.
pub(super) fn play_all<G: Referee>(
    settings: &Settings,
    openings: &Openings,
    journal: &mut Journal,
    progress: &mut dyn FnMut(&GenerationProgress),
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<GenerationProgress, GenerateError> {
    let mut counts = counted(settings.games, journal)?;
    let missing: VecDeque<u64> = (0..settings.games).filter(|&number| !journal.has(number)).collect();
    let queue = Mutex::new(missing);
    // Set when the journal cannot be written or no engine can be started, so that the other workers stop as well.
    let failed = AtomicBool::new(false);
    let stop = || failed.load(Ordering::Relaxed) || stop();
    progress(&counts);
    thread::scope(|scope| {
        let (sender, messages) = channel();
        for _ in 0..settings.processes {
            let worker = Worker { settings, openings, queue: &queue, stop: &stop, messages: sender.clone() };
            scope.spawn(move || worker.work::<G>());
        }
        drop(sender);
        let mut outcome = Ok(());
        for message in messages {
            let noted = note(message, journal, &mut counts);
            if noted.is_err() && outcome.is_ok() {
                failed.store(true, Ordering::Relaxed);
                outcome = noted;
            }
            progress(&counts);
        }
        outcome
    })?;
    if counts.finished + counts.given_up < settings.games {
        return Err(GenerateError::Stopped { done: counts.finished, games: settings.games });
    }
    match &counts.first_given_up {
        Some(reason) if counts.finished == 0 => {
            Err(GenerateError::NothingPlayed { games: settings.games, reason: reason.clone() })
        }
        _ => Ok(counts),
    }
}

fn counted(games: u64, journal: &Journal) -> Result<GenerationProgress, GenerateError> {
    let mut counts = GenerationProgress { games, ..GenerationProgress::default() };
    for game in journal.games(games) {
        let game = game?;
        counts.finished += 1;
        counts.found += 1;
        counts.refused += game.refused;
    }
    Ok(counts)
}

fn note(message: WorkerMessage, journal: &mut Journal, counts: &mut GenerationProgress) -> Result<(), GenerateError> {
    match message {
        WorkerMessage::Finished(game) => {
            journal.push(&game)?;
            counts.finished += 1;
            counts.new_plies += (game.moves.len() - game.opening_plies) as u64;
            counts.refused += game.refused;
        }
        WorkerMessage::Restarted(reason) => {
            counts.restarts += 1;
            counts.first_restart.get_or_insert(reason);
        }
        WorkerMessage::GivenUp { number, reason } => {
            counts.given_up += 1;
            counts.first_given_up.get_or_insert(format!("game {number}: {reason}"));
        }
        WorkerMessage::Fatal(error) => return Err(error.into()),
    }
    Ok(())
}

struct Worker<'a> {
    settings: &'a Settings,
    openings: &'a Openings,
    queue: &'a Mutex<VecDeque<u64>>,
    stop: &'a (dyn Fn() -> bool + Sync),
    messages: Sender<WorkerMessage>,
}

impl Worker<'_> {
    /// Plays games until none are left or a stop is requested. A closed channel means that the generation is over.
    fn work<G: Referee>(self) {
        let mut engine = None;
        while let Some(number) = self.next() {
            let Some(message) = self.play_one::<G>(number, &mut engine) else { return };
            let fatal = matches!(message, WorkerMessage::Fatal(_));
            if self.messages.send(message).is_err() || fatal {
                return;
            }
        }
    }

    fn next(&self) -> Option<u64> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front().filter(|_| !(self.stop)())
    }

    /// Plays a game, from its first move again after an engine failure, so that its result does not depend on the
    /// failure. `None` if it was stopped.
    fn play_one<G: Referee>(&self, number: u64, engine: &mut Option<Engine>) -> Option<WorkerMessage> {
        let mut last = String::new();
        for _ in 0..ATTEMPTS {
            if self.settings.fresh_engine {
                *engine = None;
            }
            let setback = match self.attempt::<G>(number, engine) {
                Ok(game) => return Some(WorkerMessage::Finished(Box::new(game))),
                Err(setback) => setback,
            };
            match setback {
                PlayError::Stopped => return None,
                PlayError::Unplayable(reason) => return Some(WorkerMessage::GivenUp { number, reason }),
                PlayError::Engine(error) if error.is_final() => return Some(WorkerMessage::Fatal(error)),
                PlayError::Engine(error) => {
                    *engine = None;
                    let is_late = matches!(error, EngineError::Silent { .. });
                    last = format!("{error}{}", if is_late { " (--timeout gives it longer)" } else { "" });
                    let _ = self.messages.send(WorkerMessage::Restarted(last.clone()));
                }
            }
        }
        Some(WorkerMessage::GivenUp { number, reason: format!("the engine failed {ATTEMPTS} times; at last: {last}") })
    }

    fn attempt<G: Referee>(&self, number: u64, engine: &mut Option<Engine>) -> Result<FinishedGame, PlayError> {
        let engine = match engine {
            Some(engine) => engine,
            none => none.insert(Engine::start(&self.settings.engine)?),
        };
        play::<G>(self.settings, self.openings.of(number), number, engine, self.stop)
    }
}
