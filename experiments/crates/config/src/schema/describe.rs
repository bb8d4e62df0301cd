//! The doc comments of settings as descriptions.

use super::super::file::{ExperimentFile, PrimaryEntry};
use super::super::run::{BaseConfig, EvalConfig, TrainConfig};
use super::super::setting::Setting;
use super::super::start::Start;
use serde_json::{Map, Value, json};

type Docs = &'static [(&'static str, &'static [&'static str])];

/// Adds them: to the keys of the document, and to the settings that `defs` name.
pub(super) fn describe(file: &mut Value, defs: &mut Map<String, Value>) {
    let of_base = ["base", "base.train", "base.eval"];
    let documented: [(&str, Docs); 6] = [
        ("", ExperimentFile::DOCS),
        ("primary", PrimaryEntry::DOCS),
        (of_base[0], BaseConfig::DOCS),
        (of_base[1], TrainConfig::DOCS),
        (of_base[2], EvalConfig::DOCS),
        ("base.train.start", Start::DOCS),
    ];
    for (way, docs) in documented {
        let Some(map) = way
            .split('.')
            .filter(|key| !key.is_empty())
            .try_fold(&mut *file, |node, key| node.get_mut("properties")?.get_mut(key))
        else {
            continue;
        };
        for (key, lines) in docs {
            let text = sentence(lines);
            put(&mut map["properties"][*key], &text);
            let dotted = [way.trim_start_matches("base").trim_start_matches('.'), key].join(".");
            let setting = Setting::named(dotted.trim_start_matches('.')).filter(|_| of_base.contains(&way));
            for def in ["point", "axes"] {
                let known =
                    setting.as_ref().and_then(|one| defs.get_mut(def)?.get_mut("properties")?.get_mut(one.name()));
                if let Some(known) = known {
                    put(known, &text);
                }
            }
        }
    }
    let from =
        "Another experiment file, relative to this one, whose `base` is inherited. What stands here overrides it.";
    put(&mut file["properties"]["base"]["properties"]["from"], from);
}

fn put(schema: &mut Value, text: &str) {
    if let Some(map) = schema.as_object_mut() {
        map.insert("description".to_owned(), json!(text));
    }
}

/// The lines of a doc comment as one text.
fn sentence(lines: &[&str]) -> String {
    lines.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ")
}
