//! Books of openings: PGN, the tables of lichess-org/chess-openings (tab-separated, with a column `pgn`), or one opening a line.
//!
//! A line is a position (FEN or EPD in chess, SFEN in shogi), optionally with the keywords of a `position` command
//! (`position`, `fen`, `sfen`, `startpos`) before it and `moves …` right after it. Empty lines and lines that begin with `#`
//! are skipped. Files may be compressed in any way that an import accepts.

use super::conditions::Book;
use super::error::GenerateError;
use games::chess::{Chess, pgn};
use games::{ParsePosition, Played, Position, Record, Referee};
use std::io;
use std::path::Path;
use streams::{Stream, below};

/// The start of a game: FEN or SFEN (`None` for the standard start), and moves from there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Opening {
    pub start: Option<String>,
    pub moves: Vec<String>,
}

/// The openings in the order in which games use them.
#[derive(Debug)]
pub struct Openings {
    openings: Vec<Opening>,
    book: Option<Book>,
}

impl Openings {
    /// Reads the book, if there is one, checks every opening by the rules, and shuffles them by the seed.
    pub fn read<G: Referee>(book: Option<&Path>, seed: u64) -> Result<Self, GenerateError> {
        let Some(path) = book else {
            return Ok(Self { openings: vec![Opening::default()], book: None });
        };
        let text = dataset::unpacked(path)?;
        let file = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let placed = match G::RECORD {
            Record::Pgn if is_pgn(&file, &text) => records(&text),
            Record::Pgn if text.starts_with(TABLE) => table(&text),
            _ => lines::<G>(&text),
        };
        let wrong = |(place, reason)| GenerateError::Opening { file: file.clone(), place, reason };
        let mut openings = checked::<G>(placed).map_err(wrong)?;
        if openings.is_empty() {
            return Err(wrong(("the whole of it".to_owned(), "it holds no opening".to_owned())));
        }
        let book = Book { file, blake3: blake3::hash(&text).to_hex().to_string(), openings: openings.len() as u64 };
        streams::shuffle(&mut streams::stream(seed, &["generate", "openings"]), &mut openings);
        Ok(Self { openings, book: Some(book) })
    }

    pub fn of(&self, number: u64) -> &Opening {
        &self.openings[(number % self.openings.len() as u64) as usize]
    }

    pub fn book(&self) -> Option<Book> {
        self.book.clone()
    }
}

/// How often random plies are redrawn if they end the game.
const ATTEMPTS: usize = 100;

/// Sets up an opening's position, followed by a random number of random moves, drawn uniformly from `plies`.
pub fn set_up_with_random_plies<G: Referee>(
    opening: &Opening,
    plies: Option<(u16, u16)>,
    stream: &mut Stream,
) -> Result<Played<G::Position>, String> {
    let book = set_up::<G>(opening)?;
    let Some((from, to)) = plies else { return Ok(book) };
    let mut legal = Vec::new();
    for _ in 0..ATTEMPTS {
        let mut played = book.clone();
        for _ in 0..u64::from(from) + below(stream, u64::from(to - from) + 1) {
            played.position().legal_moves(&mut legal);
            if legal.is_empty() {
                break;
            }
            played.play(legal[below(stream, legal.len() as u64) as usize]);
        }
        if G::verdict(&played).is_none() {
            return Ok(played);
        }
    }
    Err(format!("{ATTEMPTS} random openings in a row ended the game"))
}

pub fn set_up<G: Referee>(opening: &Opening) -> Result<Played<G::Position>, String> {
    let start = G::Position::beginning(opening.start.as_deref()).map_err(|error| error.to_string())?;
    let mut played = Played::from(start);
    for text in &opening.moves {
        let mv = played.position().parse_move(text).map_err(|error| error.to_string())?;
        played.play(mv);
    }
    Ok(played)
}

/// Whether a chess book is PGN: by its first tag, or by its file name.
fn is_pgn(file: &str, text: &[u8]) -> bool {
    text.trim_ascii_start().starts_with(b"[") || file.to_ascii_lowercase().contains(".pgn")
}

/// An opening or the reason why it is invalid, with its place in the book.
type Placed = (String, Result<Opening, String>);

