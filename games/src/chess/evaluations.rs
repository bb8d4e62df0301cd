//! Lichess' evaluations: positions that users analysed with Stockfish in their browsers, one JSON object a line.
//!
//! ```text
//! {"fen": "…", "evals": [{"pvs": [{"cp": 311, "line": "g2e4 f7f5"}], "knodes": 206765, "depth": 36}]}
//! ```
//!
//! A position has several searches. The deepest one is read, of equally deep ones that of most nodes, and of it the first
//! line: its score, which is White's, and its first move. Reference: lichess-org/database `web/index.html.tpl` and
//! `Evals.scala`.
//!
//! The FEN has no clocks, and records are positions without games.

use super::ChessPosition;
use crate::position::Position as _;
use crate::record::{ParsedPosition, PositionFacts, RejectKind, Rejected, Score};
use crate::records;
use serde::Deserialize;
use std::borrow::Cow;
use std::io::{self, BufRead};

#[derive(Deserialize)]
struct Evaluated<'a> {
    #[serde(borrow)]
    fen: Cow<'a, str>,
    #[serde(borrow)]
    evals: Vec<Search<'a>>,
}

#[derive(Deserialize)]
struct Search<'a> {
    #[serde(borrow)]
    pvs: Vec<Variation<'a>>,
    #[serde(default)]
    knodes: u64,
    depth: u32,
}

#[derive(Deserialize)]
struct Variation<'a> {
    cp: Option<i32>,
    mate: Option<i32>,
    #[serde(borrow)]
    line: Cow<'a, str>,
}

/// Splits a file into its lines, without empty ones.
pub fn records(input: impl BufRead) -> impl Iterator<Item = io::Result<Vec<u8>>> {
    records::lines(input, None)
}

/// Reads a line and checks that position and move are legal. An error if the line is invalid; `number` is its number.
pub fn parse(record: &[u8], number: u64) -> Result<ParsedPosition, Rejected> {
    let wrong = |kind, reason| Rejected { game: number, ply: None, kind, reason };
    let read: Evaluated<'_> = serde_json::from_slice(records::without_mark(record))
        .map_err(|error| wrong(RejectKind::Syntax, error.to_string()))?;
    let position =
        ChessPosition::parse(&read.fen).map_err(|error| wrong(RejectKind::StartPosition, error.to_string()))?;
    let deepest = read.evals.iter().max_by_key(|search| (search.depth, search.knodes));
    let first = deepest.and_then(|search| search.pvs.first());
    let first = first.ok_or_else(|| wrong(RejectKind::Syntax, "it has no evaluation".to_owned()))?;
    let score = match (first.cp, first.mate) {
        (Some(points), None) => Score::Centipawns(points),
        // A mate in 0 does not say whose it is.
        (None, Some(moves)) if moves != 0 => Score::MateIn(moves),
        _ => return Err(wrong(RejectKind::Syntax, "expected either \"cp\" or \"mate\", not 0".to_owned())),
    };
    let mv = first.line.split_ascii_whitespace().next().map(|text| position.parse_move(text));
    let mv = mv.transpose().map_err(|error| wrong(RejectKind::IllegalMove, error.to_string()))?;
    Ok(ParsedPosition {
        known: Some(PositionFacts::of(&position)),
        mv: mv.map(|mv| position.move_text(mv)),
        score: Some(score),
        ..ParsedPosition::new(position.to_text())
    })
}
