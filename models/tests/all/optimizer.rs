//! Optimisers and clipping against loops in f64.

use crate::common::learning::assert_shrinks;
use crate::common::*;
use games::{GameKind, InputName};
use models::optimizer::{AdamwConfig, MuonConfig, NadamConfig, NadamTorchConfig, SgdConfig};
use models::{NormPlace, Optimizer, OptimizerConfig, OptimizerError, clip_global_norm, clip_global_norm_on_device};
use nn::{Init, Layout, LayoutBuilder, Part, Range};
use tch::{Device, Tensor};

fn layout(len: i64) -> Layout {
    let mut builder = LayoutBuilder::default();
    builder.scope("only", Part::Trunk).matrix("weight", &[len], Init::ZEROS);
    builder.finish().expect("one name")
}

/// Gradients of mixed sign and size; some parameters get none for a while.
fn gradient(step: u64, len: usize) -> Vec<f32> {
    (0..len).map(|i| gradient_at(step, i)).collect()
}

fn gradient_at(step: u64, i: usize) -> f32 {
    if i.is_multiple_of(5) && step < 4 {
        return 0.0;
    }
    (fraction(step * 7919 + i as u64) - 0.4) * 10f32.powi((i % 7) as i32 - 4)
}

/// Runs `steps` and returns the parameters, starting from a fixed point.
fn run(config: OptimizerConfig, len: usize, steps: u64, rate: f64) -> Vec<f64> {
    let layout = layout(len as i64);
    let mut flat = Tensor::from_slice(&start(layout.len()));
    let mut optimizer = Optimizer::new(config, &layout, Device::Cpu).expect("a valid configuration");
    for step in 1..=steps {
        optimizer.step(&mut flat, &Tensor::from_slice(&gradient(step, layout.len())), rate).expect("memory suffices");
    }
    numbers(&flat)
}

fn start(len: usize) -> Vec<f32> {
    (0..len as u64).map(|i| fraction(i + 5000) - 0.5).collect()
}

fn defaults() -> [OptimizerConfig; 5] {
    [
        OptimizerConfig::Nadam(NadamConfig::default()),
        OptimizerConfig::NadamTorch(NadamTorchConfig::default()),
        OptimizerConfig::Adamw(AdamwConfig::default()),
        OptimizerConfig::Muon(MuonConfig::default()),
        OptimizerConfig::Sgd(SgdConfig::default()),
    ]
}

/// The weights after 20 steps of a published formula in f64, each weight in a loop of its own. A step changes the weight's state and
/// gives the next weight, from the number of the step, the weight and its gradient.
fn by_formula<S: Copy>(len: usize, state: S, step: impl Fn(&mut S, i32, f64, f64) -> f64) -> Vec<f64> {
    let of = |(i, weight): (usize, f32)| {
        let mut state = state;
        let next = |theta, t: i32| step(&mut state, t, theta, f64::from(gradient_at(t as u64, i)));
        (1..=20).fold(f64::from(weight), next)
    };
    start(len).into_iter().enumerate().map(of).collect()
}

/// Nadam; `mu` is the momentum of a step.
fn nadam_reference(
    len: usize,
    rate: f64,
    (beta1, beta2): (f64, f64),
    epsilon: f64,
    mu: impl Fn(i32) -> f64,
) -> Vec<f64> {
    by_formula(len, [0.0_f64, 0.0, 1.0], |[m, v, product], t, theta, g| {
        *m = beta1 * *m + (1.0 - beta1) * g;
        *v = beta2 * *v + (1.0 - beta2) * g * g;
        *product *= mu(t);
        let m_hat = mu(t + 1) * *m / (1.0 - *product * mu(t + 1)) + (1.0 - mu(t)) * g / (1.0 - *product);
        theta - rate * m_hat / ((*v / (1.0 - beta2.powi(t))).sqrt() + epsilon)
    })
}

#[test]
fn nadam_is_keras_nadam() {
    let NadamConfig { beta1, beta2, epsilon, weight_decay, .. } = NadamConfig::default();
    assert_eq!((beta1, beta2, epsilon, weight_decay), (0.9, 0.98, 1e-7, 0.0));
    // Longer than one chunk of the CPU, and not a multiple of it.
    let len = 40_000;
    let found = run(OptimizerConfig::Nadam(NadamConfig::default()), len, 20, 3e-3);
    let mu = |t: i32| 0.9 * (1.0 - 0.5 * 0.96f64.powi(t));
    assert_near(&found, &nadam_reference(found.len(), 3e-3, (0.9, 0.98), 1e-7, mu), 2e-6, "nadam");
}

