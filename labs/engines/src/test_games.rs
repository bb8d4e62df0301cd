//! The test games of a dataset.

use crate::error::GenerateError;
use dataset::store::GameRow;
use dataset::{DatasetError, Manifest, Split};
use games::{Game, GameKind, Position as _};
use std::path::Path;

pub(super) fn rows(from: &Path, game: GameKind) -> Result<Vec<GameRow>, GenerateError> {
    let manifest = Manifest::read(from)?;
    if manifest.game != game {
        let reason = format!("expected a dataset of {}, found one of {}", game.name(), manifest.game.name());
        return Err(GenerateError::Option { option: "--from", reason });
    }
    let of_test = |row: &Result<GameRow, DatasetError>| row.as_ref().map_or(true, |row| row.split == Split::Test);
    let rows: Result<_, DatasetError> = manifest.rows(from).filter(of_test).collect();
    Ok(rows?)
}

/// The position before each move; none if a move is illegal.
pub(super) fn positions<G: Game>(row: &GameRow) -> Option<Vec<G::Position>> {
    let mut position = G::Position::beginning(row.start.as_deref()).ok()?;
    let mut all = Vec::new();
    for mv in row.moves.split_ascii_whitespace() {
        all.push(position.clone());
        position.play(position.parse_move(mv).ok()?);
    }
    Some(all)
}
