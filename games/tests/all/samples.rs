//! The samples in `tests/data`, and the steps that the tests of most formats take.

use games::{Entry, Game, GameKind, InputName, Notation, ParsedGame, Position, RejectKind, Rejected, Side};
use std::io;
use std::path::{Path, PathBuf};

pub(crate) const CHESS_START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
pub(crate) const SHOGI_START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";

/// Shogi without White's rook and bishop.
pub(crate) const TWO_PIECE_HANDICAP: &str = "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1";

/// One line of an oracle: FEN or SFEN, and every legal move.
pub(crate) type Case = (String, Vec<String>);

pub(crate) fn path(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(file)
}

pub(crate) fn sample(file: &str) -> Vec<u8> {
    let bytes = std::fs::read(path(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
    if file.ends_with(".zst") { zstd::decode_all(bytes.as_slice()).expect("zstd") } else { bytes }
}

pub(crate) fn text(file: &str) -> String {
    String::from_utf8(sample(file)).expect("UTF-8")
}

/// The positions of a game and their legal moves as another program lists them: python-chess' 20,000, cshogi's 15,000, or
/// 12,000 of `tests/oracle/minishogi.py`.
pub(crate) fn oracle(game: GameKind) -> Vec<Case> {
    let (file, cases) = match game {
        GameKind::Chess => ("chess_legal_20k.tsv.zst", 20_000),
        GameKind::Shogi => ("shogi_legal_15k.tsv.zst", 15_000),
        GameKind::Minishogi => ("minishogi_legal_12k.tsv.zst", 12_000),
        other => unreachable!("{other:?} has no oracle"),
    };
    let read: Vec<Case> = text(file).lines().map(case).collect();
    assert_eq!(read.len(), cases);
    read
}

fn case(line: &str) -> Case {
    let (position, moves) = line.split_once('\t').expect("position, tab, moves");
    let moves = moves.split_whitespace().map(str::to_owned).collect();
    (position.to_owned(), moves)
}

pub(crate) fn position<P: Position>(text: &str) -> P {
    P::parse(text).unwrap_or_else(|error| panic!("{error}"))
}

/// The position after these moves.
pub(crate) fn after<P: Position>(mut position: P, moves: &[impl AsRef<str>]) -> P {
    for text in moves {
        position.play(position.parse_move(text.as_ref()).unwrap_or_else(|error| panic!("{error}")));
    }
    position
}

/// A square as UCI or USI writes it, numbered in the mover's frame.
pub(crate) fn square<G: Game>(text: &str, mover: Side) -> u8 {
    let (first, second) = (text.as_bytes()[0], text.as_bytes()[1]);
    let (side, last) = (G::GEOMETRY.files() as u8, G::GEOMETRY.squares() as u8 - 1);
    match (G::NOTATION, mover) {
        (Notation::Uci, Side::First) => side * (second - b'1') + first - b'a',
        (Notation::Uci, Side::Second) => side * (b'8' - second) + first - b'a',
        (Notation::Usi, Side::First) => last - (side * (second - b'a') + first - b'1'),
        (Notation::Usi, Side::Second) => side * (second - b'a') + first - b'1',
    }
}

/// A packed row of a position without history.
pub(crate) fn row<G: Game>(position: &G::Position, input: InputName, repetitions: u8) -> Vec<u8> {
    // Rows are reused: nothing of what stood there before may stay.
    let mut row = vec![0xAA; G::input(input).row_bytes()];
    position.pack(input, repetitions, &mut row);
    row
}

/// The piece codes of the squares as the side to move sees them.
pub(crate) fn codes<G: Game>(position: &G::Position) -> Vec<u8> {
    let mut row = row::<G>(position, InputName::PieceTokens, 0);
    row.truncate(G::GEOMETRY.squares());
    row
}

/// A move of chess in UCI, on a board of its own; `promotions` are the letters of the entry's kinds.
pub(crate) fn uci(entry: Entry, promotions: &[&str]) -> String {
    let square = |square: u8| format!("{}{}", char::from(b'a' + square % 8), square / 8 + 1);
    match entry {
        Entry::Plain { from, to } => square(from) + &square(to),
        Entry::Promotion { from, to, kind } => square(from) + &square(to) + promotions[usize::from(kind)],
        Entry::Drop { .. } => panic!("chess has no drops"),
    }
}

/// What stands on a square of UCI, in FEN's letters; a dot where it is empty.
pub(crate) fn piece_of_fen(fen: &str, square: &str) -> char {
    let (file, rank) = (usize::from(square.as_bytes()[0] - b'a'), usize::from(square.as_bytes()[1] - b'1'));
    let row = fen.split([' ', '/']).nth(7 - rank).expect("eight ranks");
    let squares = row.chars().flat_map(|c| match c.to_digit(10) {
        Some(empty) => vec!['.'; empty as usize],
        None => vec![c],
    });
    squares.into_iter().nth(file).expect("eight files")
}

/// What a format makes of each record of a text.
pub(crate) fn parsed<T>(
    records: impl Iterator<Item = io::Result<Vec<u8>>>,
    parse: impl Fn(&[u8], u64) -> Result<T, Rejected>,
) -> Vec<Result<T, Rejected>> {
    (0..).zip(records).map(|(number, record)| parse(&record.expect("memory can be read"), number)).collect()
}

/// The same, where every record is a good one.
pub(crate) fn accepted<T>(
    records: impl Iterator<Item = io::Result<Vec<u8>>>,
    parse: impl Fn(&[u8], u64) -> Result<T, Rejected>,
) -> Vec<T> {
    let read = parsed(records, parse);
    read.into_iter().map(|record| record.unwrap_or_else(|rejected| panic!("{rejected:?}"))).collect()
}

/// The only game of a text.
pub(crate) fn only(mut games: Vec<ParsedGame>) -> ParsedGame {
    assert_eq!(games.len(), 1);
    games.remove(0)
}

/// A text that is refused: what kind of fault, at which ply, and a part of the reason.
pub(crate) type Refused<'a> = (&'a str, RejectKind, Option<u32>, &'a str);

/// Checks that each text is refused, with its place.
pub(crate) fn check_refused(cases: &[Refused<'_>], parse: impl Fn(&[u8], u64) -> Result<ParsedGame, Rejected>) {
    for &(text, kind, ply, part) in cases {
        let rejected = parse(text.as_bytes(), 7).expect_err(text);
        assert_eq!((rejected.kind, rejected.ply, rejected.game), (kind, ply, 7), "{text}: {rejected:?}");
        assert!(rejected.reason.contains(part), "{text}: {}", rejected.reason);
    }
}

/// FNV-1a, by which lists made by other programs are known.
pub(crate) fn fnv1a(bytes: impl IntoIterator<Item = u8>) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, step)
}
