//! The residual network: sizes, what it learns, and its running statistics.

use crate::common::learning::{BATCH, memorise};
use crate::common::*;
use games::{GameKind, InputName};
use models::loss::wdl_cross_entropy_rows;
use models::{GameSpec, HeadName, Network, Output};
use nn::{Arena, Layout, Part};
use std::sync::Arc;
use tch::{Device, Tensor};

fn declared(options: &str, spec: &GameSpec) -> (Network, Arc<Layout>) {
    declare_model(&read(&format!(r#"{{"resnet": {options}}}"#)), &none(), spec)
}

#[test]
fn sizes_and_costs_are_the_formulas_on_both_boards() {
    for (game, planes) in [(GameKind::Chess, 73), (GameKind::Shogi, 0)] {
        let spec = spec(game, InputName::PieceTokens);
        let squares = spec.input.geometry.squares();
        let kinds = models::resnet::move_planes(game.from_to(), spec.input.geometry).len();
        assert!(planes == 0 || kinds == planes, "{kinds}");
        let (c, blocks, se, v, hidden) = (6, 3, 2, 4, 5);
        let channels = models::input::Expander::new(spec.input).channels();
        let options = format!(
            r#"{{"blocks": {blocks}, "channels": {c}, "se": {{"channels": {se}}}, "value": {{"channels": {v}, "hidden": {hidden}}}}}"#
        );
        let (network, layout) = declared(&options, &spec);
        let block = 2 * (c * c * 9 + 2 * c) + c * se + se + se * 2 * c + 2 * c;
        assert_eq!(layout.count(Part::Trunk), channels * c * 9 + 2 * c + blocks * block);
        let policy = c * c * 9 + 2 * c + c * kinds * 9 + kinds;
        let value = c * v + 2 * v + v * squares * hidden + hidden + hidden * 3 + 3;
        assert_eq!(layout.count(Part::Head), policy + value);
        assert_eq!(layout.count(Part::Statistic), 2 * (c + blocks * 2 * c + c + v));
        let macs = network.macs();
        assert_eq!(macs.embedding as usize, squares * channels * c * 9);
        let of_blocks = blocks * (2 * squares * c * c * 9 + c * se + se * 2 * c);
        assert_eq!(macs.trunk as usize, squares * channels * c * 9 + of_blocks);
        assert_eq!(macs.of_head("policy") as usize, squares * (c * c * 9 + c * kinds * 9));
        assert_eq!(macs.of_head("value") as usize, squares * c * v + v * squares * hidden + hidden * 3);
        assert_eq!((macs.encoding, macs.total()), (0, macs.weights));
    }
}

#[test]
fn six_blocks_of_64_are_maias_size() {
    // 6 × 64 with a squeeze to 8: kernels and dense layers counted from Lc0's file, gains and offsets beside them.
    let spec = spec(GameKind::Chess, InputName::Lc0_112);
    let (_, layout) = declared(r#"{"blocks": 6, "channels": 64, "se": {"channels": 8}}"#, &spec);
    let block = 2 * (64 * 64 * 9 + 128) + 64 * 8 + 8 + 8 * 128 + 128;
    let trunk = 112 * 64 * 9 + 128 + 6 * block;
    let heads = 64 * 64 * 9 + 128 + 73 * 64 * 9 + 73 + 64 * 32 + 64 + 2048 * 128 + 128 + 128 * 3 + 3;
    assert_eq!(layout.total(), trunk + heads);
}

const LEARNERS: [&str; 2] = [
    r#"{"blocks": 2, "channels": 12, "se": {"channels": 4}, "value": {"channels": 4, "hidden": 16},
        "outputs": {"policy": {}, "result": {}, "moves_left": {"embedding": 2, "hidden": 8}}}"#,
    r#"{"blocks": 1, "channels": 12, "policy": {"dense": {"channels": 3}}, "value": {"channels": 4, "hidden": 16}}"#,
];

#[test]
fn one_batch_is_learnt_by_heart_in_training_and_outside() {
    let outcome = Tensor::from_slice(&(0..BATCH as i64).map(|i| i % 3).collect::<Vec<_>>());
    for game in GameKind::ALL {
        for options in LEARNERS {
            let spec = spec(game, InputName::PieceTokens);
            let (network, layout) = declared(options, &spec);
            let result = |output: &Output| wdl_cross_entropy_rows(wdl_of(output), &outcome);
            let [training, outside] = memorise(&network, &layout, &spec, 300, result);
            assert!(training.iter().all(|loss| *loss < 0.02), "{} {options}: {training:?}", game.name());
            assert!(outside.iter().all(|loss| *loss < 0.05), "{} {options}: {outside:?}", game.name());
        }
    }
}

#[test]
fn a_pass_outside_training_sees_each_position_alone() {
    let spec = spec(GameKind::Chess, InputName::Lc0_112);
    let (network, layout) = declared(LEARNERS[0], &spec);
    let arena = Arena::initialise(layout, 5, "", Device::Cpu).expect("memory");
    let rows = packed(&spec, 4);
    let policy = |views: &nn::Views, rows: &Tensor| network.forward(views, rows)[HeadName::Policy].shallow_clone();
    let all = policy(&arena.frozen_views(), &rows);
    let alone = policy(&arena.frozen_views(), &rows.narrow(0, 2, 1));
    assert!(largest_difference(&all.narrow(0, 2, 1), &alone) < 1e-5);
    let among_others = policy(&arena.frozen_views().for_training(), &rows);
    assert!(largest_difference(&all, &among_others) > 1e-3, "in training the batch normalises");
}
