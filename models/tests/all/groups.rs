//! Parameters with a learning rate or a weight decay of their own, against what each parameter does alone.

use crate::common::learning::{assert_shrinks, gradient_from, stepped};
use crate::common::*;
use games::{GameKind, InputName};
use models::{NormPlace, Optimizer, OptimizerConfig};
use nn::{Layout, Part, Range};
use std::sync::Arc;
use tch::Device;

const RATE: f64 = 0.01;

fn layout(stack: &str) -> Arc<Layout> {
    declare(&tiny(NormPlace::Post), &[encoding(stack)], &spec(GameKind::Chess, InputName::PieceTokens)).1
}

/// The weights after three steps.
fn after(config: &OptimizerConfig, layout: &Arc<Layout>, rate: f64) -> Vec<f32> {
    let [_, after] = stepped(config, layout, (0..3).map(|step| gradient_from(layout, 31 * step)), rate);
    after
}

#[test]
fn a_factor_is_another_learning_rate_for_its_group_and_nothing_for_the_rest() {
    let layout = layout(r#"{"shaw": {}}"#);
    let plain = read(r#"{"nadam": {"weight_decay": 0.3}}"#);
    let grouped = read(
        r#"{"nadam": {"weight_decay": 0.3, "groups": [
            {"part": "head", "learning_rate": 0.1},
            {"match": "*.bias", "learning_rate": 0.5},
            {"match": "body.1.*.weight", "part": "trunk", "learning_rate": 0}]}}"#,
    );
    let at = |factor: f64| after(&plain, &layout, RATE * factor);
    let (full, half, tenth, still) = (at(1.0), at(0.5), at(0.1), at(0.0));
    let found = after(&grouped, &layout, RATE);
    let mut seen = [0; 4];
    for param in layout.params() {
        let (which, expected) = if param.name.starts_with("body.1.") && param.name.ends_with(".weight") {
            (0, &still)
        } else if param.name.ends_with(".bias") {
            (1, &half)
        } else if param.part == Part::Head {
            (2, &tenth)
        } else {
            (3, &full)
        };
        seen[which] += 1;
        for i in param.elements() {
            assert!((found[i] - expected[i]).abs() <= 1e-6 * (1.0 + expected[i].abs()), "{} {i}", param.name);
        }
    }
    assert!(seen.iter().all(|&count| count > 1), "{seen:?}");
}

#[test]
fn a_group_decays_what_it_names_and_the_later_group_decides() {
    let layout = layout(r#"{"shaw": {}}"#);
    let config = read(
        r#"{"adamw": {"weight_decay": 0.2, "groups": [
            {"match": "encoding.*", "weight_decay": 0.4},
            {"match": "body.0.*", "weight_decay": 0},
            {"match": "body.0.*.bias", "weight_decay": 0.8, "learning_rate": 0.5}]}}"#,
    );
    assert_shrinks(&config, &layout, |param| match &param.name[..] {
        name if name.starts_with("body.0.") && name.ends_with(".bias") => 0.1 * 0.5 * 0.8,
        name if name.starts_with("body.0.") => 0.0,
        _ if param.part == Part::Encoding => 0.1 * 0.4,
        _ if param.range == Range::Matrix => 0.1 * 0.2,
        _ => 0.0,
    });
}

#[test]
fn frozen_encodings_stay_whatever_groups_say() {
    let layout = layout(r#"{"shaw": {}}"#);
    let before = stirred(&layout).values().expect("the CPU's values can be read");
    let groups = r#"{"nadam": {"groups": [{"match": "encoding.*", "learning_rate": 1}]}}"#;
    for written in [groups.to_owned(), format!(r#"{{"muon": {{"others": {groups}}}}}"#)] {
        let frozen = after(&read::<OptimizerConfig>(&written).with_frozen_encodings(), &layout, RATE);
        for param in layout.params() {
            let own = param.elements();
            assert_eq!(before[own.clone()] == frozen[own], param.part == Part::Encoding, "{}", param.name);
        }
    }
}

#[test]
fn groups_that_change_nothing_give_the_same_bits() {
    let layout = layout(r#"{"shaw": {}}"#);
    for name in ["nadam", "nadam_torch", "adamw", "sgd"] {
        let plain = read(&format!(r#"{{"{name}": {{"weight_decay": 0.1}}}}"#));
        let factor_1 = r#"[{"match": "body.*", "learning_rate": 1}, {"part": "head", "weight_decay": 0.1}]"#;
        let grouped = read(&format!(r#"{{"{name}": {{"weight_decay": 0.1, "groups": {factor_1}}}}}"#));
        let (plain, grouped) = (after(&plain, &layout, RATE), after(&grouped, &layout, RATE));
        for param in layout.params().iter().filter(|param| param.range == Range::Matrix || param.part != Part::Head) {
            for i in param.elements() {
                assert_eq!(plain[i].to_bits(), grouped[i].to_bits(), "{name}: {}", param.name);
            }
        }
    }
}

#[test]
fn groups_that_mean_nothing_are_refused() {
    let layout = layout(r#"{"none": {}}"#);
    let refused_in = |layout: &Layout, group: &str| {
        let config = read(&format!(r#"{{"nadam": {{"groups": [{group}]}}}}"#));
        Optimizer::new(config, layout, Device::Cpu).expect_err("refused").to_string()
    };
    let refused = |group: &str| refused_in(&layout, group);
    let message = refused(r#"{"match": "embeding.*", "learning_rate": 0.1}"#);
    assert!(message.contains("match: \"embeding.*\" fits no parameter"), "{message}");
    assert!(message.contains("embedding."), "{message}");
    let in_no_trunk = refused(r#"{"match": "policy.*", "part": "trunk", "learning_rate": 0.1}"#);
    assert!(in_no_trunk.contains("match: \"policy.*\", part: trunk fits no parameter"), "{in_no_trunk}");
    let batch = tiny_with(r#"{"normalisation": "batch"}"#);
    let (_, normed) = declare(&batch, &none(), &spec(GameKind::Chess, InputName::PieceTokens));
    let of_statistics = refused_in(&normed, r#"{"match": "*.running_mean", "weight_decay": 1}"#);
    assert_eq!(of_statistics.matches("running").count(), 1, "a statistic is not learnt: {of_statistics}");
    assert!(refused(r#"{"learning_rate": 0.1}"#).contains("names no parameters"));
    assert!(refused(r#"{"match": "body.*"}"#).contains("changes nothing"));
    assert!(refused(r#"{"match": "body.*", "weight_decay": -1}"#).contains("negative"));
    let of_no_encoding = read(r#"{"nadam": {"groups": [{"part": "encoding", "learning_rate": 2}]}}"#);
    assert!(Optimizer::new(of_no_encoding, &layout, Device::Cpu).is_ok(), "a part may be empty");
}
