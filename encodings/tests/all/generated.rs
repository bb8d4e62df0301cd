//! Encodings that generate logits from the board, against straight-line computations of their definitions in f64.

use crate::common::single::{Single, assert_near, numbers};
use crate::common::{DIMS, input, sequences};
use encodings::{Configure, EncodingConfig, Role, Tokens, cls_map, dynamic_relative, smolgen};
use nn::Activation;
use tch::{Kind, Tensor};

/// `W·x + b`, W row by row.
fn affine(weight: &[f64], bias: Option<&[f64]>, x: &[f64]) -> Vec<f64> {
    let row =
        |(i, row): (usize, &[f64])| row.iter().zip(x).map(|(w, x)| w * x).sum::<f64>() + bias.map_or(0.0, |b| b[i]);
    weight.chunks(x.len()).enumerate().map(row).collect()
}

fn layer_norm(x: &[f64], gain: &[f64], bias: &[f64]) -> Vec<f64> {
    let mean = x.iter().sum::<f64>() / x.len() as f64;
    let variance = x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / x.len() as f64;
    x.iter().zip(gain.iter().zip(bias)).map(|(x, (g, b))| (x - mean) / (variance + 1e-3).sqrt() * g + b).collect()
}

fn activate(activation: Activation, x: f64) -> f64 {
    match activation {
        Activation::Swish => x / (1.0 + (-x).exp()),
        Activation::Gelu => x * normal_distribution(x),
        other => panic!("no example uses {other:?}"),
    }
}

/// Φ(x) by Simpson's rule from 0.
fn normal_distribution(x: f64) -> f64 {
    let (steps, density) = (200, |t: f64| (-t * t / 2.0).exp() / std::f64::consts::TAU.sqrt());
    let width = x / f64::from(steps);
    let weight = |i: i32| {
        if i == 0 || i == steps {
            1.0
        } else if i % 2 == 1 {
            4.0
        } else {
            2.0
        }
    };
    0.5 + (0..=steps).map(|i| weight(i) * density(f64::from(i) * width)).sum::<f64>() * width / 3.0
}

#[test]
fn smolgen_equals_its_definition() {
    for config in smolgen::Config::examples() {
        for tokens in sequences() {
            let single = Single::random(EncodingConfig::Smolgen(config.clone()), &tokens);
            let x = input(2, 2, &tokens, DIMS);
            let found = single.logits(&x);
            assert!(found.before_scale.is_none(), "smolgen's map comes after the scale");
            let (l, boards) = (tokens.len(), numbers(&x));
            let wanted: Vec<_> = boards.chunks(l * DIMS.width).flat_map(|x| smolgen_map(&single, &config, x)).collect();
            assert_near(&numbers(&found.after_scale.expect("a map")), &wanted, &format!("{config:?}, {l} tokens"));
        }
    }
}

/// `[h, l, l]` for one board `[l, d]`.
fn smolgen_map(single: &Single, config: &smolgen::Config, x: &[f64]) -> Vec<f64> {
    let p = |name: &str| single.parameter(&format!("smolgen.layer.1.{name}"));
    let compressed: Vec<_> =
        x.chunks(DIMS.width).flat_map(|token| affine(&p("compress.weight"), None, token)).collect();
    let board = match config.pool {
        smolgen::Pool::Flatten => compressed,
        smolgen::Pool::Mean => mean_of_rows(&compressed, config.compress),
    };
    let block = |dense: &str, norm: &str, x: &[f64]| {
        let y = affine(&p(&format!("{dense}.weight")), Some(&p(&format!("{dense}.bias"))), x);
        let y: Vec<_> = y.into_iter().map(|y| activate(config.activation, y)).collect();
        layer_norm(&y, &p(&format!("{norm}.gain")), &p(&format!("{norm}.bias")))
    };
    let heads = block("to_heads", "heads_norm", &block("hidden", "hidden_norm", &board));
    let generator = single.parameter("smolgen.generator.weight");
    heads.chunks(config.gen_width).flat_map(|head| affine(&generator, None, head)).collect()
}

fn mean_of_rows(rows: &[f64], width: usize) -> Vec<f64> {
    let count = (rows.len() / width) as f64;
    (0..width).map(|i| rows.chunks(width).map(|row| row[i]).sum::<f64>() / count).collect()
}

