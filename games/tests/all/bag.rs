//! DeepMind's bags. None is at hand, so a small writer makes them as the format is described.

pub(crate) mod writer;

use crate::samples::CHESS_START as START;
use games::chess::bag::{Bag, BagError, BagRecord, parse};
use games::{ParsedPosition, RejectKind};
use std::io::Cursor;
use writer::{action_value, bag, nested};

const CASTLING: &str = "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 7 20";

fn open(bytes: &[u8], compressed: bool) -> Result<Bag<Cursor<&[u8]>>, BagError> {
    Bag::open(Cursor::new(bytes), compressed)
}

#[test]
fn a_record_of_each_kind() {
    let found = parse(&action_value(START, "e2e4", 0.5125), BagRecord::ActionValue, 0).expect("a record");
    let expected = |mv: Option<&str>, value| ParsedPosition {
        mv: mv.map(str::to_owned),
        value,
        ..ParsedPosition::new(START.to_owned())
    };
    assert_eq!(found, expected(Some("e2e4"), Some(0.5125)));
    let state = [nested(START), 0.25f64.to_be_bytes().to_vec()].concat();
    assert_eq!(parse(&state, BagRecord::StateValue, 0), Ok(expected(None, Some(0.25))));
    let cloned = [nested(START), b"g1f3".to_vec()].concat();
    assert_eq!(parse(&cloned, BagRecord::BehavioralCloning, 0), Ok(expected(Some("g1f3"), None)));
    // Both ways to write castling become one.
    for text in ["e8g8", "e8h8"] {
        let found = parse(&action_value(CASTLING, text, 0.0), BagRecord::ActionValue, 0).expect("a record");
        assert_eq!(found.mv.as_deref(), Some("e8g8"));
    }
    // An en-passant square that no pawn can use is none, and clocks that are left out are those of a beginning.
    let [idle, short] = ["d6", "-"].map(|square| format!("4k3/8/8/3p4/8/8/8/4K3 w - {square}"));
    for (fen, expected) in [(format!("{idle} 0 9"), format!("{short} 0 9")), (short.clone(), format!("{short} 0 1"))] {
        let found = parse(&action_value(&fen, "e1e2", 0.5), BagRecord::ActionValue, 0).expect("a record");
        assert_eq!(found.start, expected);
    }
    // A length of two bytes: no FEN is that long, so that the error comes from behind the reading.
    let long = action_value(&"x".repeat(300), "e2e4", 0.5);
    assert_eq!(parse(&long, BagRecord::ActionValue, 0).unwrap_err().kind, RejectKind::StartPosition);
}

#[test]
fn bags_are_read_to_their_end() {
    // More records than are read at a time, some of them empty.
    let records: Vec<Vec<u8>> = (0..3000u32)
        .map(|i| if i % 700 == 3 { Vec::new() } else { action_value(START, "e2e4", f64::from(i) / 3000.0) })
        .collect();
    for compressed in [false, true] {
        let bytes = bag(&records, compressed);
        let mut bag = open(&bytes, compressed).expect("a bag");
        assert_eq!((bag.len(), bag.is_empty()), (3000, false));
        for record in &records {
            assert_eq!(bag.next().expect("readable").expect("a record").expect("unpacked"), record);
        }
        assert!(bag.next().expect("the end").is_none());
    }
    assert!(open(&[], false).expect("an empty bag").is_empty());
}

#[test]
fn what_is_no_record_is_named() {
    let good = action_value(START, "e2e4", 0.5);
    let kind = |record: &[u8], kind| parse(record, kind, 9).map_err(|error| (error.game, error.kind));
    let fault = |record: &[u8]| kind(record, BagRecord::ActionValue).expect_err("no record");
    for cut in 0..good.len() {
        assert_eq!(fault(&good[..cut]), (9, RejectKind::Truncated), "{cut} bytes");
    }
    assert_eq!(fault(&[&good[..], b"x"].concat()), (9, RejectKind::Syntax));
    assert_eq!(fault(&action_value(START, "e2e5", 0.5)), (9, RejectKind::IllegalMove));
    assert_eq!(fault(&action_value("8/8/8/8/8/8/8/8 w - - 0 1", "e2e4", 0.5)), (9, RejectKind::StartPosition));
    for value in [f64::NAN, -0.01, 1.01, f64::INFINITY] {
        assert_eq!(fault(&action_value(START, "e2e4", value)), (9, RejectKind::Syntax), "{value}");
    }
    assert_eq!(fault(&[0xff; 20]), (9, RejectKind::Syntax));
    assert_eq!(fault(&[1, 0xc3, 1, b'a', 0, 0, 0, 0, 0, 0, 0, 0]), (9, RejectKind::Syntax));
    // Taken for another kind, it is none.
    assert!(kind(&good, BagRecord::StateValue).is_err());
    assert!(kind(&good, BagRecord::BehavioralCloning).is_err());
}

#[test]
fn what_is_no_bag_is_named() {
    let good = bag(&[action_value(START, "e2e4", 0.5), action_value(START, "d2d4", 0.5)], false);
    let index = |bytes: &[u8]| match open(bytes, false) {
        Err(BagError::Index(reason)) => reason,
        other => panic!("{other:?}"),
    };
    assert!(index(&good[..5]).contains("5 bytes"));
    assert!(index(&good[..good.len() - 3]).contains("should begin"));
    // The first record ends behind the second, or far away.
    let at = good.len() - 16;
    for end in [good.len() as u64, u64::MAX, i64::MAX as u64] {
        let mut bytes = good.clone();
        bytes[at..at + 8].copy_from_slice(&end.to_le_bytes());
        let found = open(&bytes, false).expect("a good end").next().map(|_| ());
        assert!(matches!(found, Err(BagError::Index(_))), "{end}: {found:?}");
    }
    // A plain bag that is called compressed.
    let mut called_compressed = open(&good, true).expect("the index is good");
    for _ in 0..2 {
        assert!(called_compressed.next().expect("readable").expect("a record").is_err());
    }
    assert!(called_compressed.next().expect("the end").is_none());
}
