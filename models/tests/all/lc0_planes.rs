//! `lc0_112` on the device: all 112 channels are the planes that Lc0 itself wrote, with rule 50 divided by 99.

use flate2::read::GzDecoder;
use games::chess::lc0::{PLANES, Record, Records};
use games::chess::{Chess, ChessPosition};
use games::{Game, InputName, Line, Position};
use models::input::Expander;
use serde::Deserialize;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use tch::Tensor;

const SQUARES: usize = 64;
const CHANNELS: usize = 112;

fn data(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../games/tests/data").join(file)
}

fn lines<T: serde::de::DeserializeOwned>(file: &str) -> Vec<T> {
    let packed = std::fs::read(data(file)).expect("the sample is there");
    let text = String::from_utf8(zstd::decode_all(packed.as_slice()).expect("zstd")).expect("UTF-8");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// The channels of every square of some rows, in order.
fn expanded(rows: &[u8]) -> Vec<f32> {
    let layout = Chess::input(InputName::Lc0_112);
    let expander = Expander::new(layout);
    let batch = rows.len() / layout.row_bytes();
    let channels = expander.expand(&Tensor::from_slice(rows).view([batch as i64, -1]));
    assert_eq!(channels.size(), [batch as i64, SQUARES as i64, CHANNELS as i64]);
    Vec::try_from(channels.flatten(0, -1)).expect("numbers")
}

/// Compares a position's channels with a plane's bits (square = 8 · rank + file) and its value where they are set.
fn assert_plane(channels: &[f32], plane: usize, bits: u64, value: f32, place: &str) {
    for square in 0..SQUARES {
        let wanted = if bits >> square & 1 == 1 { value } else { 0.0 };
        let found = channels[square * CHANNELS + plane];
        assert!((found - wanted).abs() <= 1e-7, "{place}: plane {plane}, square {square} is {found}, not {wanted}");
    }
}

fn assert_constant(channels: &[f32], plane: usize, value: f32, place: &str) {
    assert_plane(channels, plane, u64::MAX, value, place);
}

/// The game behind a chunk.
#[derive(Deserialize)]
struct Played {
    file: String,
    startfen: String,
    first_recorded_ply: usize,
    moves: Vec<String>,
}

#[test]
fn every_record_of_a_self_play_sample_is_expanded_to_its_own_planes() {
    let played: Vec<Played> = lines("lc0_v6_games.jsonl.zst");
    let mut archive = tar::Archive::new(File::open(data("lc0_v6_selfplay.tar")).expect("the sample is there"));
    let mut compared = 0;
    let mut largest_count = 0;
    for (entry, game) in archive.entries().expect("an archive").zip(played) {
        let mut bytes = Vec::new();
        GzDecoder::new(entry.expect("an entry")).read_to_end(&mut bytes).expect("gzip");
        let channels = expanded(&rows(&game));
        let mut records = Records::new(bytes.as_slice());
        for (number, channels) in channels.chunks_exact(SQUARES * CHANNELS).enumerate() {
            let record = records.next().expect("a record").expect("a record for every ply");
            assert_record(channels, &record, &format!("{} record {number}", game.file));
            largest_count = largest_count.max(record.rule_50());
            compared += 1;
        }
        assert!(records.next().expect("the end").is_none(), "{}: a record more than plies", game.file);
    }
    assert_eq!(compared, 6459);
    assert!(largest_count > 50, "the sample's rule-50 counters end at {largest_count}");
}

/// The packed rows of a game's recorded plies.
fn rows(game: &Played) -> Vec<u8> {
    let layout = Chess::input(InputName::Lc0_112);
    let mut line = Line::for_input(ChessPosition::parse(&game.startfen).expect("a position"), layout);
    let mut rows = Vec::new();
    for (ply, text) in game.moves.iter().enumerate() {
        if ply >= game.first_recorded_ply {
            let start = rows.len();
            rows.resize(start + layout.row_bytes(), 0xAA);
            line.pack(layout, &mut rows[start..]);
        }
        let mv = line.position().parse_move(text).expect("a legal move");
        line.play(mv);
    }
    rows
}

fn assert_record(channels: &[f32], record: &Record<'_>, place: &str) {
    for plane in 0..PLANES {
        assert_plane(channels, plane, record.plane(plane), 1.0, place);
    }
    let [queen_side, king_side, their_queen_side, their_king_side] = record.castling().map(f32::from);
    let black_to_move = f32::from(record.side_to_move());
    let rule_50 = f32::from(record.rule_50()) / 99.0;
    let constants = [queen_side, king_side, their_queen_side, their_king_side, black_to_move, rule_50, 0.0, 1.0];
    for (plane, value) in (PLANES..).zip(constants) {
        assert_constant(channels, plane, value, place);
    }
}
