//! ChessDecoder's input and moves: 68 tokens, and 1,924 moves from White's view.

use crate::samples;
use games::chess::{Chess, ChessPosition};
use games::{Entry, FeatureKind, Game, GameKind, InputName, MovesName, Position, Vocabulary};
use std::collections::BTreeSet;

const MOVES: MovesName = MovesName::Chessdecoder1924;

fn entries() -> &'static [Entry] {
    match GameKind::Chess.vocabulary(MOVES).expect("chess has them") {
        Vocabulary::List(list) => list.moves.entries(),
        other => panic!("{} is no list", other.name()),
    }
}

/// An entry as ChessDecoder writes it.
fn text(entry: Entry) -> String {
    samples::uci(entry, &["q", "r", "b"])
}

/// A legal move of python-chess in ChessDecoder's notation, by its own rules: castling by the names of the four moves of the
/// king, bare promotions to a knight.
fn converted(position: &ChessPosition, uci: &str) -> String {
    let castling = [("e1g1", "e1h1"), ("e1c1", "e1a1"), ("e8g8", "e8h8"), ("e8c8", "e8a8")];
    let king = || samples::piece_of_fen(&position.to_text(), &uci[..2]).eq_ignore_ascii_case(&'k');
    match castling.iter().find(|(own, _)| *own == uci && king()) {
        Some((_, rook)) => (*rook).to_owned(),
        None => uci.strip_suffix('n').unwrap_or(uci).to_owned(),
    }
}

#[test]
fn every_legal_move_goes_there_and_back() {
    let mut castled = BTreeSet::new();
    for (fen, legal) in samples::oracle(GameKind::Chess) {
        let position = ChessPosition::parse(&fen).expect("a position");
        let mut seen = BTreeSet::new();
        for uci in &legal {
            let mv = position.parse_move(uci).expect("legal");
            let index = usize::from(position.index_in(mv, MOVES));
            let name = text(entries()[index]);
            assert_eq!(name, converted(&position, uci), "{uci} in {fen}");
            assert!(seen.insert(index), "{uci} in {fen} shares its index");
            // The way back: read by the rules, bare promotions as those to a knight.
            let back = position.parse_move(&name).or_else(|_| position.parse_move(&format!("{name}n")));
            assert_eq!(back.expect("a legal move"), mv, "{name} in {fen}");
            if name != *uci && !uci.ends_with('n') {
                castled.insert((uci.clone(), name));
            }
        }
    }
    let all = [("e1c1", "e1a1"), ("e1g1", "e1h1"), ("e8c8", "e8a8"), ("e8g8", "e8h8")];
    assert_eq!(castled, all.map(|(a, b)| (a.to_owned(), b.to_owned())).into_iter().collect());
}

/// ChessDecoder turns every `e1h1` of its network into castling; here it is one where a king stands on e1.
#[test]
fn a_rooks_own_way_to_the_corner_is_no_castling() {
    let of = |fen: &str, uci: &str| {
        let position = ChessPosition::parse(fen).expect("a position");
        let mv = position.parse_move(uci).expect("legal");
        (text(entries()[usize::from(position.index_in(mv, MOVES))]), position.move_text(mv))
    };
    let rook = of("k7/8/8/8/8/8/8/2K1R3 w - - 0 1", "e1h1");
    assert_eq!(rook, ("e1h1".to_owned(), "e1h1".to_owned()));
    let castles = of("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1");
    assert_eq!(castles, ("e1h1".to_owned(), "e1g1".to_owned()));
    let black = of("r3k3/8/8/8/8/8/8/4K3 b q - 0 1", "e8c8");
    assert_eq!(black, ("e8a8".to_owned(), "e8c8".to_owned()));
}

fn tokens(fen: &str) -> Vec<String> {
    let layout = Chess::input(InputName::Tokens68);
    let row = samples::row::<Chess>(&samples::position(fen), InputName::Tokens68, 2);
    let squares = row[..64].iter().map(|&code| match usize::from(code).checked_sub(1) {
        None => "empty".to_owned(),
        Some(piece) => format!("{} {}", ["white", "black"][piece / 6], Chess::PIECES[piece % 6]),
    });
    let token = |(at, feature): (usize, &games::Feature)| match feature.kind {
        FeatureKind::Token { values } => values[usize::from(row[at])].to_owned(),
        other => panic!("{other:?}"),
    };
    squares.chain(layout.token_features().map(token)).collect()
}

#[test]
fn a_row_is_its_tokens() {
    let layout = Chess::input(InputName::Tokens68);
    assert_eq!((layout.tokens(), layout.row_bytes()), (68, 66));
    assert_eq!(layout.summary_token(), Some("start_pos"));
    assert_eq!(layout.aux_tokens(), ["end_pos", "castling", "side_to_move"]);

    // White's back rank comes first whoever is to move.
    let start = tokens("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    assert_eq!(start[..5], ["white rook", "white knight", "white bishop", "white queen", "white king"]);
    assert_eq!((start[27].as_str(), start[63].as_str()), ("empty", "black rook"));
    assert_eq!(start[64..], ["KQkq", "white_to_move"]);
    let reply = tokens("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b Kq - 0 1");
    assert_eq!((reply[4].as_str(), reply[28].as_str()), ("white king", "white pawn"));
    assert_eq!(reply[64..], ["Kq", "black_to_move"]);
    assert_eq!(tokens("4k3/8/8/8/8/8/8/4K2R b - - 7 9")[64..], ["no_castling_rights", "black_to_move"]);
}

#[test]
fn every_set_of_rights_has_its_own_token() {
    let rights = ["K", "Q", "k", "q", "KQ", "Kk", "Kq", "Qk", "Qq", "kq", "KQk", "KQq", "Kkq", "Qkq", "KQkq"];
    let of = |rights: &str| tokens(&format!("r3k2r/8/8/8/8/8/8/R3K2R w {rights} - 0 1"))[64].clone();
    assert_eq!(rights.map(of), rights.map(str::to_owned));
    assert_eq!(of("-"), "no_castling_rights");
}
