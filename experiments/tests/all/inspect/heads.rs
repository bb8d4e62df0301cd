//! What `posenc inspect` writes, and the activations of `posenc export`.

use crate::cli::{run, run_args};
use crate::inspect::{numbers, tensors};
use records::Inspected;
use serde_json::Value;
use std::fs;
use std::path::Path;
use testing::Finished;

const QUICK: [&str; 4] = ["--positions", "3", "--controls", "0"];

fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))).expect("JSON")
}

#[test]
fn a_cell_is_inspected_into_one_folder() {
    let finished = Finished::new();
    let positions = [("chess", "startpos moves e2e4", "g1"), ("shogi", "startpos moves 7g7f", "8h")];
    for (game, position, square) in positions {
        let cell = finished.cell(game);
        let args = [&["inspect", &cell, "--position", position, "--square", square, "--ablate"][..], &QUICK].concat();
        let answer = run_args(finished.path(), &args).succeeds();
        let lines: Vec<&str> = answer.stdout.lines().collect();
        assert!(lines.len() <= 20 && lines[0].contains("of 4 heads follow a movement"), "{}", answer.stdout);
        assert!(["layer", "movement", "best fits"].iter().all(|name| lines[2].contains(name)), "{}", answer.stdout);
        assert_eq!(lines.last(), Some(&&*format!("page: {cell}/inspect/inspect.html")));
        let dir = finished.path().join(&cell).join("inspect");
        let found = Inspected::read(&finished.path().join(&cell)).expect("readable").expect("written");
        assert_eq!((found.heads.len(), found.control.len(), found.positions), (4, 0, 3));
        assert_eq!(json(&dir.join("layers.json"))["heads"].as_array().map(Vec::len), Some(4));
        let parts = json(&dir.join("ablation.json"))["parts"].as_array().cloned().expect("parts");
        // One injection point, two layers, four heads, and these transposed.
        assert_eq!(parts.len(), 11);
        for name in
            ["displacements", &format!("square-{square}"), &format!("attention-{square}"), "variation", "position"]
        {
            for layer in 0..2 {
                let path = dir.join("maps").join(format!("layer-{layer:02}-{name}"));
                let svg = fs::read_to_string(path.with_extension("svg")).expect("a drawing");
                assert!(svg.contains("prefers-color-scheme: dark") && svg.contains("<title"), "{name}");
                assert!(fs::read(path.with_extension("png")).expect("pixels").starts_with(b"\x89PNG"), "{name}");
            }
        }
        let page = fs::read_to_string(dir.join("inspect.html")).expect("a page");
        assert!(page.contains("</html>") && !page.contains("src="), "one page");
        // The position that was asked for is before the examples.
        assert!(page.contains(&format!("selected>{position}</option>")), "{position}");
        let examples = json(&dir.join("layers.json"))["examples"].clone();
        assert_eq!((&examples[0], examples.as_array().map(Vec::len)), (&Value::from(position), Some(5)));
        // Again, into another folder, with the same numbers.
        let out = finished.path().join("again");
        run(finished.path(), &format!("inspect {cell} --out again {}", QUICK.join(" "))).succeeds();
        assert_eq!(json(&out.join("heads.json")), json(&dir.join("heads.json")));
        fs::remove_dir_all(out).expect("removed");
    }
}

#[test]
fn tests_by_piece_are_made_if_they_are_asked_for() {
    let finished = Finished::new();
    let cell = finished.cell("shogi");
    let found = |more: &str| {
        let answer = run(finished.path(), &format!("inspect {cell} --positions 8 {more}")).succeeds();
        (Inspected::read(&finished.path().join(&cell)).expect("readable").expect("written"), answer.stdout)
    };
    let (quick, said) = found("");
    assert!(said.contains("\nNot tested: against random weights (--controls 120), by piece (--pieces).\n"), "{said}");
    assert!(!quick.by_piece && quick.pieces.is_empty());
    let (full, said) = found("--pieces");
    assert!(said.contains("\nNot tested: against random weights (--controls 120).\n"), "{said}");
    assert!(full.by_piece && !full.pieces.is_empty());
    assert_eq!(full.heads, quick.heads);
}

#[test]
fn wrong_options_are_refused_with_their_remedy() {
    let finished = Finished::new();
    let cell = finished.cell("chess");
    let refused =
        |more: &str, said: &str| drop(run(finished.path(), &format!("inspect {cell} {more}")).fails_with(&[said]));
    refused("--square j9", "--square j9: expected a square of chess such as e4");
    refused("--controls 5", "--controls 5: a p-value below 0.01 needs at least 101 networks");
    refused("--controls 5 --alpha 1e-30", "--controls 5: a p-value below 0.00000");
    refused("--position nonsense", "no position of chess");
}

#[test]
fn activations_are_those_of_the_forward_pass() {
    let finished = Finished::new();
    for game in ["chess", "shogi"] {
        let export = format!("export {} --out out --activations --layers", finished.cell(game));
        run(finished.path(), &format!("{export} 1")).succeeds();
        let dir = finished.path().join("out");
        let (found, forward) = (tensors(dir.join("activations.safetensors")), tensors(dir.join("forward.safetensors")));
        let names: Vec<&str> = found.iter().map(|(name, ..)| &name[..]).collect();
        assert_eq!(
            names,
            ["attention.layer.1", "content.layer.1", "stream.embedding", "stream.layer.1", "term.layer.1"]
        );
        // The last layer leaves what the heads read.
        assert_eq!(numbers(&found, "stream.layer.1"), numbers(&forward, "trunk"));
        let (shape, attention) = numbers(&found, "attention.layer.1");
        let (_, content) = numbers(&found, "content.layer.1");
        let (_, term) = numbers(&found, "term.layer.1");
        let length = *shape.last().expect("four dimensions");
        for ((attention, content), term) in
            attention.chunks(length).zip(content.chunks(length)).zip(term.chunks(length))
        {
            let exp: Vec<f64> = content.iter().zip(term).map(|(content, term)| (content + term).exp()).collect();
            let sum: f64 = exp.iter().sum();
            assert!(attention.iter().zip(&exp).all(|(weight, exp)| (weight - exp / sum).abs() < 1e-4));
        }
        fs::remove_dir_all(dir).expect("removed");
        run(finished.path(), &format!("{export} 7")).fails_with(&["--layers 7: the network has 2 attention layers"]);
    }
}

#[test]
fn activations_of_a_network_with_loops_have_each_name_once() {
    let finished = Finished::new();
    let cell = finished.cell("chess");
    let mut config = finished.loaded("chess").config;
    let model = r#"{"chessformer": {"layers": 1, "loops": 2, "width": 16, "heads": 2, "ff": 16}}"#;
    config.model = serde_json::from_str(model).expect("a model");
    fs::write(finished.path().join(&cell).join("config.yaml"), config.to_yaml().expect("YAML")).expect("written");
    run(finished.path(), &format!("export {cell} --out out --random 1 --activations")).succeeds();
    let found = tensors(finished.path().join("out/activations.safetensors"));
    let names: Vec<&str> = found.iter().map(|(name, ..)| &name[..]).collect();
    let maps = ["attention.layer.0", "content.layer.0", "term.layer.0"];
    let streams = ["stream.embedding", "stream.layer.0", "stream.layer.1"];
    assert_eq!(names, [maps[0], maps[1], streams[0], streams[1], streams[2], maps[2]]);
}
