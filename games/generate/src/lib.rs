//! Datasets without records: games that engines play against themselves (`posenc data generate engines`), and positions
//! with exact labels, which need no engine ([`probe`]).
//!
//! The dataset is a function of its [`Conditions`] (engine, limits, openings, seed, …) and of nothing else. Each game
//! draws from its own random stream and starts with an engine that has forgotten the last game; a game whose engine died
//! is played again from its first move. So neither the number of processes nor an interruption nor a crash changes a
//! byte.
//!
//! ```text
//! openings ─▶ play (one engine a worker) ─▶ journal, a line a game as they end ─▶ dataset, in the order of numbers
//! ```
//!
//! A finished game is a line of the journal in a hidden folder beside the target, `.NAME.generating`; the same command,
//! started again, resumes from there. The folder is removed when the dataset is complete.

mod adjudicate;
mod choose;
mod conditions;
pub mod engines;
mod error;
mod journal;
mod openings;
mod output;
mod play;
pub mod probe;
mod workers;

pub use adjudicate::{DrawRule, WinRule};
pub use conditions::{Book, Conditions, Settings};
pub use error::GenerateError;
pub use workers::Progress;

use dataset::Manifest;
use engines::Engine;
use games::{Referee, with_game};
use journal::Journal;
use openings::Openings;

/// What came of it.
#[derive(Debug)]
pub struct GenerateReport {
    /// The dataset.
    pub manifest: Manifest,
    /// What the games counted, those of earlier starts of the command among them.
    pub progress: Progress,
}

/// Plays the games and writes them as a dataset. `progress` is called whenever a game ends; `stop` is asked before
/// every move.
///
/// # Errors
/// If an option makes no sense, the target exists or is being made by another process, the openings cannot be read,
/// the engine cannot be used at all, the disk is full, or `stop` said so. The games that were finished are kept.
pub fn generate(
    settings: &Settings,
    progress: &mut dyn FnMut(&Progress),
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<GenerateReport, GenerateError> {
    settings.check()?;
    with_game!(settings.game, G => generate_game::<G>(settings, progress, stop))
}

fn generate_game<G: Referee>(
    settings: &Settings,
    progress: &mut dyn FnMut(&Progress),
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<GenerateReport, GenerateError> {
    let openings = Openings::read::<G>(settings)?;
    // Everything that is wrong with the engine or its options is said before the first game.
    let engine = Engine::start(&settings.engine)?.name().to_owned();
    let conditions = settings.conditions(engine, openings.book());
    let mut journal = Journal::open(&settings.output, &conditions)?;
    let played = workers::play_all::<G>(settings, &openings, &mut journal, progress, stop);
    let kept = |error: GenerateError| error.with_kept(journal.finished(settings.games), settings.games);
    let counts = played.map_err(kept)?;
    let manifest = output::write(settings, &conditions, &journal).map_err(kept)?;
    journal.remove()?;
    Ok(GenerateReport { manifest, progress: counts })
}
