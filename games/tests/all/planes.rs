//! Shogi's vocabularies of planes on every position of the oracles: a move has one index, an index one move, and both are
//! what USI's letters and other programs say.

use crate::samples;
use games::shogi::ShogiPosition;
use games::{GameKind, MovesName, PlaneEntry, Planes, Position, Vocabulary};
use shogi_core::Color;
use std::collections::BTreeSet;

fn planes(name: MovesName) -> &'static Planes {
    match GameKind::Shogi.vocabulary(name) {
        Ok(Vocabulary::Planes(planes)) => planes,
        other => panic!("{other:?}"),
    }
}

const PLANES: [MovesName; 3] = [MovesName::Dlshogi2187, MovesName::Shogi1496, MovesName::PythonDlshogi2187];

/// Squares away to the left and ahead, as the mover sees the board, and where the move ends (rank by rank from the own
/// left corner), from USI's letters.
fn walked(usi: &str, turn: Color) -> (i32, i32, u8) {
    let square = |text: &str| {
        let (file, rank) = (i32::from(text.as_bytes()[0] - b'1'), i32::from(text.as_bytes()[1] - b'a'));
        if turn == Color::Black { (8 - file, 8 - rank) } else { (file, rank) }
    };
    let to = square(&usi[2..4]);
    let from = if usi.contains('*') { to } else { square(&usi[..2]) };
    (from.0 - to.0, to.1 - from.1, (to.1 * 9 + to.0) as u8)
}

/// What USI's letters say about a move: the name of its class and the square where it ends.
fn class_of(usi: &str, turn: Color) -> (String, u8) {
    let (left, ahead, to) = walked(usi, turn);
    if usi.contains('*') {
        let piece = match &usi[..1] {
            "P" => "pawn",
            "L" => "lance",
            "N" => "knight",
            "S" => "silver",
            "G" => "gold",
            "B" => "bishop",
            "R" => "rook",
            letter => panic!("no piece is dropped as {letter}"),
        };
        return (format!("drop_{piece}"), to);
    }
    let way = match (ahead, left.signum()) {
        (2, 1) if left == 1 => "knight_left".to_owned(),
        (2, -1) if left == -1 => "knight_right".to_owned(),
        _ => {
            assert!(left == 0 || ahead == 0 || left.abs() == ahead.abs(), "{usi}");
            let along = match ahead.signum() {
                1 => "forward",
                -1 => "backward",
                _ => "",
            };
            let aside = match left.signum() {
                1 => "left",
                -1 => "right",
                _ => "",
            };
            let words: Vec<&str> = [along, aside].into_iter().filter(|word| !word.is_empty()).collect();
            words.join("_")
        }
    };
    (if usi.ends_with('+') { format!("{way}_promoting") } else { way }, to)
}

#[test]
fn every_legal_move_has_one_index_and_every_index_one_move() {
    let mut most = 0;
    for (sfen, listed) in samples::oracle(GameKind::Shogi) {
        let position = ShogiPosition::parse(&sfen).unwrap_or_else(|error| panic!("{error}"));
        for name in PLANES {
            let vocabulary = planes(name);
            let mut seen = BTreeSet::new();
            for usi in &listed {
                let mv = position.parse_move(usi).expect("a legal move");
                let index = position.index_in(mv, name);
                let PlaneEntry { class, to } = vocabulary.entries()[usize::from(index)];
                let found = (vocabulary.classes[usize::from(class)].to_owned(), to);
                assert_eq!(found, class_of(usi, position.turn()), "{usi} in {sfen}");
                // `shogi_moves_equal_cshogi` shows that no other move is legal here.
                assert!(seen.insert(index), "{usi} shares its index of {} in {sfen}", name.name());
            }
        }
        most = most.max(listed.len());
    }
    assert!(most > 200, "positions with many moves are among them: {most}");
}

/// cshogi's labels, and of those that can occur their numbers in order.
#[test]
fn indices_are_those_of_other_programs() {
    let text = samples::text("shogi_codes_3k.tsv.zst");
    let mut moves = 0;
    for line in text.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let position = ShogiPosition::parse(fields[0]).unwrap_or_else(|error| panic!("{error}"));
        for one in fields[3].split_whitespace() {
            let (usi, label) = (one.split(':').next().expect("a move"), one.rsplit(':').next().expect("a label"));
            let mv = position.parse_move(usi).expect("a legal move");
            assert_eq!(position.index_in(mv, MovesName::Dlshogi2187).to_string(), label, "{usi} in {}", fields[0]);
            let compact = usize::from(position.index_in(mv, MovesName::Shogi1496));
            assert_eq!(label_of(planes(MovesName::Shogi1496).entries()[compact]).to_string(), label, "{usi}");
            moves += 1;
        }
    }
    assert_eq!((text.lines().count(), moves), (3_000, text.matches(':').count() / 3));
}

/// dlshogi's number of an entry: its class, then its square file by file from the mover's 1a.
fn label_of(PlaneEntry { class, to }: PlaneEntry) -> u16 {
    let (file, rank) = (8 - u16::from(to) % 9, 8 - u16::from(to) / 9);
    u16::from(class) * 81 + file * 9 + rank
}

/// FNV-1a of the labels of rsshogi's table (`COMPACT_TO_MOVE_LABEL` of 1.7.3, which is behind a feature), two bytes each, the
/// lower first.
#[test]
fn the_compact_vocabulary_has_what_can_occur() {
    let labels = planes(MovesName::Shogi1496).entries().iter().map(|&entry| label_of(entry));
    assert_eq!(samples::fnv1a(labels.flat_map(u16::to_le_bytes)), 0xf6e3_f805_9591_3409);
}

#[test]
fn a_game_offers_its_own_vocabularies_only() {
    let of_chess = [MovesName::FromTo, MovesName::Chessdecoder1924, MovesName::Uci1968Dm, MovesName::Uci1968Sid];
    for (game, own) in [(GameKind::Chess, &of_chess[..]), (GameKind::Shogi, &MovesName::ALL[..4])] {
        let names: Vec<MovesName> = game.vocabularies().iter().map(|(name, _)| *name).collect();
        assert_eq!(names, own);
        assert_eq!(game.vocabulary(MovesName::FromTo).expect("every game's").hash(), game.from_to().hash());
    }
    let error = GameKind::Chess.vocabulary(MovesName::Dlshogi2187).expect_err("chess has no such moves");
    assert_eq!(
        error.to_string(),
        "chess has no moves dlshogi_2187: its vocabularies are from_to, chessdecoder_1924, uci_1968_dm, uci_1968_sid"
    );
    let error = GameKind::Shogi.vocabulary(MovesName::Chessdecoder1924).expect_err("shogi has none").to_string();
    assert!(error.starts_with("shogi has no moves chessdecoder_1924"), "{error}");
}
