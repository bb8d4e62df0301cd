//! Commands inside PGN comments: `[%eval 0.49]`, `[%eval #-3]`, `[%clk 0:05:00]`, `[%emt 0:00:07.5]`.

use crate::record::{ParsedGame, Score};
use memchr::memchr;

/// Reads the commands of a comment about the move before it. Comments are free text: other content is skipped.
pub(super) fn read(comment: &[u8], game: &mut ParsedGame) {
    let Some(ply) = game.moves.len().checked_sub(1) else { return };
    let mut rest = comment;
    if let Some((points, behind)) = leading_eval(comment) {
        *slot(&mut game.scores, ply) = Some(Score::Centipawns(points));
        rest = behind;
    }
    while let Some(command) = next_command(&mut rest) {
        let command = String::from_utf8_lossy(command);
        let (name, value) = command.split_once(char::is_whitespace).unwrap_or((&command, ""));
        match name {
            "eval" => note(&mut game.scores, ply, score(value)),
            "clk" => note(&mut game.clocks, ply, seconds(value)),
            "emt" => note(&mut game.times, ply, seconds(value)),
            _ => {}
        }
    }
}

fn next_command<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    loop {
        let open = memchr(b'[', rest)?;
        let inside = &rest[open + 1..];
        let Some(inside) = inside.strip_prefix(b"%") else {
            *rest = inside;
            continue;
        };
        let close = memchr(b']', inside)?;
        *rest = &inside[close..];
        return Some(&inside[..close]);
    }
}

/// The entry of a ply in a column, which is extended as needed.
fn slot<T>(column: &mut Vec<Option<T>>, ply: usize) -> &mut Option<T> {
    while column.len() <= ply {
        column.push(None);
    }
    &mut column[ply]
}

/// A command's value replaces that of an earlier command, if it is valid.
fn note<T>(column: &mut Vec<Option<T>>, ply: usize, said: Option<T>) {
    if said.is_some() {
        *slot(column, ply) = said;
    }
}

/// The usual beginning of an engine's comment, ` [%eval -1.15]`, in hundredths, and the rest: up to four digits, a
/// point and two digits. [`score`] gives the same result for it, and reads all other forms.
fn leading_eval(comment: &[u8]) -> Option<(i32, &[u8])> {
    let text = comment.strip_prefix(b" ").unwrap_or(comment).strip_prefix(b"[%eval ")?;
    let (negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    let whole = digits.iter().take(5).take_while(|byte| byte.is_ascii_digit()).count();
    let (whole, fraction) = digits.split_at(whole);
    let [b'.', tenths, hundredths, b']', ..] = *fraction else { return None };
    if whole.is_empty() || whole.len() > 4 || !tenths.is_ascii_digit() || !hundredths.is_ascii_digit() {
        return None;
    }
    let number = |digits: &[u8]| digits.iter().fold(0, |sum, byte| 10 * sum + i32::from(byte - b'0'));
    let points = 100 * number(whole) + number(&[tenths, hundredths]);
    Some((if negative { -points } else { points }, &fraction[3..]))
}

/// Pawns or `#moves` from White's view, optionally followed by a comma and the search depth.
fn score(value: &str) -> Option<Score> {
    let value = value.split(',').next()?.trim();
    if let Some(mate) = value.strip_prefix('#') {
        // `#0` means that somebody is mated, but not who: the board shows it.
        return mate.parse().ok().filter(|&moves| moves != 0).map(Score::MateIn);
    }
    let pawns: f64 = value.parse().ok()?;
    let centipawns = (pawns * 100.0).round();
    (centipawns.abs() <= 1e6).then_some(Score::Centipawns(centipawns as i32))
}

/// `h:mm:ss`, with optional fractions of seconds.
fn seconds(value: &str) -> Option<f32> {
    if value.matches(':').count() > 2 {
        return None;
    }
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
        game.moves.push("e2e4".into());
        read(text.as_bytes(), &mut game);
        game.pad();
        game
    }

    #[test]
    fn commands_are_found_among_text() {
        let game = commented(" best [%eval 0.49] [%clk 1:02:03] and [%emt 0:00:07.5] ");
        assert_eq!(game.scores[0], Some(Score::Centipawns(49)));
        assert_eq!(game.clocks[0], Some(3723.0));
        assert_eq!(game.times[0], Some(7.5));
        // 60^23 seconds would be infinite.
        assert_eq!(commented(&format!("[%clk 1{}]", ":0".repeat(23))).clocks[0], None);
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

    #[test]
    fn both_ways_to_read_a_score_agree() {
        for points in -12_345..=12_345 {
            let pawns = f64::from(points) / 100.0;
            let comment = format!(" [%eval {pawns:.2}] ");
            let (plain, behind) = leading_eval(comment.as_bytes()).expect("the usual form");
            assert_eq!(
                (Some(Score::Centipawns(plain)), behind),
                (score(&format!("{pawns:.2}")), &b"] "[..]),
                "{comment}"
            );
        }
        for other in
            ["", "-", ".50", "+0.50", " 0.50", "0.50 ", "0.123", "0.5", "12345.00", "#3", "0,50", "0.-1", "--1.00"]
        {
            assert_eq!(leading_eval(format!("[%eval {other}]").as_bytes()), None, "{other}");
        }
    }

    #[test]
    fn brackets_that_are_no_command_are_passed_over() {
        assert_eq!(commented("[a] [ % [%eval 0.10] [%eval").scores[0], Some(Score::Centipawns(10)));
        assert_eq!(commented("[[%eval 0.10]").scores[0], Some(Score::Centipawns(10)));
        assert_eq!(commented("[%clk [%eval 0.10]").scores[0], None);
        // The later word counts, unless it is none.
        assert_eq!(commented("[%eval 0.10] [%eval 0.20] [%eval x]").scores[0], Some(Score::Centipawns(20)));
        assert_eq!(commented("[%eval\u{a0}0.30]").scores[0], Some(Score::Centipawns(30)));
    }
}
