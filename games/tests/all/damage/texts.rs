//! Texts that are nearly positions: wrong ones become errors, and whatever is accepted can be played.

use super::laws::position;
use super::{USUAL, damage, laws, seeded};
use crate::samples::{self, Case};
use games::chess::{Chess, ChessPosition};
use games::minishogi::{Minishogi, MinishogiPosition};
use games::shogi::{Shogi, ShogiPosition};
use games::{Game, GameKind, Position as _};
use proptest::prelude::*;

/// A text with some of its characters replaced, removed or put in.
fn mutated(base: &'static [&'static str], alphabet: &'static str) -> impl Strategy<Value = String> {
    let letters: Vec<char> = alphabet.chars().collect();
    let edit = (any::<prop::sample::Index>(), prop::sample::select(letters), 0..3_u8);
    (prop::sample::select(base), prop::collection::vec(edit, 1..5)).prop_map(|(text, edits)| {
        let mut chars: Vec<char> = text.chars().collect();
        for (place, letter, kind) in edits {
            let at = place.index(chars.len());
            match kind {
                0 => chars[at] = letter,
                1 if chars.len() > 1 => drop(chars.remove(at)),
                _ => chars.insert(at, letter),
            }
        }
        chars.into_iter().collect()
    })
}

/// A text whose board has some of its characters exchanged: often still a position, if an odd one.
fn swapped(base: &'static [&'static str]) -> impl Strategy<Value = String> {
    let index = any::<prop::sample::Index>;
    (prop::sample::select(base), prop::collection::vec((index(), index()), 1..6)).prop_map(|(text, swaps)| {
        let (board, rest) = text.split_once(' ').expect("fields");
        let mut chars: Vec<char> = board.chars().collect();
        for (a, b) in swaps {
            let (a, b) = (a.index(chars.len()), b.index(chars.len()));
            if chars[a] != '/' && chars[b] != '/' && chars[a] != '+' && chars[b] != '+' {
                chars.swap(a, b);
            }
        }
        format!("{} {rest}", chars.into_iter().collect::<String>())
    })
}

const FENS: &[&str] = &[
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3pPk/8/4P3/8 b - g3 0 1",
];
const SFENS: &[&str] = &[
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
    "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
    "ln2+r1r2/5s+Pkl/3+B1p1p1/p4B2p/2P6/P6PP/1PNP1P3/2G3SK1/L4G1NL w 2GSN3Ps3p 76",
];
const MINISHOGI: &[&str] =
    &["rbsgk/4p/5/P4/KGSBR b - 1", "+R4/+B2k1/5/Ks3/4R b 2G2Pbs 1", "4R/1grk1/sgP2/1P1SB/1K3 b B 43"];

#[test]
fn fen_is_safe() {
    damage(FENS[1].into(), laws::fen);
}

#[test]
fn sfen_is_safe() {
    for sfen in [SFENS[1], MINISHOGI[1]] {
        damage(sfen.into(), laws::sfen);
    }
}

proptest! {
    #![proptest_config(seeded::config(USUAL))]

    #[test]
    fn mutated_texts_never_panic(
        fen in mutated(FENS, "KQRBNPkqrbnp12345678/ wb-abcdefgh0+~[]x_♟"),
        sfen in mutated(SFENS, "PLNSGBRKplnsgbrk+123456789/ wb-0xz*歩"),
        minishogi in mutated(MINISHOGI, "PSGBRKpsgbrk+12345/ wb-0xz*歩"),
    ) {
        position::<Chess>(&fen);
        position::<Shogi>(&sfen);
        position::<Minishogi>(&minishogi);
    }

    #[test]
    fn rearranged_boards_are_refused_or_playable(
        fen in swapped(FENS),
        sfen in swapped(SFENS),
        minishogi in swapped(MINISHOGI),
    ) {
        position::<Chess>(&fen);
        position::<Shogi>(&sfen);
        position::<Minishogi>(&minishogi);
    }

    #[test]
    fn any_text_is_safe(text in any::<String>()) {
        position::<Chess>(&text);
        position::<Shogi>(&text);
        position::<Minishogi>(&text);
        prop_assert!(ChessPosition::start().parse_move(&text).is_err());
        prop_assert!(ShogiPosition::start().parse_move(&text).is_err());
        prop_assert!(MinishogiPosition::start().parse_move(&text).is_err());
    }
}

/// Every oracle position in check, with the turn passed to the side that gives it.
#[test]
fn a_king_that_could_be_captured_is_refused() {
    fn count<G: Game>(cases: &[Case], pass: impl Fn(&str) -> String) -> usize {
        let in_check = |(position, _): &&Case| G::Position::parse(position).expect("legal").in_check();
        let refuse = |(position, _): &Case| {
            let text = pass(position);
            let error = G::Position::parse(&text).expect_err(&text);
            assert!(error.reason.contains("could capture the king"), "{error}");
        };
        cases.iter().filter(in_check).map(refuse).count()
    }
    let chess = count::<Chess>(&samples::oracle(GameKind::Chess), |fen| {
        let fields: Vec<&str> = fen.split(' ').collect();
        format!("{} {} {} - 0 1", fields[0], if fields[1] == "w" { "b" } else { "w" }, fields[2])
    });
    let pass = |sfen: &str| {
        let mut fields: Vec<&str> = sfen.split(' ').collect();
        fields[1] = if fields[1] == "b" { "w" } else { "b" };
        fields.join(" ")
    };
    let shogi = count::<Shogi>(&samples::oracle(GameKind::Shogi), pass);
    let minishogi = count::<Minishogi>(&samples::oracle(GameKind::Minishogi), pass);
    let found = [chess, shogi, minishogi];
    assert!(found.iter().all(|&count| count > 500), "too few checks to mean anything: {found:?}");
}
