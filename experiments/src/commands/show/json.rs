//! Answers to positions as JSON lines, written straight into a buffer.

use crate::commands::options;
use games::{Game, InputLayout, InputName, Position};
use serde::{Serialize, Serializer};

pub(super) struct Writer<G: Game> {
    layout: &'static InputLayout,
    row: Vec<u8>,
    moves: Vec<<G::Position as Position>::Move>,
}

/// An answer; the order of its fields is that of the line.
#[derive(Serialize)]
#[serde(untagged)]
enum Line<'a> {
    Read { position: &'a str, legal: Vec<Legal>, input: Input<'a> },
    Refused { position: &'a str, error: &'a str },
}

#[derive(Serialize)]
struct Legal {
    r#move: String,
    index: u16,
}

/// The packed row: piece codes in the network's square order, then every other byte by its feature's name. A single
/// position has no history to show.
#[derive(Serialize)]
struct Input<'a> {
    name: &'static str,
    board: &'a [u8],
    #[serde(serialize_with = "by_name")]
    features: (&'static InputLayout, &'a [u8]),
}

fn by_name<S: Serializer>((layout, bytes): &(&InputLayout, &[u8]), to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(layout.features.iter().map(|feature| feature.name).zip(*bytes))
}

impl<G: Game> Writer<G> {
    pub(super) fn new(input: InputName) -> Self {
        let layout = G::input(input);
        Self { layout, row: vec![0; layout.row_bytes()], moves: Vec::new() }
    }

    /// Appends the answer to `position` and a line's end; an unreadable position is answered by its error, which is
    /// returned as well.
    pub(super) fn answer(&mut self, position: &[u8], out: &mut Vec<u8>) -> Result<(), String> {
        let text = String::from_utf8_lossy(position);
        let parsed = options::position::<G::Position>(&text).map_err(|error| error.to_string());
        let line = match &parsed {
            Ok(found) => {
                let Self { layout, row, moves } = self;
                found.legal_moves(moves);
                found.pack(layout.name, 0, row);
                let legal = moves.iter().map(|&mv| Legal { r#move: found.move_text(mv), index: found.move_index(mv) });
                let (board, features) = (&row[..layout.geometry.squares()], (*layout, &row[layout.features_at()..]));
                let input = Input { name: layout.name.name(), board, features };
                Line::Read { position: &text, legal: legal.collect(), input }
            }
            Err(error) => Line::Refused { position: &text, error },
        };
        serde_json::to_writer(&mut *out, &line).expect("a Vec takes every byte");
        out.push(b'\n');
        parsed.map(|_| ())
    }
}
