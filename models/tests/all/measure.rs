//! What heads declare is what their evaluators give, and a choice among tied best moves is right.

use crate::common::*;
use games::{GameKind, InputName};
use models::loss::PolicyTargets;
use models::{
    Aggregation, ChessformerConfig, Column, Examples, GameSpec, HeadName, Loss, Masking, Measure, ModelConfig,
    NormPlace, Outputs,
};
use std::collections::BTreeSet;
use tch::{Device, Kind, Tensor};

const ROWS: i64 = 3;

/// All heads that a Chessformer can learn with one dataset of maps of squares, and a second pass; the one of maps of pairs.
const HEADS: [&str; 2] = [
    r#"{"outputs": {"policy": {"z_loss": true}, "soft_policy": {}, "result": {}, "result_shares": {},
    "value_result": {}, "value_shares": {}, "win_rate": {},
    "q": {"buckets": 6}, "short_term": {"error": false, "buckets": 4}, "moves_left": {}, "per_square": {"classes": 3},
    "rights": {}}, "refinement": {}}"#,
    r#"{"outputs": {"pairs": {}}}"#,
];

/// No dataset teaches the first; only decoders have the second (`decoder.rs`).
const OTHERS: [HeadName; 2] = [HeadName::FurtherPolicies, HeadName::Board];

/// Examples with every target in all rows but the last.
fn examples(spec: &GameSpec, pairs: bool) -> Examples {
    let rows = ROWS as usize;
    let squares = spec.input.geometry.squares() as i64;
    let numbers = |known: f32| Tensor::from_slice(&[known, known / 2.0, f32::NAN]);
    let column = |column| match column {
        Column::Packed => packed(spec, rows),
        Column::Legal => Tensor::full([ROWS, spec.moves.len().div_ceil(8) as i64], 255, (Kind::Uint8, Device::Cpu)),
        Column::PolicyIndex => Tensor::from_slice(&[3i64, 5, 7, 9, -1, -1]).view([ROWS, 2]),
        Column::PolicyProb => Tensor::from_slice(&[0.5f32, 0.5, 0.75, 0.25, 0.0, 0.0]).view([ROWS, 2]),
        Column::Outcome | Column::Rights => Tensor::from_slice(&[0i64, 2, -1]),
        Column::Value | Column::ShortTerm | Column::Points => numbers(1.0),
        Column::Draw => numbers(0.5),
        Column::MovesLeft => numbers(40.0),
        Column::Map => {
            let labels = (packed(spec, rows).narrow(1, 0, squares).remainder(4) - 1).to_kind(Kind::Int8);
            if pairs { labels.clamp_max(1).repeat([1, squares]) } else { labels }
        }
        Column::Repeats => Tensor::empty([ROWS, 0], (Kind::Uint8, Device::Cpu)),
    };
    Examples::new(|name| Ok::<_, ()>(column(name))).expect("every column")
}

fn measured(heads: &str, masking: Masking) -> (Measure, models::Output, Examples) {
    let spec = spec(GameKind::Chess, InputName::ClsTokens);
    let config = tiny_with(heads);
    let examples = examples(&spec, config.outputs.pairs.is_some());
    let (network, layout) = declare(&config, &none(), &spec);
    let measure = Measure::new(&ModelConfig::Chessformer(Box::new(config)), &spec, masking);
    let output = measure.answer(&network, &stirred(&layout).frozen_views(), &examples);
    (measure, output, examples)
}

#[test]
fn every_head_is_measured_here_or_a_known_exception() {
    let of = |heads: &str| chessformer(tiny_with(heads)).heads();
    let found: BTreeSet<HeadName> = HEADS.into_iter().flat_map(of).chain(OTHERS).collect();
    assert_eq!(found, HeadName::ALL.iter().copied().collect());
}