#[test]
fn nadam_torch_is_torch_nadam() {
    let config = NadamTorchConfig::default();
    let NadamTorchConfig { beta1, beta2, epsilon, momentum_decay, .. } = config;
    assert_eq!((beta1, beta2, epsilon, momentum_decay), (0.9, 0.999, 1e-8, 0.004));
    let found = run(OptimizerConfig::NadamTorch(config), 1000, 20, 3e-3);
    let mu = |t: i32| 0.9 * (1.0 - 0.5 * 0.96f64.powf(f64::from(t) * 0.004));
    let expected = nadam_reference(found.len(), 3e-3, (0.9, 0.999), 1e-8, mu);
    assert_near(&found, &expected, 2e-6, "nadam_torch");
    let keras = |t: i32| 0.9 * (1.0 - 0.5 * 0.96f64.powi(t));
    let other = nadam_reference(found.len(), 3e-3, (0.9, 0.999), 1e-8, keras);
    assert!(expected.iter().zip(&other).any(|(a, b)| (a - b).abs() > 1e-4), "the two forms differ");
}

#[test]
fn adamw_is_torch_adamw() {
    let config = AdamwConfig { beta1: 0.85, beta2: 0.97, epsilon: 1e-6, weight_decay: 0.1, ..AdamwConfig::default() };
    let rate = 2e-3;
    let found = run(OptimizerConfig::Adamw(config.clone()), 100, 20, rate);
    let AdamwConfig { beta1, beta2, epsilon, weight_decay, .. } = config;
    let expected = by_formula(100, [0.0_f64; 2], |[m, v], t, theta, g| {
        let decayed = theta - rate * weight_decay * theta;
        *m = beta1 * *m + (1.0 - beta1) * g;
        *v = beta2 * *v + (1.0 - beta2) * g * g;
        let (m_hat, v_hat) = (*m / (1.0 - beta1.powi(t)), *v / (1.0 - beta2.powi(t)));
        decayed - rate * m_hat / (v_hat.sqrt() + epsilon)
    });
    // The padding behind the 100 weights may decay or not: it is zero in a network.
    assert_near(&found[..100], &expected, 2e-6, "adamw");
}

#[test]
fn sgd_is_torch_sgd() {
    for (nesterov, weight_decay) in [(true, 0.0), (true, 1e-2), (false, 1e-2)] {
        let config = SgdConfig { momentum: 0.8, nesterov, weight_decay, ..SgdConfig::default() };
        let rate = 5e-3;
        let found = run(OptimizerConfig::Sgd(config), 100, 20, rate);
        let expected = by_formula(100, 0.0_f64, |velocity, _, theta, g| {
            let decayed = g + weight_decay * theta;
            *velocity = 0.8 * *velocity + decayed;
            theta - rate * if nesterov { decayed + 0.8 * *velocity } else { *velocity }
        });
        // The padding after the 100 weights does not decay.
        assert_near(&found[..100], &expected, 2e-6, &format!("nesterov {nesterov}, decay {weight_decay}"));
    }
}

