//! The games of a match as records that other programs read: PGN of chess, CSA of shogi, otherwise lines of USI.

use super::game::{Conditions, FinishedGame};
use crate::error::PlayError;
use games::chess::pgn;
use games::shogi::csa;
use games::{Record, Termination, with_game};
use std::path::Path;

pub(super) fn write(dir: &Path, conditions: &Conditions, games: &[&FinishedGame]) -> Result<(), PlayError> {
    let record = with_game!(conditions.game, G => G::RECORD);
    let file = dir.join(format!("games.{}", record.name()));
    let wrong = |reason: String| PlayError::file(&file, reason);
    let mut text = String::new();
    for game in games {
        text.push_str(&match record {
            Record::Pgn => of_chess(conditions, game).map_err(wrong)?,
            Record::Csa => of_shogi(conditions, game).map_err(wrong)?,
            Record::Usi => of_usi(game),
        });
    }
    ::records::atomic::replace(&file, text.as_bytes()).map_err(|error| PlayError::file(&file, error))
}

fn of_chess(conditions: &Conditions, game: &FinishedGame) -> Result<String, String> {
    let [white, black] = game.players.map(|player| conditions.contestants[player].name.as_str());
    let round = (game.number + 1).to_string();
    let mut tags = vec![("Event", "posenc match"), ("Round", round.as_str()), ("White", white), ("Black", black)];
    tags.extend(pgn::termination_tag(game.result, game.termination).map(|text| ("Termination", text)));
    pgn::write(game.start.as_deref(), game.moves.iter().map(String::as_str), game.result, &tags, &[])
        .map_err(|(ply, reason)| format!("game {}, ply {ply}: {reason}", game.number))
}

fn of_shogi(conditions: &Conditions, game: &FinishedGame) -> Result<String, String> {
    let names = game.players.map(|player| conditions.contestants[player].name.as_str());
    let moves = game.moves.iter().map(String::as_str);
    let record = csa::write(names, game.start.as_deref(), moves, game.result, game.termination);
    // A line with `/` separates records.
    record.map(|text| text + "/\n").map_err(|(ply, reason)| format!("game {}, ply {ply}: {reason}", game.number))
}

fn of_usi(game: &FinishedGame) -> String {
    let start = game.start.as_ref().map_or_else(|| "startpos".to_owned(), |sfen| format!("sfen {sfen}"));
    let last = match game.termination {
        Termination::Resignation => Some("resign"),
        Termination::Declaration => Some("win"),
        _ => None,
    };
    let moves: Vec<&str> = game.moves.iter().map(String::as_str).chain(last).collect();
    format!("{start} moves {}\n", moves.join(" "))
}
