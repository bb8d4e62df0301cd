//! A match from its conditions to its journal.

use super::contestant::{Contestant, ReadyPlayer};
use super::game::{Conditions, FinishedGame, Fixture, play};
use super::journal::{GAMES, Journal};
use super::records;
use super::schedule::{MOST_GAMES, Schedule};
use super::sequential::Sequential;
use super::standings::{Scale, Standings};
use crate::error::PlayError;
use engines::openings::{Openings, set_up_with_random_plies};
use games::{Referee, with_game};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};
use std::time::Duration;
use tch::Device;

/// How a match is played: none of it changes a game, unless an engine does not answer in time.
#[derive(Debug, Clone)]
pub struct MatchOptions {
    pub openings: Option<PathBuf>,
    /// The folder of the match. If it holds a part of this match, the match is resumed.
    pub out: PathBuf,
    pub jobs: usize,
    pub device: Device,
    /// How long an engine may take for an answer; then it forfeits the game.
    pub timeout: Duration,
    /// How ratings of three or more contestants are estimated.
    pub scale: Scale,
    /// The test of two contestants after which the match stops.
    pub sequential: Option<Sequential>,
}

/// Plays the games that are missing, and writes the records. `progress` sees each finished game and how many there are.
/// Fails if an engine fails in three games in a row. An error keeps finished games.
pub fn play_match(
    conditions: Conditions,
    options: &MatchOptions,
    progress: &mut dyn FnMut(&FinishedGame, u64),
    stop: &AtomicBool,
) -> Result<Standings, PlayError> {
    with_game!(conditions.game, G => play_of::<G>(conditions, options, progress, stop))
}

fn play_of<G: Referee>(
    mut conditions: Conditions,
    options: &MatchOptions,
    progress: &mut dyn FnMut(&FinishedGame, u64),
    stop: &AtomicBool,
) -> Result<Standings, PlayError> {
    let schedule = Schedule::new(conditions.contestants.len(), conditions.pairs);
    if schedule.games() > MOST_GAMES {
        let pairs = conditions.pairs;
        return Err(PlayError::Agent(format!("{pairs} pairs are more than the {MOST_GAMES} games of a match allow")));
    }
    let openings = Openings::read::<G>(options.openings.as_deref(), conditions.seed)?;
    conditions.book = openings.book().map(|book| book.blake3);
    let identity =
        |contestant: &Contestant| contestant.load(conditions.game, options.device, options.timeout)?.identity();
    conditions.identities = conditions.contestants.iter().map(identity).collect::<Result<_, PlayError>>()?;
    let mut journal = Journal::open(&options.out, &conditions)?;
    let is_decided =
        |journal: &Journal| options.sequential.is_some_and(|test| test.after(journal.games()).accepted.is_some());
    let missing: Vec<u64> = (0..schedule.games()).filter(|number| !journal.games().contains_key(number)).collect();
    let next = Mutex::new(missing.into_iter());
    let halt = AtomicBool::new(is_decided(&journal));
    std::thread::scope(|scope| {
        let (sender, games) = mpsc::channel();
        for _ in 0..options.jobs.max(1) {
            let (sender, conditions, openings, next, halt) = (sender.clone(), &conditions, &openings, &next, &halt);
            scope.spawn(move || {
                let outcome = work::<G>(conditions, openings, schedule, options, next, halt, stop, &sender);
                if let Err(error) = outcome {
                    halt.store(true, Ordering::Relaxed);
                    // Nobody listens any more if another worker failed before.
                    let _ = sender.send(Err(error));
                }
            });
        }
        drop(sender);
        for game in games {
            let added = game.and_then(|game| {
                journal.add(game.clone())?;
                progress(&game, journal.games().len() as u64);
                if is_decided(&journal) {
                    halt.store(true, Ordering::Relaxed);
                }
                Ok(())
            });
            if let Err(error) = added {
                halt.store(true, Ordering::Relaxed);
                return Err(error);
            }
        }
        Ok(())
    })?;
    let games: Vec<&FinishedGame> = journal.games().values().collect();
    records::write(&options.out, &conditions, &games)?;
    let test = options.sequential.map(|test| test.after(journal.games()));
    let standings = Standings { sequential: test, ..Standings::of(&conditions, &games, &options.scale) };
    write_standings(&options.out, &standings)?;
    Ok(standings)
}

type Sender = mpsc::Sender<Result<FinishedGame, PlayError>>;

/// Games in a row that a contestant may forfeit to one worker before the match ends.
const MOST_FORFEITS: usize = 3;

/// Plays games until none is left. A contestant is loaded for its first game and stays; an engine that failed is started again.
#[allow(clippy::too_many_arguments, reason = "all of it is one worker's view of the match")]
fn work<G: Referee>(
    conditions: &Conditions,
    openings: &Openings,
    schedule: Schedule,
    options: &MatchOptions,
    next: &Mutex<std::vec::IntoIter<u64>>,
    halt: &AtomicBool,
    stop: &AtomicBool,
    sender: &Sender,
) -> Result<(), PlayError> {
    // LibTorch counts its threads for each of ours.
    tch::set_num_threads(1);
    let mut ready: Vec<Option<ReadyPlayer>> = conditions.contestants.iter().map(|_| None).collect();
    let mut forfeits = vec![0; ready.len()];
    while !halt.load(Ordering::Relaxed) && !stop.load(Ordering::Relaxed) {
        let Some(number) = next.lock().unwrap_or_else(PoisonError::into_inner).next() else { break };
        let slot = schedule.slot(number);
        let opening = openings.of(slot.opening);
        let mut stream = streams::stream(conditions.seed, &["match", "opening", &slot.opening.to_string()]);
        let played = set_up_with_random_plies::<G>(opening, conditions.random_plies, &mut stream);
        let opening_of = |reason| PlayError::Agent(format!("opening {}: {reason}", slot.opening));
        let fixture = Fixture::<G> {
            number,
            players: slot.players,
            start: opening.start.as_deref(),
            opening: played.map_err(opening_of)?,
        };
        let mut two = Vec::new();
        for place in slot.players {
            two.push(match ready[place].take() {
                Some(player) => player,
                None => conditions.contestants[place].load(conditions.game, options.device, options.timeout)?,
            });
        }
        let draws = |colour: &str| streams::stream(conditions.seed, &["match", "game", &number.to_string(), colour]);
        let [first, second] = &mut two[..] else { unreachable!("two players") };
        let finished = play(fixture, [first, second], conditions.limits, &mut [draws("first"), draws("second")], stop)?;
        let Some(game) = finished else { break };
        let (loser, reason) = (game.forfeited_by(), game.forfeit.clone());
        for (place, player) in slot.players.into_iter().zip(two) {
            let failed = loser == Some(place);
            ready[place] = (!failed).then_some(player);
            forfeits[place] = if failed { forfeits[place] + 1 } else { 0 };
        }
        if sender.send(Ok(game)).is_err() {
            break;
        }
        if let (Some(place), Some(reason)) = (loser, reason)
            && forfeits[place] == MOST_FORFEITS
        {
            let name = conditions.contestants[place].name.clone();
            return Err(PlayError::Forfeits { name, count: MOST_FORFEITS, reason, journal: options.out.join(GAMES) });
        }
    }
    Ok(())
}

fn write_standings(dir: &Path, standings: &Standings) -> Result<(), PlayError> {
    let file = dir.join("standings.json");
    let text = serde_json::to_string_pretty(standings).expect("standings are JSON") + "\n";
    ::records::atomic::replace(&file, text.as_bytes()).map_err(|error| PlayError::file(&file, error))
}
