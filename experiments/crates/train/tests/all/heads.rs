//! Cells with further heads: logged metrics agree with plain arithmetic on the network's outputs.

use config::{RunConfig, Weights};
use dataset::{
    Batch, GeneratedOptions, Label, MadePosition, Split, SplitBy, SplitPlan, evaluation_batches, write_made,
};
use games::chess::Chess;
use games::map_labels::{MapShape, MapTask};
use games::{Game, GameKind, InputName, Position};
use models::{HeadName, ModelConfig, Output, Outputs};
use nn::Arena;
use records::positions::{file, read};
use records::{MetricLine, Part};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tch::{Device, Tensor};
use testing::{Bench, assert_same_bits, encoding, imported, lines, openings, random_games, root, split};
use train::Setup;
use train::checkpoint::load_final;

/// The test's games with a score after every move except each seventh.
pub(crate) fn scored(dir: &Path) -> PathBuf {
    let mut text = String::new();
    for (number, line) in random_games().lines().enumerate() {
        match line.is_empty() || line.starts_with('[') {
            true => text.push_str(line),
            false => {
                for (ply, token) in line.split_ascii_whitespace().enumerate() {
                    let score = f64::from(((number * 31 + ply * 17) % 61) as i32 - 30) / 10.0;
                    let is_move = token.chars().next().is_some_and(char::is_alphabetic);
                    let comment =
                        if is_move && ply % 7 != 6 { format!("{{ [%eval {score}] }} ") } else { String::new() };
                    let _ = write!(text, "{token} {comment}");
                }
            }
        }
        text.push('\n');
    }
    let pgn = dir.join("scored.pgn");
    fs::write(&pgn, text).expect("the games are written");
    imported(GameKind::Chess, pgn, dir.join("scored"), 2)
}

/// Positions with a map: per square whose piece stands there, or per pair whether both hold one of the mover's.
pub(crate) fn mapped(dir: &Path, shape: MapShape) -> PathBuf {
    let mut stream = streams::stream(3, &["maps of a test"]);
    let mut position = <Chess as Game>::Position::start();
    let mut positions = Vec::new();
    let mut moves = Vec::new();
    let layout = GameKind::Chess.input(InputName::PieceTokens);
    let squares = layout.geometry.squares();
    while positions.len() < 120 {
        position.legal_moves(&mut moves);
        if moves.is_empty() {
            position = <Chess as Game>::Position::start();
            continue;
        }
        let mut row = vec![0; layout.row_bytes()];
        position.pack(InputName::PieceTokens, 0, &mut row);
        // The first square has no label.
        let whose = |square: usize| match row[square] {
            _ if square == 0 => -1,
            0 => 0,
            code => 1 + i8::from(usize::from(code) > layout.piece_codes / 2),
        };
        let labels = match shape {
            MapShape::Squares => (0..squares).map(whose).collect(),
            MapShape::Pairs => (0..squares * squares)
                .map(|pair| i8::from(whose(pair / squares) == 1 && whose(pair % squares) == 1))
                .collect(),
        };
        let mv = moves[streams::below(&mut stream, moves.len() as u64) as usize];
        positions.push(MadePosition::new::<Chess>(&position, Label::Map { mv, labels }));
        position.play(mv);
    }
    let out = dir.join(format!("{shape:?}"));
    let options = GeneratedOptions {
        output: out.clone(),
        name: "maps".to_owned(),
        game: GameKind::Chess,
        maker: "a test".to_owned(),
        source: "positions that this test made up".to_owned(),
        licence: "CC0-1.0".to_owned(),
        made_by: "a test".to_owned(),
        split: SplitPlan { by: SplitBy::Position, ..split() },
    };
    let classes = if shape == MapShape::Squares { 3 } else { 2 };
    let info = dataset::MapInfo { task: "whose".to_owned(), classes, shape, names: Vec::new() };
    write_made(&options, Some(info), None, 100, positions).expect("the maps can be written");
    out
}

pub(crate) fn with_heads(run: RunConfig, outputs: &str) -> RunConfig {
    let outputs: Outputs = serde_json::from_str(outputs).expect("heads");
    let ModelConfig::Chessformer(network) = run.model else { panic!("the test's model is written out") };
    let network = models::ChessformerConfig { outputs, ..*network };
    RunConfig { model: ModelConfig::Chessformer(Box::new(network)), ..run }
}

