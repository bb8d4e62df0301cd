//! From the journal to the dataset.

use super::choose::policy;
use super::conditions::{Conditions, Settings};
use super::error::GenerateError;
use super::journal::Journal;
use super::play::Finished;
use dataset::{MadeGame, MadeOptions, Manifest, SplitPlan, write_made};
use games::ParsedGame;

/// Writes the games of the journal in the order of their numbers, so that the dataset does not depend on the order in
/// which they ended.
pub(super) fn write(
    settings: &Settings,
    conditions: &Conditions,
    journal: &Journal,
) -> Result<Manifest, GenerateError> {
    let options = MadeOptions {
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
    write_made(&options, games.map(|game| game.map(|game| made(game, settings.temperature))))
}

/// Where the engine weighed several moves, its policy is the target at every ply that it looked at, whichever move was
/// drawn there; the plies of the opening are nobody's choice.
fn made(game: Finished, temperature: f64) -> MadeGame {
    let Finished { number, start, moves, opening_plies, scores, lines, result, termination, .. } = game;
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
    // A game has at most as many plies as its cap, which `Settings::check` keeps within 16 bits.
    MadeGame { game, number, policy_from_ply: opening_plies.min(usize::from(u16::MAX)) as u16 }
}
