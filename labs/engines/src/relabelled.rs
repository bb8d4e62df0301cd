//! Test positions of a dataset with the labels of a longer search, to compare with losses on the old labels.

use crate::engine::{Engine, EngineError, EngineSettings};
use crate::error::GenerateError;
use crate::policy_from_scores::{Decision, policy};
use crate::{searches, test_games};
use dataset::{DatasetError, GeneratedOptions, Manifest, PerSplit, SplitBy, SplitPlan, write_positions};
use games::{GameKind, ParsedPosition, Position as _, Referee, with_game};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use streams::{shuffle, stream};

#[derive(Debug, Clone)]
pub struct RelabelSettings {
    pub game: GameKind,
    /// The dataset whose test positions are taken.
    pub from: PathBuf,
    /// Its name, for the description.
    pub from_name: String,
    /// The engine and the number of moves that it compares.
    pub engine: EngineSettings,
    pub nodes: u64,
    pub positions: u64,
    /// The temperature of policies in centipawns, as in the dataset's own labels.
    pub temperature: f64,
    pub seed: u64,
    /// Engines at a time. They do not change the labels.
    pub processes: usize,
    /// The dataset's folder, which must not exist yet.
    pub output: PathBuf,
    pub name: String,
    pub licence: String,
    pub made_by: String,
}

/// Draws positions uniformly from those that have a policy target in the test split, none twice, searches each with a cleared
/// memory and without the moves before it, and writes them as a dataset that is all test positions; one in which the engine
/// names no legal move is left out. The draw depends on the dataset and the seed only, so labels of different searches are about
/// the same positions. `progress` sees how many are done.
pub fn relabelled(settings: &RelabelSettings, progress: &(dyn Fn(u64) + Sync)) -> Result<Manifest, GenerateError> {
    with_game!(settings.game, G => of_game::<G>(settings, progress))
}

fn of_game<G: Referee>(settings: &RelabelSettings, progress: &(dyn Fn(u64) + Sync)) -> Result<Manifest, GenerateError> {
    // Before the searches, which may take hours.
    if settings.output.symlink_metadata().is_ok() {
        return Err(DatasetError::OutputExists(settings.output.clone()).into());
    }
    let drawn = drawn::<G>(settings)?;
    let done = AtomicU64::new(0);
    let ask = |engine: &mut Engine, position: &G::Position| {
        let label = label::<G>(settings, engine, position)?;
        progress(done.fetch_add(1, Ordering::Relaxed) + 1);
        Ok(label)
    };
    let name = Engine::start(&settings.engine)?.name().to_owned();
    let labels = searches::answers(&settings.engine, settings.processes, &drawn, ask)?;
    let labels: Vec<ParsedPosition> = labels.into_iter().flatten().collect();
    let options = GeneratedOptions {
        output: settings.output.clone(),
        name: settings.name.clone(),
        game: settings.game,
        maker: name.clone(),
        source: format!(
            "{} test positions of {}, drawn with seed {}, each searched by {name} with {} nodes and {} lines, without the moves \
             before it; policy = softmax of the scores over {} centipawns, value = score of the chosen move",
            labels.len(),
            settings.from_name,
            settings.seed,
            settings.nodes,
            settings.engine.multipv,
            settings.temperature
        ),
        licence: settings.licence.clone(),
        made_by: settings.made_by.clone(),
        split: SplitPlan {
            by: SplitBy::Position,
            ..SplitPlan::by_game(0, PerSplit { train: 0.0, validation: 0.0, test: 1.0 })
        },
    };
    // One at least: a dataset has positions.
    Ok(write_positions(&options, (labels.len() as u64).max(1), labels)?)
}

/// The positions, in the order of the draw.
fn drawn<G: Referee>(settings: &RelabelSettings) -> Result<Vec<G::Position>, GenerateError> {
    let mut all = Vec::new();
    for row in test_games::rows(&settings.from, settings.game)? {
        let positions = test_games::positions::<G>(&row).into_iter().flatten().enumerate();
        all.extend(positions.filter(|(ply, _)| row.is_policy_target(*ply)).map(|(_, position)| position));
    }
    shuffle(&mut stream(settings.seed, &["generate", "relabelled"]), &mut all);
    let mut seen = BTreeSet::new();
    all.retain(|position| seen.insert(position.repetition_key()));
    let found = all.len() as u64;
    if found < settings.positions {
        let reason = format!("expected at most {found}, the test positions of {}", settings.from_name);
        return Err(GenerateError::Option { option: "--positions", reason });
    }
    all.truncate(settings.positions as usize);
    Ok(all)
}

fn label<G: Referee>(
    settings: &RelabelSettings,
    engine: &mut Engine,
    position: &G::Position,
) -> Result<Option<ParsedPosition>, EngineError> {
    engine.new_game()?;
    let text = position.to_text();
    let search = engine.search(Some(&text), &[], settings.nodes, &[])?;
    Ok(Decision::of(position, &search, settings.engine.multipv).map(|decision| ParsedPosition {
        mv: Some(decision.best),
        score: decision.score.map(|score| score.from_mover(position.side_to_move())),
        candidates: policy(&decision.lines, settings.temperature),
        ..ParsedPosition::new(text)
    }))
}