#[test]
fn weight_decay_touches_matrices_outside_encodings_and_encodings_where_asked() {
    let stack = [encoding(r#"{"smolgen": {"compress": 3, "hidden": 5, "gen": 6}}"#), encoding(r#"{"shaw": {}}"#)];
    let spec = spec(GameKind::Shogi, InputName::PieceTokens);
    let (_, layout) = declare(&tiny(NormPlace::Post), &stack, &spec);
    assert!(layout.params().iter().any(|param| param.range == Range::Matrix && param.part == Part::Encoding));
    for decay_encodings in [false, true] {
        let config = AdamwConfig { weight_decay: 0.5, decay_encodings, ..AdamwConfig::default() };
        assert_shrinks(&OptimizerConfig::Adamw(config), &layout, |param| match param.part {
            Part::Encoding if decay_encodings => 0.1 * 0.5,
            part if part != Part::Encoding && param.range == Range::Matrix => 0.1 * 0.5,
            _ => 0.0,
        });
    }
}

#[test]
fn a_loaded_state_goes_on_with_the_same_bits() {
    let layout = layout(70_000);
    for config in defaults() {
        let new = || Optimizer::new(config.clone(), &layout, Device::Cpu).expect("a valid configuration");
        let step = |optimizer: &mut Optimizer, flat: &mut Tensor, t| {
            optimizer.step(flat, &Tensor::from_slice(&gradient(t, layout.len())), 1e-3).expect("memory suffices");
        };
        let (mut whole, mut flat) = (new(), Tensor::from_slice(&start(layout.len())));
        (1..=3).for_each(|t| step(&mut whole, &mut flat, t));
        let state: Vec<(String, Tensor)> =
            whole.state().into_iter().map(|(name, tensor)| (name.to_owned(), tensor.copy())).collect();
        let (mut resumed, mut resumed_flat) = (new(), flat.copy());
        resumed.load_state(&state, whole.progress()).expect("the state is its own");
        assert_eq!(resumed.progress().steps, 3);
        for t in 4..=6 {
            step(&mut whole, &mut flat, t);
            step(&mut resumed, &mut resumed_flat, t);
        }
        assert_same_bits(&resumed_flat, &flat, config.name());
        assert_eq!(resumed.progress(), whole.progress());
    }
}

#[test]
fn a_foreign_state_is_refused() {
    let layout = layout(100);
    let config = OptimizerConfig::Nadam(NadamConfig::default());
    let mut optimizer = Optimizer::new(config, &layout, Device::Cpu).expect("a valid configuration");
    let progress = optimizer.progress();
    let nothing: [(&str, Tensor); 0] = [];
    assert!(matches!(optimizer.load_state(&nothing, progress), Err(OptimizerError::Missing("first_moment"))));
    let short = Tensor::from_slice(&[0f32; 3]);
    let state = [("first_moment", short.shallow_clone()), ("second_moment", short)];
    let refused = optimizer.load_state(&state, progress).expect_err("three numbers are no state");
    assert!(refused.to_string().contains("3 elements"), "{refused}");
}

#[test]
fn options_out_of_range_are_refused() {
    let refused = |written: &str| read::<OptimizerConfig>(written).check().expect_err("out of range").to_string();
    assert!(refused(r#"{"nadam": {"beta2": 1.0}}"#).contains("beta2: 1 is out of range"));
    assert!(refused(r#"{"adamw": {"epsilon": 0}}"#).contains("epsilon"));
    assert!(refused(r#"{"adamw": {"weight_decay": -0.1}}"#).contains("weight_decay"));
    assert!(refused(r#"{"nadam_torch": {"momentum_decay": -1}}"#).contains("momentum_decay"));
    assert!(refused(r#"{"muon": {"momentum": 1}}"#).contains("momentum: 1 is out of range"));
    for iterations in ["0", "4000000000"] {
        let muon = refused(&format!(r#"{{"muon": {{"iterations": {iterations}}}}}"#));
        assert!(muon.contains(&format!("iterations: {iterations} is out of range; 1 to 100")), "{muon}");
    }
    assert!(refused(r#"{"sgd": {"momentum": 1}}"#).contains("momentum: 1 is out of range"));
    assert!(refused(r#"{"muon": {"others": {"nadam": {"beta1": -1}}}}"#).contains("beta1"));
    assert!(serde_json::from_str::<OptimizerConfig>(r#"{"nadam": {"momentum_decay": 0.1}}"#).is_err());
}

#[test]
fn a_step_of_rate_zero_moves_nothing() {
    for config in defaults() {
        let name = config.name();
        let found = run(config, 50, 3, 0.0);
        let expected: Vec<f64> = start(found.len()).into_iter().map(f64::from).collect();
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn clipping_by_the_global_norm() {
    let mut gradient = Tensor::from_slice(&[3f32, 0.0, -4.0]);
    assert_eq!(clip_global_norm(&mut gradient, None).unwrap(), 5.0);
    assert_eq!(clip_global_norm(&mut gradient, Some(5.0)).unwrap(), 5.0);
    assert_eq!(numbers(&gradient), [3.0, 0.0, -4.0]);
    assert_eq!(clip_global_norm(&mut gradient, Some(2.5)).unwrap(), 5.0);
    assert_near(&numbers(&gradient), &[1.5, 0.0, -2.0], 1e-6, "clipped");
    let mut broken = Tensor::from_slice(&[f32::NAN, 1.0]);
    assert!(clip_global_norm(&mut broken, Some(1.0)).unwrap().is_nan());
    assert_eq!(numbers(&broken)[1], 1.0);
}

#[test]
fn clipping_on_the_device_gives_the_same() {
    for values in [[3.0, 0.0, -4.0], [0.3, 0.1, 0.0], [0.0; 3]] {
        for max in [None, Some(5.0), Some(2.5), Some(0.1)] {
            let [mut waiting, mut on_device] = [values, values].map(|values: [f32; 3]| Tensor::from_slice(&values));
            let norm = clip_global_norm(&mut waiting, max).unwrap();
            let kept = clip_global_norm_on_device(&mut on_device, max).unwrap();
            assert_eq!(numbers(&kept.view([1])), [norm]);
            assert_near(&numbers(&on_device), &numbers(&waiting), 1e-6, "clipped");
        }
    }
    let mut broken = Tensor::from_slice(&[f32::INFINITY, 1.0]);
    assert!(numbers(&clip_global_norm_on_device(&mut broken, Some(1.0)).unwrap().view([1]))[0].is_infinite());
}
