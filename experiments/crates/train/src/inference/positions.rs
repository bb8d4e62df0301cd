//! Positions as input text: FEN or SFEN, with the moves played from there.

use super::situation::{Request, Situation};
use crate::error::TrainError;
use games::chess::Chess;
use games::chess::history::{self, HistoryFill};
use games::{Game, GameKind, InputLayout, InputName, MovesName, Position, with_game};
use records::UserError;

/// Keywords: the standard start, the moves from a position, and at the end the ratings of both players.
const START: &str = "startpos";
const MOVES: &str = "moves";
const RATINGS: &str = "ratings";

/// Reads a position of `game`: `FEN`, `SFEN` or `startpos`, optionally followed by `moves` and moves in UCI or USI,
/// which inputs with history show, and by `ratings` and those of both players, the first player's first, which inputs with
/// ratings show. The keywords `position`, `fen` and `sfen` of engine protocols may come first. `moves` is the vocabulary;
/// `place` locates the text in errors, with a colon.
pub fn read(
    text: &str,
    place: &str,
    game: GameKind,
    input: InputName,
    moves: MovesName,
) -> Result<Request, TrainError> {
    with_game!(game, G => situation::<G>(text, G::input(input), moves).map(|found| found.request(text.to_owned())))
        .map_err(|reason| wrong(place, game, &reason))
}

fn wrong(place: &str, game: GameKind, reason: &str) -> TrainError {
    let message = format!("no position of {}, which the cell is of: {reason}", game.name());
    let help = "write FEN, SFEN or `startpos`, then `moves` and legal moves";
    UserError::new(message, help).at(place.trim_end_matches(": ")).into()
}

/// Reads one position per line, at least one; empty lines and lines that begin with `#` are skipped. `name` is the file's.
pub fn read_lines(
    text: &str,
    name: &str,
    game: GameKind,
    input: InputName,
    moves: MovesName,
) -> Result<Vec<Request>, TrainError> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    let requests: Vec<Request> = lines
        .map(|(i, line)| read(line.trim(), &format!("{name}, line {}: ", i + 1), game, input, moves))
        .collect::<Result<_, _>>()?;
    if requests.is_empty() {
        return Err(UserError::new(format!("{name} holds no position"), "write one FEN or SFEN a line").into());
    }
    Ok(requests)
}

/// Rewrites the rows of `lc0_112` and `lc0_112_en_passant` as Lc0 fills them in play (`history-fill=fen_only`): missing
/// history repeats the first position, unless it is the standard start. The inputs themselves leave it empty.
pub fn fill_history(requests: &mut [Request], input: InputName) -> Result<(), TrainError> {
    if !matches!(input, InputName::Lc0_112 | InputName::Lc0_112EnPassant) {
        let message =
            format!("the input {} shows no earlier positions, so that there is nothing to fill", input.name());
        return Err(UserError::new(message, "leave --history-fill out").into());
    }
    let layout = Chess::input(input);
    for request in requests {
        let situation = situation::<Chess>(&request.text, layout, MovesName::FromTo)
            .map_err(|reason| wrong("", GameKind::Chess, &reason))?;
        let line = situation.line();
        let (position, repetitions) = (line.position(), line.repetitions());
        history::pack(input, position, repetitions, line.earlier(), HistoryFill::FenOnly, &mut request.row);
    }
    Ok(())
}

/// The position of a text, with its history.
fn situation<G: Game>(text: &str, layout: &'static InputLayout, vocabulary: MovesName) -> Result<Situation<G>, String> {
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    let words = words.strip_prefix(&["position"]).unwrap_or(&words);
    let words = words.strip_prefix(&["fen"]).or_else(|| words.strip_prefix(&["sfen"])).unwrap_or(words);
    let (words, ratings) = match words {
        [words @ .., RATINGS, first, second] => (words, [rating(first)?, rating(second)?].map(Some)),
        _ => (words, [None; 2]),
    };
    let (start, moves) = match words.iter().position(|&word| word == MOVES) {
        Some(at) => (&words[..at], &words[at + 1..]),
        None => (words, &[][..]),
    };
    let start = match start {
        [START] => G::Position::start(),
        fields => G::Position::parse(&fields.join(" ")).map_err(|error| error.to_string())?,
    };
    let mut situation: Situation<G> = Situation::new(start, layout, vocabulary, usize::MAX).rated(ratings);
    for mv in moves {
        let mv = situation.position().parse_move(mv).map_err(|error| error.to_string())?;
        situation.play(mv);
    }
    Ok(situation)
}

