//! What `posenc export --onnx` asks of posenc-torch, and what it refuses before.

use crate::cli::{Answer, answer, posenc};
use serde_yaml::Value;
use std::fs;
use testing::{Finished, program};

const CHESSFORMER: &str = "layers: 1, width: 16, heads: 2, ff: 16";
const RESNET: &str = "blocks: 1, channels: 8, value: {channels: 2, hidden: 8}, policy: planes";
const WIN_RATE: &str = "outputs: {policy: {}, win_rate: {}}";

/// Exports the network of a cell of this game with these settings, `a: …` in YAML, as `out`.
fn export(finished: &Finished, game: &str, settings: &[&str], onnx: &str) -> Answer {
    let (dir, folder) = (finished.path(), finished.path().join("changed"));
    let text = fs::read_to_string(dir.join(finished.cell(game)).join("config.yaml")).expect("a configuration");
    let mut config: Value = serde_yaml::from_str(&text).expect("YAML");
    for setting in settings {
        let change: Value = serde_yaml::from_str(setting).expect("YAML");
        for (key, value) in change.as_mapping().expect("a map") {
            config.as_mapping_mut().expect("a map").insert(key.clone(), value.clone());
        }
    }
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("config.yaml"), serde_yaml::to_string(&config).expect("YAML")).expect("written");
    fs::write(dir.join("positions"), "startpos\n").expect("written");
    let _ = fs::remove_dir_all(dir.join("out"));
    // A stand-in for posenc-torch's Python writes its arguments into the file that it is asked for.
    let python = program(dir, "python", "echo \"$@\" >\"$6\"\n");
    let more = ["--out", "out", "--random", "1", "--positions", "positions", onnx];
    let mut command = posenc(dir, &[&["export", "changed"][..], &more].concat());
    answer(command.env("POSENC_TORCH_PYTHON", python))
}

/// The form that posenc-torch was asked for.
fn asked(finished: &Finished) -> String {
    let path = finished.path().join("out/network.onnx");
    let arguments = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    arguments.trim().rsplit(' ').next().expect("a form").to_owned()
}

#[test]
fn a_network_gets_the_form_that_its_engines_read() {
    let finished = Finished::new();
    let dlshogi = format!("model: {{resnet: {{{RESNET}, {WIN_RATE}}}}}");
    let shogi = ["input: dlshogi_62_57", "moves: dlshogi_2187", "encoding: [none]", dlshogi.as_str()];
    let said = "reads input1 and input2 as dlshogi gives them\n";
    export(&finished, "shogi", &shogi, "--onnx").succeeds().says(&[said]);
    assert_eq!(asked(&finished), "dlshogi");
    let compact = [shogi[0], "moves: shogi_1496", shogi[2], shogi[3]];
    export(&finished, "shogi", &compact, "--onnx").succeeds().says(&[said]);
    let further = dlshogi.replace("win_rate: {}", "result: {}, moves_left: {embedding: 2, hidden: 4}");
    export(&finished, "shogi", &[shogi[0], shogi[1], shogi[2], further.as_str()], "--onnx")
        .succeeds()
        .says(&["as dlshogi gives them, without moves_left\n"]);

    export(&finished, "shogi", &[shogi[0], "moves: from_to", shogi[2], shogi[3]], "--onnx")
        .succeeds()
        .says(&["reads planes; it has not dlshogi's form", "names the square that a move leaves"]);
    assert_eq!(asked(&finished), "planes");
    export(&finished, "chess", &[], "--onnx").succeeds().says(&["network.onnx reads tokens\n"]);
    assert_eq!(asked(&finished), "tokens");
    export(&finished, "chess", &[], "--onnx=packed").succeeds().says(&["network.onnx reads packed\n"]);
    assert_eq!(asked(&finished), "packed");
}

#[test]
fn what_a_form_or_posenc_torch_lacks_is_said_before_anything_is_written() {
    let finished = Finished::new();
    let model = |more: &str| format!("model: {{chessformer: {{{CHESSFORMER}, {more}}}}}");
    let (policy, parts) = ("outputs: {policy: {}}", "embedding: {parts: {pieces: apart}}");
    let decoder = "model: {decoder: {layers: 1, width: 16, heads: 2, ff: 16, plies: 2, mask: prefix}}";
    let rotated = "encoding: [{rope: {layout: axial_2d, theta: 10}}]";
    let (words, cls) = ("input: tokens_68", "input: cls_tokens");
    let (of_words, of_cls) = ("moves: chessdecoder_1924", "moves: uci_1968_sid");
    let [refined, apart] =
        [model(&format!("{policy}, refinement: {{moves: 3}}")), model(&format!("{policy}, {parts}"))];
    let [hidden, table] = [model("edge: hidden"), model(&format!("{policy}, embedding: table"))];
    let made_of_parts = model(&format!("{policy}, embedding: {{parts: {{}}}}"));
    let refused: [(&[&str], &str, &[&str]); 9] = [
        (&[words, of_words, "encoding: [none]", decoder], "--onnx", &["cannot be written", "plies of a game"]),
        (
            &[refined.as_str(), "encoding: [none]"],
            "--onnx",
            &["cannot be written", "legal moves between its two passes"],
        ),
        (&[hidden.as_str(), "encoding: [none]"], "--onnx", &["cannot be written", "outside the board"]),
        (&[cls, of_cls, apart.as_str(), "encoding: [none]"], "--onnx", &["cannot be written", "squares of two tokens"]),
        (&[words, of_words, table.as_str(), rotated], "--onnx", &["cannot be written", "posenc-torch's rope"]),
        (&["game: minishogi"], "--onnx", &["cannot be written", "posenc-torch has no board of minishogi"]),
        (&[], "--onnx=dlshogi", &["form dlshogi", "its input is piece_tokens"]),
        (&["input: piece_tokens_aux"], "--onnx=planes", &["form planes", "tokens that are no squares"]),
        (
            &[cls, of_cls, made_of_parts.as_str(), "encoding: [none]"],
            "--onnx=tokens",
            &["form tokens", "the packed row"],
        ),
    ];
    for (settings, onnx, words) in refused {
        export(&finished, "chess", settings, onnx).fails_with(words);
        assert!(!finished.path().join("out").exists(), "{settings:?}");
    }
}

#[test]
fn only_a_package_that_is_missing_is_to_be_installed() {
    let finished = Finished::new();
    let cell = finished.cell("chess");
    let says = |words: &str, out: &str| {
        let python = program(finished.path(), "python", &format!("echo \"{words}\" >&2\nexit 1\n"));
        fs::write(finished.path().join("positions"), "startpos\n").expect("written");
        let mut command =
            posenc(finished.path(), &["export", &cell, "--out", out, "--onnx", "--positions", "positions"]);
        answer(command.env("POSENC_TORCH_PYTHON", python))
    };
    says("python: No module named posenc_torch", "a").fails_with(&["a is written", "No module named", "pip install"]);
    let other = says("posenc_torch: no space is left", "b").fails_with(&["b is written", "no space is left"]);
    assert!(!other.stderr.contains("pip install"), "{}", other.stderr);
}
