//! The heads beside policy and result: shapes, plain-loop references, symmetry, and gradients.

use crate::common::*;
use games::{GameKind, InputName};
use models::{ChessformerConfig, GameSpec, HeadName, NormPlace, Output, Pool};
use nn::Arena;
use tch::{Device, Kind, Tensor};

fn with_heads(written: &str) -> ChessformerConfig {
    ChessformerConfig { outputs: read(written), ..tiny(NormPlace::Post) }
}

const ALL: &str = r#"{"policy": {}, "soft_policy": {"depth": 7}, "further_policies": {"other": {"depth": 5}},
    "result": {}, "result_shares": {}, "value_result": {}, "value_shares": {}, "win_rate": {}, "q": {"buckets": 6},
    "short_term": {"error": false, "buckets": 4}, "moves_left": {"embedding": 2, "hidden": 9},
    "per_square": {"classes": 5}, "pairs": {"embedding": 11, "depth": 6}}"#;

fn squares(spec: &GameSpec) -> usize {
    spec.input.geometry.squares()
}

#[test]
fn a_head_that_is_not_named_is_not_there() {
    let spec = spec(GameKind::Chess, InputName::PieceTokens);
    let Run { output, arena, .. } = run(&with_heads(r#"{"moves_left": {}}"#), &spec);
    assert_eq!(output.iter().map(|answer| answer.name()).collect::<Vec<_>>(), ["moves_left"]);
    let heads = arena.layout().params().iter().filter(|param| param.part == nn::Part::Head);
    assert!(heads.clone().count() == 6 && heads.clone().all(|param| param.name.starts_with("moves_left.")));
}

#[test]
fn the_usual_heads_start_as_they_did_without_the_others() {
    let spec = spec(GameKind::Shogi, InputName::PieceTokens);
    let (usual, all) = (tiny(NormPlace::Post), with_heads(ALL));
    let (small, large) = (declare(&usual, &none(), &spec).1, declare(&all, &none(), &spec).1);
    let (few, many) = (initialise(&small, 5).values().unwrap(), initialise(&large, 5).values().unwrap());
    for param in small.params() {
        let other = large.param(large.find(&param.name).expect("further heads change no name"));
        assert_eq!(few[param.elements()], many[other.elements()], "{}", param.name);
    }
}

fn board(weights: &Weights<'_>, scope: &str, squares: &[Vec<f64>], pool: Pool) -> Vec<f64> {
    let reduced: Vec<_> = squares.iter().map(|s| mish(weights.dense(&format!("{scope}.embedding"), s))).collect();
    let pooled = if pool == Pool::Mean { mean(&reduced) } else { reduced.concat() };
    mish(weights.dense(&format!("{scope}.hidden"), &pooled))
}

#[test]
fn heads_of_the_whole_board_by_plain_loops() {
    for spec in specs() {
        for pool in [Pool::Flatten, Pool::Mean] {
            let mut config = with_heads(ALL);
            config.value.pool = pool;
            let Run { arena, output, tokens } = run(&config, &spec);
            let weights = Weights::of(&arena);
            let of = |scope: &str, layer: &str| -> Vec<Vec<f64>> {
                let answer = |tokens: &Vec<Vec<f64>>| {
                    weights.dense(&format!("{scope}.{layer}"), &board(&weights, scope, &tokens[..squares(&spec)], pool))
                };
                tokens.iter().map(answer).collect()
            };
            for head in [HeadName::Q, HeadName::ShortTerm] {
                let scope = head.name();
                let value: Vec<f64> = of(scope, "value").concat().into_iter().map(f64::tanh).collect();
                assert_near(&numbers(&output[head]), &value, 1e-4, scope);
                if let Some(error_b) = output.part(head, "error") {
                    let error: Vec<f64> =
                        of(scope, "error").concat().iter().map(|x| 1.0 / (1.0 + (-x).exp())).collect();
                    assert_near(&numbers(error_b), &error, 1e-4, scope);
                }
                let buckets = output.part(head, "buckets").expect("buckets were asked for");
                assert_near(&numbers(buckets), &of(scope, "buckets").concat(), 1e-4, scope);
            }
            assert_near(&numbers(wdl_of(&output)), &of("value", "wdl").concat(), 1e-4, "result");
            for head in [HeadName::ResultShares, HeadName::ValueResult, HeadName::ValueShares] {
                assert_near(&numbers(&output[head]), &of(head.name(), "wdl").concat(), 1e-4, head.name());
            }
            let logit = &output[HeadName::WinRate];
            assert_near(&numbers(logit), &of("win_rate", "logit").concat(), 1e-4, "win rate");
            let moves: Vec<f64> = of("moves_left", "out").concat().into_iter().map(|x| x.max(0.0)).collect();
            assert_near(&numbers(&output[HeadName::MovesLeft]), &moves, 1e-4, "moves left");
        }
    }
}

#[test]
fn further_policies_are_the_policy_with_weights_of_their_own() {
    for spec in specs() {
        let named = r#"{"policy": {}, "soft_policy": {"depth": 7}, "further_policies": {"a": {"depth": 7}, "b": {}}}"#;
        let (network, layout) = declare(&with_heads(named), &none(), &spec);
        let mut values = stirred(&layout).values().expect("the CPU's values can be read");
        // With the soft policy's weights `a` is the soft policy, with the policy's `b` is the policy.
        for param in layout.params() {
            let Some(rest) = param.name.strip_prefix("further_policies.") else { continue };
            let other = rest.replacen("a.", "soft_policy.", 1).replacen("b.", "policy.", 1);
            let other = layout.param(layout.find(&other).expect("the same layers"));
            assert_eq!(other.shape, param.shape);
            values.copy_within(other.elements(), param.offset);
        }
        let arena = Arena::from_values(layout, &values, Device::Cpu).expect("small networks fit into memory");
        let output = network.forward(&arena.frozen_views(), &packed(&spec, 2));
        let [of_a, of_b] = ["a", "b"].map(|name| output.part(HeadName::FurtherPolicies, name).expect("a policy"));
        assert_same_bits(of_a, &output[HeadName::SoftPolicy], "a");
        assert_same_bits(of_b, policy_of(&output), "b");
        assert!(largest_difference(of_a, of_b) > 0.1);
    }
}

#[test]
fn a_reward_can_be_win_draw_and_loss() {
    let spec = spec(GameKind::Chess, InputName::PieceTokens);
    let Run { arena, output, tokens } = run(&with_heads(r#"{"q": {"wdl": true}, "short_term": {}}"#), &spec);
    let weights = Weights::of(&arena);
    let logits = tokens
        .iter()
        .map(|tokens| weights.dense("q.value", &board(&weights, "q", &tokens[..squares(&spec)], Pool::Flatten)));
    let logits: Vec<Vec<f64>> = logits.collect();
    assert_near(&numbers(output.part(HeadName::Q, "wdl").expect("logits")), &logits.concat(), 1e-4, "logits");
    let value = logits.iter().map(|logits| {
        let weights: Vec<f64> = logits.iter().map(|x| x.exp()).collect();
        (weights[0] - weights[2]) / weights.iter().sum::<f64>()
    });
    assert_near(&numbers(&output[HeadName::Q]), &value.collect::<Vec<f64>>(), 1e-5, "W − L");
    assert!(output.part(HeadName::ShortTerm, "wdl").is_none());
}

#[test]
fn maps_by_plain_loops() {
    for spec in specs() {
        let Run { arena, output, tokens } = run(&with_heads(ALL), &spec);
        let weights = Weights::of(&arena);
        let boards: Vec<&[Vec<f64>]> = tokens.iter().map(|tokens| &tokens[..squares(&spec)]).collect();
        let of_squares: Vec<f64> =
            boards.iter().copied().flatten().flat_map(|s| weights.dense("per_square", s)).collect();
        assert_near(&numbers(&output[HeadName::PerSquare]), &of_squares, 1e-4, "squares");
        let bias = weights.vector("pairs.bias")[0];
        assert_ne!(bias, 0.0);
        let of_pairs: Vec<f64> = boards
            .iter()
            .flat_map(|squares| {
                let embedded: Vec<_> = squares.iter().map(|s| mish(weights.dense("pairs.embedding", s))).collect();
                let queries: Vec<_> = embedded.iter().map(|e| weights.dense("pairs.query", e)).collect();
                let keys: Vec<_> = embedded.iter().map(|e| weights.dense("pairs.key", e)).collect();
                let logit = |q: &Vec<f64>, k: &Vec<f64>| dot(q, k) / 6f64.sqrt() + bias;
                queries.iter().flat_map(|q| keys.iter().map(|k| logit(q, k)).collect::<Vec<_>>()).collect::<Vec<_>>()
            })
            .collect();
        assert_near(&numbers(&output[HeadName::Pairs]), &of_pairs, 1e-4, "pairs");
    }
}

#[test]
fn every_parameter_of_every_head_gets_a_gradient() {
    for spec in specs() {
        let (network, layout) = declare(&with_heads(ALL), &none(), &spec);
        let arena = stirred(&layout);
        let output = network.forward(&arena.views(), &packed(&spec, 32));
        let sum = |tensor: &Tensor| tensor.square().mean(Kind::Float);
        let answers = output.iter().map(|answer| sum(&answer.tensor));
        let loss = answers.reduce(|a, b| a + b).expect("heads");
        assert_gradients(&layout, &arena, &loss, &none());
    }
}

#[test]
fn maps_tell_squares_apart_no_more_than_the_trunk_does() {
    for spec in specs() {
        let maps = with_heads(r#"{"per_square": {"classes": 3}, "pairs": {}}"#);
        let (network, layout) = declare(&maps, &none(), &spec);
        assert_eq!(network.position_sources(), spec.input.position_sources());
        let views = stirred(&layout).frozen_views();
        let before = rows(&spec, 2);
        let (after, moved) = exchanged(&spec, &before);
        let order = Tensor::from_slice(&moved.iter().map(|&to| to as i64).collect::<Vec<_>>());
        let (expected, found) = (network.forward(&views, &tensor(&before)), network.forward(&views, &tensor(&after)));
        let of =
            |output: &Output| (output[HeadName::PerSquare].shallow_clone(), output[HeadName::Pairs].shallow_clone());
        let ((squares, pairs), (squares_after, pairs_after)) = (of(&expected), of(&found));
        assert!(largest_difference(&squares_after.index_select(1, &order), &squares) < 1e-5);
        let pairs_back = pairs_after.index_select(1, &order).index_select(2, &order);
        assert!(largest_difference(&pairs_back, &pairs) < 1e-5);
    }
}

#[test]
fn heads_that_flatten_say_so() {
    for game in GameKind::ALL {
        let sources = |pool| {
            let mut config = with_heads(ALL);
            config.value.pool = pool;
            declare(&config, &none(), &spec(game, InputName::PieceTokens)).0.position_sources().join("; ")
        };
        let (flat, mean) = (sources(Pool::Flatten), sources(Pool::Mean));
        for head in
            ["value", "result shares", "value result", "value shares", "win-rate", "q", "short-term", "moves-left"]
        {
            let source = format!("{head} head (squares flattened)");
            assert!(flat.contains(&source) && !mean.contains("flattened"), "{source}: {flat} and {mean}");
        }
        assert!(mean.contains("vocabulary") && mean.contains("promotion"), "{mean}");
    }
}
