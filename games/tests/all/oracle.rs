//! Legal moves, their texts and their indices on every position of two independent oracles.

use crate::samples::{self, square};
use games::chess::Chess;
use games::minishogi::Minishogi;
use games::shogi::Shogi;
use games::{Entry, Game, Position};
use std::collections::BTreeSet;

#[test]
fn chess_moves_equal_python_chess() {
    let expected = |position: &<Chess as Game>::Position, text: &str| {
        let [from, to] = [&text[..2], &text[2..4]].map(|name| square::<Chess>(name, position.side_to_move()));
        let king = samples::piece_of_fen(&position.to_text(), &text[..2]).eq_ignore_ascii_case(&'k');
        match text.get(4..) {
            Some("q") => Entry::Promotion { from, to, kind: 0 },
            Some("r") => Entry::Promotion { from, to, kind: 1 },
            Some("b") => Entry::Promotion { from, to, kind: 2 },
            _ if king && from.abs_diff(to) == 2 => Entry::Plain { from, to: if to > from { 7 } else { 0 } },
            _ => Entry::Plain { from, to },
        }
    };
    check_all::<Chess>(expected);
}

#[test]
fn shogi_moves_equal_cshogi() {
    check_usi::<Shogi>("PLNSGBR");
}

#[test]
fn minishogi_moves_equal_a_naive_generator() {
    check_usi::<Minishogi>("PSGBR");
}

/// Moves in USI of a game whose hands have pieces with these letters.
fn check_usi<G: Game>(hand: &str) {
    let expected = |position: &G::Position, text: &str| {
        let in_frame = |name: &str| square::<G>(name, position.side_to_move());
        let to = in_frame(&text[2..4]);
        match text.split_once('*') {
            Some((piece, _)) => Entry::Drop { kind: hand.find(piece).expect("a hand piece") as u8, to },
            None => match (in_frame(&text[..2]), text.ends_with('+')) {
                (from, true) => Entry::Promotion { from, to, kind: 0 },
                (from, false) => Entry::Plain { from, to },
            },
        }
    };
    check_all::<G>(expected);
}

fn check_all<G: Game>(expected: impl Fn(&G::Position, &str) -> Entry) {
    for (case, listed) in &samples::oracle(G::KIND) {
        let position = G::Position::parse(case).unwrap_or_else(|error| panic!("{error}"));
        let written = position.to_text();
        assert_eq!(G::Position::parse(&written).expect("own text").to_text(), written);
        // python-chess names an en-passant square even where no pawn can capture; posenc does not.
        if !has_en_passant_square(case) {
            assert_eq!(&written, case);
        }

        let moves = position.list_moves();
        let mut texts: Vec<String> = moves.iter().map(|&mv| position.move_text(mv)).collect();
        for (&mv, text) in moves.iter().zip(&texts) {
            assert_eq!(position.parse_move(text), Ok(mv), "{text} in {case}");
            let index = usize::from(position.move_index(mv));
            assert_eq!(G::from_to().entries()[index], expected(&position, text), "{text} in {case}");
        }
        let indices: BTreeSet<u16> = moves.iter().map(|&mv| position.move_index(mv)).collect();
        assert_eq!(indices.len(), moves.len(), "two moves share an index in {case}");

        // A few of python-chess' positions write castling as king takes rook: read, then written, all are alike.
        let mut listed: Vec<String> = listed.iter().map(|text| reread(&position, text)).collect();
        listed.sort_unstable();
        texts.sort_unstable();
        assert_eq!(texts, listed, "{case}");
    }
}

fn reread<P: Position>(position: &P, text: &str) -> String {
    position.move_text(position.parse_move(text).unwrap_or_else(|error| panic!("{error}")))
}

fn has_en_passant_square(position: &str) -> bool {
    position.split(' ').count() == 6 && position.split(' ').nth(3) != Some("-")
}

#[test]
fn moves_that_are_none_are_refused() {
    let chess = <Chess as Game>::Position::start();
    for text in ["", "e2", "e2e5", "e7e5", "0000", "N@e4", "e2e4q", "e2e4 ", "♟e2e4", "e2e4e5"] {
        let error = chess.parse_move(text).unwrap_err();
        assert_eq!((error.input.as_str(), error.position), (text, chess.to_text()));
    }
    let shogi = <Shogi as Game>::Position::start();
    for text in
        ["", "7g", "7g7e", "3c3d", "resign", "win", "none", "null", "0000", "P*5e", "K*5e", "7g7f+", "歩7g7f", "7g7f++"]
    {
        let error = shogi.parse_move(text).unwrap_err();
        assert_eq!((error.input.as_str(), error.position), (text, shogi.to_text()));
    }
}
