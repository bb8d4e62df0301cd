//! Initialisers, layers and activations against formulas in f64.

use nn::{Activation, Arena, Constant, Init, LayoutBuilder, Linear, Norm, NormKind, Part};
use std::sync::Arc;
use tch::{Device, Tensor};

const MANY: i64 = 200_000;

fn draw(init: &Init) -> Vec<f64> {
    let mut stream = streams::stream(1, &["test"]);
    init.values(&mut stream, &[MANY]).into_iter().map(f64::from).collect()
}

fn mean_and_std(values: &[f64]) -> (f64, f64) {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    (mean, (values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / values.len() as f64).sqrt())
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |largest, value| largest.max(value.abs()))
}

/// Keras cuts at two standard deviations of the uncut distribution; the result has the given standard deviation.
#[test]
fn a_cut_normal_has_its_spread_after_cutting() {
    let values = draw(&Init::TruncatedNormal { std: 0.3 });
    let (mean, std) = mean_and_std(&values);
    assert!(mean.abs() < 0.003 && (std / 0.3 - 1.0).abs() < 0.01, "mean {mean}, std {std}");
    let bound = 2.0 * 0.3 / 0.879_625_66;
    assert!(largest(&values) <= bound && largest(&values) > 0.99 * bound, "cut at {}", largest(&values));
}

#[test]
fn normal_and_uniform_have_their_spread() {
    let (mean, std) = mean_and_std(&draw(&Init::Normal { std: 2.0 }));
    assert!(mean.abs() < 0.02 && (std / 2.0 - 1.0).abs() < 0.01, "mean {mean}, std {std}");
    let values = draw(&Init::Uniform { bound: 0.5 });
    let (mean, std) = mean_and_std(&values);
    assert!(mean.abs() < 0.003 && (std - 0.5 / 3f64.sqrt()).abs() < 0.003, "mean {mean}, std {std}");
    assert!(largest(&values) <= 0.5 && largest(&values) > 0.499);
}

#[test]
fn glorot_scales_by_both_fans() {
    let (_, std) = mean_and_std(&draw(&Init::glorot_normal(30, 20, 0.5)));
    assert!((std / (0.5f64 * 2.0 / 50.0).sqrt() - 1.0).abs() < 0.01, "std {std}");
    let bound = largest(&draw(&Init::glorot_uniform(30, 20)));
    assert!((bound - (6.0f64 / 50.0).sqrt()).abs() < 1e-4, "bound {bound}");
}

#[test]
fn custom_initialisers_see_the_shape_and_their_stream() {
    let rows = Init::Custom(Arc::new(|stream, shape| {
        (0..shape[0]).flat_map(|_| vec![streams::uniform(stream) as f32; shape[1] as usize]).collect()
    }));
    let values = rows.values(&mut streams::stream(2, &["test"]), &[2, 3]);
    assert_eq!((values[0], values[3]), (values[2], values[5]), "rows are constant");
    assert_ne!(values[0], values[3], "and differ");
    assert_eq!(Init::Constant(0.25).values(&mut streams::stream(2, &["test"]), &[2]), [0.25, 0.25]);
}

/// A layer with random parameters, applied to a few rows of width 6.
struct Case {
    x: Vec<f64>,
    y: Vec<f64>,
    arena: Arena,
}

