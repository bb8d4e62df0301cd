//! `posenc list` shows the registries.

use crate::cli::run;
use serde_json::Value;
use std::path::Path;

fn listed(what: &str) -> Vec<Value> {
    let answer = run(Path::new("."), &["list", what, "--json"]).succeeds();
    serde_json::from_str(&answer.stdout).expect("a JSON array")
}

fn names(entries: &[Value]) -> Vec<&str> {
    entries.iter().map(|entry| entry["name"].as_str().expect("every entry has a name")).collect()
}

#[test]
fn every_registry_is_listed() {
    assert_eq!(names(&listed("games")), ["chess", "shogi"]);
    assert_eq!(
        names(&listed("moves")),
        [
            "from_to_chess_1858",
            "from_to_shogi_3781",
            "dlshogi_2187",
            "shogi_1496",
            "python_dlshogi_2187",
            "chessdecoder_1924",
            "uci_1968_dm",
            "uci_1968_sid"
        ]
    );
    let inputs: Vec<Value> = listed("inputs");
    let inputs: Vec<(&str, &str)> =
        names(&inputs).into_iter().zip(inputs.iter().filter_map(|i| i["game"].as_str())).collect();
    assert_eq!(
        inputs,
        [
            ("piece_tokens", "chess"),
            ("piece_tokens", "shogi"),
            ("piece_tokens_aux", "chess"),
            ("piece_tokens_aux", "shogi"),
            ("piece_tokens_rated", "chess"),
            ("piece_tokens_rated", "shogi"),
            ("lc0_112", "chess"),
            ("dlshogi_62_57", "shogi"),
            ("tokens_68", "chess"),
            ("cls_tokens", "chess"),
            ("cls_tokens_white", "chess")
        ]
    );
    assert_eq!(names(&listed("models")), ["chessformer", "resnet", "resnet_transformer", "decoder"]);
    assert!(names(&listed("presets")).contains(&"cf-6m"));
    assert_eq!(names(&listed("encodings")), encodings::EncodingConfig::NAMES);
}

#[test]
fn the_games_say_what_they_are() {
    let games = listed("games");
    assert_eq!(games[0]["board"], "8x8");
    assert_eq!(games[1]["board"], "9x9");
    assert_eq!(games[1]["pieces"].as_array().map(Vec::len), Some(14));
}

#[test]
fn the_text_has_what_the_json_has() {
    let text = run(Path::new("."), &["list", "encodings"]).succeeds().stdout;
    for entry in listed("encodings") {
        for key in ["name", "summary", "example", "source"] {
            let value = entry[key].as_str().expect("a text");
            assert!(text.contains(value), "{value:?} is not in:\n{text}");
        }
    }
}

#[test]
fn an_unknown_list_is_wrong_usage() {
    let answer = run(Path::new("."), &["list", "engines"]);
    assert_eq!(answer.code, Some(2));
    assert!(answer.stderr.contains("possible values"), "{}", answer.stderr);
}

#[test]
fn metrics_are_listed_with_their_heads() {
    let metrics = listed("metrics");
    let loss = metrics.iter().find(|metric| metric["name"] == "map_loss").expect("the map head has a loss");
    let heads = "per_square, pairs";
    assert_eq!((&loss["heads"], &loss["better"], &loss["unit"]), (&heads.into(), &"lower".into(), &"nats".into()));
    assert!(names(&metrics).iter().all(|name| !name.contains('.')), "metrics of phases have the same meaning");
}
