//! Answers to positions as JSON lines, written straight into a buffer.

use crate::commands::options;
use games::{Game, InputLayout, InputName, Position};
use std::io::Write as _;

/// Answers positions of one game.
pub(super) trait Answer {
    /// Appends the answer to `position` and a line's end; an unreadable position is answered by its error, which is
    /// returned as well.
    fn answer(&mut self, position: &[u8], out: &mut Vec<u8>) -> Result<(), String>;
}

/// The buffers that answers reuse.
pub(super) struct Writer<G: Game> {
    layout: &'static InputLayout,
    row: Vec<u8>,
    moves: Vec<<G::Position as Position>::Move>,
}

impl<G: Game> Writer<G> {
    pub(super) fn new(input: InputName) -> Self {
        let layout = G::input(input);
        Self { layout, row: vec![0; layout.row_bytes()], moves: Vec::new() }
    }
}

impl<G: Game> Answer for Writer<G> {
    fn answer(&mut self, position: &[u8], out: &mut Vec<u8>) -> Result<(), String> {
        let text = String::from_utf8_lossy(position);
        out.extend_from_slice(b"{\"position\":");
        string(&text, out);
        let parsed = options::position::<G::Position>(&text).map_err(|error| error.to_string());
        match &parsed {
            Ok(position) => {
                self.legal(position, out);
                self.input(position, out);
            }
            Err(reason) => {
                out.extend_from_slice(b",\"error\":");
                string(reason, out);
            }
        }
        out.extend_from_slice(b"}\n");
        parsed.map(|_| ())
    }
}

impl<G: Game> Writer<G> {
    fn legal(&mut self, position: &G::Position, out: &mut Vec<u8>) {
        position.legal_moves(&mut self.moves);
        out.extend_from_slice(b",\"legal\":[");
        for (i, &mv) in self.moves.iter().enumerate() {
            // UCI and USI need no escapes.
            out.extend_from_slice(if i == 0 { b"{\"move\":\"" } else { b",{\"move\":\"" });
            out.extend_from_slice(position.move_text(mv).as_bytes());
            out.extend_from_slice(b"\",\"index\":");
            number(position.move_index(mv), out);
            out.push(b'}');
        }
        out.push(b']');
    }

    /// The packed row: piece codes in the network's square order, then every other byte by its feature's name. A
    /// single position has no history to show.
    fn input(&mut self, position: &G::Position, out: &mut Vec<u8>) {
        position.pack(self.layout.name, 0, &mut self.row);
        let squares = &self.row[..self.layout.geometry.squares()];
        let features = &self.row[self.layout.features_at()..];
        out.extend_from_slice(b",\"input\":{\"name\":");
        string(self.layout.name.name(), out);
        out.extend_from_slice(b",\"board\":[");
        for (i, &code) in squares.iter().enumerate() {
            if i > 0 {
                out.push(b',');
            }
            number(code.into(), out);
        }
        out.extend_from_slice(b"],\"features\":{");
        for (i, (feature, &byte)) in self.layout.features.iter().zip(features).enumerate() {
            if i > 0 {
                out.push(b',');
            }
            string(feature.name, out);
            out.push(b':');
            number(byte.into(), out);
        }
        out.extend_from_slice(b"}}");
    }
}

fn string(text: &str, out: &mut Vec<u8>) {
    serde_json::to_writer(out, text).expect("a Vec takes every byte");
}

fn number(value: u16, out: &mut Vec<u8>) {
    write!(out, "{value}").expect("a Vec takes every byte");
}
