//! One position in words.

use crate::commands::options::position;
use anyhow::Context as _;
use figures::board::View;
use games::placement::squares;
use games::{FeatureKind, Frame, Game, InputLayout, InputName, Position};
use std::fmt::Write as _;

const MOVES_A_LINE: usize = 8;

pub(super) fn show<G: Game>(text: &str, input: InputName) -> anyhow::Result<String> {
    let position = position::<G::Position>(text).with_context(|| format!("no position of {}", G::NAME))?;
    let layout = G::input(input);
    let mut row = vec![0; layout.row_bytes()];
    position.pack(input, 0, &mut row);
    let mut out = String::new();
    heading::<G>(&mut out, &position)?;
    network::<G>(&mut out, layout, &row)?;
    moves::<G>(&mut out, &position)?;
    Ok(out)
}

fn heading<G: Game>(out: &mut String, position: &G::Position) -> std::fmt::Result {
    let side = G::COLOURS[position.side_to_move() as usize];
    let check = if position.in_check() { ", in check" } else { "" };
    writeln!(out, "{}  {}", G::NAME, position.to_text())?;
    writeln!(out, "{side} to move{check}; {}\n", position.phase().name())?;
    writeln!(out, "{}", board::<G>(position))
}

/// The board that FEN and SFEN write, from the first player's side: capitals for the first player, `+` before promoted pieces,
/// `.` for empty squares.
fn board<G: Game>(position: &G::Position) -> String {
    let (files, ranks) = View::FIRST.names(G::KIND);
    let text = position.to_text();
    let board = text.split(' ').next().unwrap_or_default();
    let mut out = String::from("   ");
    out.extend(files.iter().map(|file| format!("{file:>3}")));
    out.push('\n');
    for (name, rank) in ranks.iter().zip(board.split('/')) {
        out.push_str(&format!("{name:>3}"));
        out.extend(squares(rank).iter().map(|piece| format!("{:>3}", piece.as_deref().unwrap_or("."))));
        out.push('\n');
    }
    out
}

fn network<G: Game>(out: &mut String, layout: &InputLayout, row: &[u8]) -> std::fmt::Result {
    let board = layout.geometry;
    writeln!(
        out,
        "what the network sees: {}, {} tokens ({} squares, {} without a square), {} bytes",
        layout.name.name(),
        layout.tokens(),
        board.squares(),
        layout.tokens() - board.squares(),
        layout.row_bytes()
    )?;
    let (first, viewer) = (usize::from(layout.summary_token().is_some()), layout.name.frame().viewer());
    writeln!(out, "piece codes, {viewer} below (token {first} is the lower left square):")?;
    for rank in (0..board.ranks()).rev() {
        let codes = (0..board.files()).map(|file| format!("{:>3}", row[board.square(file, rank)]));
        writeln!(out, "   {}", codes.collect::<String>())?;
    }
    let own = G::PIECES.iter().enumerate().map(|(i, piece)| format!("{} {piece}", i + 1));
    let (legend, opponent) = (own.collect::<Vec<_>>().join(", "), G::PIECES.len());
    let other = match layout.name.frame() {
        Frame::SideToMove => "the opponent's",
        Frame::FirstPlayer => "the second player's",
    };
    writeln!(out, "   0 empty, {legend}; {other} {opponent} higher\n")?;
    writeln!(out, "features:")?;
    for (feature, &byte) in layout.features.iter().zip(&row[layout.features_at()..]) {
        let value = match feature.kind {
            FeatureKind::Scalar { scale } => format!("{byte} (channel {:.3})", f32::from(byte) / scale),
            FeatureKind::Thermometer { steps } => format!("{byte} ({} of {steps} channels)", byte.min(steps)),
            FeatureKind::Token { values } => {
                values.get(usize::from(byte)).map_or(byte.to_string(), |&word| word.to_owned())
            }
            FeatureKind::Square if byte == 0 => "no square".to_owned(),
            FeatureKind::Square => format!("token {}", byte - 1),
        };
        writeln!(out, "   {:<28} {value}", feature.name)?;
    }
    writeln!(out)
}

fn moves<G: Game>(out: &mut String, position: &G::Position) -> std::fmt::Result {
    let legal = position.list_moves();
    let vocabulary = G::from_to();
    writeln!(
        out,
        "{} legal moves and their indices in {} ({} entries):",
        legal.len(),
        vocabulary.name,
        vocabulary.len()
    )?;
    for line in legal.chunks(MOVES_A_LINE) {
        let cells = line.iter().map(|&mv| format!("{:>7} {:<5}", position.move_text(mv), position.move_index(mv)));
        writeln!(out, "{}", cells.collect::<String>().trim_end())?;
    }
    Ok(())
}
