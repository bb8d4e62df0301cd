//! External engines: games of an engine against itself as a dataset, forced mates, new labels, balanced openings.
//!
//! The dataset depends only on its [`GenerationConditions`] (engine, limits, openings, seed, …). Each game draws from
//! its own random stream and starts with a reset engine; a game whose engine exited is played again from its first
//! move. So the number of processes, interruptions and crashes do not change the dataset.
//!
//! ```text
//! openings ─▶ play (one engine a worker) ─▶ journal, a line a game as they end ─▶ dataset, in the order of numbers
//! ```
//!
//! A finished game is a line of the journal in a hidden folder beside the target, `.NAME.generating`; the same command
//! resumes from there. The folder is removed when the dataset is complete.

mod adjudicate;
pub mod balanced;
mod choose;
mod conditions;
mod engine;
mod error;
pub mod forced;
mod journal;
pub mod openings;
mod output;
mod play;
pub mod relabelled;
mod searches;
mod test_games;
mod workers;

pub use adjudicate::{Adjudicator, DrawRule, WinRule};
pub use conditions::{Book, GenerationConditions, Settings};
pub use engine::{Answer, Engine, EngineError, EngineSettings, Lines, Search};
pub use error::GenerateError;
pub use workers::Progress;

use dataset::Manifest;
use games::{Referee, with_game};
use journal::Journal;
use openings::Openings;

#[derive(Debug)]
pub struct GenerateReport {
    pub manifest: Manifest,
    /// Its counts, with the games of earlier starts of the command.
    pub progress: Progress,
}

/// Plays the games and writes them as a dataset. `progress` is called after every game; `stop` is checked before every
/// move.
/// An error keeps finished games.
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
    let openings = Openings::read::<G>(settings.openings.as_deref(), settings.seed)?;
    // Errors of the engine or its options are reported before the first game.
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
