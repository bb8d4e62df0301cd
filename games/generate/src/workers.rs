//! Several engines at work, each on one game at a time.

use super::conditions::Settings;
use super::error::GenerateError;
use super::journal::Journal;
use super::openings::Openings;
use super::play::{Finished, Setback, play};
use crate::engines::{Engine, EngineError};
use games::Referee;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// A game is begun so often before it is given up: an engine that dies of a position dies of it every time.
const ATTEMPTS: usize = 3;

/// Counts of a generation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Progress {
    /// Games that were asked for.
    pub games: u64,
    /// Games that are finished, those of earlier starts among them.
    pub finished: u64,
    /// Games that were finished by earlier starts.
    pub found: u64,
    /// Plies of all finished games.
    pub plies: u64,
    /// Plies that this start has played.
    pub new_plies: u64,
    /// Answers that our rules refused, in all finished games.
    pub refused: u64,
    /// Engines that died or fell silent and were started again.
    pub restarts: u64,
    /// What the first of them was.
    pub first_restart: Option<String>,
    /// Games that were given up.
    pub given_up: u64,
    /// Why the first of them was.
    pub first_given_up: Option<String>,
}

/// What a worker tells.
enum News {
    Finished(Box<Finished>),
    Restarted(String),
    GivenUp { number: u64, reason: String },
    Fatal(EngineError),
}

/// Plays every game that the journal lacks.
pub(super) fn play_all<G: Referee>(
    settings: &Settings,
    openings: &Openings,
    journal: &mut Journal,
    progress: &mut dyn FnMut(&Progress),
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Progress, GenerateError> {
    let mut counts = counted(settings.games, journal)?;
    let missing: VecDeque<u64> = (0..settings.games).filter(|&number| !journal.has(number)).collect();
    let queue = Mutex::new(missing);
    // Raised when the journal cannot be written or no engine can be started: then the other workers stop as well.
    let failed = AtomicBool::new(false);
    let stop = || failed.load(Ordering::Relaxed) || stop();
    progress(&counts);
    thread::scope(|scope| {
        let (sender, news) = channel();
        for _ in 0..settings.processes {
            let worker = Worker { settings, openings, queue: &queue, stop: &stop, news: sender.clone() };
            scope.spawn(move || worker.work::<G>());
        }
        drop(sender);
        let mut outcome = Ok(());
        for news in news {
            let noted = note(news, journal, &mut counts);
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

/// What the journal holds already.
fn counted(games: u64, journal: &Journal) -> Result<Progress, GenerateError> {
    let mut counts = Progress { games, ..Progress::default() };
    for game in journal.games(games) {
        let game = game?;
        counts.finished += 1;
        counts.found += 1;
        counts.plies += game.moves.len() as u64;
        counts.refused += game.refused;
    }
    Ok(counts)
}

fn note(news: News, journal: &mut Journal, counts: &mut Progress) -> Result<(), GenerateError> {
    match news {
        News::Finished(game) => {
            journal.push(&game)?;
            counts.finished += 1;
            counts.plies += game.moves.len() as u64;
            counts.new_plies += (game.moves.len() - game.opening_plies) as u64;
            counts.refused += game.refused;
        }
        News::Restarted(reason) => {
            counts.restarts += 1;
            counts.first_restart.get_or_insert(reason);
        }
        News::GivenUp { number, reason } => {
            counts.given_up += 1;
            counts.first_given_up.get_or_insert(format!("game {number}: {reason}"));
        }
        News::Fatal(error) => return Err(error.into()),
    }
    Ok(())
}

/// One thread with one engine.
struct Worker<'a> {
    settings: &'a Settings,
    openings: &'a Openings,
    queue: &'a Mutex<VecDeque<u64>>,
    stop: &'a (dyn Fn() -> bool + Sync),
    news: Sender<News>,
}

impl Worker<'_> {
    /// Plays games until there are none left, or something says stop. News that nobody hears means that the
    /// generation is over.
    fn work<G: Referee>(self) {
        let mut engine = None;
        while let Some(number) = self.next() {
            let Some(news) = self.play_one::<G>(number, &mut engine) else { return };
            let fatal = matches!(news, News::Fatal(_));
            if self.news.send(news).is_err() || fatal {
                return;
            }
        }
    }

    fn next(&self) -> Option<u64> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front().filter(|_| !(self.stop)())
    }

    /// Plays a game, from its first move again whenever the engine fails, so that its outcome does not depend on
    /// that. `None` if it was stopped.
    fn play_one<G: Referee>(&self, number: u64, engine: &mut Option<Engine>) -> Option<News> {
        let mut last = String::new();
        for _ in 0..ATTEMPTS {
            if self.settings.fresh_engine {
                *engine = None;
            }
            let setback = match self.attempt::<G>(number, engine) {
                Ok(game) => return Some(News::Finished(Box::new(game))),
                Err(setback) => setback,
            };
            match setback {
                Setback::Stopped => return None,
                Setback::Hopeless(reason) => return Some(News::GivenUp { number, reason }),
                Setback::Engine(error) if error.is_final() => return Some(News::Fatal(error)),
                Setback::Engine(error) => {
                    *engine = None;
                    last = error.to_string();
                    let _ = self.news.send(News::Restarted(last.clone()));
                }
            }
        }
        Some(News::GivenUp { number, reason: format!("the engine failed {ATTEMPTS} times; at last: {last}") })
    }

    fn attempt<G: Referee>(&self, number: u64, engine: &mut Option<Engine>) -> Result<Finished, Setback> {
        let engine = match engine {
            Some(engine) => engine,
            none => none.insert(Engine::start(&self.settings.engine)?),
        };
        play::<G>(self.settings, self.openings.of(number), number, engine, self.stop)
    }
}