#[test]
fn dynamic_relative_equals_its_definition() {
    for config in dynamic_relative::Config::examples() {
        for tokens in sequences() {
            let single = Single::random(EncodingConfig::DynamicRelative(config.clone()), &tokens);
            let x = input(3, 2, &tokens, DIMS);
            let found = single.logits(&x);
            let (term, other) = match config.scaled {
                true => (found.before_scale, found.after_scale),
                false => (found.after_scale, found.before_scale),
            };
            assert!(other.is_none(), "the relative term stands on one side of the scale");
            let (h, l, k) = (DIMS.heads as i64, tokens.len() as i64, DIMS.head_width() as i64);
            let parameter = |name: &str, shape: &[i64]| {
                Tensor::from_slice(&single.parameter(&format!("dynamic_relative.layer.1.{name}"))).view(shape)
            };
            let u_size = config.bottleneck as i64;
            let down = parameter("down.weight", &[u_size, h * l * k]);
            let keys = if config.share == dynamic_relative::Share::All { 1 } else { h };
            let up = parameter("up.weight", &[keys, k, l, u_size]).expand([h, k, l, u_size], false);
            let position = parameter("position", &[h, l, k]);
            let flat = x.to_kind(Kind::Double).view([2, -1]);
            let mut u = Tensor::einsum("bf,uf->bu", &[flat, down], None::<i64>);
            if config.inside != dynamic_relative::Inside::None {
                let [gain, bias] = ["gain", "bias"].map(|name| parameter(&format!("norm.{name}"), &[u_size]));
                let centred = &u - u.mean_dim([1i64].as_slice(), true, Kind::Double);
                let variance = centred.square().mean_dim([1i64].as_slice(), true, Kind::Double);
                u = centred / (variance + 1e-3).sqrt() * gain + bias;
            }
            if config.inside == dynamic_relative::Inside::LayerNormRelu {
                u = u.clamp_min(0.0);
            }
            let wanted = Tensor::einsum("bu,hclu,hic->bhil", &[u, up, position], None::<i64>);
            let what = format!("{config:?}, {l} tokens");
            assert_near(&numbers(&term.expect("a term")), &numbers(&wanted), &what);
        }
    }
}

#[test]
fn the_shared_map_equals_its_definition() {
    for config in cls_map::Config::examples() {
        for tokens in sequences() {
            let single = Single::random(EncodingConfig::ClsMap(config.clone()), &tokens);
            let x = input(4, 2, &tokens, DIMS);
            let found = single.logits(&x).after_scale.expect("a map");
            assert_eq!(found.size()[1], 1, "one map for all heads");
            let boards = numbers(&x);
            let wanted: Vec<_> = boards
                .chunks(tokens.len() * DIMS.width)
                .flat_map(|x| shared_map(&single, &config, &tokens, x))
                .collect();
            assert_near(&numbers(&found), &wanted, &format!("{config:?}, {} tokens", tokens.len()));
        }
    }
}

fn shared_map(single: &Single, config: &cls_map::Config, tokens: &Tokens, x: &[f64]) -> Vec<f64> {
    let row = |token: usize| &x[token * DIMS.width..(token + 1) * DIMS.width];
    let squares: Vec<_> = (0..tokens.len()).filter(|&t| matches!(tokens.roles()[t], Role::Square(_))).collect();
    let summary = match tokens.roles().iter().position(|role| *role == Role::Cls) {
        Some(cls) => row(cls).to_vec(),
        None => mean_of_rows(&squares.iter().flat_map(|&t| row(t).to_vec()).collect::<Vec<_>>(), DIMS.width),
    };
    let weight = single.parameter("cls_map.map.weight");
    let map = affine(&weight, Some(&single.parameter("cls_map.map.bias")), &summary);
    let covered = if config.tokens == cls_map::Covered::All { (0..tokens.len()).collect() } else { squares };
    let mut full = vec![0.0; tokens.len() * tokens.len()];
    for (entry, value) in map.into_iter().enumerate() {
        full[covered[entry / covered.len()] * tokens.len() + covered[entry % covered.len()]] = value;
    }
    full
}
