//! The parts together: a network learns one batch by heart.

use crate::common::learning::{BATCH, minimise, nadam};
use crate::common::sums::{policy_cross_entropy, wdl_cross_entropy};
use crate::common::*;
use games::{GameKind, InputName};
use models::loss::PolicyTargets;
use models::optimizer::AdamwConfig;
use models::{ChessformerConfig, NormPlace, OptimizerConfig, Schedule};
use tch::{Kind, Tensor};

/// Learns a batch of random labels; returns the policy's divergence and the value's cross-entropy at the end.
fn learn(config: &ChessformerConfig, game: GameKind, optimizer: OptimizerConfig, steps: u64) -> (f64, f64) {
    let spec = spec(game, InputName::PieceTokens);
    let stack = [
        encoding(r#"{"absolute": {"at": "every_layer"}}"#),
        encoding(r#"{"relative_bias": {"share": "displacement"}}"#),
    ];
    let (network, layout) = declare(config, &stack, &spec);
    let schedule = Schedule::new(10, vec![4e-3, 1e-3], vec![steps * 3 / 4]).expect("a valid schedule");
    let packed = packed(&spec, BATCH);
    let index = |row: usize, i: usize| (mixed((2 * row + i) as u64) as usize % spec.moves.len()) as i64;
    let index = Tensor::from_slice(&(0..BATCH).flat_map(|row| [index(row, 0), index(row, 1)]).collect::<Vec<_>>());
    let index = index.view([BATCH as i64, 2]);
    let prob = Tensor::from_slice(&[0.75f32, 0.25].repeat(BATCH)).view([BATCH as i64, 2]);
    let targets = PolicyTargets { index_bk: &index, prob_bk: &prob };
    let outcome = Tensor::from_slice(&(0..BATCH as i64).map(|row| row % 3).collect::<Vec<_>>());
    let entropy = targets.entropy_rows().mean(Kind::Float).double_value(&[]);
    let last = minimise(&mut initialise(&layout, 1), optimizer, Some(10.0), steps, &schedule, |views| {
        let output = network.forward(views, &packed);
        let policy = policy_cross_entropy(policy_of(&output), None, targets).mean();
        vec![policy, wdl_cross_entropy(wdl_of(&output), &outcome).mean()]
    });
    (last[0] - entropy, last[1])
}

#[test]
fn one_batch_is_learnt_by_heart() {
    let layer_norm = ChessformerConfig { normalisation: nn::NormKind::Layer, ..tiny(NormPlace::Pre) };
    let adamw = OptimizerConfig::Adamw(AdamwConfig::default());
    for (config, optimizer, games) in [
        (tiny(NormPlace::Post), nadam(), &GameKind::ALL[..]),
        (tiny(NormPlace::Pre), adamw, &[GameKind::Chess][..]),
        (layer_norm, nadam(), &[GameKind::Minishogi][..]),
    ] {
        for &game in games {
            let (policy, value) = learn(&config, game, optimizer.clone(), 160);
            assert!(policy < 0.05 && value < 0.05, "{}: policy {policy}, value {value}", game.name());
        }
    }
}

#[test]
fn a_batch_is_learnt_by_heart_with_every_choice_of_embedding_and_body() {
    for options in BODIES.into_iter().chain(ALL_PIECES) {
        let (policy, value) = learn(&tiny_with(options), GameKind::Chess, nadam(), 240);
        assert!(policy < 0.05 && value < 0.05, "{options}: policy {policy}, value {value}");
    }
}
