//! Lichess' evaluations.

use games::chess::evaluations::{parse, records};
use games::{ParsedPosition, PositionFacts, RejectKind, Score, Side};

const FEN: &str = "r3k2r/8/8/8/8/8/8/R3K2R b KQkq -";

/// A line with these searches.
pub(crate) fn line(fen: &str, searches: &[&str]) -> String {
    format!("{{\"fen\":\"{fen}\",\"evals\":[{}]}}\n", searches.join(","))
}

fn read(text: &str) -> Result<ParsedPosition, RejectKind> {
    parse(text.as_bytes(), 0).map_err(|rejected| rejected.kind)
}

#[test]
fn the_first_line_of_the_deepest_search_is_read() {
    let searches = [
        r#"{"pvs":[{"cp":5,"line":"a8a1"}],"knodes":900,"depth":30}"#,
        r#"{"pvs":[{"cp":-31,"line":"e8h8 e1g1"},{"cp":40,"line":"a8b8"}],"knodes":12,"depth":36}"#,
        r#"{"pvs":[{"mate":-2,"line":"a8c8"}],"knodes":11,"depth":36}"#,
    ];
    let found = read(&line(FEN, &searches)).expect("a record");
    // Castling onto the rook becomes the king's step, and the clocks are those of a start.
    assert_eq!((found.start.as_str(), found.mv.as_deref()), ("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", Some("e8g8")));
    // White's score, as it is written.
    assert_eq!(found.score, Some(Score::Centipawns(-31)));
    let position: games::chess::ChessPosition = games::Position::parse(FEN).expect("a position");
    assert_eq!(found.known, Some(PositionFacts::of(&position)));
    let mate = read(&format!("\u{feff}{}", line(FEN, &searches[2..]))).expect("a record behind a byte order mark");
    assert_eq!((mate.score, mate.mv.as_deref()), (Some(Score::MateIn(-2)), Some("a8c8")));
    let without_move = read(&line(FEN, &[r#"{"pvs":[{"cp":5,"line":""}],"depth":1}"#])).expect("a record");
    assert_eq!(without_move.mv, None);
}

#[test]
fn what_is_no_evaluation_is_named() {
    let fault = |text: &str| read(text).expect_err("no record");
    let search = |inner: &str| line(FEN, &[&format!("{{\"pvs\":[{{{inner}}}],\"knodes\":1,\"depth\":1}}")]);
    assert_eq!(fault("1. e4 e5"), RejectKind::Syntax);
    assert_eq!(fault(&line(FEN, &[])), RejectKind::Syntax);
    assert_eq!(fault(&line(FEN, &[r#"{"pvs":[],"knodes":1,"depth":1}"#])), RejectKind::Syntax);
    assert_eq!(fault(&search(r#""line":"e8g8""#)), RejectKind::Syntax);
    assert_eq!(fault(&search(r#""cp":1,"mate":1,"line":"e8g8""#)), RejectKind::Syntax);
    for mate in ["0", "2147483648", "-2147483649", "1e3", "\"1\"", "NaN"] {
        assert_eq!(fault(&search(&format!("\"mate\":{mate},\"line\":\"e8g8\""))), RejectKind::Syntax, "{mate}");
    }
    let extreme = read(&search(r#""mate":-2147483648,"line":"e8g8""#)).expect("a record").score;
    assert_eq!(extreme.map(|score| score.from_mover(Side::Second)), Some(Score::MateIn(i32::MAX)));
    assert_eq!(fault(&search(r#""cp":1,"cp":1,"line":"e8g8""#)), RejectKind::Syntax);
    let deep = format!("{{\"more\":{}1{},\"fen\":\"{FEN}\",\"evals\":[]}}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(fault(&deep), RejectKind::Syntax);
    assert_eq!(fault(&search(r#""cp":1,"line":"e8e6""#)), RejectKind::IllegalMove);
    assert_eq!(fault(&line("8/8/8/8/8/8/8/8 w - -", &[])), RejectKind::StartPosition);
}

#[test]
fn lines_are_records() {
    let text = "{}\r\n\n  \n{\"a\":1}";
    let found: Vec<Vec<u8>> = records(text.as_bytes()).map(|line| line.expect("memory can be read")).collect();
    assert_eq!(found, [b"{}\r\n".to_vec(), b"{\"a\":1}".to_vec()]);
}