/// The labels of an unread map are −1, and a mean over none of them is 0.
#[test]
fn a_map_beside_the_policy_is_learnt_and_tested_and_resumes() {
    let bench = Bench::new();
    let mut run = with_heads(bench.run(29), r#"{"policy": {}, "per_square": {"classes": 4}}"#);
    run.view.map = Some(MapTask::AttackedSquares);
    let [of_own, _] = bench.resumed(&run, 28);
    run.test_data = Some(openings(bench.path()));
    let of_others = bench.trained("tested", &run);
    for dir in [of_own, of_others] {
        let (trained, tested) = (last(&dir, Part::Train), last(&dir, Part::Test));
        let metric = |line: &MetricLine, name| line.metrics.get(name).expect("a metric");
        for line in [&trained, &tested] {
            assert!(metric(line, "policy_loss") > 0.1 && metric(line, "map_loss") > 0.1, "{line:?}");
        }
        let positions = read(&dir.join(file(Weights::Raw))).expect("positions");
        assert!(!positions.is_empty() && positions.iter().all(|row| row.map_cells == Some(64 * row.positions)));
    }
}

pub(crate) fn last(dir: &Path, part: Part) -> MetricLine {
    lines(dir).into_iter().rfind(|line| line.split == part).expect("a line")
}

/// Sums and counts by metric.
#[derive(Default)]
pub(crate) struct Means(pub(crate) BTreeMap<String, (f64, f64)>);

impl Means {
    pub(crate) fn add(&mut self, name: &str, value: f64) {
        let (sum, count) = self.0.entry(name.to_owned()).or_default();
        *sum += value;
        *count += 1.0;
    }

    fn assert_found(&self, line: &MetricLine) {
        assert!(self.0.len() > 2);
        for (name, (sum, count)) in &self.0 {
            let found = line.metrics.get(name).unwrap_or_else(|| panic!("{name} is missing"));
            assert!((found - sum / count).abs() < 1e-5 * (1.0 + found.abs()), "{name}: {found}, not {}", sum / count);
        }
    }
}

/// A finished cell and its final weights.
pub(crate) fn finished(dir: &Path) -> (Setup, Arena) {
    let setup = Setup::load(dir, Device::Cpu, 1, false).expect("a cell");
    let weights = load_final(dir, &setup.layout).expect("final weights");
    let arena = Arena::from_values(Arc::clone(&setup.layout), &weights, Device::Cpu).expect("weights");
    (setup, arena)
}

/// Calls `look` with the batches of test positions and the network's outputs.
pub(crate) fn outputs((setup, arena): &(Setup, Arena), positions: usize, look: &mut dyn FnMut(&Batch, Output)) {
    let config = &setup.config;
    let batches = evaluation_batches(&setup.dataset, Split::Test, config.input, config.eval.batch, positions as u64);
    for batch in batches.expect("test positions") {
        let batch = batch.expect("a batch");
        let packed = Tensor::from_slice(&batch.packed).view([batch.size as i64, -1]);
        look(&batch, tch::no_grad(|| setup.network.forward(&arena.frozen_views(), &packed)));
    }
}

/// The same for a cell's own number of test positions.
fn answers(dir: &Path, look: &mut dyn FnMut(&Batch, Output)) {
    let cell = finished(dir);
    outputs(&cell, cell.0.config.eval.test_positions, look);
}

fn numbers(tensor: Option<&Tensor>) -> Vec<f64> {
    let numbers: Vec<f32> = Vec::try_from(tensor.expect("the head is there").reshape([-1])).expect("numbers");
    numbers.into_iter().map(f64::from).collect()
}

pub(crate) fn log_sum_exp(logits: impl Iterator<Item = f64> + Clone) -> f64 {
    let most = logits.clone().fold(f64::NEG_INFINITY, f64::max);
    most + logits.map(|logit| (logit - most).exp()).sum::<f64>().ln()
}

#[test]
fn rewards_moves_left_and_the_soft_policy_are_logged_as_they_are() {
    let bench = Bench::new();
    let heads = r#"{"policy": {}, "soft_policy": {}, "q": {"buckets": 8}, "short_term": {"error": false},
        "moves_left": {"embedding": 4, "hidden": 8}}"#;
    let run = with_heads(RunConfig { data: scored(bench.path()), ..bench.run(24) }, heads);
    let dir = bench.trained("heads", &run);
    let mut means = Means::default();
    let mut unscored = 0;
    answers(&dir, &mut |batch, output| {
        let head = |head| numbers(output.get(head));
        let part = |part| numbers(output.part(HeadName::Q, part));
        let (value, short, moves) = (head(HeadName::Q), head(HeadName::ShortTerm), head(HeadName::MovesLeft));
        let (error, buckets) = (part("error"), part("buckets"));
        for row in 0..batch.size {
            let target = 2.0 * f64::from(batch.value[row]) - 1.0;
            if target.is_nan() {
                unscored += 1;
            } else {
                let squared = (value[row] - target).powi(2);
                means.add("q_loss", squared);
                means.add("q_error_loss", (error[row] - squared).powi(2));
                let logits = &buckets[row * 8..][..8];
                let bucket = (((target + 1.0) / 2.0 * 8.0).floor() as usize).min(7);
                means.add("q_buckets_loss", log_sum_exp(logits.iter().copied()) - logits[bucket]);
                let target = 2.0 * f64::from(batch.short_term[row]) - 1.0;
                means.add("short_term_loss", (short[row] - target).powi(2));
            }
            let off = (moves[row] - f64::from(batch.plies_left[row])).abs();
            means.add("moves_left_error", off);
            let scaled = off / 20.0;
            means.add("moves_left_loss", if scaled < 0.5 { scaled * scaled / 2.0 } else { 0.5 * (scaled - 0.25) });
        }
    });
    assert!(unscored > 0, "some positions have no score");
    let test = last(&dir, Part::Test);
    means.assert_found(&test);
    let of = |name: &str| test.metrics.get(name);
    assert_eq!(of("soft_policy_loss").is_some(), of("soft_policy_kl").is_some());
    assert_eq!(of("q_targets").zip(of("positions")).map(|(q, all)| all - q), Some(f64::from(unscored)));
    assert_eq!((of("value_loss"), of("short_term_error_loss"), of("map_loss")), (None, None, None));
}

