//! The policy over vocabularies of planes: plain loops, parameters, and what tells squares apart.

use crate::common::*;
use games::input::ATTACKS;
use games::{GameKind, InputName, MovesName, PlaneEntry, Planes, Vocabulary};
use models::{ChessformerConfig, GameSpec, HeadName};
use tch::Tensor;

const NAMES: [MovesName; 3] = [MovesName::Dlshogi2187, MovesName::Shogi1496, MovesName::PythonDlshogi2187];
const CLASSES: usize = 27;
const SQUARES: usize = 81;

fn shogi(input: InputName, moves: MovesName) -> GameSpec {
    spec_of(GameKind::Shogi, input, moves)
}

fn planes(spec: &GameSpec) -> &'static Planes {
    match spec.moves {
        Vocabulary::Planes(planes) => planes,
        other => panic!("{} has no planes", other.name()),
    }
}

fn network_of(options: &str) -> ChessformerConfig {
    read(&format!(r#"{{"layers": 2, "width": 16, "heads": 2, "ff": 24, {options}}}"#))
}

const BIASES: [&str; 2] = [r#""policy": {}"#, r#""policy": {"plane_bias": "per_class"}"#];

#[test]
fn logits_are_those_of_plain_loops() {
    for (name, bias) in NAMES.into_iter().flat_map(|name| BIASES.map(|bias| (name, bias))) {
        for input in [InputName::Dlshogi62_57, InputName::PieceTokensAux] {
            let spec = shogi(input, name);
            let config = network_of(&format!(r#"{bias}, "outputs": {{"policy": {{}}, "soft_policy": {{}}}}"#));
            let Run { arena, output, tokens } = run(&config, &spec);
            let weights = Weights::of(&arena);
            for head in [HeadName::Policy, HeadName::SoftPolicy] {
                let of_moves = format!("{}.moves.bias", head.name());
                let added = weights.has(&of_moves).then(|| weights.vector(&of_moves));
                assert_eq!(added.is_some(), bias == BIASES[0]);
                let of_position = |tokens: &Vec<Vec<f64>>| -> Vec<f64> {
                    let squares = tokens[..SQUARES].iter();
                    let logits: Vec<Vec<f64>> = squares.map(|x| weights.dense(head.name(), x)).collect();
                    let of_move = |(i, entry): (usize, &PlaneEntry)| {
                        let logit = logits[usize::from(entry.to)][usize::from(entry.class)];
                        logit + added.as_ref().map_or(0.0, |added| added[i])
                    };
                    planes(&spec).entries().iter().enumerate().map(of_move).collect()
                };
                let expected: Vec<f64> = tokens.iter().flat_map(of_position).collect();
                assert_near(&numbers(&output[head]), &expected, 1e-4, head.name());
            }
        }
    }
}

#[test]
fn parameters_and_multiplications_are_the_formulas() {
    for name in NAMES {
        let spec = shogi(InputName::Dlshogi62_57, name);
        for (bias, biases) in BIASES.into_iter().zip([spec.moves.len(), CLASSES]) {
            let config = network_of(&format!(r#"{bias}, "outputs": {{"policy": {{}}}}"#));
            let (network, layout) = declare(&config, &none(), &spec);
            let policy: usize =
                layout.params().iter().filter(|param| param.name.starts_with("policy.")).map(|param| param.len()).sum();
            assert_eq!(policy, 16 * CLASSES + biases);
            let macs = network.macs();
            let heads: Vec<_> = macs.heads.iter().map(|head| (head.name, head.macs, head.weights)).collect();
            let once = (16 * CLASSES * SQUARES) as u64;
            assert_eq!(heads, [("policy", once, once)]);
        }
    }
}

#[test]
fn what_tells_squares_apart_is_said() {
    let sources = |name, bias: &str| {
        let config = network_of(&format!(r#"{bias}, "outputs": {{"policy": {{}}}}"#));
        declare(&config, &none(), &shogi(InputName::Dlshogi62_57, name)).0.position_sources()
    };
    let (gaps, bias) = ("policy vocabulary (only structurally possible moves)", "policy bias (a number for each move)");
    assert_eq!(sources(MovesName::Dlshogi2187, BIASES[1]), [ATTACKS]);
    assert_eq!(sources(MovesName::Dlshogi2187, BIASES[0]), [ATTACKS, bias]);
    assert_eq!(sources(MovesName::Shogi1496, BIASES[1]), [ATTACKS, gaps]);
    assert_eq!(sources(MovesName::Shogi1496, BIASES[0]), [ATTACKS, gaps, bias]);
}

/// With the one bias per class and every class on every square, squares that change places take their logits along.
#[test]
fn without_sources_squares_can_be_exchanged() {
    let spec = shogi(InputName::Dlshogi62_57, MovesName::Dlshogi2187);
    for (bias, same) in [(BIASES[1], true), (BIASES[0], false)] {
        let config = network_of(&format!(r#"{bias}, "outputs": {{"policy": {{}}}}"#));
        let (network, layout) = declare(&config, &none(), &spec);
        let views = stirred(&layout).frozen_views();
        let before = rows(&spec, 2);
        let (after, moved) = exchanged(&spec, &before);
        let entries = planes(&spec).entries();
        let order: Vec<i64> = entries
            .iter()
            .map(|entry| {
                let wanted = PlaneEntry { class: entry.class, to: moved[usize::from(entry.to)] as u8 };
                entries.iter().position(|entry| *entry == wanted).expect("every class on every square") as i64
            })
            .collect();
        let logits = |rows: &[Vec<u8>]| policy_of(&network.forward(&views, &tensor(rows))).shallow_clone();
        let found = logits(&after).index_select(1, &Tensor::from_slice(&order));
        let difference = largest_difference(&found, &logits(&before));
        assert_eq!(difference < 1e-5, same, "{bias}: {difference}");
    }
}
