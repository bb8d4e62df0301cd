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
mod conditions;
mod engine;
mod error;
pub mod forced;
mod journal;
pub mod openings;
mod play;
mod policy_from_scores;
pub mod relabelled;
mod searches;
mod test_games;
mod workers;

pub use adjudicate::{Adjudicator, DrawRule, WinRule};
pub use conditions::{Book, GenerationConditions, Settings};
pub use engine::{Answer, Engine, EngineError, EngineSearch, EngineSettings, Lines};
pub use error::GenerateError;
pub use workers::GenerationProgress;

use dataset::{GeneratedGame, GeneratedOptions, Manifest, SplitPlan, write_generated};
use games::{ParsedGame, Referee, with_game};
use journal::Journal;
use openings::Openings;
use play::FinishedGame;
use policy_from_scores::policy;

#[derive(Debug)]
pub struct GenerateReport {
    pub manifest: Manifest,
    /// Its counts, with the games of earlier starts of the command.
    pub progress: GenerationProgress,
}

/// Plays the games and writes them as a dataset. `progress` is called after every game; `stop` is checked before every
/// move.
/// An error keeps finished games.
pub fn generate(
    settings: &Settings,
    progress: &mut dyn FnMut(&GenerationProgress),
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<GenerateReport, GenerateError> {
    settings.check()?;
    with_game!(settings.game, G => generate_game::<G>(settings, progress, stop))
}

fn generate_game<G: Referee>(
    settings: &Settings,
    progress: &mut dyn FnMut(&GenerationProgress),
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
    let manifest = write(settings, &conditions, &journal).map_err(kept)?;
    journal.remove()?;
    Ok(GenerateReport { manifest, progress: counts })
}

/// Writes the games of the journal in the order of their numbers, so that the dataset does not depend on the order in
/// which they ended.
fn write(settings: &Settings, conditions: &GenerationConditions, journal: &Journal) -> Result<Manifest, GenerateError> {
    let options = GeneratedOptions {
        output: settings.output.clone(),
        name: settings.name.clone(),
        game: settings.game,
        maker: conditions.engine.clone(),
        source: settings.source.clone().unwrap_or_else(|| conditions.sentence(settings.temperature)),
        licence: settings.licence.clone(),
        made_by: settings.made_by.clone(),
        split: SplitPlan::by_game(settings.split_seed, settings.fractions),
    };
    let games = journal.games(settings.games);
    write_generated(&options, games.map(|game| game.map(|game| generated_game(game, settings.temperature))))
}

/// If the engine compared several moves, its policy is the target at every ply that it searched, whichever move was
/// drawn there; opening plies have no target.
fn generated_game(game: FinishedGame, temperature: f64) -> GeneratedGame {
    let FinishedGame { number, start, moves, opening_plies, scores, lines, result, termination, .. } = game;
    let plies = moves.len();
    let game = ParsedGame {
        start,
        moves: moves.into_iter().map(Into::into).collect(),
        keys: Vec::new(),
        scores,
        values: vec![None; plies],
        draws: vec![None; plies],
        clocks: vec![None; plies],
        times: vec![None; plies],
        candidates: lines.iter().map(|lines| policy(lines, temperature)).collect(),
        result,
        termination,
        ratings: [None; 2],
        tags: Vec::new(),
    };
    // The plies of a game fit into 16 bits: `Settings::check` limits the cap.
    GeneratedGame { game, number, policy_from_ply: opening_plies.min(usize::from(u16::MAX)) as u16 }
}
