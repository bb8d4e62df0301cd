//! A bundle's description: for people, and as an RO-Crate (version 1.1) for archives.

use super::author::Publication;
use super::names::{CELLS, METADATA, SUMS};
use records::plan::Plan;
use report::model::{GameReport, Report, RowReport};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// A dataset that cells were trained or tested on; the bundle does not contain it.
#[derive(Debug, Clone)]
pub(super) struct DataSource {
    pub(super) name: String,
    pub(super) game: &'static str,
    pub(super) content_hash: String,
    /// Whether cells were tested on its test games.
    pub(super) tests: bool,
    pub(super) licence: Option<String>,
    pub(super) source: Option<String>,
    pub(super) made_by: Option<String>,
}

pub(super) struct BundleDescription<'a> {
    pub(super) plan: &'a Plan,
    pub(super) publication: &'a Publication,
    /// The fields at the top of `README.md`.
    pub(super) card: String,
    pub(super) data: &'a [DataSource],
    pub(super) date: String,
    pub(super) revision: Option<String>,
    pub(super) finished: usize,
    pub(super) cells: usize,
    pub(super) tuned: bool,
    pub(super) predicted: bool,
}

const NO_LICENCE: &str = "The publisher named no licence.";
const UNKNOWN: &str = "not known to the publisher";

