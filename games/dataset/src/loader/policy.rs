//! Positions with their legal moves and policy targets, for models that read rules instead of packed rows.

use super::LoaderConfig;
use super::dataset::Dataset;
use super::evaluation::chosen_games;
use super::order::Epoch;
use super::stored::StoredGame;
use super::used_plies::{LegalMoves, VisitedPly};
use crate::error::DatasetError;
use crate::playback::Move;
use crate::split::Split;
use games::{Game, IllegalMove, InputName};
use std::collections::BTreeMap;

#[derive(Debug)]
pub struct PolicyPosition<'a, G: Game> {
    pub game: u32,
    pub ply: u16,
    pub position: &'a G::Position,
    pub legal: &'a [Move<G>],
    /// The target's probability of each of them.
    pub target: &'a [f64],
}

/// Visits the positions of [`evaluation_batches`](super::evaluation_batches) with the same split and number of positions
/// that have a policy target, in the same order.
pub fn evaluated_policy<G: Game>(
    dataset: &Dataset,
    split: Split,
    max_positions: u64,
    mut each: impl FnMut(PolicyPosition<'_, G>),
) -> Result<(), DatasetError> {
    dataset.require(split)?;
    let mut buffers = Buffers::default();
    for game in dataset.read(split, chosen_games(dataset, split, max_positions)) {
        of_game(&game?, |_| true, &mut buffers, &mut each)?;
    }
    Ok(())
}

/// Visits the first `positions` training positions with a policy target, in the order in which a [`TrainLoader`] with the
/// split's seed and [`LoaderConfig::BLOCK_GAMES`] hands them out; they are visited game by game. Fewer if the split has
/// fewer.
///
/// [`TrainLoader`]: super::TrainLoader
pub fn sampled_policy<G: Game>(
    dataset: &Dataset,
    positions: usize,
    mut each: impl FnMut(PolicyPosition<'_, G>),
) -> Result<(), DatasetError> {
    dataset.require(Split::Train)?;
    let grouping = dataset.grouping(Split::Train, LoaderConfig::BLOCK_GAMES);
    let epoch = Epoch::new(dataset.manifest().split.seed, 0, dataset.games(Split::Train), grouping);
    let mut left = positions;
    let mut buffers = Buffers::default();
    for block in 0..epoch.blocks() {
        if left == 0 {
            break;
        }
        let games: Vec<StoredGame> = dataset.read(Split::Train, epoch.block(block)).collect::<Result<_, _>>()?;
        let plies: Vec<(usize, u16)> =
            games.iter().enumerate().flat_map(|(place, game)| used_plies(game).map(move |ply| (place, ply))).collect();
        let has_target = |&&(place, ply): &&(usize, u16)| ply >= games[place].policy_from_ply;
        let order = epoch.pieces(block, plies.len());
        let mut chosen: BTreeMap<usize, Vec<u16>> = BTreeMap::new();
        for &(place, ply) in order.iter().map(|&i| &plies[i as usize]).filter(has_target).take(left) {
            chosen.entry(place).or_default().push(ply);
            left -= 1;
        }
        for (place, plies) in chosen {
            let is_chosen = |ply: usize| plies.iter().any(|&chosen| usize::from(chosen) == ply);
            of_game(&games[place], is_chosen, &mut buffers, &mut each)?;
        }
    }
    Ok(())
}

/// The plies of a game that are positions of the dataset.
fn used_plies(game: &StoredGame) -> impl Iterator<Item = u16> {
    (0..game.plies).filter(move |&ply| game.is_used(ply.into()))
}

/// The legal moves of a position and the target's probability of each, in storage that is used again for the next position.
type Buffers<G> = (LegalMoves<G>, Vec<f64>);

fn of_game<G: Game>(
    game: &StoredGame,
    wanted: impl Fn(usize) -> bool,
    (legal, target): &mut Buffers<G>,
    each: &mut impl FnMut(PolicyPosition<'_, G>),
) -> Result<(), DatasetError> {
    game.visit::<G>(G::input(InputName::PieceTokens), false, |visit| {
        let VisitedPly { line, played, candidates, is_target, .. } = visit;
        let (position, ply) = (line.position(), line.plies());
        if !is_target || !wanted(ply) {
            return Ok(());
        }
        legal.fill(position);
        target.clear();
        target.resize(legal.moves.len(), 0.0);
        if candidates.is_empty()
            && let Some(place) = legal.moves.iter().position(|&legal| legal == played)
        {
            target[place] = 1.0;
        }
        for (text, probability) in candidates.iter() {
            target[legal.find(position, text)?] += f64::from(probability);
        }
        each(PolicyPosition { game: game.id, ply: ply as u16, position, legal: &legal.moves, target });
        Ok::<(), IllegalMove>(())
    })
}
