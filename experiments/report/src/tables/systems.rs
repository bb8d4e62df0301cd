//! One table of all systems, over games.

use super::{NOT_YET, metric};
use crate::model::{GameReport, Report, RowReport};
use crate::numbers::{fixed, mega};
use crate::sheet::Sheet;
use crate::systems::System;
use spec::grouped;

/// What stands behind numbers of the other kind of value.
const OTHER_VALUE: &str = " †";

/// Every row of every game, where a game's networks are of several makes or number their moves in several ways; nothing
/// for other grids, whose tables by game say as much.
pub(crate) fn systems(report: &Report) -> Sheet {
    let several = |game: &GameReport| {
        let of =
            |row: &RowReport| row.system.as_ref().map(|system| [system.architecture.clone(), system.moves.clone()]);
        game.rows.iter().any(|row| of(row) != of(&game.rows[0]))
    };
    if !report.games.iter().any(several) {
        return Sheet::default();
    }
    let header = [
        "game",
        "network",
        "input",
        "moves",
        "encoding",
        "parameters",
        "MFLOPs",
        "step ms",
        "policy loss",
        "top-1 %",
        "value loss",
        "value acc. %",
    ];
    let lines = || report.games.iter().flat_map(|game| game.rows.iter().map(move |row| (game, row)));
    let rows = lines().map(|(game, row)| of_row(game, row));
    let sheet = Sheet::new(header, &[0, 1, 2, 3, 4], rows).titled("all systems, on test positions");
    Sheet { notes: notes(report, lines().any(|(_, row)| has_other_value(row))), ..sheet }
}

fn of_row(game: &GameReport, row: &RowReport) -> Vec<String> {
    let [network, input, moves, encoding] = match &row.system {
        Some(System { network, input, moves, encoding, .. }) => [network, input, moves, encoding].map(Clone::clone),
        None => [row.label.clone(), String::new(), String::new(), String::new()],
    };
    let value = |usual: &str, other: &str, scale: f64| match has_other_value(row) {
        true => metric(row, other, scale) + OTHER_VALUE,
        false => metric(row, usual, scale),
    };
    let step = row.step_time.map_or_else(|| NOT_YET.to_owned(), |time| format!("{:.1}", time.seconds * 1e3));
    vec![
        game.game.clone(),
        network,
        input,
        moves,
        encoding,
        grouped(row.parameters() as u64),
        mega(row.flops),
        step,
        metric(row, "policy_loss", 1.0),
        metric(row, "policy_accuracy", 100.0),
        value("value_loss", "win_rate_result_loss", 1.0),
        value("value_accuracy", "win_rate_accuracy", 100.0),
    ]
}

/// Whether it says the share of points and not win, draw and loss.
fn has_other_value(row: &RowReport) -> bool {
    !row.test.contains_key("value_loss") && row.test.contains_key("win_rate_result_loss")
}

fn notes(report: &Report, other_value: bool) -> Vec<String> {
    let uniform: Vec<String> = report
        .games
        .iter()
        .filter_map(|game| Some(format!("{} on {}", fixed(game.uniform_baseline?, 3), game.game)))
        .collect();
    let mut notes = vec![
        "network: its make, layers × width / feed-forward; parameters and operations (of a forward pass for one position, two \
         for each multiplication) are of the whole network with its encodings and heads"
            .to_owned(),
        format!(
            "policy losses are nats of the moves that a row's `mask` leaves: among legal moves they compare within a game, \
             whatever the numbering, and never across games; a uniform choice among legal moves has {}",
            uniform.join(", ")
        ),
    ];
    if other_value {
        notes.push(
            "†: cross-entropy and accuracy of the share of points (`win_rate_result_loss`), which do not compare with those \
             of win, draw and loss"
                .to_owned(),
        );
    }
    notes
}