/// The openings, if each is legal and does not end the game.
fn checked<G: Referee>(placed: Vec<Placed>) -> Result<Vec<Opening>, (String, String)> {
    let check = |opening: Opening| match G::verdict(&set_up::<G>(&opening)?) {
        Some(_) => Err("the game is over at its end".to_owned()),
        None => Ok(opening),
    };
    placed.into_iter().map(|(place, opening)| opening.and_then(check).map_err(|reason| (place, reason))).collect()
}

/// The games of a PGN file.
fn records(text: &[u8]) -> Vec<Placed> {
    let read = |number: u64, record: io::Result<Vec<u8>>| {
        let record = record.map_err(|error| error.to_string())?;
        let game = pgn::parse(&record, number).map_err(|rejected| rejected.reason)?;
        Ok(Opening { start: game.start, moves: game.moves.into_iter().map(Into::into).collect() })
    };
    (0..).zip(pgn::records(text)).map(|(number, record)| (format!("game {number}"), read(number, record))).collect()
}

/// The first line of a table of named openings.
const TABLE: &[u8] = b"eco\tname\tpgn";

/// The rows of such a table but those that end with mate, such as the fool's.
fn table(text: &[u8]) -> Vec<Placed> {
    let text = String::from_utf8_lossy(text);
    let row = |(number, line): (usize, &str)| {
        let moves = line.split('\t').nth(2).ok_or_else(|| "expected eco, name and pgn, separated by tabs".to_owned());
        // The mark of a result, which the standard asks for.
        let game =
            moves.and_then(|moves| pgn::parse(format!("{moves} *").as_bytes(), 0).map_err(|rejected| rejected.reason));
        let opening = game.map(|game| Opening { start: None, moves: game.moves.into_iter().map(Into::into).collect() });
        (format!("line {number}"), opening)
    };
    let is_over = |(_, opening): &Placed| {
        let played = opening.as_ref().ok().and_then(|opening| set_up::<Chess>(opening).ok());
        played.is_some_and(|played| Chess::verdict(&played).is_some())
    };
    let rows = (1..).zip(text.lines()).skip(1).filter(|(_, line)| !line.trim().is_empty());
    rows.map(row).filter(|placed| !is_over(placed)).collect()
}

/// The lines of any other file.
fn lines<G: Referee>(text: &[u8]) -> Vec<Placed> {
    let lines = text.split(|&byte| byte == b'\n').map(|line| String::from_utf8_lossy(line).trim().to_owned());
    let said = (1..).zip(lines).filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    said.map(|(number, line)| (format!("line {number}"), opening::<G>(&line))).collect()
}

fn opening<G: Referee>(line: &str) -> Result<Opening, String> {
    let words = line.split_ascii_whitespace().skip_while(|word| matches!(*word, "position" | "fen" | "sfen"));
    let words: Vec<&str> = words.collect();
    // Counts of plies and moves may follow the fields. An operand of EPD may be the word `moves`, too.
    let fields = words.iter().take(FIELDS).take_while(|word| **word != "moves").count();
    let counts = words[fields..].iter().take_while(|word| word.parse::<u32>().is_ok()).count();
    let at = fields + counts;
    let (position, moves) = match words.get(at) {
        Some(&"moves") => (&words[..at], &words[at + 1..]),
        _ => words.split_at(words.len()),
    };
    let position = position.join(" ");
    let moves = moves.iter().map(|&word| word.to_owned()).collect();
    if position == "startpos" {
        return Ok(Opening { start: None, moves });
    }
    let parsed = parse::<G::Position>(&position).map_err(|error| error.to_string())?;
    let start = parsed.to_text();
    Ok(Opening { start: (start != G::Position::start().to_text()).then_some(start), moves })
}

/// Of a position without counts of plies and moves.
const FIELDS: usize = 4;

