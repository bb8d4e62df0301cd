//! The move vocabularies: indices and fingerprints.

use games::{Entry, FromTo, GameKind, MovesName};

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
    for (game, moves, fingerprint) in [
        (
            GameKind::Chess,
            MovesName::Chessdecoder1924,
            "678053eb7a2d6b1c95ade2dafc0c3283fc511da10221e089f7bb955f984596e8",
        ),
        (GameKind::Shogi, MovesName::Dlshogi2187, "03f47b5d5a28e356658b10acdf306505ab26d2e28ce0a02004c5166351f7b858"),
        (GameKind::Shogi, MovesName::Shogi1496, "2203c42faa2746902493fdc8ff9441f6a25f054f1d6c21463af435904e1abc5a"),
        (
            GameKind::Shogi,
            MovesName::PythonDlshogi2187,
            "5ba4036e6f400c1af7ae9470d6c9e9bc69d1a69a4f20a972afe4c8c289667bf9",
        ),
    ] {
        assert_eq!(game.moves(moves).hash(), fingerprint, "{}", moves.name());
    }
}
