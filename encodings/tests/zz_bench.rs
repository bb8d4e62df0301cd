mod common;
use common::*;
use encodings::*;
use tch::{Kind, Tensor};

fn cpu() -> f64 {
    let s = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    s.split(' ').next().unwrap().parse::<f64>().unwrap() * 1e-6
}

#[test]
fn bench() {
    tch::set_num_threads(1);
    let dims = Dims { width: 256, heads: 8, layers: 2 };
    let tokens = Tokens::squares_then(games::GameKind::Chess.geometry(), &[]);
    let x = input(1, 32, &tokens, dims);
    let w1 = normal_tensor(3, "w1", &[256, 256]).set_requires_grad(true);
    let w2 = normal_tensor(4, "w1", &[256, 256]).set_requires_grad(true);
    let mut ffn = || {
        let rms = |x: &Tensor| x * (x.square().mean_dim([-1i64].as_slice(), true, Kind::Float) + 1e-5).rsqrt();
        let y = rms(&rms(&(&x + x.linear(&w1, None::<&Tensor>).mish().linear(&w2, None::<&Tensor>))));
        Tensor::run_backward(&[y.sum(Kind::Float)], &[&w1, &w2], false, false);
    };
    let all = ["none", "shaw", "shaw: {terms: [q]}", "shaw: {terms: [k]}", "shaw: {terms: [v]}", "relative_bias: {share: displacement}", "smolgen", "cls_map", "dynamic_relative",
        "rope: {layout: flat_1d, theta: 100}", "rope: {layout: mixed_2d, theta: 100}", "absolute: {at: every_layer}"];
    let wanted = std::env::var("BENCH").unwrap_or_default();
    let configs: Vec<_> = all.into_iter().filter(|n| *n == "none" || n.contains(&wanted)).collect();
    let nets: Vec<_> = configs.iter().map(|c| { let p: EncodingConfig = serde_yaml::from_str(c).unwrap(); let n = Network::declare(&[p], dims, &tokens).unwrap(); let a = n.random(1, 0.05); (n, a) }).collect();
    let mut best = vec![f64::MAX; nets.len()];
    let mut fbest = vec![f64::MAX; nets.len()];
    let mut best_ffn = f64::MAX;
    for _ in 0..4 {
        let t = cpu(); for _ in 0..8 { ffn(); } best_ffn = best_ffn.min((cpu() - t) / 8.0);
        for (i, (n, arena)) in nets.iter().enumerate() {
            let mut both = 0.0; let mut fwd = 0.0;
            for _ in 0..8 {
                let t = cpu();
                let views = arena.views();
                let y = n.forward(&views, &x).output.square().sum(Kind::Float);
                fwd += cpu() - t;
                let _ = arena.gradient(&y).unwrap();
                both += cpu() - t;
            }
            fbest[i] = fbest[i].min(fwd / 16.0);
            best[i] = best[i].min(both / 16.0);
        }
    }
    println!("ffn {best_ffn:.2}");
    for (i, c) in configs.iter().enumerate() {
        println!("{c:40} fwd {:.2} both {:.2} extra {:.2} ratio {:.2}", fbest[i], best[i], best[i] - best[0], (best[i] + best_ffn) / (best[0] + best_ffn));
    }
}
