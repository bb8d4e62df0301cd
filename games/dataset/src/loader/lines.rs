//! Positions of a split as text, for people and other programs.

use super::dataset::Dataset;
use super::stored::StoredGame;
use crate::error::DatasetError;
use crate::split::Split;
use games::InputName;

impl Dataset {
    /// At most `count` positions of a split, each from another game and later in it than the one before: the start
    /// (FEN, SFEN or `startpos`), then `moves` and the moves played, and `ratings` with those of both players if both are
    /// known and the input shows them. The result is deterministic.
    pub fn lines(&self, split: Split, count: usize, input: InputName) -> Result<Vec<String>, DatasetError> {
        self.require(split)?;
        let shows_ratings = self.game().input(input).shows_ratings();
        let games = self.games(split);
        let count = count.min(games);
        let chosen = (0..count).map(|i| (i * games / count) as u32);
        let line = |(i, game): (usize, Result<StoredGame, DatasetError>)| {
            let game = game?;
            let plies = usize::from(game.plies) * i / count;
            let start = game.start.text(self.game());
            let start = start.as_deref().unwrap_or("startpos");
            let played: Vec<&str> = game.moves.split_ascii_whitespace().take(plies).collect();
            let moves = if played.is_empty() { String::new() } else { format!(" moves {}", played.join(" ")) };
            let ratings = match game.ratings {
                [Some(first), Some(second)] if shows_ratings => format!(" ratings {first} {second}"),
                _ => String::new(),
            };
            Ok(format!("{start}{moves}{ratings}"))
        };
        self.read(split, chosen).enumerate().map(line).collect()
    }
}
