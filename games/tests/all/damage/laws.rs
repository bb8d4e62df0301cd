//! What holds of every reader, whatever bytes it gets: one law each, which panics where it is broken.
//!
//! No reader panics. No record is longer than the input, a refusal says why, and what is accepted is legal: the start
//! is a position, every move can be played, candidates are legal moves that differ and share one probability. What a
//! writer can say comes back from its bytes. The seeded tests of this folder and the targets in `fuzz/` both call
//! these laws.

use super::counts::Counts;
use games::chess::bag::{self, Bag, BagRecord};
use games::chess::lc0::{self, ValueSource};
use games::chess::{Chess, evaluations, pgn};
use games::minishogi::Minishogi;
use games::shogi::detect::detect;
use games::shogi::hcpe::Hcpe;
use games::shogi::move16::Move16;
use games::shogi::psv::Psv;
use games::shogi::{Shogi, csa, hcp, hcpe, hcpe3, kif, packed_sfen, psv};
use games::{
    Candidate, Game, GameResult, InputName, MoveText, ParsedGame, ParsedPosition, Position, PositionFacts, Referee,
    Rejected, usi_lines,
};
use std::io::{self, Cursor};

/// PGN; a game that is read is the same once it was written.
pub fn pgn(bytes: &[u8]) -> Counts {
    each(bytes, pgn::records(bytes), pgn::parse, |_, game| {
        legal_game::<Chess>(&game);
        comes_back_from_pgn(&game, game.result);
    })
}

/// Lc0's chunks. The result is not written again: where the last move is not recorded, the board proves none.
pub fn lc0(bytes: &[u8]) -> Counts {
    let parse = |chunk: &[u8], number| lc0::parse(chunk, number, ValueSource::Root);
    each(bytes, lc0::records(bytes), parse, |_, game| {
        legal_game::<Chess>(&game);
        comes_back_from_pgn(&game, GameResult::Unknown);
    })
}

/// Bags, packed or not, as each kind of record.
pub fn bag(bytes: &[u8]) -> Counts {
    let mut counts = Counts::default();
    for compressed in [false, true] {
        for kind in [BagRecord::ActionValue, BagRecord::StateValue, BagRecord::BehavioralCloning] {
            match Bag::open(Cursor::new(bytes), compressed) {
                Ok(bag) => {
                    assert!(bag.len() <= bytes.len() as u64);
                    counts = counts.plus(records_of(bag, kind));
                }
                Err(error) => assert!(!error.to_string().is_empty()),
            }
        }
    }
    counts
}

fn records_of(mut bag: Bag<Cursor<&[u8]>>, kind: BagRecord) -> Counts {
    let mut counts = Counts::default();
    loop {
        let record = match bag.next() {
            Ok(None) => return counts,
            Ok(Some(record)) => record,
            Err(error) => return counts.plus(Counts::of(Err::<(), _>(error), drop)),
        };
        let read = record.and_then(|record| bag::parse(record, kind, 0).map_err(|rejected| rejected.reason));
        counts = counts.plus(Counts::of(read, |read| legal_position::<Chess>(&read)));
    }
}

/// Lichess' evaluations.
pub fn evaluations(bytes: &[u8]) -> Counts {
    each(bytes, evaluations::records(bytes), evaluations::parse, |_, read| legal_position::<Chess>(&read))
}

pub fn csa(bytes: &[u8]) -> Counts {
    each(bytes, csa::records(bytes), csa::parse, |_, game| comes_back_from_usi::<Shogi>(&game))
}

pub fn kif(bytes: &[u8]) -> Counts {
    each(bytes, kif::records(bytes), kif::parse, |_, game| comes_back_from_usi::<Shogi>(&game))
}

/// Lines of USI, as games of shogi and of minishogi.
pub fn usi_lines(bytes: &[u8]) -> Counts {
    fn of<G: Referee>(bytes: &[u8]) -> Counts {
        each(bytes, usi_lines::records(bytes), usi_lines::parse::<G>, |_, game| comes_back_from_usi::<G>(&game))
    }
    of::<Shogi>(bytes).plus(of::<Minishogi>(bytes))
}