impl Case {
    fn of<L>(declare: impl Fn(&mut nn::Scope<'_>) -> L, forward: impl Fn(&L, &nn::Views, &Tensor) -> Tensor) -> Self {
        let mut builder = LayoutBuilder::default();
        let layer = declare(&mut builder.scope("layer", Part::Trunk));
        let layout = Arc::new(builder.finish().expect("names differ"));
        let mut stream = streams::stream(3, &["test", "layer"]);
        let normals = |stream: &mut _, len: usize| (0..len).map(|_| streams::normal(stream) as f32).collect::<Vec<_>>();
        let values = normals(&mut stream, layout.len());
        let arena = Arena::from_values(layout, &values, Device::Cpu).expect("memory");
        let x = normals(&mut stream, 24);
        let y = forward(&layer, &arena.frozen_views(), &Tensor::from_slice(&x).view([2, 2, 6]));
        assert_eq!(y.size()[..2], [2, 2]);
        Self { x: x.into_iter().map(f64::from).collect(), y: numbers(&y), arena }
    }

    fn parameter(&self, name: &str) -> Vec<f64> {
        let id = self.arena.layout().find(&format!("layer.{name}")).expect("declared");
        numbers(&self.arena.frozen_views()[id])
    }

    fn assert_rows(&self, wanted: impl Fn(&[f64]) -> Vec<f64>) {
        let wanted: Vec<_> = self.x.chunks(6).flat_map(wanted).collect();
        assert_eq!(self.y.len(), wanted.len());
        let apart = self.y.iter().zip(&wanted).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(apart < 1e-5, "{apart} apart");
    }
}

fn numbers(t: &Tensor) -> Vec<f64> {
    crate::numbers(t).into_iter().map(f64::from).collect()
}

#[test]
fn rms_norm_divides_by_the_root_of_the_mean_square() {
    for (kind, epsilon) in [(NormKind::Rms, 1e-5), (NormKind::RmsFine, 1e-6)] {
        // Small numbers show ε.
        let small = |norm: &Norm, views: &nn::Views, x: &Tensor| norm.forward(views, &(x * 1e-3));
        let case = Case::of(|scope| Norm::declare(scope, 6, kind), small);
        let gain = case.parameter("gain");
        case.assert_rows(|x| {
            let rms = (x.iter().map(|x| (1e-3 * x).powi(2)).sum::<f64>() / 6.0 + epsilon).sqrt();
            x.iter().zip(&gain).map(|(x, g)| 1e-3 * x / rms * g).collect()
        });
    }
}

#[test]
fn layer_norm_centres_and_divides_by_the_spread() {
    let case = Case::of(|scope| Norm::declare(scope, 6, NormKind::Layer), Norm::forward);
    let (gain, bias) = (case.parameter("gain"), case.parameter("bias"));
    case.assert_rows(|x| {
        let mean = x.iter().sum::<f64>() / 6.0;
        let spread = (x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 6.0 + 1e-3).sqrt();
        x.iter().zip(gain.iter().zip(&bias)).map(|(x, (g, b))| (x - mean) / spread * g + b).collect()
    });
}

#[test]
fn norms_start_with_gain_one_and_bias_zero() {
    let mut builder = LayoutBuilder::default();
    Norm::declare(&mut builder.scope("norm", Part::Trunk), 6, NormKind::Layer);
    let arena = Arena::initialise(Arc::new(builder.finish().expect("names")), 1, "", Device::Cpu).expect("memory");
    let start = |name| numbers(&arena.frozen_views()[arena.layout().find(name).expect("declared")]);
    assert_eq!((start("norm.gain"), start("norm.bias")), (vec![1.0; 6], vec![0.0; 6]));
}

#[test]
fn a_dense_layer_multiplies_by_its_rows() {
    for with_bias in [true, false] {
        let declare = |scope: &mut nn::Scope<'_>| Linear::declare(scope, 6, 4, Init::ZEROS, with_bias);
        let case = Case::of(declare, Linear::forward);
        let weight = case.parameter("weight");
        let bias = if with_bias { case.parameter("bias") } else { vec![0.0; 4] };
        case.assert_rows(|x| {
            let dot = |row: &[f64]| row.iter().zip(x).map(|(w, x)| w * x).sum::<f64>();
            weight.chunks(6).zip(&bias).map(|(row, b)| dot(row) + b).collect()
        });
    }
    let mut builder = LayoutBuilder::default();
    let layer = Linear::declare(&mut builder.scope("layer", Part::Trunk), 6, 4, Init::ZEROS, true);
    assert_eq!(layer.macs(), 24);
}

/// At −1, 0 and 2, from tables of the functions.
#[test]
fn activations_have_their_published_values() {
    let cases = [
        (Activation::Mish, [-0.303_401_46, 0.0, 1.943_959]),
        (Activation::Gelu, [-0.158_655_25, 0.0, 1.954_499_7]),
        (Activation::GeluTanh, [-0.158_808, 0.0, 1.954_597_7]),
        (Activation::Swish, [-0.268_941_42, 0.0, 1.761_594_2]),
        (Activation::Relu, [0.0, 0.0, 2.0]),
    ];
    for (activation, wanted) in cases {
        let found = numbers(&activation.apply(&Tensor::from_slice(&[-1f32, 0.0, 2.0])));
        assert!(found.iter().zip(wanted).all(|(f, w)| (f - w).abs() < 1e-6), "{activation:?}: {found:?}");
    }
}

#[test]
fn a_constant_is_placed_once() {
    let constant = Constant::floats(&[1.0, 2.0, 3.0, 4.0], &[2, 2]);
    let (first, second) = (constant.on(Device::Cpu), constant.on(Device::Cpu));
    assert_eq!(first.size(), [2, 2]);
    assert_eq!(first.data_ptr(), second.data_ptr(), "the same memory both times");
    assert!(!first.requires_grad());
    let too_large = Constant::floats_from(&[1 << 40], || panic!("nobody asked for it"));
    drop(too_large);
    assert_eq!(Constant::indices(&[5, 7], &[2]).on(Device::Cpu).int64_value(&[1]), 7);
}
