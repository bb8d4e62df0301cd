//! One table of all systems, over games.

use super::cells::value;
use crate::distinct::distinct;
use crate::model::{GameReport, Report, RowReport, System};
use crate::numbers::{fixed, mega, or_absent};
use crate::table::{ABSENT, Table};
use facts::grouped;
use facts::metrics::Metric;

/// The mark of a win rate, which is not comparable with win, draw and loss.
const WIN_RATE: &str = " †";

/// A metric that every system has under one name or another: its heading, and its names.
const METRICS: [(&str, [&str; 2]); 4] = [
    ("policy loss", ["policy_loss", ""]),
    ("top-1 %", ["policy_accuracy", ""]),
    ("value loss", ["value_loss", "win_rate_result_loss"]),
    ("value acc. %", ["value_accuracy", "win_rate_accuracy"]),
];

/// Every row of every game that has begun, if the networks of a game differ in their architecture or move vocabulary.
pub(crate) fn systems(report: &Report) -> Table {
    let rows: Vec<Line<'_>> = report.games.iter().flat_map(of_game).collect();
    let several = |game: &GameReport| {
        let kinds = of_game(game).map(|(_, _, system)| [&system.architecture, &system.moves]);
        distinct(kinds).len() > 1
    };
    if !report.games.iter().any(several) {
        return Table::default();
    }
    let column = |heading: &str, cell: &dyn Fn(&Line<'_>) -> String| {
        (heading.to_owned(), rows.iter().map(cell).collect::<Vec<String>>())
    };
    let mut columns = vec![
        column("game", &|(game, ..)| game.game.clone()),
        column("network", &|(.., system)| system.network.clone()),
        column("input", &|(.., system)| system.input.clone()),
        column("moves", &|(.., system)| system.moves.clone()),
        column("encoding", &|(.., system)| system.encoding.clone()),
        column("parameters", &|(_, row, _)| grouped(row.network.parameters() as u64)),
        column("MFLOPs", &|(_, row, _)| mega(row.flops)),
        column("step ms", &|(_, row, _)| or_absent(row.step_time, |time| fixed(time.seconds * 1e3, 1))),
    ];
    columns.extend(METRICS.map(|(heading, names)| column(heading, &|(game, row, _)| metric(game, row, names))));
    let marked = columns.iter().flat_map(|(_, cells)| cells).any(|cell| cell.ends_with(WIN_RATE));
    let table = Table::of_columns(columns).titled("all systems, on test positions").noted(notes(report, marked));
    Table { text_columns: vec![0, 1, 2, 3, 4], ..table }.without_empty_columns()
}

/// A row of a game with its network.
type Line<'a> = (&'a GameReport, &'a RowReport, &'a System);

/// The rows of a game of which a cell has a manifest.
fn of_game(game: &GameReport) -> impl Iterator<Item = Line<'_>> {
    game.rows.iter().filter_map(move |row| Some((game, row, row.system.as_ref()?)))
}

/// The first of these metrics that a row has; the second one is marked.
fn metric(game: &GameReport, row: &RowReport, names: [&str; 2]) -> String {
    let find = |name: &str| -> Option<&Metric> {
        let metrics = game.heads.iter().flat_map(|head| &head.metrics);
        metrics.copied().find(|metric| metric.name == name && row.test.contains_key(name))
    };
    match names.map(find) {
        [Some(usual), _] => value(row, usual, usual.name),
        [None, Some(win_rate)] => value(row, win_rate, win_rate.name) + WIN_RATE,
        [None, None] => ABSENT.to_owned(),
    }
}

fn notes(report: &Report, win_rate: bool) -> Vec<String> {
    let uniform: Vec<String> = report
        .games
        .iter()
        .filter_map(|game| Some(format!("{} on {}", fixed(game.uniform_baseline?, 3), game.game)))
        .collect();
    let mut notes = vec![
        "network: its architecture, layers × width / feed-forward; parameters and operations (of a forward pass for one \
         position, two for each multiplication) are of the whole network with its encodings and heads"
            .to_owned(),
    ];
    if !uniform.is_empty() {
        notes.push(format!(
            "policy losses are in nats over the moves that a row's `mask` leaves: over legal moves they compare within a \
             game, for every move vocabulary, and never across games; a uniform choice among legal moves has {}",
            uniform.join(", ")
        ));
    }
    if win_rate {
        notes.push(
            "†: cross-entropy and accuracy of the win rate (`win_rate_result_loss`), which do not compare with those of \
             win, draw and loss"
                .to_owned(),
        );
    }
    notes
}
