//! Matched controls in `posenc check` and `posenc run`.

use crate::check::check;
use crate::cli::{cell_of, run};
use grid::plan;
use models::ModelConfig;
use testing::{EXPERIMENT, load, place};

/// The small experiment with two encodings and these controls.
fn experiment(controls: &str) -> String {
    let (head, tail) = EXPERIMENT.split_once("  encoding:\n").expect("there are encodings");
    let (_, tail) = tail.split_once("seeds:").expect("there are seeds");
    let tail = tail.replace("reference: {encoding: none}", "reference: {encoding: absolute}");
    format!("{head}  encoding: [absolute, shaw]\ncontrols:\n{controls}seeds:{tail}")
}

#[test]
fn check_shows_what_was_found_and_the_plan_names_it() {
    let entries = "  - {row: absolute, match: {params: shaw, by: ffn}}\n  - {row: absolute, match: {step_time: shaw, by: {ffn: 400}}}\n";
    let text = experiment(entries)
        .replace("layers: 2, width: 16, heads: 2, ff: 16", "layers: 4, width: 96, heads: 6, ff: 192");
    let shown = check(&text, "").stdout;
    let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    let expected = "\
matched controls:
  chess-absolute-ffn520: params of shaw by ffn 192 → 520: 852,675 of 852,515 (1.0002)
  shogi-absolute-ffn616: params of shaw by ffn 192 → 616: 1,010,051 of 1,007,875 (1.0022)
  chess-absolute-ffn400: step time of shaw by ffn 192 → 400: not timed; --measure times it on this machine
  shogi-absolute-ffn400: step time of shaw by ffn 192 → 400: not timed; --measure times it on this machine
";
    assert!(shown.contains(&expected.split_whitespace().collect::<Vec<_>>().join(" ")), "{shown}");
    let plan = plan::plan(&load(&text), false);
    let labels: Vec<&str> =
        plan.rows.iter().filter(|row| row.matched.is_some()).map(|row| row.label.as_str()).collect();
    let params = ["absolute [= params of shaw by ffn 520]", "absolute [= params of shaw by ffn 616]"];
    assert_eq!(labels, [params, ["absolute [= step time of shaw by ffn 400]"; 2]].concat());
    let shaw = plan.rows.iter().find(|row| row.label == "shaw").expect("the goal");
    let control = plan.rows.iter().find_map(|row| row.matched.as_ref()).expect("a control");
    assert_eq!(control.goal, shaw.folder);
}

#[test]
fn measured_controls_are_compared_with_their_goal() {
    let entry = "  - {row: absolute, match: {step_time: shaw, by: {ffn: 48}}}\n";
    let shown = check(&experiment(entry), "--measure").stdout;
    let line = shown.lines().find(|line| line.contains("step time of shaw")).expect("a line");
    assert!(line.contains("chess-absolute-ffn48: step time of shaw by ffn 16 → 48: "), "{line}");
    assert!(line.contains(" ms of "), "{line}");
}

#[test]
fn a_control_runs_to_a_finished_cell_with_its_sizes() {
    let entry = "  - {row: absolute, match: {params: shaw, by: ffn}}\n";
    let text = experiment(entry).replace("game: [chess, shogi]", "game: [chess]");
    let dir = place(&text.replace("seeds: [0, 1, 2]", "seeds: [0]"));
    run(&dir, "run experiment.yaml --jobs 2").succeeds();
    let answer = run(&dir, "report runs/small").succeeds();
    let loaded = load(&text);
    let control = loaded.rows.iter().find(|row| row.matched.is_some()).expect("a control");
    let ModelConfig::Chessformer(network) = &control.run.model else { panic!("{:?}", control.run.model) };
    let ff = network.ff;
    let label = format!("absolute [= params of shaw by ffn {ff}]");
    let ratios = ["1.0", "0.99"].map(|ratio| format!("{label} has {ratio}"));
    assert!(ratios.iter().any(|ratio| answer.stdout.contains(ratio)), "{}", answer.stdout);
    let control = cell_of(&dir.path().join("runs/small"), &format!("chess-absolute-ffn{ff}"));
    let config = std::fs::read_to_string(control.join("config.yaml")).expect("the cell's configuration");
    assert!(config.contains(&format!("ff: {ff}\n")) && !config.contains("match"), "{config}");
}
