//! Commands inside PGN comments: `[%eval 0.49]`, `[%eval #-3]`, `[%clk 0:05:00]`, `[%emt 0:00:07.5]`.

use crate::record::{ParsedGame, Score};

/// Notes what a comment says about the move before it. Comments are free text: what is no command is passed over.
pub(super) fn read(comment: &[u8], game: &mut ParsedGame) {
    let Some(ply) = game.moves.len().checked_sub(1) else { return };
    let comment = String::from_utf8_lossy(comment);
    let mut rest = comment.as_ref();
    while let Some(at) = rest.find("[%") {
        rest = &rest[at + 2..];
        let Some(end) = rest.find(']') else { return };
        let (name, value) = rest[..end].split_once(char::is_whitespace).unwrap_or((&rest[..end], ""));
        match name {
            "eval" => game.scores[ply] = score(value).or(game.scores[ply]),
            "clk" => game.clocks[ply] = seconds(value).or(game.clocks[ply]),
            "emt" => game.times[ply] = seconds(value).or(game.times[ply]),
            _ => {}
        }
        rest = &rest[end..];
    }
}

/// Pawns or `#moves` from White's view; a search depth may follow behind a comma.
fn score(value: &str) -> Option<Score> {
    let value = value.split(',').next()?.trim();
    if let Some(mate) = value.strip_prefix('#') {
        // `#0` says that somebody is mated, not who: the board tells.
        return mate.parse().ok().filter(|&moves| moves != 0).map(Score::MateIn);
    }
    let pawns: f64 = value.parse().ok()?;
    let centipawns = (pawns * 100.0).round();
    (centipawns.abs() <= 1e6).then_some(Score::Centipawns(centipawns as i32))
}

/// `h:mm:ss`, with a fraction of seconds where the writer gives one.
fn seconds(value: &str) -> Option<f32> {
    let mut total = 0.0f64;
    for part in value.trim().split(':') {
        let part: f64 = part.parse().ok().filter(|part: &f64| (0.0..1e6).contains(part))?;
        total = total * 60.0 + part;
    }
    Some(total as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commented(text: &str) -> ParsedGame {
        let mut game = ParsedGame::beginning(None, Vec::new());
        game.push("e2e4".to_owned());
        read(text.as_bytes(), &mut game);
        game
    }

    #[test]
    fn commands_are_found_among_text() {
        let game = commented(" best [%eval 0.49] [%clk 1:02:03] and [%emt 0:00:07.5] ");
        assert_eq!(game.scores[0], Some(Score::Centipawns(49)));
        assert_eq!(game.clocks[0], Some(3723.0));
        assert_eq!(game.times[0], Some(7.5));
    }

    #[test]
    fn scores_are_whites_view_in_every_spelling() {
        assert_eq!(commented("[%eval #-3]").scores[0], Some(Score::MateIn(-3)));
        assert_eq!(commented("[%eval -1.15,20]").scores[0], Some(Score::Centipawns(-115)));
        assert_eq!(commented("[%eval 36.39]").scores[0], Some(Score::Centipawns(3639)));
        for nonsense in ["[%eval]", "[%eval #]", "[%eval #0]", "[%eval nan]", "[%eval 1e99]", "[%eval 0.4"] {
            assert_eq!(commented(nonsense).scores[0], None, "{nonsense}");
        }
    }
}
