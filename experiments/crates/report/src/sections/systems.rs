//! A row's network in a few words, and one table of all systems, over games.

use super::heads::value;
use crate::model::{GameReport, Report, RowReport, System};
use crate::numbers::{fixed, mega, or_absent};
use crate::run_folder::CellRecord;
use crate::table::{ABSENT, Table};
use facts::metrics::Metric;
use facts::{distinct, grouped};
use serde_json::Value;

/// A row's system, once a cell has a manifest with its run.
pub(crate) fn of(cells: &[CellRecord]) -> Option<System> {
    cells.iter().find_map(|cell| of_run(&cell.facts.as_ref()?.config))
}

fn of_run(run: &Value) -> Option<System> {
    let word = |key: &str| run.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let (architecture, options) = run.get("model")?.as_object()?.iter().next()?;
    let sizes = sizes(options) + &additions(options);
    let encodings = run.get("encoding")?.as_array()?.iter().filter_map(name);
    Some(System {
        network: format!("{architecture} {sizes}").trim_end().to_owned(),
        architecture: architecture.clone(),
        input: word("input"),
        moves: word("moves"),
        encoding: encodings.collect::<Vec<_>>().join("+"),
    })
}

/// `rope` of `rope` and of `{rope: {…}}`.
fn name(encoding: &Value) -> Option<&str> {
    encoding.as_str().or_else(|| encoding.as_object()?.keys().next().map(String::as_str))
}

/// The plies of a decoder and the moves of a refinement pass.
fn additions(options: &Value) -> String {
    let size = |of: Option<&Value>| of.and_then(Value::as_u64);
    let plies = size(options.get("plies")).map(|plies| format!(", {plies} plies"));
    let moves = size(options.pointer("/refinement/moves")).map(|moves| format!(", {moves} moves refined"));
    plies.into_iter().chain(moves).collect()
}

/// Layers × width / feed-forward; a network of two parts has the sum of their layers written out, `1+1×32/32`.
fn sizes(options: &Value) -> String {
    let parts: Vec<&Value> = match (options.get("resnet"), options.get("attention")) {
        (Some(convolutions), Some(attention)) => vec![convolutions, attention],
        _ => vec![options],
    };
    let all = |keys: [&str; 2]| -> Vec<String> {
        let sizes = parts.iter().filter_map(|part| keys.iter().find_map(|key| part.get(key)?.as_u64()));
        sizes.map(|size| size.to_string()).collect()
    };
    let (layers, width, inside) = (all(["layers", "blocks"]), all(["width", "channels"]), all(["ff", "ff"]));
    let inside = inside.first().map_or_else(String::new, |size| format!("/{size}"));
    width.first().map_or_else(String::new, |width| format!("{}×{width}{inside}", layers.join("+")))
}

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
pub(crate) fn table(report: &Report) -> Table {
    let rows: Vec<SystemRow<'_>> = report.games.iter().flat_map(of_game).collect();
    let several = |game: &GameReport| {
        let kinds = of_game(game).map(|(_, _, system)| [&system.architecture, &system.moves]);
        distinct(kinds).len() > 1
    };
    if !report.games.iter().any(several) {
        return Table::default();
    }
    let column = |heading: &str, cell: &dyn Fn(&SystemRow<'_>) -> String| {
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
    let network = "network: its architecture, layers × width / feed-forward; parameters and operations (of a forward pass for one \
                   position, two for each multiplication) are of the whole network with its encodings and heads";
    let win_rate = "†: cross-entropy and accuracy of the win rate (`win_rate_result_loss`), which do not compare with those of \
                    win, draw and loss";
    let table = Table::of_columns(columns)
        .titled("all systems, on test positions")
        .noted([network])
        .noted(of_policies(report))
        .noted(marked.then_some(win_rate));
    Table { text_columns: vec![0, 1, 2, 3, 4], ..table }.without_empty_columns()
}

type SystemRow<'a> = (&'a GameReport, &'a RowReport, &'a System);

/// The rows of a game of which a cell has a manifest.
fn of_game(game: &GameReport) -> impl Iterator<Item = SystemRow<'_>> {
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

/// How policy losses compare; none without the loss of a uniform choice.
fn of_policies(report: &Report) -> Option<String> {
    let uniform = |game: &GameReport| Some(format!("{} on {}", fixed(game.uniform_baseline?, 3), game.game));
    let all: Vec<String> = report.games.iter().filter_map(uniform).collect();
    let all = (!all.is_empty()).then(|| all.join(", "))?;
    Some(format!(
        "policy losses are in nats over the moves that a row's `mask` leaves: over legal moves they compare within a \
         game, for every move vocabulary, and never across games; a uniform choice among legal moves has {all}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn system(model: Value, encoding: Value) -> [String; 2] {
        let run = json!({"model": model, "encoding": encoding, "input": "piece_tokens", "moves": "from_to"});
        let system = of_run(&run).expect("a run");
        [system.network, system.encoding]
    }

    #[test]
    fn networks_are_named_by_their_architecture_and_sizes() {
        let former = json!({"chessformer": {"layers": 2, "width": 48, "ff": 192, "value": {"hidden": 128}}});
        let stack = json!([{"absolute": {"at": "gate"}}, "none"]);
        assert_eq!(system(former, stack), ["chessformer 2×48/192", "absolute+none"]);
        let again = json!({"chessformer": {"layers": 2, "width": 48, "ff": 48, "refinement": {"moves": 3}}});
        assert_eq!(system(again, json!([]))[0], "chessformer 2×48/48, 3 moves refined");
        let decoder = json!({"decoder": {"layers": 1, "width": 8, "ff": 16, "plies": 4}});
        assert_eq!(system(decoder, json!([]))[0], "decoder 1×8/16, 4 plies");
        let convolutions = json!({"resnet": {"blocks": 2, "channels": 32, "se": {"channels": 8}}});
        assert_eq!(system(convolutions, json!([{"none": {}}])), ["resnet 2×32", "none"]);
        let both = json!({"resnet_transformer": {"resnet": {"blocks": 1, "channels": 32}, "attention": {"layers": 3, "ff": 16}}});
        assert_eq!(system(both, json!([])), ["resnet_transformer 1+3×32/16", ""]);
        assert_eq!(of_run(&json!({"model": 3})), None);
    }
}
