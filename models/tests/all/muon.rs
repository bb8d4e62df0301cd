//! Muon against its definition by singular vectors, and what it leaves to the other optimiser.

use crate::common::learning::{gradient_from, stepped};
use crate::common::*;
use games::{GameKind, InputName};
use models::OptimizerConfig;
use models::optimizer::{AdamwConfig, FallbackOptimizer, MuonConfig, MuonScale, NadamConfig};
use nn::{Layout, ParamSpec, Part};
use std::sync::Arc;
use tch::{Kind, Tensor};

const RATE: f64 = 0.01;

/// Where the numbers of the gradient begin.
const GRADIENT: u64 = 17;

/// Rows of the hidden weight of a gated feed-forward layer of [`tiny_with`].
const GATED_ROWS: i64 = 48;

fn network(options: &str) -> Arc<Layout> {
    let stack = [encoding(r#"{"smolgen": {"compress": 3, "hidden": 5, "gen": 6}}"#)];
    declare(&tiny_with(options), &stack, &spec(GameKind::Chess, InputName::PieceTokens)).1
}

/// What one step adds to every parameter.
fn first_step(layout: &Arc<Layout>, config: &OptimizerConfig) -> Tensor {
    let [before, after] =
        stepped(config, layout, [gradient_from(layout, GRADIENT)], RATE).map(|values| Tensor::from_slice(&values));
    after - before
}

fn muon(scale: MuonScale, others: FallbackOptimizer) -> OptimizerConfig {
    OptimizerConfig::Muon(MuonConfig { scale, others, ..MuonConfig::default() })
}

/// The matrices that Muon is to take: `(first element, rows, columns)`.
fn taken(layout: &Layout) -> Vec<(usize, i64, i64)> {
    let parts = |param: &ParamSpec| match &param.name {
        name if !name.starts_with("body.") || param.shape.len() != 2 => 0,
        name if name.ends_with("qkv.weight") => 3,
        name if name.ends_with("hidden.weight") && param.shape[0] == GATED_ROWS => 2,
        _ => 1,
    };
    let of = |param: &ParamSpec| {
        let (count, shape, start) = (parts(param), param.shape.clone(), param.offset);
        (0..count).map(move |part| {
            let rows = shape[0] / count;
            (start + (part * rows * shape[1]) as usize, rows, shape[1])
        })
    };
    layout.params().iter().flat_map(of).collect()
}

#[test]
fn a_step_has_the_gradients_singular_vectors_and_singular_values_near_one() {
    // Per block qkv in three parts, out and two feed-forward layers; in a gated one W and V are apart.
    let networks = [("{}", 2 * (3 + 1 + 2)), (r#"{"ff_kind": "swiglu"}"#, 2 * (3 + 1 + 3))];
    let scales = [MuonScale::MatchAdamw, MuonScale::Original];
    for ((options, count), scale) in networks.into_iter().flat_map(|network| scales.map(|scale| (network, scale))) {
        let layout = network(options);
        let moved = first_step(&layout, &muon(scale, FallbackOptimizer::Nadam(NadamConfig::default())));
        let gradient = gradient_from(&layout, GRADIENT);
        let matrices = taken(&layout);
        assert_eq!(matrices.len(), count, "{options}");
        for (start, rows, columns) in matrices {
            let part = |flat: &Tensor| flat.narrow(0, start as i64, rows * columns).view([rows, columns]);
            let factor = match scale {
                MuonScale::MatchAdamw => 0.2 * (rows.max(columns) as f64).sqrt(),
                MuonScale::Original => (rows as f64 / columns as f64).max(1.0).sqrt(),
            };
            let step = part(&moved).to_kind(Kind::Double) * (-1.0 / (RATE * factor));
            let (u, values, v) = part(&gradient).to_kind(Kind::Double).svd(true, true);
            // UᵀSV is diagonal if the step has the gradient's singular vectors; the iteration maps each singular value.
            let inside = u.transpose(0, 1).matmul(&step).matmul(&v);
            let norm = values.square().sum(Kind::Double).sqrt();
            let expected = (0..5).fold(values / norm, |x, _| {
                &x * 3.4445 - x.pow_tensor_scalar(3) * 4.7750 + x.pow_tensor_scalar(5) * 2.0315
            });
            let apart = (inside - expected.diag(0)).abs().max().double_value(&[]);
            assert!(apart < 1e-3, "{options}, {rows} x {columns}: {apart}");
            let [least, most] = [expected.min().double_value(&[]), expected.max().double_value(&[])];
            assert!(least > 0.3 && most < 1.3, "{rows} x {columns}: {least} to {most}");
        }
    }
}

#[test]
fn all_other_parameters_take_the_other_optimisers_step() {
    let layout = network("{}");
    let adamw = || AdamwConfig { weight_decay: 0.0, ..AdamwConfig::default() };
    let pairs = [
        (FallbackOptimizer::Nadam(NadamConfig::default()), OptimizerConfig::Nadam(NadamConfig::default())),
        (FallbackOptimizer::Adamw(adamw()), OptimizerConfig::Adamw(adamw())),
    ];
    for (others, alone) in pairs {
        let (beside, alone) = (first_step(&layout, &muon(MuonScale::MatchAdamw, others)), first_step(&layout, &alone));
        let is_taken = |element: usize| {
            taken(&layout)
                .iter()
                .any(|&(start, rows, columns)| (start..start + (rows * columns) as usize).contains(&element))
        };
        let (beside, alone) = (numbers(&beside), numbers(&alone));
        let mut seen = [0; 2];
        for param in layout.params().iter().filter(|param| param.part != Part::Statistic) {
            let matrix = is_taken(param.offset);
            seen[usize::from(matrix)] += 1;
            let own = param.elements();
            assert_eq!(beside[own.clone()] == alone[own], !matrix, "{}", param.name);
        }
        assert!(seen[0] > 0 && seen[1] > 0);
    }
}
