//! `dlshogi_62_57` as rows: every one of the 119 planes equals what cshogi computes for dlshogi, read from the row's
//! bytes as the layout's documentation words them.

use crate::samples::{fnv1a, text};
use games::shogi::{Shogi, ShogiPosition};
use games::{Game, InputName, Position};

const SQUARES: usize = 81;
const KINDS: usize = 14;
/// dlshogi's kinds (pawn, lance, knight, silver, bishop, rook, gold, king, promoted ones) as piece codes.
const CODES: [u8; KINDS] = [1, 2, 3, 4, 6, 7, 5, 8, 9, 10, 11, 12, 13, 14];
const HANDS: [u8; 7] = [8, 4, 4, 4, 4, 2, 2];

fn row(position: &ShogiPosition) -> Vec<u8> {
    let mut row = vec![0xAA; Shogi::input(InputName::Dlshogi62_57).row_bytes()];
    position.pack(InputName::Dlshogi62_57, 2, &mut row);
    row
}

/// The planes of a row in dlshogi's order: 62 of 81 squares, file by file from the mover's 1a, then 57 single values.
fn planes(row: &[u8]) -> Vec<u8> {
    let mut values = Vec::new();
    for side in 0..2 {
        let bit = |square: usize, i: usize| row[SQUARES + 4 * square + i / 8] >> (i % 8) & 1;
        let attack = |square: usize, kind: usize| bit(square, KINDS * side + kind);
        for code in CODES {
            values.extend(squares().map(|square| u8::from(row[square] == code + (KINDS * side) as u8)));
        }
        for kind in 0..KINDS {
            values.extend(squares().map(|square| attack(square, kind)));
        }
        values.extend(squares().map(|square| (0..KINDS).map(|kind| attack(square, kind)).max().expect("kinds")));
        for more in 0..2 {
            values.extend(squares().map(|square| bit(square, 2 * KINDS + 2 * side + more)));
        }
    }
    let features = &row[5 * SQUARES..];
    for (i, &held) in features[..2 * HANDS.len()].iter().enumerate() {
        values.extend((1..=HANDS[i % HANDS.len()]).map(|step| u8::from(held >= step)));
    }
    values.push(features[2 * HANDS.len()]);
    values
}

/// Squares of the mover's frame (rank by rank from the own left corner) in dlshogi's order.
fn squares() -> impl Iterator<Item = usize> {
    (0..9).flat_map(|file| (0..9).map(move |rank| (8 - rank) * 9 + (8 - file)))
}

fn sums(planes: &[u8]) -> (u32, u32) {
    let (board, hands) = planes.split_at(62 * SQUARES);
    let sum = |values: &[u8], times: u32| values.iter().map(|&value| u32::from(value)).sum::<u32>() * times;
    (sum(board, 1), sum(hands, SQUARES as u32))
}

#[test]
fn the_start_has_dlshogis_sums() {
    let planes = planes(&row(&ShogiPosition::start()));
    assert_eq!(planes.len(), 62 * SQUARES + 57);
    assert_eq!(sums(&planes), (234, 0));
    let used: Vec<usize> =
        (0..62).filter(|plane| planes[plane * SQUARES..(plane + 1) * SQUARES].contains(&1)).collect();
    let own: Vec<usize> = (0..8).chain(14..22).chain(28..31).collect();
    let both: Vec<usize> = own.iter().copied().chain(own.iter().map(|plane| plane + 31)).collect();
    assert_eq!(used, both);
}

#[test]
fn every_plane_equals_cshogis() {
    let text = text("shogi_dlshogi_planes.tsv.zst");
    let (mut whole, mut white) = (0, 0);
    for line in text.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let &[sfen, board, hands, hash, bits] = fields.as_slice() else { panic!("five fields: {line}") };
        let position = ShogiPosition::parse(sfen).unwrap_or_else(|error| panic!("{error}"));
        let planes = planes(&row(&position));
        for (i, &value) in planes.iter().enumerate().take(4 * bits.len()) {
            let byte = u8::from_str_radix(&bits[i / 8 * 2..i / 8 * 2 + 2], 16).expect("hex");
            assert_eq!(value, byte >> (i % 8) & 1, "plane {}, square {} of {sfen}", i / SQUARES, i % SQUARES);
        }
        assert_eq!(sums(&planes), (board.parse().expect("a sum"), hands.parse().expect("a sum")), "{sfen}");
        assert_eq!(format!("{:016x}", fnv1a(planes)), hash, "{sfen}");
        whole += usize::from(!bits.is_empty());
        white += usize::from(sfen.contains(" w "));
    }
    assert_eq!((text.lines().count(), whole), (3_000, 100));
    assert!(white > 1_000, "both sides move: {white}");
}
