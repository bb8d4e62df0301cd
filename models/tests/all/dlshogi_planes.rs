//! `dlshogi_62_57` on the device: all 119 channels are the planes that cshogi computes for dlshogi.

use games::shogi::{Shogi, ShogiPosition};
use games::{Game, InputName, Position};
use models::input::Expander;
use std::path::Path;
use tch::{Kind, Tensor};

/// The planes of positions in dlshogi's order, `[b,119,9,9]`: planes, files from the mover's right, ranks from the far end.
fn planes(positions: &[ShogiPosition]) -> Tensor {
    let layout = Shogi::input(InputName::Dlshogi62_57);
    let mut rows = vec![0xAA; positions.len() * layout.row_bytes()];
    for (position, row) in positions.iter().zip(rows.chunks_mut(layout.row_bytes())) {
        position.pack(layout.name, 0, row);
    }
    let expander = Expander::new(layout);
    assert_eq!(expander.channels(), 119);
    let channels = expander.expand(&Tensor::from_slice(&rows).view([positions.len() as i64, -1]));
    assert_eq!(channels.kind(), Kind::Float);
    // Squares run rank by rank from the mover's left corner, so that both axes turn round and change places.
    channels.view([-1, 9, 9, 119]).flip([1, 2]).permute([0, 3, 2, 1]).contiguous()
}

fn fnv1a(values: impl Iterator<Item = u8>) -> u64 {
    values.fold(0xcbf2_9ce4_8422_2325, |hash, value| (hash ^ u64::from(value)).wrapping_mul(0x0100_0000_01b3))
}

#[test]
fn every_channel_equals_cshogis_plane() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../games/tests/data/shogi_dlshogi_planes.tsv.zst");
    let text = zstd::decode_all(std::fs::read(path).expect("the reference is there").as_slice()).expect("zstd");
    let text = String::from_utf8(text).expect("UTF-8");
    let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split('\t').collect()).collect();
    assert_eq!(lines.len(), 3_000);
    for lines in lines.chunks(500) {
        let positions: Vec<ShogiPosition> =
            lines.iter().map(|line| ShogiPosition::parse(line[0]).unwrap_or_else(|error| panic!("{error}"))).collect();
        let planes = planes(&positions);
        for (line, planes) in lines.iter().zip(planes.split(1, 0)) {
            // Every value is 0 or 1, and one number says what a plane of hands or check is.
            let values = Vec::<f32>::try_from(planes.flatten(0, -1)).expect("numbers");
            assert!(values.iter().all(|&value| value == 0.0 || value == 1.0), "{}", line[0]);
            let (board, hands) = values.split_at(62 * 81);
            let mut constants = Vec::new();
            for plane in hands.chunks(81) {
                assert!(plane.iter().all(|value| *value == plane[0]), "{}", line[0]);
                constants.push(plane[0]);
            }
            let hash = fnv1a(board.iter().chain(&constants).map(|&value| value as u8));
            assert_eq!(format!("{hash:016x}"), line[3], "{}", line[0]);
        }
    }
}
