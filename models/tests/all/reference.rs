//! The input expansion and the attention policies against plain loops in f64.

use crate::common::*;
use games::{Boards, Entry, FeatureKind, InputName};
use models::input::Expander;
use models::{GameSpec, HeadName};

#[test]
fn the_input_expansion() {
    for spec in specs() {
        let rows = rows(&spec, 5);
        let expander = Expander::new(spec.input);
        let found = expander.expand(&tensor(&rows));
        let size = [5, spec.input.tokens() as i64, expander.channels() as i64];
        assert_eq!(found.size(), size);
        let of_lc0 = [InputName::Lc0_112, InputName::Lc0_112EnPassant].contains(&spec.input.name);
        assert_eq!(expander.channels() == 112, of_lc0, "Lc0's planes are 112");
        assert_eq!(expander.channels() == 119, spec.input.name == InputName::Dlshogi62_57, "dlshogi's planes are 119");
        let expected: Vec<f64> = rows.iter().flat_map(|row| channels(&spec, row).concat()).collect();
        assert_near(&numbers(&found), &expected, 1e-6, spec.input.name.name());
    }
}

/// The channels of every token, as the documentation of `Expander` words them.
fn channels(spec: &GameSpec, row: &[u8]) -> Vec<Vec<f64>> {
    let input = spec.input;
    let squares = input.geometry.squares();
    let scalars: Vec<f64> = input.scalars().map(|(at, feature)| scaled(row[at], feature.kind)).collect();
    let aux = input.name.has_aux_tokens();
    let mut tokens: Vec<Vec<f64>> = (0..squares)
        .map(|square| {
            let mut token = board_channels(spec, row, square);
            token.extend(input.squares().map(|(at, _)| one(usize::from(row[at]) == square + 1)));
            for (at, feature) in input.thermometers() {
                let FeatureKind::Thermometer { steps } = feature.kind else { panic!("a thermometer") };
                token.extend((0..steps).map(|step| one(row[at] > step)));
            }
            token.extend(if aux { vec![0.0; 2 * scalars.len()] } else { scalars.clone() });
            token
        })
        .collect();
    if aux {
        let board = tokens[0].len() - 2 * scalars.len();
        tokens.extend((0..scalars.len()).map(|i| {
            let mut token = vec![0.0; board + 2 * scalars.len()];
            token[board + i] = scalars[i];
            token[board + scalars.len() + i] = 1.0;
            token
        }));
    }
    tokens
}

fn board_channels(spec: &GameSpec, row: &[u8], square: usize) -> Vec<f64> {
    let input = spec.input;
    let (squares, steps) = (input.geometry.squares(), input.steps());
    let pieces = |step: usize, codes: std::ops::Range<usize>| {
        codes.map(move |code| one(usize::from(row[step * squares + square]) == code))
    };
    match input.boards {
        Boards::Current => pieces(0, 0..input.piece_codes).collect(),
        Boards::History { .. } => (0..steps)
            .flat_map(|step| pieces(step, 1..input.piece_codes).chain([f64::from(row[steps * squares + step])]))
            .collect(),
        Boards::Attacked { kinds } => {
            let at = squares + square * input.attack_bytes();
            let bit = |i: usize| one(row[at + i / 8] >> (i % 8) & 1 == 1);
            [0, kinds.len()]
                .into_iter()
                .flat_map(|side| {
                    let stands =
                        kinds.iter().map(move |&kind| one(usize::from(row[square]) == 1 + side + usize::from(kind)));
                    let attack = kinds.iter().enumerate().map(move |(i, _)| bit(side + i));
                    let first = attack.clone().fold(0.0, f64::max);
                    let counts = 2 * kinds.len() + if side == 0 { 0 } else { 2 };
                    stands.chain(attack).chain([first, bit(counts), bit(counts + 1)]).collect::<Vec<f64>>()
                })
                .collect()
        }
    }
}

fn scaled(byte: u8, kind: FeatureKind) -> f64 {
    match kind {
        FeatureKind::Scalar { scale } => f64::from(byte) / f64::from(scale),
        FeatureKind::Square | FeatureKind::Thermometer { .. } | FeatureKind::Token { .. } => panic!("not a scalar"),
    }
}

fn one(condition: bool) -> f64 {
    if condition { 1.0 } else { 0.0 }
}

#[test]
fn the_policy_and_the_soft_policy_share_an_embedding_and_nothing_else() {
    let config = tiny_with(r#"{"outputs": {"policy": {}, "soft_policy": {"depth": 7}}}"#);
    for spec in specs() {
        let Run { arena, output, tokens } = run(&config, &spec);
        let weights = Weights::of(&arena);
        for head in [HeadName::Policy, HeadName::SoftPolicy] {
            let expected: Vec<f64> =
                tokens.iter().flat_map(|tokens| policy(head.name(), &weights, &spec, tokens)).collect();
            assert_near(&numbers(&output[head]), &expected, 1e-4, spec.moves.name());
        }
        assert!(!weights.has("soft_policy.embedding.weight"));
    }
}

fn policy(head: &str, weights: &Weights<'_>, spec: &GameSpec, tokens: &[Vec<f64>]) -> Vec<f64> {
    let of = |layer: &str| format!("{head}.{layer}");
    let embedded: Vec<Vec<f64>> = tokens.iter().map(|token| mish(weights.dense("policy.embedding", token))).collect();
    let squares = &embedded[..spec.input.geometry.squares()];
    let keys: Vec<Vec<f64>> = squares.iter().map(|e| weights.dense(&of("key"), e)).collect();
    let queries: Vec<Vec<f64>> = embedded.iter().map(|e| weights.dense(&of("query"), e)).collect();
    let depth = keys[0].len() as f64;
    let logit = |query: &[f64], to: u8| dot(query, &keys[usize::from(to)]) / depth.sqrt();
    let promotions: Vec<Vec<f64>> = keys.iter().map(|key| weights.dense(&of("promotion"), key)).collect();
    let kinds = 0..from_to(spec).drops.len();
    let drops: Vec<Vec<f64>> = kinds.map(|kind| drop_query(head, weights, spec, squares, &queries, kind)).collect();
    let entries = from_to(spec).entries().iter();
    entries
        .map(|&entry| match entry {
            Entry::Plain { from, to } => logit(&queries[usize::from(from)], to),
            Entry::Promotion { from, to, kind } => {
                logit(&queries[usize::from(from)], to) + promotions[usize::from(to)][usize::from(kind)]
            }
            Entry::Drop { kind, to } => logit(&drops[usize::from(kind)], to),
        })
        .collect()
}

fn drop_query(
    head: &str,
    weights: &Weights<'_>,
    spec: &GameSpec,
    squares: &[Vec<f64>],
    queries: &[Vec<f64>],
    kind: usize,
) -> Vec<f64> {
    if spec.input.name == InputName::PieceTokensAux {
        let name = format!("hand.own.{}", from_to(spec).drops[kind]);
        let token = spec.input.aux_tokens().iter().position(|aux| *aux == name).expect("hands are tokens");
        return queries[spec.input.geometry.squares() + token].clone();
    }
    let board = weights.dense(&format!("{head}.drop.board"), &mean(squares));
    board.iter().zip(&weights.rows(&format!("{head}.drop.vectors"))[kind]).map(|(a, b)| a + b).collect()
}
