//! Files of puzzles, in the columns of Lichess' database or of searchless_chess.
//!
//! Lichess (<https://database.lichess.org/#puzzles>): `PuzzleId`, `FEN`, `Moves`, `Rating`, `RatingDeviation`, `Themes`. The first
//! move is the opponent's, the others are the solver's and the opponent's in turn. searchless_chess has a column `PGN` instead of
//! `FEN`: the game whose end is the position. Columns are found by their names; other columns are ignored.

use crate::error::{PlayError, Wrong};
use games::chess::pgn;
use std::path::Path;

#[derive(Debug, Clone, PartialEq)]
pub struct Puzzle {
    /// Its name; its place in the file if it has none.
    pub id: String,
    /// The position before the opponent's move as FEN; `None` for the standard start.
    pub start: Option<String>,
    /// Moves from there to the puzzle's first position, in UCI.
    pub before: Vec<String>,
    /// The line: the opponent's move, the solver's answer, and so on; at least two.
    pub line: Vec<String>,
    /// Its rating and the rating's deviation, in Glicko points, if the file has them.
    pub rating: Option<[f64; 2]>,
    pub themes: Vec<String>,
}

/// The deviation of a rating that comes without one: that of an established puzzle.
const USUAL_DEVIATION: f64 = 80.0;

/// No rating and no deviation of one is larger.
const MOST_POINTS: f64 = 10_000.0;

/// Reads a file of puzzles, plain or compressed.
/// Moves are checked when they are played.
pub fn read(path: &Path) -> Result<Vec<Puzzle>, PlayError> {
    let bytes = dataset::unpacked(path)?;
    of_csv(&bytes).map_err(|wrong| PlayError::at(path, wrong))
}

fn of_csv(bytes: &[u8]) -> Result<Vec<Puzzle>, Wrong> {
    let of_file = |reason: String| (String::new(), reason);
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(bytes);
    let names = reader.headers().map_err(|error| of_file(error.to_string()))?.clone();
    let column = |name: &str| names.iter().position(|found| found.trim() == name);
    let moves = column("Moves").ok_or_else(|| {
        of_file(
            "the first line names no column `Moves`; expected are Lichess' columns: PuzzleId,FEN,Moves,Rating,…"
                .to_owned(),
        )
    })?;
    let (fen, game) = (column("FEN"), column("PGN"));
    if fen.is_none() && game.is_none() {
        return Err(of_file("the first line names neither a column `FEN` nor a column `PGN`".to_owned()));
    }
    let [id, rating, deviation, themes] = ["PuzzleId", "Rating", "RatingDeviation", "Themes"].map(column);
    let mut puzzles = Vec::new();
    for (number, record) in (1..).zip(reader.records()) {
        let wrong = |reason: String| (format!(", puzzle {number}"), reason);
        let record = record.map_err(|error| wrong(error.to_string()))?;
        let text =
            |column: Option<usize>| column.and_then(|column| record.get(column)).map(str::trim).unwrap_or_default();
        let number_of = |name: &str, column: Option<usize>| match text(column) {
            "" => Ok(None),
            value => match value.parse::<f64>() {
                Ok(number) if (0.0..=MOST_POINTS).contains(&number) => Ok(Some(number)),
                Ok(_) => Err(wrong(format!("`{name}` is \"{value}\", not a number from 0 to {MOST_POINTS}"))),
                Err(_) => Err(wrong(format!("`{name}` is \"{value}\", not a number"))),
            },
        };
        let line: Vec<String> = text(Some(moves)).split_ascii_whitespace().map(str::to_owned).collect();
        if line.len() < 2 {
            return Err(wrong("a puzzle has at least two moves, the opponent's and the solver's".to_owned()));
        }
        let (start, before) = match text(fen) {
            "" => of_game(text(game)).map_err(wrong)?,
            position => (Some(position.to_owned()), Vec::new()),
        };
        let deviation = number_of("RatingDeviation", deviation)?.unwrap_or(USUAL_DEVIATION);
        puzzles.push(Puzzle {
            id: if text(id).is_empty() { number.to_string() } else { text(id).to_owned() },
            start,
            before,
            line,
            rating: number_of("Rating", rating)?.map(|rating| [rating, deviation]),
            themes: text(themes).split_ascii_whitespace().map(str::to_owned).collect(),
        });
    }
    if puzzles.is_empty() {
        return Err(of_file("it has no puzzle".to_owned()));
    }
    Ok(puzzles)
}

/// The start of a game in PGN, and its moves.
fn of_game(text: &str) -> Result<(Option<String>, Vec<String>), String> {
    // A puzzle's game stops in its middle, mostly without the mark of a result, which the standard asks for.
    let game = pgn::parse(text.as_bytes(), 0).or_else(|_| pgn::parse(format!("{text} *").as_bytes(), 0));
    let game = game.map_err(|rejected| format!("`PGN`: {}", rejected.reason))?;
    Ok((game.start, game.moves.into_iter().map(Into::into).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lichess_columns_are_found_by_their_names() {
        let text = "Moves,PuzzleId,Rating,FEN,Themes,RatingDeviation\n\
                    a2a7 e5e3,tewjc,1493,r5k1/pp3p1p/2b2qp1/3pr3/8/4P2P/R1PN1PP1/Q3K2R w K - 0 19,crushing long,76\n";
        let puzzles = of_csv(text.as_bytes()).expect("a puzzle");
        assert_eq!(puzzles.len(), 1);
        assert_eq!((puzzles[0].id.as_str(), puzzles[0].rating), ("tewjc", Some([1493.0, 76.0])));
        assert_eq!(puzzles[0].line, ["a2a7", "e5e3"]);
        assert_eq!(puzzles[0].themes, ["crushing", "long"]);
    }

    #[test]
    fn a_game_can_stand_for_the_position() {
        let text = "PuzzleId,Rating,PGN,Moves\nx,1500,1. f3 e5 2. g4,d8h4 e1f1\n";
        let puzzle = of_csv(text.as_bytes()).expect("a puzzle").remove(0);
        assert_eq!((puzzle.start, puzzle.before), (None, ["f2f3", "e7e5", "g2g4"].map(str::to_owned).to_vec()));
        assert_eq!(puzzle.rating, Some([1500.0, USUAL_DEVIATION]));
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        let of = |text: &str| of_csv(text.as_bytes()).expect_err("wrong");
        assert!(of("PuzzleId,FEN\nx,y\n").1.contains("no column `Moves`"));
        assert!(of("PuzzleId,Moves\nx,y\n").1.contains("neither a column `FEN`"));
        assert_eq!(of("FEN,Moves\na,e2e4 e7e5\nb,e2e4\n").0, ", puzzle 2");
        assert_eq!(of("FEN,Moves,Rating\na,e2e4 e7e5,high\n").1, "`Rating` is \"high\", not a number");
        for number in ["1e30", "inf", "NaN", "-1", "10001"] {
            let expected = format!("`Rating` is \"{number}\", not a number from 0 to 10000");
            assert_eq!(of(&format!("FEN,Moves,Rating\na,e2e4 e7e5,{number}\n")).1, expected);
        }
        assert_eq!(of("FEN,Moves\n").1, "it has no puzzle");
    }
}
