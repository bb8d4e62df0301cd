//! `posenc list` shows the registries; `completions` and `man` describe the whole command line, `--version` all that results
//! depend on.

use crate::cli::{self, answer, posenc_cell, run};
use config::SCHEMA_VERSION;
use config::numerics::BASE;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use testing::{Bench, assert_says, manifest};

fn listed(what: &str) -> Vec<Value> {
    run(".", &format!("list {what} --json")).json().as_array().expect("a JSON array").clone()
}

fn names(entries: &[Value]) -> Vec<&str> {
    entries.iter().map(|entry| entry["name"].as_str().expect("every entry has a name")).collect()
}

#[test]
fn an_unknown_back_end_is_refused_before_anything_runs() {
    let with = |value: &str| {
        let mut command = cli::posenc(Path::new("."), &["list", "games"]);
        answer(command.env(nn::Backend::VARIABLE, value))
    };
    let refused = with("on\u{1b}[2J");
    assert_eq!((refused.code, refused.stdout.as_str()), (Some(2), ""));
    assert_says(&refused.stderr, &["POSENC_KERNELS is \"on\\u{1b}[2J\"", "\"off\" or \"fused\""]);
    for known in ["", "off", "fused"] {
        with(known).succeeds();
    }
}

#[test]
fn every_registry_is_listed() {
    let games = listed("games");
    let boards = ["board5", "board6", "board8", "board9", "board11"];
    assert_eq!(names(&games), [&["chess", "shogi", "minishogi"][..], &boards].concat());
    assert_eq!((&games[0]["board"], &games[1]["board"]), (&"8x8".into(), &"9x9".into()));
    assert_eq!(games[1]["pieces"].as_array().map(Vec::len), Some(14));
    let moves = "from_to_chess_1858 from_to_shogi_3781 from_to_minishogi_540 dlshogi_2187 shogi_1496 python_dlshogi_2187 \
                 chessdecoder_1924 uci_1968_dm uci_1968_sid";
    assert_eq!(names(&listed("moves")).join(" "), moves);
    let inputs = listed("inputs").into_iter().map(|input| {
        format!("{} {}", input["name"].as_str().expect("a name"), input["game"].as_str().expect("a game"))
    });
    let expected = "piece_tokens chess, piece_tokens shogi, piece_tokens minishogi, piece_tokens_aux chess, piece_tokens_aux \
                    shogi, piece_tokens_aux minishogi, piece_tokens_rated chess, piece_tokens_rated shogi, piece_tokens_rated \
                    minishogi, lc0_112 chess, lc0_112_en_passant chess, dlshogi_62_57 shogi, tokens_68 chess, cls_tokens chess, cls_tokens_white chess";
    assert_eq!(inputs.collect::<Vec<_>>().join(", "), expected);
    let models = listed("models");
    assert_eq!(names(&models), ["chessformer", "resnet", "resnet_transformer", "decoder"]);
    for model in &models {
        assert!(model["options"].as_array().is_some_and(|options| !options.is_empty()), "{model}");
    }
    let options = models[0]["options"].to_string();
    assert_says(
        &options,
        &["layers: integer ≥1", "ff_kind: dense/glu/swiglu/geglu", "{parts: {castling: true", "outputs: map"],
    );
    assert!(names(&listed("presets")).contains(&"cf-6m"));
    let presets = run(".", "list presets").succeeds().stdout;
    assert!(presets.contains("model: {chessformer: {") && !presets.contains('"'), "{presets}");
    let encodings = listed("encodings");
    assert_eq!(names(&encodings), encodings::EncodingConfig::NAMES);
    let text = run(".", "list encodings").succeeds().stdout;
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for entry in encodings {
        assert_says(&text, &["name", "summary", "example", "source"].map(|key| entry[key].as_str().expect("a text")));
    }
    let metrics = listed("metrics");
    let loss = metrics.iter().find(|metric| metric["name"] == "map_loss").expect("the map head has a loss");
    let heads = "per_square, pairs";
    assert_eq!((&loss["heads"], &loss["better"], &loss["unit"]), (&heads.into(), &"lower".into(), &"nats".into()));
    assert!(names(&metrics).iter().all(|name| !name.contains('.')), "metrics of phases have the same meaning");
    run(".", "list engines").misused_with(&["possible values"]);
}

#[test]
fn lists_fit_into_80_columns() {
    for what in ["games", "encodings", "models", "inputs", "moves", "presets", "metrics"] {
        let text = run(".", &format!("list {what}")).succeeds().stdout;
        assert_eq!(text.lines().find(|line| line.chars().count() > 80), None, "posenc list {what}");
    }
}

#[test]
fn every_shell_completes_every_command_and_each_has_a_manual_page() {
    let help = run(".", "help").succeeds().stdout;
    let (_, commands) = help.split_once("Experiments:\n").expect("groups of commands");
    let (commands, _) = commands.split_once("Options:\n").expect("options");
    let commands = commands.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let commands: BTreeSet<&str> = commands.filter_map(|line| line.split_whitespace().next()).collect();
    let commands: Vec<&str> = commands.into_iter().filter(|name| *name != "help").collect();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        run(".", &format!("completions {shell}")).succeeds().says(&commands);
    }
    let dir = tempfile::tempdir().expect("a folder");
    run(&dir, "man --out pages").succeeds();
    for command in commands {
        let page = fs::read_to_string(dir.path().join(format!("pages/posenc-{command}.1")));
        assert_says(&page.unwrap_or_else(|error| panic!("{command}: {error}")), &[".TH", command]);
    }
    assert!(dir.path().join("pages/posenc.1").is_file());
}

#[test]
fn every_encoding_has_a_name_for_people() {
    for name in encodings::EncodingConfig::NAMES {
        let shown = facts::row_name::readable(name);
        assert!(!shown.is_empty() && !shown.contains('_'), "{name}: add it to facts::row_name");
    }
}

#[test]
fn the_version_is_that_of_manifests() {
    let release = env!("CARGO_PKG_VERSION");
    assert_eq!(run(".", "-V").succeeds().stdout, format!("posenc {release}\n"));
    let long = run(".", "--version").succeeds().stdout;
    let lines: Vec<&str> = long.lines().collect();
    let [first, revision, libtorch, versions] = lines[..] else { panic!("four lines, not {lines:?}") };
    assert_eq!(first, format!("posenc {release}"));
    assert!(libtorch.starts_with("LibTorch 2."), "{libtorch}");
    assert_eq!(versions, format!("numerics version {BASE}, schema version {SCHEMA_VERSION}"));

    let bench = Bench::new();
    let dir = bench.cell("version", &bench.run(1));
    assert!(posenc_cell(&dir).output().expect("posenc starts").status.success());
    let recorded = manifest(&dir).revision.expect("a revision");
    assert_eq!(revision, format!("revision {recorded}"));
    let is_hash = recorded.commit.len() == 40 && recorded.commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    assert!(is_hash || recorded.commit == format!("v{release}"), "{recorded:?}");
    assert_eq!(recorded.dirty, recorded.diff.is_some());
}
