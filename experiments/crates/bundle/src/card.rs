//! The fields at the top of `README.md` that Hugging Face reads: of a dataset's page, or of a model's where the bundle has
//! weights.
//!
//! Fields: <https://huggingface.co/docs/hub/datasets-cards> and <https://huggingface.co/docs/hub/model-cards>.

use super::describe::DataSource;
use report::model::{GameReport, Report, RowReport};
use serde_json::{Map, Value, json};

/// The library that Hugging Face names for loading a model.
const LIBRARY: &str = "posenc";

/// The fields as the front matter of a Markdown file. It is YAML in JSON's notation, a line for each field.
/// `weights`: whether the bundle has them.
pub(super) fn front_matter(licence: Option<&str>, weights: bool, report: &Report, data: &[DataSource]) -> String {
    let licence = licence.map_or("unknown".to_owned(), str::to_lowercase);
    let mut games: Vec<&str> = data.iter().map(|data| data.game).collect();
    games.sort_unstable();
    games.dedup();
    let tags: Vec<&str> = ["position-encoding", "transformer", "posenc"].into_iter().chain(games).collect();
    let mut fields =
        vec![("license", json!(licence)), ("pretty_name", json!(report.experiment)), ("tags", json!(tags))];
    if weights {
        let rows = report.games.iter().flat_map(|game| game.rows.iter().map(move |row| (game, row)));
        let models: Vec<Value> = rows.filter_map(|(game, row)| model(report, game, row, data)).collect();
        fields.extend([("library_name", json!(LIBRARY)), ("model-index", json!(models))]);
    }
    let lines: String = fields.into_iter().map(|(name, value)| format!("{name}: {value}\n")).collect();
    format!("---\n{lines}---\n\n")
}

/// A row as a model with its primary metric; none without a finished cell.
fn model(report: &Report, game: &GameReport, row: &RowReport, data: &[DataSource]) -> Option<Value> {
    let summary = row.primary.as_ref()?;
    let metric = &report.primary.name;
    let source = data.iter().find(|data| data.game == game.game && data.tests);
    let dataset = source.map_or_else(Map::new, |data| {
        Map::from_iter([
            ("name".to_owned(), json!(data.name)),
            ("type".to_owned(), json!(format!("posenc-{}", data.game))),
            ("revision".to_owned(), json!(data.content_hash)),
        ])
    });
    Some(json!({
        "name": format!("{} {}", game.game, row.label),
        "results": [{
            "task": {"type": "other", "name": format!("moves and results of {}", game.game)},
            "dataset": dataset,
            "metrics": [{
                "type": metric,
                "name": format!("{metric}, mean of {} seeds", summary.n),
                "value": summary.mean,
            }],
        }],
    }))
}
