//! Traits of evaluated positions, by which results are sliced.

use super::dataset::Dataset;
use super::evaluation::chosen_games;
use super::stored::StoredGame;
use super::visit::Visit;
use crate::error::DatasetError;
use crate::move_type::move_type;
use crate::playback::Move;
use crate::split::Split;
use games::{Entry, Game, InputName, Phase, Position as _, Relation, with_game};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PositionTraits {
    /// The game's id in the dataset, by which positions are clustered.
    pub game: u32,
    pub ply: u16,
    pub phase: Phase,
    /// The target move: the most probable policy target, the first of equals. `None` if the position has no target.
    pub target: Option<MoveTraits>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MoveTraits {
    pub kind: &'static str,
    /// The piece that moves or is dropped, one of [`Game::PIECES`].
    pub piece: &'static str,
    /// The relation and the distance of its two squares; `None` for a drop.
    pub way: Option<(Relation, u8)>,
}

/// Every position of [`evaluation_batches`](super::evaluation_batches) with the same split and number of positions, in
/// the same order.
pub fn evaluation_traits(
    dataset: &Dataset,
    split: Split,
    max_positions: u64,
) -> Result<Vec<PositionTraits>, DatasetError> {
    dataset.require(split)?;
    let mut out = Vec::new();
    for game in dataset.read(split, chosen_games(dataset, split, max_positions)) {
        with_game!(dataset.game(), G => of_game::<G>(&game?, dataset.sequence() > 1, &mut out))?;
    }
    Ok(out)
}

/// Sequences also contain plies that are not evaluated; they have no target.
fn of_game<G: Game>(game: &StoredGame, in_sequence: bool, out: &mut Vec<PositionTraits>) -> Result<(), DatasetError> {
    let layout = G::input(InputName::PieceTokens);
    let mut row = Vec::new();
    game.visit::<G>(layout, in_sequence, |Visit { line, played, candidates, is_target, .. }| {
        let position = line.position();
        let likeliest = candidates.iter().reduce(|best, other| if other.1 > best.1 { other } else { best });
        let wanted = match likeliest {
            None => played,
            Some((text, _)) => position.parse_move(text)?,
        };
        out.push(PositionTraits {
            game: game.cluster,
            ply: line.plies() as u16,
            phase: position.phase(),
            target: is_target.then(|| move_traits::<G>(position, wanted, &mut row)),
        });
        Ok(())
    })
}

fn move_traits<G: Game>(position: &G::Position, mv: Move<G>, row: &mut Vec<u8>) -> MoveTraits {
    let kind = move_type::<G>(position, mv, row);
    let from_to = G::from_to();
    let (from, to) = match from_to.entries()[usize::from(position.move_index(mv))] {
        Entry::Drop { kind: dropped, .. } => {
            return MoveTraits { kind, piece: from_to.drops[usize::from(dropped)], way: None };
        }
        Entry::Plain { from, to } | Entry::Promotion { from, to, .. } => (usize::from(from), usize::from(to)),
    };
    let board = G::GEOMETRY;
    let ranks = board.rank_of(from).abs_diff(board.rank_of(to));
    let files = board.file_of(from).abs_diff(board.file_of(to));
    // `move_type` has packed the position.
    let piece = G::PIECES[usize::from(row[from]).saturating_sub(1)];
    MoveTraits { kind, piece, way: Some((board.relation(from, to), ranks.max(files) as u8)) }
}