#[test]
fn shares_of_the_result_are_logged_as_they_are() {
    let bench = Bench::new();
    let mut run = with_heads(bench.run(24), r#"{"policy": {}, "result_shares": {}}"#);
    run.train.loss = serde_json::from_str(r#"{"result_shares": 3.0}"#).expect("a weight");
    let dir = bench.trained("shares", &run);
    let (mut means, mut rows) = (Means::default(), 0);
    answers(&dir, &mut |batch, output| {
        let shares = numbers(output.get(HeadName::ResultShares));
        for (shares, &outcome) in shares.chunks(3).zip(&batch.outcome) {
            let off = |(i, share): (usize, &f64)| share - f64::from(u8::from(i as i64 == outcome));
            means.add("result_shares_loss", shares.iter().enumerate().map(off).map(|x| x * x).sum::<f64>() / 3.0);
            let most = shares.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            means.add("result_shares_accuracy", f64::from(u8::from(shares[outcome as usize] == most)));
            rows += 1;
        }
    });
    means.add("result_shares_targets", f64::from(rows));
    let test = last(&dir, Part::Test);
    means.assert_found(&test);
    assert!(test.metrics.get("value_loss").is_none());
    let train = last(&dir, Part::Train);
    let of = |name: &str| train.metrics.get(name).unwrap_or_else(|| panic!("no {name}"));
    assert!((of("loss") - of("policy_loss") - 3.0 * of("result_shares_loss")).abs() < 1e-5);
}

#[test]
fn win_draw_and_loss_by_value_and_draw_probability_are_learnt_from_lc0s_chunks() {
    let bench = Bench::new();
    let chunks = root().join("games/tests/data/lc0_v6_selfplay.tar");
    let data = imported(GameKind::Chess, chunks, bench.path().join("lc0"), 0);
    let run =
        with_heads(RunConfig { data, ..bench.run(12) }, r#"{"policy": {}, "value_result": {}, "value_shares": {}}"#);
    let dir = bench.trained("values", &run);
    let mut means = Means::default();
    answers(&dir, &mut |batch, output| {
        let logits = numbers(output.get(HeadName::ValueResult));
        let shares = numbers(output.get(HeadName::ValueShares));
        let known = batch.value.iter().zip(&batch.draw).map(|(&value, &draw)| (f64::from(value), f64::from(draw)));
        for ((logits, shares), (value, draw)) in logits.chunks(3).zip(shares.chunks(3)).zip(known) {
            let wanted = [value - draw / 2.0, draw, 1.0 - value - draw / 2.0].map(|share| share.max(0.0));
            let sum: f64 = wanted.iter().sum();
            let whole = log_sum_exp(logits.iter().copied());
            let entropy: f64 = wanted.iter().zip(logits).map(|(share, logit)| share / sum * (whole - logit)).sum();
            means.add("value_result_loss", entropy);
            let off: f64 = wanted.iter().zip(shares).map(|(share, found)| (found - share / sum).powi(2)).sum();
            means.add("value_shares_loss", off / 3.0);
            means.add("value_share_of_draws", draw);
        }
    });
    means.0.remove("value_share_of_draws").filter(|(sum, _)| *sum > 0.0).expect("some draws are possible");
    means.add("value_result_targets", means.0["value_result_loss"].1);
    means.assert_found(&last(&dir, Part::Test));
}

#[test]
fn training_lines_show_every_loss_as_it_is_and_weighted_and_these_add_up() {
    let bench = Bench::new();
    let heads = r#"{"policy": {}, "soft_policy": {}, "result": {}, "q": {"buckets": 8}, "moves_left": {}}"#;
    let mut run = with_heads(RunConfig { data: scored(bench.path()), ..bench.run(12) }, heads);
    run.train.loss = serde_json::from_str(r#"{"q_error": 0.25}"#).expect("a weight");
    let (a, b) = (bench.trained("a", &run), bench.trained("b", &run));
    assert_same_bits(&a, &b);
    for line in lines(&a).iter().filter(|line| line.split == Part::Train) {
        let of = |name: &str| line.metrics.get(name).unwrap_or_else(|| panic!("{name} is missing"));
        let weights = [
            ("policy_loss", 1.0),
            ("value_loss", 1.0),
            ("soft_policy_loss", 8.0),
            ("q_loss", 1.0),
            ("q_error_loss", 0.25),
            ("q_buckets_loss", 0.1),
            ("moves_left_loss", 1.0),
        ];
        let sum: f64 = weights.iter().map(|(name, weight)| of(name) * weight).sum();
        assert!((sum - of("loss")).abs() < 1e-4 * sum, "{sum} and {}", of("loss"));
        let weighted = weights.map(|(name, weight)| (of(&format!("{name}.weighted")), of(name) * weight));
        assert!(weighted.iter().all(|(found, expected)| (found - expected).abs() < 1e-6 * (1.0 + expected)));
        let names: BTreeSet<&str> =
            line.metrics.iter().map(|(name, _)| name).filter(|n| n.ends_with("_loss")).collect();
        assert_eq!(names, weights.iter().map(|(name, _)| *name).collect());
    }
}

#[test]
fn a_map_of_squares_is_learnt_and_measured() {
    let bench = Bench::new();
    let data = mapped(bench.path(), MapShape::Squares);
    let mut run = with_heads(RunConfig { data, ..bench.run(120) }, r#"{"per_square": {"classes": 3}}"#);
    run.train.learning_rate = models::Schedule::new(3, vec![1e-2], Vec::new()).expect("a schedule");
    let dir = bench.trained("squares", &run);
    let mut means = Means::default();
    answers(&dir, &mut |batch, output| {
        let logits = numbers(output.get(HeadName::PerSquare));
        for (cell, &label) in batch.map.iter().enumerate().filter(|(_, label)| **label >= 0) {
            add_cell(&mut means, &logits[cell * 3..][..3], label as usize);
        }
    });
    let test = last(&dir, Part::Test);
    means.assert_found(&test);
    let of = |name: &str| test.metrics.get(name).expect("a metric");
    assert!(of("map_accuracy") > 0.95, "what stands on a square is in its token: {}", of("map_accuracy"));
    assert_eq!(of("map_balanced_accuracy"), (of("map_recall") + of("map_specificity")) / 2.0);
    let labelled = GameKind::Chess.geometry().squares() as f64 - 1.0;
    assert_eq!(of("map_cells"), of("positions") * labelled);
    let train = last(&dir, Part::Train);
    assert_eq!(train.metrics.get("map_loss"), train.metrics.get("loss"), "the only loss, weight 1");
    assert!(train.metrics.get("policy_loss").is_none() && test.metrics.get("policy_targets").is_none());
}

#[test]
fn a_map_of_pairs_is_learnt_and_measured() {
    let bench = Bench::new();
    let data = mapped(bench.path(), MapShape::Pairs);
    let mut run = with_heads(RunConfig { data, ..bench.run(100) }, r#"{"pairs": {"embedding": 8, "depth": 8}}"#);
    run.encoding = vec![encoding("none")];
    run.train.learning_rate = models::Schedule::new(3, vec![1e-2], Vec::new()).expect("a schedule");
    let dir = bench.trained("pairs", &run);
    let mut means = Means::default();
    answers(&dir, &mut |batch, output| {
        for (logit, &label) in numbers(output.get(HeadName::Pairs)).into_iter().zip(&batch.map) {
            add_cell(&mut means, &[0.0, logit], label as usize);
        }
    });
    let test = last(&dir, Part::Test);
    means.assert_found(&test);
    let balanced = test.metrics.get("map_balanced_accuracy").expect("a metric");
    assert!(balanced > 0.9, "{balanced}");
}

fn add_cell(means: &mut Means, logits: &[f64], label: usize) {
    means.add("map_loss", log_sum_exp(logits.iter().copied()) - logits[label]);
    let most = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let right = f64::from(u8::from(logits.iter().position(|&logit| logit == most) == Some(label)));
    means.add("map_accuracy", right);
    means.add(if label == 0 { "map_specificity" } else { "map_recall" }, right);
}
