//! `posenc list`: available games, encodings and so on, from the registries.

use super::options::{json_text, print};
use clap::ValueEnum;
use config::NetworkCost;
use config::columns::{COLUMNS, wrapped};
use config::metrics::{self, Direction};
use encodings::EncodingConfig;
use games::{GameKind, InputLayout, InputName, MovesName, Vocabulary, with_game};
use models::{EmbeddingConfig, ModelConfig};
use serde_json::{Value, json};
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// What to list.
    #[arg(value_enum)]
    what: ListTopic,
    /// Print one JSON array instead of text.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ListTopic {
    Games,
    Encodings,
    Models,
    Inputs,
    Moves,
    Presets,
    Metrics,
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let entries = match args.what {
        ListTopic::Games => games(),
        ListTopic::Encodings => EncodingConfig::REGISTRY.iter().map(|encoding| json!(encoding)).collect(),
        ListTopic::Models => listed_models(),
        ListTopic::Inputs => inputs(),
        ListTopic::Moves => moves(),
        ListTopic::Presets => presets()?,
        ListTopic::Metrics => metrics(),
    };
    let text = if args.json { json_text(&entries)? } else { entries.iter().map(paragraph).collect() };
    print(&text)
}

/// The architectures, with the keys that the schema has for them.
fn listed_models() -> Vec<Value> {
    let listed = models::models().iter().map(|model| {
        let mut entry = json!(model);
        entry["options"] = json!(config::schema::keys::options(&format!("base.model.{}", model.name)));
        entry
    });
    listed.collect()
}

/// The metrics on all positions of a split; those of phases and novel positions have a suffix.
fn metrics() -> Vec<Value> {
    let all = metrics::all().iter().filter(|metric| !metric.name.contains('.'));
    let listed = all.map(|metric| {
        let better = match metric.direction {
            Direction::Lower => "lower",
            Direction::Higher => "higher",
            Direction::Neither => "neither",
        };
        let heads: Vec<&str> = metric.heads().iter().map(|head| head.name()).collect();
        json!({
            "name": metric.name, "heads": heads.join(", "), "unit": metric.unit, "better": better, "meaning": metric.description,
        })
    });
    listed.collect()
}

/// The name, and below it every other key, in lines that fit into a terminal.
fn paragraph(entry: &Value) -> String {
    let name = entry["name"].as_str().unwrap_or_default();
    let lines = entry.as_object().into_iter().flatten().filter(|(key, _)| *key != "name").map(|(key, value)| {
        let value = match value {
            Value::Array(list) => list.iter().map(shown).collect::<Vec<_>>().join(", "),
            other => shown(other),
        };
        wrapped(&format!("    {key}: {value}"), COLUMNS, "        ") + "\n"
    });
    format!("{name}\n{}", lines.collect::<String>())
}

/// A value as an experiment file writes it.
fn shown(value: &Value) -> String {
    let all = |values: Vec<String>| values.join(", ");
    match value {
        Value::String(text) => text.clone(),
        Value::Array(list) => format!("[{}]", all(list.iter().map(shown).collect())),
        Value::Object(map) => {
            format!("{{{}}}", all(map.iter().map(|(key, value)| format!("{key}: {}", shown(value))).collect()))
        }
        other => other.to_string(),
    }
}

fn games() -> Vec<Value> {
    let entry = |kind: GameKind| {
        let board = kind.geometry();
        json!({
            "name": kind.name(),
            "board": format!("{}x{}", board.files(), board.ranks()),
            "pieces": with_game!(kind, G => G::PIECES),
            "moves": kind.vocabularies().iter().map(|(_, moves)| moves.name()).collect::<Vec<_>>(),
            "inputs": kind.inputs().iter().map(|layout| layout.name.name()).collect::<Vec<_>>(),
        })
    };
    GameKind::LISTED.map(entry).into()
}

fn inputs() -> Vec<Value> {
    let entry = |layout: &InputLayout, game: GameKind| {
        json!({
            "name": layout.name.name(),
            "game": game.name(),
            "tokens": layout.tokens(),
            "bytes": layout.row_bytes(),
            "piece_codes": layout.piece_codes,
            "boards": layout.steps(),
            "features": layout.features.iter().map(|feature| feature.name).collect::<Vec<_>>(),
        })
    };
    let offered = |name| GameKind::ALL.into_iter().filter_map(move |game| Some((game.offered(name).ok()?, game)));
    InputName::ALL.into_iter().flat_map(offered).map(|(layout, game)| entry(layout, game)).collect()
}

