//! Traits of evaluated positions, by which results are sliced.

use super::dataset::Dataset;
use super::evaluation::chosen_games;
use super::stored::StoredGame;
use super::used_plies::VisitedPly;
use crate::error::DatasetError;
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

/// The types of moves, in display order. A promotion that captures is a promotion.
pub const MOVE_TYPES: [&str; 5] = ["quiet", "capture", "promotion", "drop", "castling"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MoveTraits {
    /// One of [`MOVE_TYPES`].
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
    game.visit::<G>(layout, in_sequence, |VisitedPly { line, played, candidates, is_target, .. }| {
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
            target: is_target.then(|| MoveTraits::of::<G>(position, wanted, &mut row)),
        });
        Ok(())
    })
}

impl MoveTraits {
    /// Those of a legal move of this position. Unless it is a drop, the call packs the position into `row`.
    pub(crate) fn of<G: Game>(position: &G::Position, mv: Move<G>, row: &mut Vec<u8>) -> Self {
        let from_to = G::from_to();
        let (from, to, promotes) = match from_to.entries()[usize::from(position.move_index(mv))] {
            Entry::Drop { kind, .. } => {
                return Self { kind: "drop", piece: from_to.drops[usize::from(kind)], way: None };
            }
            Entry::Promotion { from, to, .. } => (usize::from(from), usize::from(to), true),
            // A knight promotion shares the entry of a plain move; its text has the piece after the squares.
            Entry::Plain { from, to } => {
                (usize::from(from), usize::from(to), position.move_text(mv).len() > "e2e4".len())
            }
        };
        row.clear();
        row.resize(G::input(InputName::PieceTokens).row_bytes(), 0);
        position.pack(InputName::PieceTokens, 0, row);
        let board = G::GEOMETRY;
        let ranks = board.rank_of(from).abs_diff(board.rank_of(to));
        let files = board.file_of(from).abs_diff(board.file_of(to));
        let piece = G::PIECES[usize::from(row[from]).saturating_sub(1)];
        let kind = match usize::from(row[to]) {
            _ if promotes => "promotion",
            // A pawn that changes its file to an empty square captured en passant; no other pawn move of any game
            // changes the file.
            0 if piece == "pawn" && files > 0 => "capture",
            0 => "quiet",
            code if code <= G::PIECES.len() => "castling",
            _ => "capture",
        };
        Self { kind, piece, way: Some((board.relation(from, to), ranks.max(files) as u8)) }
    }
}
