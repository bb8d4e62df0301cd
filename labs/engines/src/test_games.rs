//! The test games of a dataset.

use crate::error::GenerateError;
use dataset::store::{GameRow, read_shard};
use dataset::{Manifest, Split};
use games::{Game, GameKind, Position as _};
use std::path::Path;

/// The rows of the test split.
pub(super) fn rows(from: &Path, game: GameKind) -> Result<Vec<GameRow>, GenerateError> {
    let manifest = Manifest::read(from)?;
    if manifest.game != game {
        let reason = format!("expected a dataset of {}, found one of {}", game.name(), manifest.game.name());
        return Err(GenerateError::Option { option: "--from", reason });
    }
    let mut rows = Vec::new();
    for shard in &manifest.shards {
        let keep = &mut |row: GameRow| {
            if row.split == Split::Test {
                rows.push(row);
            }
        };
        read_shard(&from.join(&shard.file), keep)?;
    }
    Ok(rows)
}

/// The position before each move; none if a move is illegal.
pub(super) fn positions<G: Game>(row: &GameRow) -> Option<Vec<G::Position>> {
    let mut position = match &row.start {
        None => G::Position::start(),
        Some(text) => G::Position::parse(text).ok()?,
    };
    let mut all = Vec::new();
    for mv in row.moves.split_ascii_whitespace() {
        all.push(position.clone());
        position.play(position.parse_move(mv).ok()?);
    }
    Some(all)
}