fn moves() -> Vec<Value> {
    let entry = |name: MovesName, game: GameKind, vocabulary: Vocabulary| {
        let mut entry = json!({
            "name": vocabulary.name(),
            "yaml": name.name(),
            "game": game.name(),
            "entries": vocabulary.len(),
            "hash": vocabulary.hash(),
        });
        match vocabulary {
            Vocabulary::FromTo(moves) => {
                entry["promotions"] = json!(moves.promotions);
                entry["drops"] = json!(moves.drops);
            }
            Vocabulary::Planes(moves) => entry["classes"] = json!(moves.classes),
            Vocabulary::List(list) => {
                entry["promotions"] = json!(list.moves.promotions);
                entry["frames"] = json!(list.frames);
            }
        }
        entry
    };
    let offered = |name| GameKind::ALL.into_iter().filter_map(move |game| Some((game, game.vocabulary(name).ok()?)));
    let all = |name| offered(name).map(move |(game, vocabulary)| entry(name, game, vocabulary));
    MovesName::ALL.into_iter().flat_map(all).collect()
}

fn presets() -> anyhow::Result<Vec<Value>> {
    let entry = |preset: &models::Preset| {
        let model = (preset.model)();
        let setting = Setting::of(&model)?;
        let cost = NetworkCost::of_network(&model, &setting.encoding, &setting.spec)?;
        Ok(json!({
            "name": preset.name,
            "description": preset.description,
            "model": model,
            "counted_with": setting.name,
            "parameters": cost.facts.parameters(),
            "paper_macs": cost.macs.paper,
            "weight_macs": cost.macs.weights,
            "macs": cost.macs.total(),
            "parts": cost.parts,
        }))
    };
    models::presets().iter().map(entry).collect()
}

/// The game, input, moves and encoding that a preset was published with.
struct Setting {
    name: &'static str,
    spec: models::GameSpec,
    encoding: Vec<EncodingConfig>,
}

impl Setting {
    fn of(model: &ModelConfig) -> anyhow::Result<Self> {
        let reads_tokens = match model {
            ModelConfig::Chessformer(network) => network.embedding == EmbeddingConfig::Table,
            _ => false,
        };
        let shogi = (GameKind::Shogi, InputName::Dlshogi62_57, MovesName::Dlshogi2187);
        let (name, (game, input, moves), encoding) = match model {
            // Shaw's encoding, and the gate after the input embedding.
            ModelConfig::Chessformer(_) if !reads_tokens => (
                "chess, lc0_112, absolute (gate) + shaw",
                (GameKind::Chess, InputName::Lc0_112, MovesName::FromTo),
                &["{\"absolute\": {\"at\": \"gate\"}}", "{\"shaw\": {}}"][..],
            ),
            ModelConfig::Chessformer(_) | ModelConfig::Decoder(_) => (
                "chess, tokens_68, chessdecoder_1924, rope (flat_1d)",
                (GameKind::Chess, InputName::Tokens68, MovesName::Chessdecoder1924),
                &["{\"rope\": {\"layout\": \"flat_1d\", \"theta\": 10000}}"][..],
            ),
            ModelConfig::Resnet(_) => ("shogi, dlshogi_62_57, dlshogi_2187", shogi, &["{\"none\": {}}"][..]),
            ModelConfig::ResnetTransformer(_) => (
                "shogi, dlshogi_62_57, dlshogi_2187, absolute (input) + dynamic_relative",
                shogi,
                &["{\"absolute\": {\"at\": \"input\"}}", "{\"dynamic_relative\": {}}"][..],
            ),
        };
        let encoding = encoding.iter().map(|text| serde_json::from_str(text)).collect::<Result<_, _>>()?;
        let spec = models::GameSpec { input: game.offered(input)?, moves: game.vocabulary(moves)? };
        Ok(Self { name, spec, encoding })
    }
}
