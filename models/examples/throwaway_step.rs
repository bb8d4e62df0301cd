//! throwaway
use encodings::EncodingConfig;
use games::{GameKind, InputName};
use models::*;
use nn::Arena;
use std::sync::Arc;
use std::time::Instant;
use tch::{Device, Tensor};
fn main() {
    tch::set_num_threads(1);
    let batch: usize = std::env::args().nth(1).map_or(32, |s| s.parse().unwrap());
    let steps: usize = std::env::args().nth(2).map_or(8, |s| s.parse().unwrap());
    let which = std::env::args().nth(3);
    let spec = Spec { input: GameKind::Chess.input(InputName::PieceTokens), moves: GameKind::Chess.from_to() };
    let row = spec.input.row_bytes();
    let bytes: Vec<u8> = (0..batch * row).map(|i| ((i * 2654435761usize) >> 7) as u8 % 13).collect();
    let packed = Tensor::from_slice(&bytes).view([batch as i64, row as i64]);
    let idx: Vec<i64> = (0..batch as i64).map(|i| i * 37 % 1858).collect();
    let idx = Tensor::from_slice(&idx).view([-1, 1]);
    let prob = Tensor::ones([batch as i64, 1], (tch::Kind::Float, Device::Cpu));
    let wdl = Tensor::zeros([batch as i64], (tch::Kind::Int64, Device::Cpu));
    for text in ["{\"none\":{}}", "{\"absolute\":{\"at\":\"gate\"}}", "{\"absolute\":{\"at\":\"every_layer\"}}", "{\"relative_bias\":{\"share\":\"displacement\"}}", "{\"shaw\":{}}", "{\"smolgen\":{}}", "{\"rope\":{\"layout\":\"axial_2d\",\"theta\":100}}"] {
        if which.as_ref().is_some_and(|w| !text.contains(w.as_str())) { continue; }
        let encoding: EncodingConfig = serde_json::from_str(text).unwrap();
        let (net, layout) = Network::declare(&ModelConfig::Preset(Preset::Cf6m), &[encoding], &spec).unwrap();
        let layout = Arc::new(layout);
        let arena = Arena::initialise(layout.clone(), 0, "", Device::Cpu).unwrap();
        let mut opt = Optimizer::new(OptimizerConfig::Nadam(Default::default()), &layout, Device::Cpu).unwrap();
        let (mut f, mut b, mut s) = (9e9f64, 9e9f64, 9e9f64);
        for i in 0..steps + 2 {
            let _ = i;
            let t = Instant::now();
            let out = net.forward(&arena.views(), &packed);
            let p = loss::policy_cross_entropy(&out.policy_bv, None, loss::PolicyTargets { index_bk: &idx, prob_bk: &prob });
            let l = p.mean() + loss::wdl_cross_entropy(&out.wdl_b3, &wdl).mean();
            f = f.min(t.elapsed().as_secs_f64());
            let t = Instant::now();
            let mut g = arena.gradient(&l).unwrap();
            b = b.min(t.elapsed().as_secs_f64());
            let t = Instant::now();
            clip_global_norm(&mut g, Some(10.0)).unwrap();
            opt.step(&mut arena.flat(), &g, 1e-4).unwrap();
            s = s.min(t.elapsed().as_secs_f64());
        }
        let n = 1.0f64;
        println!("{text:50} fwd {:.1} bwd {:.1} step {:.1} ms  -> {:.1} pos/s  params {}", f / n * 1e3, b / n * 1e3, s / n * 1e3, batch as f64 * n / (f + b + s), layout.total());
    }
}
