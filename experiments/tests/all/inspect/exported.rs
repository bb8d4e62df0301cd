//! What an export holds.

use crate::cli::run_args;
use crate::inspect::{numbers, tensors};
use serde_yaml::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use testing::Finished;

fn export(dir: &Path, cell: &str, out: &Path, more: &[&str]) {
    let out = out.to_str().expect("UTF-8");
    run_args(dir, &[&["export", cell, "--out", out], more].concat()).succeeds();
}

#[test]
fn weights_are_the_cells_and_the_page_describes_every_file() {
    let (finished, out) = (Finished::new(), tempfile::tempdir().expect("a folder"));
    for (game, squares, moves) in [("chess", 64, 1858), ("shogi", 81, 3781)] {
        let (cell, dir) = (finished.cell(game), out.path().join(game));
        export(finished.path(), &cell, &dir, &[]);
        let weights = tensors(dir.join("weights.safetensors"));
        assert_eq!(weights, tensors(finished.path().join(&cell).join("checkpoints/final.safetensors")));
        let config = |dir: &Path| fs::read_to_string(dir.join("config.yaml")).expect("a configuration");
        assert_eq!(config(&dir), config(&finished.path().join(&cell)));

        let forward = tensors(dir.join("forward.safetensors"));
        let page: Value = serde_yaml::from_str(&fs::read_to_string(dir.join("README.yaml")).expect("the page"))
            .expect("the page is YAML");
        for (key, found) in [("weights_safetensors", &weights), ("forward_safetensors", &forward)] {
            let shape =
                |entry: &Value| -> Vec<usize> { serde_yaml::from_value(entry["shape"].clone()).expect("a shape") };
            let entry = |entry: &Value| (entry["name"].as_str().expect("a name").to_owned(), shape(entry));
            let described: BTreeSet<(String, Vec<usize>)> =
                page[key].as_sequence().expect("a list").iter().map(entry).collect();
            let held: BTreeSet<_> = found.iter().map(|(name, shape, _)| (name.clone(), shape.clone())).collect();
            assert_eq!(described, held);
        }
        let positions = page["positions"].as_sequence().expect("positions").len();
        let shape = |name| forward.iter().find(|(known, ..)| known == name).map(|(_, shape, _)| shape.clone());
        assert_eq!(shape("policy"), Some(vec![positions, moves]));
        assert_eq!(shape("legal"), Some(vec![positions, moves]));
        assert_eq!(shape("result"), Some(vec![positions, 3]));
        assert_eq!(shape("trunk"), Some(vec![positions, squares, 16]));
        assert_eq!(fs::read_to_string(dir.join("moves.tsv")).expect("the moves").lines().count(), 1 + moves);
    }
}

#[test]
fn the_mask_leaves_legal_moves_as_they_are() {
    let (finished, out) = (Finished::new(), tempfile::tempdir().expect("a folder"));
    let list = out.path().join("list");
    fs::write(&list, "# the start and a mate\nstartpos\n\nstartpos moves f2f3 e7e5 g2g4 d8h4\n").expect("written");
    let dir = out.path().join("export");
    let list = list.to_str().expect("UTF-8");
    export(finished.path(), &finished.cell("chess"), &dir, &["--positions", list]);
    let forward = tensors(dir.join("forward.safetensors"));
    let (shape, policy) = numbers(&forward, "policy");
    let (_, masked) = numbers(&forward, "policy.masked");
    let legal = &forward.iter().find(|(name, ..)| name == "legal").expect("the mask").2;
    let count = |row: usize| legal[row * shape[1]..(row + 1) * shape[1]].iter().filter(|&&bit| bit == 1).count();
    assert_eq!((shape[0], count(0), count(1)), (2, 20, 0), "twenty first moves, none in a mate");
    for ((before, after), legal) in policy.iter().zip(&masked).zip(legal) {
        assert_eq!(*after, if *legal == 1 { *before } else { f64::from(-1e30_f32) });
    }
}

#[test]
fn random_weights_have_no_zero_and_gradients_the_names_of_parameters() {
    let (finished, out) = (Finished::new(), tempfile::tempdir().expect("a folder"));
    let cell = finished.cell("shogi");
    let export = |name: &str, seed: &str| {
        let dir = out.path().join(name);
        export(finished.path(), &cell, &dir, &["--random", seed, "--gradient"]);
        dir
    };
    let (first, again, other) = (export("a", "1"), export("b", "1"), export("c", "2"));
    let weights = tensors(first.join("weights.safetensors"));
    for (name, ..) in &weights {
        assert!(numbers(&weights, name).1.iter().all(|&value| value != 0.0), "{name} has a zero");
    }
    for file in ["weights.safetensors", "forward.safetensors", "gradient.safetensors"] {
        assert_eq!(tensors(first.join(file)), tensors(again.join(file)), "{file} is a function of the seed");
    }
    assert_ne!(weights, tensors(other.join("weights.safetensors")));

    let gradient = tensors(first.join("gradient.safetensors"));
    let of = gradient.iter().filter_map(|(name, shape, _)| Some((name.strip_prefix("gradient.")?, shape)));
    let parameters = weights.iter().map(|(name, shape, _)| (name.as_str(), shape));
    assert_eq!(of.collect::<BTreeSet<_>>(), parameters.collect::<BTreeSet<_>>());
    for target in ["policy_index", "value", "draw", "map", "rights", "repeats"] {
        assert!(gradient.iter().any(|(name, ..)| *name == format!("batch.{target}")), "the batch has its {target}");
    }
    let loss = |name: &str| numbers(&gradient, name).1[0];
    assert!((loss("loss.policy") + loss("loss.value") - loss("loss.total")).abs() < 1e-5, "both weigh 1");
    let moved = ["gradient.encoding.shaw.layer.0.q", "gradient.encoding.shaw.layer.1.k"];
    assert!(moved.iter().all(|name| numbers(&gradient, name).1.iter().any(|&value| value != 0.0)));
}