/// Reads a position; EPD operations after it are skipped.
fn parse<P: Position>(text: &str) -> Result<P, ParsePosition> {
    P::parse(text).or_else(|error| {
        let fields: Vec<&str> = text.split_ascii_whitespace().take(FIELDS).collect();
        P::parse(&fields.join(" ")).map_err(|_| error)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use games::shogi::Shogi;

    const AFTER_E4: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";

    #[test]
    fn a_line_is_a_position_in_any_of_its_forms() {
        let opening = opening::<Chess>;
        let after_e4 = Opening { start: Some(AFTER_E4.to_owned()), moves: vec![] };
        assert_eq!(opening(AFTER_E4), Ok(after_e4.clone()));
        assert_eq!(opening(&format!("position fen {AFTER_E4}")), Ok(after_e4.clone()));
        let epd = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - id \"King's pawn\"; bm e5;";
        assert_eq!(opening(epd), Ok(after_e4.clone()));
        for operation in ["c0 \"black moves next\";", "c0 moves e7e5;", "id \"moves\"; c1 \"and moves e7e5\";"] {
            let epd = format!("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - {operation}");
            assert_eq!(opening(&epd), Ok(after_e4.clone()), "{operation}");
        }
        let with_moves = Opening { moves: vec!["e7e5".to_owned()], ..after_e4 };
        for start in [AFTER_E4, AFTER_E4.strip_suffix(" 0 1").expect("its counts")] {
            assert_eq!(opening(&format!("position fen {start} moves e7e5")), Ok(with_moves.clone()));
        }
        let moves = vec!["e2e4".to_owned(), "c7c5".to_owned()];
        assert_eq!(opening("startpos moves e2e4 c7c5"), Ok(Opening { start: None, moves }));
    }

    #[test]
    fn shogi_lines_may_be_sfen_or_moves() {
        let sfen = "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2";
        for line in [sfen.to_owned(), format!("sfen {sfen}"), format!("position sfen {sfen} moves 3c3d")] {
            let read = opening::<Shogi>(&line).expect("an opening");
            assert_eq!(read.start.as_deref(), Some(sfen));
            assert!(set_up::<Shogi>(&read).is_ok());
        }
    }

    #[test]
    fn a_wrong_opening_is_named_with_its_line() {
        let book = b"# a book\n\nstartpos moves e2e4\nstartpos moves e2e5\n";
        let (place, reason) = checked::<Chess>(lines::<Chess>(book)).expect_err("e2e5 is illegal");
        assert_eq!(place, "line 4");
        assert!(reason.starts_with("illegal move"), "{reason}");
        let mate = b"startpos moves f2f3 e7e5 g2g4 d8h4";
        let (_, reason) = checked::<Chess>(lines::<Chess>(mate)).expect_err("nothing is left to play");
        assert!(reason.contains("the game is over"), "{reason}");
    }

    #[test]
    fn the_name_of_a_folder_does_not_make_its_books_pgn() {
        let dir = tempfile::tempdir().expect("a folder");
        let folder = dir.path().join("books.pgn");
        std::fs::create_dir(&folder).expect("a folder in it");
        let book = folder.join("book.epd");
        std::fs::write(&book, "startpos moves e2e4\n").expect("written");
        let openings = Openings::read::<Chess>(Some(&book), 0).expect("a book");
        assert_eq!(openings.of(0).moves, ["e2e4"]);
    }

    #[test]
    fn games_in_pgn_are_openings() {
        let book = b"[Event \"a\"]\n\n1. e4 c5 *\n\n[Event \"b\"]\n\n1. d4 *\n";
        let openings = checked::<Chess>(records(book)).expect("both are legal");
        let moves: Vec<usize> = openings.iter().map(|opening| opening.moves.len()).collect();
        assert_eq!(moves, [2, 1]);
    }

    #[test]
    fn named_openings_are_read_from_their_table() {
        let book = b"eco\tname\tpgn\nA00\tAmar Opening: Paris Gambit\t1. Nh3 d5 2. g3\nA00\tAmar Opening\t1. Nh3\nA00\tFool's Mate\t1. f3 e5 2. g4 Qh4#\n";
        let openings = checked::<Chess>(table(book)).expect("both are legal");
        let moves: Vec<String> = openings.iter().map(|opening| opening.moves.join(" ")).collect();
        assert_eq!(moves, ["g1h3 d7d5 g2g3", "g1h3"]);
        let (place, _) = checked::<Chess>(table(b"eco\tname\tpgn\nA00\tx\t1. Ke2\n")).expect_err("illegal");
        assert_eq!(place, "line 2");
    }
}
