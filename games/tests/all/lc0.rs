//! Lc0's training chunks and the input `lc0_112`. 80 chunks that Lc0 wrote are compared with the games that they came from, and
//! some of their records with another program's reading.

mod chunks;
mod planes;
mod versions;

use crate::samples::{path, text};
use flate2::read::GzDecoder;
use games::chess::lc0::{Records, ValueSource, parse};
use games::{ParsedGame, Rejected};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::fs::File;
use std::io::Read as _;

/// The game behind a chunk.
#[derive(Deserialize)]
struct Played {
    file: String,
    records: usize,
    startfen: String,
    first_recorded_ply: usize,
    result: String,
    end: String,
    moves: Vec<String>,
}

/// A chunk, unpacked, with its game.
pub(crate) struct Chunk {
    game: Played,
    pub(crate) bytes: Vec<u8>,
}

/// The objects of a packed file of JSON lines.
fn lines<T: DeserializeOwned>(file: &str) -> Vec<T> {
    text(file)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}")))
        .collect()
}

/// Every chunk, in the order of the archive.
pub(crate) fn sample_chunks() -> Vec<Chunk> {
    let games: Vec<Played> = lines("lc0_v6_games.jsonl.zst");
    let mut archive = tar::Archive::new(File::open(path("lc0_v6_selfplay.tar")).expect("the sample is there"));
    let chunks: Vec<Chunk> = archive
        .entries()
        .expect("an archive")
        .zip(games)
        .map(|(entry, game)| {
            let entry = entry.expect("an entry");
            assert_eq!(entry.path().expect("a name").to_str(), Some(game.file.as_str()));
            let mut bytes = Vec::new();
            GzDecoder::new(entry).read_to_end(&mut bytes).expect("gzip");
            Chunk { game, bytes }
        })
        .collect();
    assert_eq!(chunks.len(), 80);
    chunks
}

impl Chunk {
    fn records(&self) -> Records<&[u8]> {
        Records::new(&self.bytes)
    }
}

/// A chunk as the first game of its file.
fn read_game(chunk: &[u8], value: ValueSource) -> Result<ParsedGame, Rejected> {
    parse(chunk, 0, value)
}