fn rating(word: &str) -> Result<i32, String> {
    word.parse().map_err(|_| format!("after `ratings` come two numbers, the first player's first, not \"{word}\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chess(text: &str) -> Result<Request, TrainError> {
        read(text, "", GameKind::Chess, InputName::Lc0_112, MovesName::FromTo)
    }

    #[test]
    fn a_position_can_be_written_in_several_ways() {
        let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        let rows: Vec<_> =
            [fen.to_owned(), "startpos".to_owned(), format!("position fen {fen}"), format!("{fen} moves")]
                .iter()
                .map(|text| chess(text).expect("a position").row)
                .collect();
        assert!(rows.iter().all(|row| *row == rows[0]));
    }

    #[test]
    fn what_was_before_a_position_can_be_made_up_as_lc0_does() {
        let fen = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
        let squares = GameKind::Chess.geometry().squares();
        let texts = [fen.to_owned(), "startpos moves e2e4".to_owned(), format!("{fen} moves g1f3")];
        let before = texts.map(|text| chess(&text).expect("a position"));
        let mut after = before.clone();
        fill_history(&mut after, InputName::Lc0_112).expect("the input has history");
        let board = |request: &Request, step: usize| request.row[step * squares..][..squares].to_vec();
        for step in 1..8 {
            assert_eq!(board(&before[0], step), vec![0; squares]);
            assert_eq!(board(&after[0], step), board(&after[0], 0));
        }
        // From the standard start there was nothing before, and what was played stays.
        assert_eq!(before[1], after[1]);
        assert_eq!(board(&before[2], 1), board(&after[2], 1));
        assert_eq!(board(&after[2], 2), board(&after[2], 1));
        let refused = fill_history(&mut after, InputName::PieceTokens).expect_err("no history");
        assert!(refused.to_string().contains("piece_tokens shows no earlier positions"), "{refused}");
    }

    #[test]
    fn moves_are_the_history() {
        let played = chess("startpos moves e2e4 e7e5").expect("a position");
        let set_up = chess("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2").expect("a position");
        let squares = GameKind::Chess.geometry().squares();
        assert_eq!(played.row[..squares], set_up.row[..squares], "the board is the same");
        assert_ne!(played.row[squares..2 * squares], set_up.row[squares..2 * squares], "what was before is not");
        assert_eq!(played.legal, set_up.legal);
    }

    #[test]
    fn ratings_follow_the_moves() {
        let read = |text: &str| read(text, "", GameKind::Chess, InputName::PieceTokensRated, MovesName::FromTo);
        let last = |text: &str| read(text).map(|request| request.row[request.row.len() - 2..].to_vec());
        assert_eq!(last("startpos").expect("a position"), [0, 0]);
        assert_eq!(last("startpos ratings 1500 1920").expect("a position"), [7, 11]);
        assert_eq!(last("startpos moves e2e4 ratings 1500 1920").expect("a position"), [11, 7], "Black is to move");
        let refused = last("startpos ratings 1500 strong").expect_err("a word").to_string();
        assert!(refused.contains("two numbers, the first player's first, not \"strong\""), "{refused}");
    }

    #[test]
    fn a_bad_line_is_named() {
        let text = "# openings\n\nstartpos moves e2e4\nstartpos moves e2e5\n";
        let error = read_lines(text, "list", GameKind::Chess, InputName::PieceTokens, MovesName::FromTo)
            .expect_err("e2e5 is illegal");
        assert!(error.to_string().starts_with("list, line 4: no position of chess"), "{error}");
        let empty = read_lines("# nothing\n", "list", GameKind::Chess, InputName::PieceTokens, MovesName::FromTo)
            .expect_err("empty");
        assert!(empty.to_string().contains("list holds no position"), "{empty}");
    }
}