impl BundleDescription<'_> {
    fn question(&self) -> &str {
        self.plan.question.as_deref().unwrap_or("How should a transformer be told where things are on a board?").trim()
    }

    pub(super) fn readme(&self) -> String {
        let Self { plan, finished, cells, .. } = self;
        let weights = if self.publication.weights { "with" } else { "without" };
        let positions = match self.publication.compact {
            true => "with means of its test games",
            false => "with its test positions and TensorBoard's events",
        };
        let trials = match self.tuned {
            true => "- `tuning.json`, `tuning*/`: the trials by which the settings of each row were chosen\n",
            false => "",
        };
        let predictions = match self.predicted {
            true => {
                "- `predictions.json`: the losses that a larger budget should have, and a hash of the cells that say so\n"
            }
            false => "",
        };
        let authors: Vec<&str> = self.publication.authors.iter().map(|author| &author.name[..]).collect();
        let by = if authors.is_empty() { String::new() } else { format!("By {}. ", authors.join(", ")) };
        format!(
            "{}# {}\n\n{}\n\n{by}{finished} of {cells} cells are finished; {weights} final weights. Made by posenc.\n\n\
             - `report.html`: question, verdicts, plots and tables on one page; the same as `.txt`, `.md`, `.csv` and `.tex`\n\
             - `experiment.yaml`, `grid.json`: what was asked\n\
             - `{CELLS}/<row>/seed-<n>/`: configuration, manifest, metrics and log of each cell that has ended, {positions}\n\
             {trials}{predictions}\
             - `LICENCES.md`: what may be done with it; `{METADATA}`: the same and more for programs\n\
             - `{SUMS}`: a hash of every file\n\n\
             `b3sum --check {SUMS}` or `posenc verify <this>` checks every hash: that no file was changed, not who made it. \
             `posenc verify <this> --rerun 2 --data <dataset>` trains two cells again, drawn at random, and compares.\n\n\
             Paths of the publisher's machine were taken out: `…/name` stands for one.\n",
            self.card,
            plan.experiment,
            self.question(),
        )
    }

    pub(super) fn licences(&self) -> String {
        let mut text = format!(
            "# Licences\n\nResults in this bundle: {}\n\nposenc itself: GPL-3.0-or-later; it is not in the bundle.\n",
            self.publication.licence.as_deref().unwrap_or(NO_LICENCE)
        );
        for data in self.data {
            let or_unknown = |text: &Option<String>| text.clone().unwrap_or_else(|| UNKNOWN.to_owned());
            text += &format!(
                "\nDataset {} ({}), which is not in the bundle either:\n\n- licence: {}\n- source: {}\n- made by: {}\n- content hash: {}\n",
                data.name,
                data.game,
                or_unknown(&data.licence),
                or_unknown(&data.source),
                or_unknown(&data.made_by),
                data.content_hash
            );
        }
        text
    }

    /// The RO-Crate; `sizes` are those of all other files except the list of hashes.
    pub(super) fn metadata(&self, sizes: &BTreeMap<String, u64>) -> Value {
        let id = |id: &str| json!({"@id": id});
        let licence = match &self.publication.licence {
            Some(name) => id(&format!("https://spdx.org/licenses/{name}")),
            None => json!(NO_LICENCE),
        };
        let data_id = |data: &DataSource| format!("#dataset-{}", data.content_hash);
        let parts: Vec<Value> = sizes.keys().map(|path| id(path)).collect();
        let mut graph = vec![
            json!({
                "@id": METADATA,
                "@type": "CreativeWork",
                "conformsTo": id("https://w3id.org/ro/crate/1.1"),
                "about": id("./"),
            }),
            json!({
                "@id": "./",
                "@type": "Dataset",
                "name": self.plan.experiment,
                "description": self.question(),
                "datePublished": self.date,
                "license": licence,
                "author": self.publication.authors.iter().map(|author| id(&author.id())).collect::<Vec<_>>(),
                "hasPart": parts,
                "mentions": id("#training"),
            }),
            json!({
                "@id": "#posenc",
                "@type": "SoftwareApplication",
                "name": "posenc",
                "softwareVersion": env!("CARGO_PKG_VERSION"),
                "version": self.revision,
                "license": "GPL-3.0-or-later",
            }),
            json!({
                "@id": "#training",
                "@type": "CreateAction",
                "name": format!("Training of {} cells", self.finished),
                "instrument": id("#posenc"),
                "object": self.data.iter().map(|data| id(&data_id(data))).collect::<Vec<_>>(),
                "result": id("./"),
            }),
        ];
        if let Some(name) = &self.publication.licence {
            let url = format!("https://spdx.org/licenses/{name}");
            graph.push(json!({"@id": url, "@type": "CreativeWork", "name": name}));
        }
        graph.extend(self.publication.authors.iter().map(|author| {
            json!({"@id": author.id(), "@type": "Person", "name": author.name, "affiliation": author.affiliation})
        }));
        graph.extend(self.data.iter().map(|data| {
            json!({
                "@id": data_id(data),
                "@type": "Dataset",
                "name": data.name,
                "identifier": data.content_hash,
                "license": data.licence,
                "description": data.source,
            })
        }));
        graph.extend(sizes.iter().map(|(path, size)| {
            json!({
                "@id": path,
                "@type": "File",
                "name": path.rsplit('/').next(),
                "contentSize": size.to_string(),
                "encodingFormat": encoding_format(path),
            })
        }));
        json!({"@context": "https://w3id.org/ro/crate/1.1/context", "@graph": graph})
    }
}

fn encoding_format(path: &str) -> &'static str {
    let formats = [
        (".json", "application/json"),
        (".jsonl", "application/jsonl"),
        (".yaml", "application/yaml"),
        (".md", "text/markdown"),
        (".html", "text/html"),
        (".csv", "text/csv"),
        (".txt", "text/plain"),
        (".tex", "text/x-tex"),
    ];
    formats.iter().find(|(end, _)| path.ends_with(end)).map_or("application/octet-stream", |(_, format)| format)
}

/// The library that Hugging Face names for loading a model.
const LIBRARY: &str = "posenc";

/// The fields at the top of `README.md` that Hugging Face reads: of a dataset's page, or of a model's where the bundle has
/// weights. It is YAML in JSON's notation, a line for each field.
///
/// Fields: <https://huggingface.co/docs/hub/datasets-cards> and <https://huggingface.co/docs/hub/model-cards>.
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