/// HCPE; what is read and has a result is the same once it was written.
pub fn hcpe(bytes: &[u8]) -> Counts {
    detects(bytes);
    each(bytes, hcpe::records(bytes), hcpe::parse, |record, read| {
        legal_position::<Shogi>(&read);
        let record = Hcpe::read(record.try_into().expect("a whole record"));
        let board = hcp::decode(&record.hcp).expect("it was read");
        assert_eq!(hcp::encode(&board).map(|again| hcp::decode(&again)), Ok(Ok(board.clone())));
        let mv = Move16::Apery.decode(record.move16, board.turn()).expect("it was read");
        if let Ok(again) = Hcpe::new(&board, mv, record.score, read.result) {
            let again = hcpe::parse(&again.write(), 0).expect("our own record");
            assert_eq!((again.start, again.mv, again.score), (read.start, read.mv, read.score));
        }
    })
}

/// PSV; what is read is the same once it was written.
pub fn psv(bytes: &[u8]) -> Counts {
    detects(bytes);
    each(bytes, psv::records(bytes), psv::parse, |record, read| {
        legal_position::<Shogi>(&read);
        let record = Psv::read(record.try_into().expect("a whole record"));
        let board = packed_sfen::decode(&record.sfen).expect("it was read");
        let mv = Move16::YaneuraOu.decode(record.move16, board.turn()).expect("it was read");
        let again = Psv::new(&board, mv, record.score, record.ply, read.result).expect("all that PSV holds");
        assert_eq!(packed_sfen::decode(&again.sfen), Ok(board));
        assert_eq!(psv::parse(&again.write(), 0), Ok(read));
    })
}

/// HCPE3; a record that can be taken apart is the same put together.
pub fn hcpe3(bytes: &[u8]) -> Counts {
    detects(bytes);
    let parse = |record: &[u8], number| {
        if let Some(game) = hcpe3::Game::read(record) {
            assert_eq!(game.write().as_deref(), Some(record));
        }
        hcpe3::parse(record, number)
    };
    each(bytes, hcpe3::records(bytes), parse, |_, game| comes_back_from_usi::<Shogi>(&game))
}

pub fn fen(bytes: &[u8]) -> Counts {
    str::from_utf8(bytes).map_or_else(|_| Counts::default(), position::<Chess>)
}

/// SFEN, as a position of shogi and of minishogi.
pub fn sfen(bytes: &[u8]) -> Counts {
    let of_both = |text: &str| position::<Shogi>(text).plus(position::<Minishogi>(text));
    str::from_utf8(bytes).map_or_else(|_| Counts::default(), of_both)
}

/// A text that may be a position: if it is one, it is the same once it was written, and each of its legal moves can be
/// written, read, found in the vocabulary and played, which leads to a position again.
pub fn position<G: Game>(text: &str) -> Counts {
    Counts::of(G::Position::parse(text), |position| {
        let again = G::Position::parse(&position.to_text()).expect("own text");
        assert_eq!(again.to_text(), position.to_text());
        let mut row = vec![0; G::input(InputName::PieceTokens).row_bytes()];
        position.pack(InputName::PieceTokens, 0, &mut row);
        for mv in position.list_moves() {
            let text = position.move_text(mv);
            assert_eq!(position.parse_move(&text), Ok(mv));
            assert!(usize::from(position.move_index(mv)) < G::from_to().len());
            let next = position.after(mv);
            assert!(G::Position::parse(&next.to_text()).is_ok(), "{text} leads out of the legal positions");
        }
    })
}

/// Reads every record of an input and holds a law of what is accepted.
fn each<T>(
    input: &[u8],
    records: impl Iterator<Item = io::Result<Vec<u8>>>,
    parse: impl Fn(&[u8], u64) -> Result<T, Rejected>,
    law: impl Fn(&[u8], T),
) -> Counts {
    let (mut counts, mut length) = (Counts::default(), 0);
    for (number, record) in (0..).zip(records) {
        let record = record.expect("memory can be read");
        length += record.len();
        let read = parse(&record, number);
        assert!(read.as_ref().err().is_none_or(|rejected| rejected.game == number));
        counts = counts.plus(Counts::of(read.map_err(|rejected| rejected.reason), |read| law(&record, read)));
    }
    assert!(length <= input.len(), "{length} bytes of records from {} bytes", input.len());
    counts
}

