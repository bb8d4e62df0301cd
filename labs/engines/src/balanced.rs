//! Balanced openings: random plies from the start position after which an engine prefers neither side.
//!
//! A pair of games from a lost opening carries little information: each player wins once. Chess has books of played openings;
//! for shogi there is none here.

use crate::engine::{Engine, EngineSettings};
use crate::error::GenerateError;
use crate::openings::{Opening, set_up_with_random_plies};
use crate::play::texts;
use games::{GameKind, Position, Referee, Score, with_game};
use std::collections::BTreeSet;

/// Openings drawn for each requested one before the search stops.
const DRAWS: usize = 1_000;

#[derive(Debug, Clone)]
pub struct BalancedSettings {
    pub game: GameKind,
    pub engine: EngineSettings,
    pub nodes: u64,
    pub plies: (u16, u16),
    /// The largest score for either side, in centipawns.
    pub within: i32,
    /// How many, at least one.
    pub count: usize,
    pub seed: u64,
}

/// The openings, each as `startpos moves …`, all with different end positions. `progress` sees how many are found.
pub fn balanced_openings(
    settings: &BalancedSettings,
    progress: &mut dyn FnMut(usize),
) -> Result<Vec<String>, GenerateError> {
    with_game!(settings.game, G => of_game::<G>(settings, progress))
}

fn of_game<G: Referee>(
    settings: &BalancedSettings,
    progress: &mut dyn FnMut(usize),
) -> Result<Vec<String>, GenerateError> {
    let mut engine = Engine::start(&settings.engine)?;
    let (mut lines, mut seen) = (Vec::new(), BTreeSet::new());
    for number in 0..settings.count * DRAWS {
        let mut stream = streams::stream(settings.seed, &["generate", "balanced", &number.to_string()]);
        let played = set_up_with_random_plies::<G>(&Opening::default(), Some(settings.plies), &mut stream)
            .map_err(|reason| GenerateError::Option { option: "--plies", reason })?;
        let text = played.position().to_text();
        if !seen.insert(text.clone()) {
            continue;
        }
        engine.new_game()?;
        let search = engine.search(Some(&text), &[], settings.nodes, &[])?;
        let score = search.lines.compared(1).first().map(|&(_, score)| score);
        if matches!(score, Some(Score::Centipawns(points)) if (-settings.within..=settings.within).contains(&points)) {
            lines.push(format!("startpos moves {}", texts::<G>(&played).join(" ")));
            progress(lines.len());
            if lines.len() == settings.count {
                return Ok(lines);
            }
        }
    }
    let reason = format!("only {} of {} random openings are within it", lines.len(), settings.count * DRAWS);
    Err(GenerateError::Option { option: "--within", reason })
}
