//! The move vocabularies: sizes, landmarks, order, fingerprints.

use games::{Entry, FromTo, GameKind};

fn vocabularies() -> impl Iterator<Item = (GameKind, &'static FromTo)> {
    GameKind::LISTED.into_iter().map(|kind| (kind, kind.from_to()))
}

#[test]
fn an_entry_and_its_index_are_inverse() {
    for (kind, vocabulary) in vocabularies() {
        for (index, &entry) in vocabulary.entries().iter().enumerate() {
            assert_eq!(vocabulary.index_of(entry), Some(index), "{}", kind.name());
        }
        assert_eq!(vocabulary.len(), vocabulary.entries().len());
        assert!(!vocabulary.is_empty());
    }
}

#[test]
fn what_is_no_entry_has_no_index() {
    for (kind, vocabulary) in vocabularies() {
        let squares = kind.geometry().squares() as u8;
        let promotions = vocabulary.promotions.len() as u8;
        for entry in [
            Entry::Plain { from: 0, to: 0 },
            Entry::Plain { from: squares, to: 0 },
            Entry::Plain { from: 0, to: squares },
            Entry::Plain { from: u8::MAX, to: u8::MAX },
            Entry::Promotion { from: 0, to: 1, kind: 0 },
            Entry::Promotion { from: squares - 2, to: squares - 1, kind: promotions },
            Entry::Drop { kind: vocabulary.drops.len() as u8, to: 0 },
            Entry::Drop { kind: 0, to: squares - 1 },
        ] {
            assert_eq!(vocabulary.index_of(entry), None, "{entry:?} in {}", kind.name());
        }
    }
}

#[test]
fn chess_has_lc0s_entries_in_lc0s_order() {
    let vocabulary = GameKind::Chess.from_to();
    assert_eq!((vocabulary.name, vocabulary.len()), ("from_to_chess_1858", 1_858));
    assert_eq!(vocabulary.promotions, ["queen", "rook", "bishop"]);
    assert!(vocabulary.drops.is_empty());

    let square = |text: &str| 8 * (text.as_bytes()[1] - b'1') + text.as_bytes()[0] - b'a';
    let index = |text: &str| {
        let (from, to) = (square(&text[..2]), square(&text[2..4]));
        let entry = match text.get(4..).and_then(|piece| "qrb".find(piece)).filter(|_| text.len() == 5) {
            Some(kind) => Entry::Promotion { from, to, kind: kind as u8 },
            None => Entry::Plain { from, to },
        };
        vocabulary.index_of(entry)
    };
    // The first and last of Lc0's list, castling, and places where another order would show.
    for (text, expected) in [
        ("a1b1", 0),
        ("a1h8", 22),
        ("e1a1", 97),
        ("e1h1", 103),
        ("e2e4", 322),
        ("h8g8", 1_791),
        ("a7a8q", 1_792),
        ("a7a8r", 1_793),
        ("a7a8b", 1_794),
        ("a7b8q", 1_795),
        ("b7a8q", 1_798),
        ("h7h8b", 1_857),
    ] {
        assert_eq!(index(text), Some(expected), "{text}");
    }
}

#[test]
fn shogi_has_3781_entries_in_three_blocks() {
    let vocabulary = GameKind::Shogi.from_to();
    assert_eq!((vocabulary.name, vocabulary.len()), ("from_to_shogi_3781", 3_781));
    assert_eq!(vocabulary.promotions, ["promote"]);
    assert_eq!(vocabulary.drops, ["pawn", "lance", "knight", "silver", "gold", "bishop", "rook"]);

    let entries = vocabulary.entries();
    let plain = entries.iter().take_while(|entry| matches!(entry, Entry::Plain { .. })).count();
    let promoting = entries[plain..].iter().take_while(|entry| matches!(entry, Entry::Promotion { .. })).count();
    let drops = entries[plain + promoting..].iter().filter(|entry| matches!(entry, Entry::Drop { .. })).count();
    assert_eq!((plain, promoting, drops), (2_192, 1_058, 531));
    assert!(entries.is_sorted(), "each block ascends");

    let of_piece =
        |kind| entries.iter().filter(|entry| matches!(entry, Entry::Drop { kind: k, .. } if *k == kind)).count();
    assert_eq!([0, 1, 2, 3, 4, 5, 6].map(of_piece), [72, 72, 63, 81, 81, 81, 81]);
}

#[test]
fn a_shogi_knight_must_promote_on_the_last_two_ranks() {
    let vocabulary = GameKind::Shogi.from_to();
    let board = GameKind::Shogi.geometry();
    for rank in 0..board.ranks() - 2 {
        let (from, to) = (board.square(4, rank) as u8, board.square(5, rank + 2) as u8);
        let plain = vocabulary.index_of(Entry::Plain { from, to });
        let promoting = vocabulary.index_of(Entry::Promotion { from, to, kind: 0 });
        assert_eq!((plain.is_some(), promoting.is_some()), (rank < 5, rank >= 4), "from rank {rank}");
        assert_eq!(vocabulary.index_of(Entry::Plain { from: to, to: from }), None, "knights never go back");
    }
}

#[test]
fn minishogi_has_540_entries_in_three_blocks() {
    let vocabulary = GameKind::Minishogi.from_to();
    assert_eq!((vocabulary.name, vocabulary.len()), ("from_to_minishogi_540", 540));
    let entries = vocabulary.entries();
    let counted = |is_of_block: fn(&&Entry) -> bool| entries.iter().filter(is_of_block).count();
    let [plain, promoting, drops] = [
        counted(|entry| matches!(entry, Entry::Plain { .. })),
        counted(|entry| matches!(entry, Entry::Promotion { .. })),
        counted(|entry| matches!(entry, Entry::Drop { .. })),
    ];
    assert_eq!([plain, promoting, drops], [320, 100, 120]);
    assert!(entries.is_sorted(), "each block ascends");
}

/// Datasets and checkpoints name these: a change here breaks them all, so it needs a new name instead.
#[test]
fn fingerprints_do_not_change() {
    let fingerprints: Vec<String> = vocabularies().map(|(_, vocabulary)| vocabulary.hash()).collect();
    assert_eq!(
        fingerprints,
        [
            "7ca336a963318edce76bf5f72b610e74c8891695ad1b80d133f68d2a597a062e",
            "c11d51272520ab62a05729fcfa5b36ee26feb90c20d76ada7456c599dbdbc2da",
            "c17ce01b8d27ccb3b3ab9a82a2f77f8a881262a85c479c69bf969933f4216cb4",
            "204ae37a2679f5db78e034d0ec4f9cddbcf00c3bff5a5da25f087306a4dae618",
            "6d0bd8b1b10ba478a1d59b5407180b8e41f698e7d366aa734005aa3681a7f682",
            "84219bac2e6c6c53ed9261f65cd4f347183ba8713d7d15c49b1c31d5e7fd19d0",
            "cfb27cf5d3d262f246ff02910d592f78932d1e176ef7bc7016e99973474c1ee2",
            "9e676bdfe308c76012e21ea991f3c7681f98454890089e668bead711311821cd",
        ]
    );
}