#[test]
fn evaluators_give_what_their_heads_declare() {
    for heads in HEADS {
        let (measure, output, examples) = measured(heads, Masking { training: true, measuring: true });
        let of_terms: Vec<&str> = measure.terms(&output, &examples).iter().map(|term| term.loss.name()).collect();
        let declared: Vec<&str> = measure.losses().iter().map(|loss| loss.name()).collect();
        assert_eq!(of_terms, declared, "each loss once, in the order in which they are added up");
        assert!(!declared.contains(&"short_term_error"), "{declared:?}");
        assert_eq!(declared.contains(&"q_error"), heads.contains("\"q\""), "{declared:?}");
        let values = measure.values(&output, &examples);
        let given: BTreeSet<&str> = values.iter().map(|(metric, _)| metric.name).collect();
        assert_eq!(given.len(), values.len(), "no metric twice");
        let means = measure.metrics().into_iter().filter(|metric| matches!(metric.aggregation, Aggregation::Mean(_)));
        assert_eq!(given, means.map(|metric| metric.name).collect());
        for (metric, values) in &values {
            assert_eq!((values.size(), values.kind()), (vec![ROWS], Kind::Float), "{}", metric.name);
            let Aggregation::Mean(target) = metric.aggregation else { continue };
            assert_eq!(measure.counts(target, &examples).size(), [ROWS], "{}", metric.name);
        }
    }
}

#[test]
fn a_term_is_the_sum_of_the_values_with_a_target() {
    let maskings = [(true, true), (false, false), (false, true)];
    for (heads, masking) in HEADS.into_iter().flat_map(|heads| maskings.map(|masking| (heads, masking))) {
        let (measure, output, examples) = measured(heads, Masking { training: masking.0, measuring: masking.1 });
        let values = measure.values(&output, &examples);
        for term in measure.terms(&output, &examples) {
            let name = term.loss.metric.name;
            let (_, of_rows) = values.iter().find(|(metric, _)| metric.name == name).expect("its metric");
            let present = measure.counts(term.loss.target, &examples).gt(0.0).to_kind(Kind::Float);
            let sum = numbers(&(of_rows * present).sum(Kind::Float));
            assert_near(&numbers(term.shown()), &sum, 1e-5, name);
        }
    }
}

#[test]
fn losses_are_added_up_in_one_order_whatever_the_network() {
    let names: Vec<&str> = Loss::all().iter().map(|loss| loss.name()).collect();
    let order = "policy policy_z value result_shares value_result value_shares win_rate_result win_rate_value soft_policy q \
                 q_error q_buckets short_term short_term_error short_term_buckets moves_left map board rights refined";
    assert_eq!(names.join(" "), order);
}

#[test]
fn a_head_that_is_taken_away_is_not_there() {
    let mut outputs: Outputs = tiny_with(HEADS[0]).outputs;
    for head in outputs.heads() {
        assert!(outputs.heads().contains(&head));
        outputs.remove(head);
        assert!(!outputs.heads().contains(&head), "{}", head.name());
    }
    assert_eq!(outputs, Outputs::none());
    let usual = ChessformerConfig { outputs: Outputs::default(), ..tiny(NormPlace::Post) };
    assert_eq!(ModelConfig::Chessformer(Box::new(usual)).heads(), [HeadName::Policy, HeadName::Result]);
}

#[test]
fn a_choice_among_tied_best_moves_is_right() {
    let index = Tensor::from_slice(&[4i64, 2, 7, 4, 2, -1, -1, -1, -1]).view([3, 3]);
    let prob = Tensor::from_slice(&[0.4f32, 0.4, 0.2, 0.3, 0.7, 0.9, 0.0, 0.0, 0.0]).view([3, 3]);
    let targets = PolicyTargets { index_bk: &index, prob_bk: &prob };
    let hits = |moves: [i64; 3]| numbers(&targets.hits(&Tensor::from_slice(&moves).view([3, 1])).to_kind(Kind::Float));
    assert_eq!(hits([4, 2, 0]), [1.0, 1.0, 0.0]);
    assert_eq!(hits([2, 4, 0]), [1.0, 0.0, 0.0], "the second of the tied moves is as good as the first");
    assert_eq!(hits([7, 7, 0]), [0.0, 0.0, 0.0]);
    let several = Tensor::from_slice(&[7i64, 4, 4, 0, 0, 1]).view([3, 2]);
    assert_eq!(numbers(&targets.hits(&several).to_kind(Kind::Float)), [1.0, 0.0, 0.0]);
}
