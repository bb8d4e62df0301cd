//! `posenc show`: the board of a position, its legal moves and the network's input; with `--json`, of many positions.

use super::options::{named, position, print};
use anyhow::Context as _;
use figures::board::View;
use games::placement::squares;
use games::{FeatureKind, Frame, Game, GameKind, InputLayout, InputName, Position, with_game};
use serde::{Serialize, Serializer};
use std::fmt::Write as _;
use std::io::{self, BufRead as _, BufReader, Read, Write as _};
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The game.
    #[arg(long, value_parser = parse_listed)]
    game: GameKind,
    /// A position: FEN (chess), SFEN (shogi) or `startpos`. Without it, --json reads one position from each line of
    /// stdin.
    #[arg(long, visible_aliases = ["fen", "sfen"], required_unless_present = "json")]
    position: Option<String>,
    /// The input representation to show.
    #[arg(long, value_parser = parse_input, default_value = "piece_tokens")]
    input: InputName,
    /// Print one JSON object per line: {"position", "legal": [{"move", "index"}…],
    /// "input": {"name", "board", "features"}}.
    #[arg(long)]
    json: bool,
}

pub(crate) fn parse_game(text: &str) -> Result<GameKind, String> {
    named("games", &GameKind::ALL, GameKind::name, text)
}

/// A game, or a board for probes.
pub(crate) fn parse_listed(text: &str) -> Result<GameKind, String> {
    named("games", &GameKind::LISTED, GameKind::name, text)
}

pub(super) fn parse_input(text: &str) -> Result<InputName, String> {
    named("inputs", &InputName::ALL, InputName::name, text)
}

/// Shows one position as text, or answers every line of stdin.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    args.game.offered(args.input)?;
    match (&args.position, args.json) {
        (Some(position), false) => print(&with_game!(args.game, G => in_words::<G>(position, args.input))?),
        (Some(position), true) => with_game!(args.game, G => answer_all::<G>(args.input, position.as_bytes())),
        (None, _) => with_game!(args.game, G => answer_all::<G>(args.input, io::stdin().lock())),
    }
}

const MOVES_A_LINE: usize = 8;

fn in_words<G: Game>(text: &str, input: InputName) -> anyhow::Result<String> {
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

/// Bytes that are read and written at a time.
const BUFFER: usize = 1 << 16;

/// Answers each line. The answer to an invalid line is its error.
fn answer_all<G: Game>(input: InputName, from: impl Read) -> anyhow::Result<ExitCode> {
    let mut lines = BufReader::with_capacity(BUFFER, from);
    let mut writer = PositionWriter::<G>::new(input);
    let (mut line, mut answer) = (Vec::new(), Vec::with_capacity(2 * BUFFER));
    let mut out = io::stdout().lock();
    let (mut number, mut first_bad, mut bad) = (0u64, None, 0u64);
    while lines.read_until(b'\n', &mut line)? > 0 {
        number += 1;
        if let Err(reason) = writer.answer(line.trim_ascii(), &mut answer) {
            bad += 1;
            first_bad.get_or_insert((number, reason));
        }
        line.clear();
        // Flush when no further line is waiting: a caller that waits gets each answer at once, and files are written in blocks.
        if answer.len() > BUFFER || !lines.buffer().contains(&b'\n') {
            out.write_all(&answer)?;
            out.flush()?;
            answer.clear();
        }
    }
    let Some((line, reason)) = first_bad else { return Ok(ExitCode::SUCCESS) };
    let reason = reason.lines().next().unwrap_or_default().to_owned();
    eprintln!("posenc: {bad} of {number} positions are bad; the first is line {line}: {reason}");
    Ok(ExitCode::from(1))
}

struct PositionWriter<G: Game> {
    layout: &'static InputLayout,
    row: Vec<u8>,
    moves: Vec<<G::Position as Position>::Move>,
}

/// An answer; the order of its fields is that of the line.
#[derive(Serialize)]
#[serde(untagged)]
enum ShownPosition<'a> {
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

impl<G: Game> PositionWriter<G> {
    fn new(input: InputName) -> Self {
        let layout = G::input(input);
        Self { layout, row: vec![0; layout.row_bytes()], moves: Vec::new() }
    }

    /// Appends the answer to `asked` and a line's end; an unreadable position is answered by its error, which is
    /// returned as well.
    fn answer(&mut self, asked: &[u8], out: &mut Vec<u8>) -> Result<(), String> {
        let text = String::from_utf8_lossy(asked);
        let parsed = position::<G::Position>(&text).map_err(|error| error.to_string());
        let line = match &parsed {
            Ok(found) => {
                let Self { layout, row, moves } = self;
                found.legal_moves(moves);
                found.pack(layout.name, 0, row);
                let legal = moves.iter().map(|&mv| Legal { r#move: found.move_text(mv), index: found.move_index(mv) });
                let (board, features) = (&row[..layout.geometry.squares()], (*layout, &row[layout.features_at()..]));
                let input = Input { name: layout.name.name(), board, features };
                ShownPosition::Read { position: &text, legal: legal.collect(), input }
            }
            Err(error) => ShownPosition::Refused { position: &text, error },
        };
        serde_json::to_writer(&mut *out, &line).expect("a Vec takes every byte");
        out.push(b'\n');
        parsed.map(|_| ())
    }
}