/// Looking at any bytes is safe, and nothing is no format.
fn detects(bytes: &[u8]) {
    assert!(!(bytes.is_empty() && detect(bytes).is_some()));
}

fn legal_game<G: Game>(game: &ParsedGame) {
    let mut position = game.start.as_deref().map_or_else(G::Position::start, own_position::<G>);
    let plies = game.moves.len();
    let columns = [game.scores.len(), game.values.len(), game.clocks.len(), game.times.len(), game.candidates.len()];
    assert_eq!(columns, [plies; 5]);
    assert!(game.values.iter().flatten().all(|value| (0.0..=1.0).contains(value)));
    assert!(game.clocks.iter().chain(&game.times).flatten().all(|seconds| seconds.is_finite() && *seconds >= 0.0));
    // What is stored is not played again where the reader's keys tell all: so its texts must lead to the same keys.
    assert_eq!(game.keys.len(), plies);
    for ((text, candidates), &key) in game.moves.iter().zip(&game.candidates).zip(&game.keys) {
        assert_eq!(position.repetition_key(), key);
        share_one_probability(&position, candidates);
        let mv = legal_move(&position, text);
        position.play(mv);
    }
}

/// Checks a record without a game.
fn legal_position<G: Game>(read: &ParsedPosition) {
    let position = G::Position::parse(&read.start).unwrap_or_else(|error| panic!("{error}"));
    assert!(read.known.is_none_or(|known| known == PositionFacts::of(&position)));
    if let Some(text) = &read.mv {
        legal_move(&position, text);
    }
    assert!(read.value.is_none_or(|value| (0.0..=1.0).contains(&value)));
    share_one_probability(&position, &read.candidates);
}

fn own_position<G: Game>(text: &str) -> G::Position {
    let position = G::Position::parse(text).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(position.to_text(), text);
    position
}

fn legal_move<P: Position>(position: &P, text: &str) -> P::Move {
    let mv = position.parse_move(text).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(position.move_text(mv), text);
    mv
}

/// Lc0's shares are rounded, and rescorers round them again.
const SUM_TOLERANCE: f32 = 0.02;

fn share_one_probability<P: Position>(position: &P, candidates: &[Candidate]) {
    if candidates.is_empty() {
        return;
    }
    for (i, (text, share)) in candidates.iter().enumerate() {
        legal_move(position, text);
        assert!((0.0..=1.0 + SUM_TOLERANCE).contains(share), "{share} for {text}");
        assert!(candidates[..i].iter().all(|(other, _)| other != text), "{text} stands there twice");
    }
    let sum: f32 = candidates.iter().map(|(_, share)| share).sum();
    assert!((sum - 1.0).abs() < SUM_TOLERANCE, "the candidates sum to {sum}");
}

fn comes_back_from_pgn(game: &ParsedGame, result: GameResult) {
    let moves = game.moves.iter().map(MoveText::as_str);
    let text = pgn::write(game.start.as_deref(), moves, result, &[], &[]).expect("a legal game");
    let records: Vec<Vec<u8>> = pgn::records(text.as_bytes()).collect::<io::Result<_>>().expect("memory");
    let again = pgn::parse(&records[0], 0).unwrap_or_else(|rejected| panic!("{}\n{text}", rejected.reason));
    assert_eq!((records.len(), &again.start, &again.moves), (1, &game.start, &game.moves));
    assert!(result == GameResult::Unknown || again.result == result);
}

fn comes_back_from_usi<G: Referee>(game: &ParsedGame) {
    legal_game::<G>(game);
    let start = game.start.clone().unwrap_or_else(|| G::Position::start().to_text());
    let line = format!("sfen {start} moves {}", game.moves.join(" "));
    let again = usi_lines::parse::<G>(line.as_bytes(), 0).expect("a legal game");
    assert_eq!((&again.start, &again.moves), (&game.start, &game.moves));
}
