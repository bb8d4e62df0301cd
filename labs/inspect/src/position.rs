//! Positions in which heads are shown: their packed rows, and their pieces as the side to move sees them.

use super::error::InspectionError;
use config::RunConfig;
use figures::board::{Piece, View};
use games::{Frame, Game, GameKind, InputName, MovesName, Position, Side, with_game};
use tch::{Device, Tensor};
use train::inference::{Request, positions};

#[derive(Debug)]
pub struct Shown {
    /// The label in the page's selection.
    pub name: String,
    pub text: String,
    /// The rows that the network reads, `[plies,row]`, u8.
    pub packed: Tensor,
    /// Whose view the squares have.
    pub view: View,
    pub pieces: Vec<Option<Piece>>,
}

impl Shown {
    /// The requested positions, then the examples of the game.
    pub fn all(asked: &[String], config: &RunConfig, device: Device) -> Result<Vec<Self>, InspectionError> {
        let asked = asked.iter().map(|text| (&text[..], &text[..]));
        let examples = with_game!(config.game, G => G::EXAMPLES);
        asked.chain(examples.iter().copied()).map(|(name, text)| Self::read(name, text, config, device)).collect()
    }

    /// Reads a FEN or an SFEN, also followed by moves, for a run's network.
    pub fn read(name: &str, text: &str, config: &RunConfig, device: Device) -> Result<Self, InspectionError> {
        let asked = positions::read(text, "--position: ", config.game, config.input, config.moves)?;
        // Of a sequence the maps are those of its first board.
        let (rows, _) = Request { earlier: Vec::new(), ..asked }.sequence(config.plies());
        let packed = Tensor::f_from_slice(&rows)?.f_view([config.plies() as i64, -1])?.f_to_device(device)?;
        let frame = config.input.frame();
        // Only its pieces are used, and not every vocabulary numbers moves in the frame of this input.
        let board = positions::read(text, "--position: ", config.game, InputName::PieceTokens, MovesName::FromTo)?;
        let second = second_moves(text, config.game);
        let view = View::of(frame, second);
        let own_board = with_game!(config.game, G => pieces::<G>(&board.row, second));
        // The board is the side to move's; other inputs may show it as the first player sees it.
        let pieces = if second && frame == Frame::FirstPlayer { turned(config.game, &own_board) } else { own_board };
        Ok(Self { name: name.to_owned(), text: text.to_owned(), packed, view, pieces })
    }
}

/// Whether the second player moves in the position of a text that can be read.
fn second_moves(text: &str, game: GameKind) -> bool {
    let words = text.split_ascii_whitespace().filter(|word| !matches!(*word, "position" | "fen" | "sfen"));
    let words: Vec<&str> = words.take_while(|&word| word != "ratings").collect();
    let (start, moves) = match words.iter().position(|&word| word == "moves") {
        Some(at) => (&words[..at], words.len() - at - 1),
        None => (&words[..], 0),
    };
    let parsed = with_game!(game, G => {
        <G as Game>::Position::parse(&start.join(" ")).is_ok_and(|position| position.side_to_move() == Side::Second)
    });
    parsed != (moves % 2 == 1)
}

/// The pieces of a packed row of [`InputName::PieceTokens`].
fn pieces<G: Game>(row: &[u8], second: bool) -> Vec<Option<Piece>> {
    let piece = |&code: &u8| {
        let number = usize::from(code).checked_sub(1)?;
        let own = number < G::PIECES.len();
        Some(Piece { kind: G::PIECES[number % G::PIECES.len()], own, first: own != second })
    };
    row[..G::GEOMETRY.squares()].iter().map(piece).collect()
}

fn turned(game: GameKind, pieces: &[Option<Piece>]) -> Vec<Option<Piece>> {
    let geometry = game.geometry();
    let place = |square: usize| game.orientation().other_view(geometry, square);
    let seen = |square: usize| pieces[place(square)].map(|piece| Piece { own: !piece.own, ..piece });
    (0..geometry.squares()).map(seen).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUN: &str = "
game: chess
data: .
input: tokens_68
moves: chessdecoder_1924
model: {chessformer: {layers: 1, width: 16, heads: 2, ff: 16}}
encoding: [none]
train: {steps: 1, batch: 8, optimizer: {adamw: {}}, learning_rate: {values: [0.001]}}
eval: {validation_positions: 8, test_positions: 8, every: 1}
seed: 0
";

    #[test]
    fn pieces_are_read_whatever_the_frame_of_the_moves() {
        let run = RunConfig::from_yaml(RUN).expect("a run");
        let shown = Shown::read("", "startpos moves e2e4", &run, Device::Cpu).expect("a position");
        let e4 = shown.pieces[run.game.geometry().square(4, 3)];
        assert!(e4.is_some_and(|pawn| pawn.first), "{e4:?}");
    }
}
