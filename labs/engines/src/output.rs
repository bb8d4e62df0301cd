//! Writes the journal's games as a dataset.

use super::choose::policy;
use super::conditions::{GenerationConditions, Settings};
use super::error::GenerateError;
use super::journal::Journal;
use super::play::FinishedGame;
use dataset::{GeneratedGame, GeneratedOptions, Manifest, SplitPlan, write_generated};
use games::ParsedGame;

/// Writes the games of the journal in the order of their numbers, so that the dataset does not depend on the order in
/// which they ended.
pub(super) fn write(
    settings: &Settings,
    conditions: &GenerationConditions,
    journal: &Journal,
) -> Result<Manifest, GenerateError> {
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
