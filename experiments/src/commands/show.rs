//! `posenc show`: the board of a position, its legal moves and the network's input; with `--json`, of many positions.

mod text;

use super::options::{named, position, print};
use games::{Game, GameKind, InputLayout, InputName, Position, with_game};
use serde::{Serialize, Serializer};
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
        (Some(position), false) => print(&with_game!(args.game, G => text::show::<G>(position, args.input))?),
        (Some(position), true) => with_game!(args.game, G => answer_all::<G>(args.input, position.as_bytes())),
        (None, _) => with_game!(args.game, G => answer_all::<G>(args.input, io::stdin().lock())),
    }
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
