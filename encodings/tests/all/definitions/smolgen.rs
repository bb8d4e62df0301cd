//! Compress, flatten (or mean), two dense layers with activation and norm, one generator for all heads and layers.

use super::*;
use encodings::smolgen::{Config, Pool};
use nn::Activation;

pub(super) fn activate(activation: Activation, x: f64) -> f64 {
    match activation {
        Activation::Mish => x * x.exp().ln_1p().tanh(),
        Activation::Swish => x / (1.0 + (-x).exp()),
        Activation::Gelu => x * normal_distribution(x),
        other => panic!("no example uses {other:?}"),
    }
}

/// Φ(x) by Simpson's rule from 0.
fn normal_distribution(x: f64) -> f64 {
    let (steps, density) = (200, |t: f64| (-t * t / 2.0).exp() / std::f64::consts::TAU.sqrt());
    let width = x / f64::from(steps);
    let weight = |i: i32| match i {
        0 => 1.0,
        i if i == steps => 1.0,
        i if i % 2 == 1 => 4.0,
        _ => 2.0,
    };
    0.5 + (0..=steps).map(|i| weight(i) * density(f64::from(i) * width)).sum::<f64>() * width / 3.0
}

/// Numbers that the first dense layer reads.
fn features(config: &Config, dims: Dims, tokens: &Tokens) -> usize {
    let of_token = if config.compress == 0 { dims.width } else { config.compress };
    if config.pool == Pool::Mean { of_token } else { tokens.len() * of_token }
}

impl Definition for Config {
    fn macs(&self, dims: Dims, tokens: &Tokens) -> usize {
        let (l, all_heads) = (tokens.len(), dims.heads * self.gen_width);
        let dense = features(self, dims, tokens) * self.hidden + self.hidden * all_heads;
        dims.layers * (l * dims.width * self.compress + dense + all_heads * l * l)
    }

    fn after_scale(&self, given: &Given<'_>, board: &Board) -> Vec<f64> {
        let (of_token, tokens) = match self.compress {
            0 => (given.width(), board.x_ld.clone()),
            compress => {
                let weight = given.of_layer("compress.weight");
                let bias = self.compress_bias.then(|| given.of_layer("compress.bias"));
                let compressed = |x| affine(&weight, bias.as_deref(), x);
                (compress, board.x_ld.chunks(given.width()).flat_map(compressed).collect())
            }
        };
        let summary = match self.pool {
            Pool::Flatten => tokens,
            Pool::Mean => mean_of_rows(&tokens, of_token),
        };
        let block = |dense: &str, norm: &str, x: &[f64]| {
            let of = |layer: &str, name: &str| given.of_layer(&format!("{layer}.{name}"));
            let y = affine(&of(dense, "weight"), Some(&of(dense, "bias")), x);
            let y: Vec<_> = y.into_iter().map(|y| activate(self.activation, y)).collect();
            layer_norm(&y, &of(norm, "gain"), &of(norm, "bias"))
        };
        let heads = block("to_heads", "heads_norm", &block("hidden", "hidden_norm", &summary));
        let generator = given.parameter("generator.weight");
        heads.chunks(self.gen_width).flat_map(|head| affine(&generator, None, head)).collect()
    }
}
