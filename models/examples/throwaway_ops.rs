//! throwaway
use std::time::Instant;
use tch::{Device, Kind, Tensor};
fn r(s: &[i64]) -> Tensor { Tensor::randn(s, (Kind::Float, Device::Cpu)) }
fn time(name: &str, mut f: impl FnMut()) {
    let mut m = 9e9f64;
    for _ in 0..25 { let t = Instant::now(); f(); m = m.min(t.elapsed().as_secs_f64()); }
    println!("{name:40} {:.3} ms", m * 1e3);
}
fn fb(name: &str, inputs: Vec<Tensor>, f: impl Fn(&[Tensor]) -> Tensor) {
    let inputs: Vec<_> = inputs.into_iter().map(|x| x.set_requires_grad(true)).collect();
    time(&format!("{name} fwd"), || { let _x = f(&inputs); });
    let y = f(&inputs); let g = y.detach().ones_like();
    let l = (&y * &g).sum(Kind::Float);
    time(&format!("{name} bwd(+sum,mul)"), || { let _ = Tensor::run_backward(&[&l], &inputs, true, false); });
}
fn main() {
    tch::set_num_threads(1);
    let (b, l, d, h) = (32i64, 64i64, 256i64, 8i64);
    let x = r(&[b, l, d]);
    time("x*2 pass", || { let _ = &x * 2.0; });
    time("x+x pass", || { let _ = &x + &x; });
    fb("identity", vec![r(&[b,l,d])], |i| i[0].view([b*l,d]));
    fb("linear d->3d", vec![r(&[b,l,d]), r(&[3*d,d])], |i| i[0].linear(&i[1], None::<Tensor>));
    fb("linear d->d bias", vec![r(&[b,l,d]), r(&[d,d]), r(&[d])], |i| i[0].linear(&i[1], Some(&i[2])));
    fb("mish", vec![r(&[b,l,d])], |i| i[0].mish());
    fb("rms", vec![r(&[b,l,d]), r(&[d])], |i| { let ms = i[0].square().mean_dim([-1i64].as_slice(), true, Kind::Float); &i[0] * (ms + 1e-5).rsqrt() * &i[1] });
    fb("rms vecnorm", vec![r(&[b,l,d]), r(&[d])], |i| { let n = i[0].norm_scalaropt_dim(2.0, [-1i64].as_slice(), true); let inv = (n.square() * (1.0/256.0) + 1e-5).rsqrt(); &i[0] * inv * &i[1] });
    fb("rms at", vec![r(&[b,l,d]), r(&[d])], |i| i[0].rms_norm([d], Some(&i[1]), 1e-5));
    fb("layer_norm", vec![r(&[b,l,d]), r(&[d]), r(&[d])], |i| i[0].layer_norm([d], Some(&i[1]), Some(&i[2]), 1e-5, false));
    fb("residual alpha", vec![r(&[b,l,d]), r(&[b,l,d])], |i| &i[0] * 0.5 + &i[1]);
    fb("split unbind", vec![r(&[b,l,3*d])], |i| { let p = i[0].view([b,l,3,h,d/h]).unbind(2); let p: Vec<_> = p.iter().map(|p| p.transpose(1,2).contiguous()).collect(); Tensor::stack(&p, 0) });
    fb("split permute", vec![r(&[b,l,3*d])], |i| i[0].view([b,l,3,h,d/h]).permute([2,0,3,1,4]).contiguous());
    fb("join", vec![r(&[b,h,l,d/h])], |i| i[0].transpose(1,2).reshape([b,l,d]));
    fb("qk matmul", vec![r(&[b,h,l,d/h]), r(&[b,h,l,d/h])], |i| i[0].matmul(&i[1].transpose(-2,-1)));
    fb("qk scaled q", vec![r(&[b,h,l,d/h]), r(&[b,h,l,d/h])], |i| (&i[0]*0.17).matmul(&i[1].transpose(-2,-1)));
    fb("qk scaled s", vec![r(&[b,h,l,d/h]), r(&[b,h,l,d/h])], |i| i[0].matmul(&i[1].transpose(-2,-1))*0.17);
    let z = Tensor::zeros([1,1,1], (Kind::Float, Device::Cpu));
    fb("qk baddbmm beta0", vec![r(&[b*h,l,d/h]), r(&[b*h,l,d/h])], |i| z.baddbmm(&i[0], &i[1].transpose(-2,-1), 0.0, 0.17));
    fb("qk scaled + bias", vec![r(&[b,h,l,d/h]), r(&[b,h,l,d/h]), r(&[h,l,l])], |i| (&i[0]*0.17).matmul(&i[1].transpose(-2,-1)) + &i[2]);
    fb("qk scaled += bias", vec![r(&[b,h,l,d/h]), r(&[b,h,l,d/h]), r(&[h,l,l])], |i| (&i[0]*0.17).matmul(&i[1].transpose(-2,-1)).g_add_(&i[2]));
    fb("qk baddbmm bias", vec![r(&[b*h,l,d/h]), r(&[b*h,l,d/h]), r(&[h,l,l])], |i| i[2].unsqueeze(0).expand([b,h,l,l], false).reshape([b*h,l,l]).baddbmm(&i[0], &i[1].transpose(-2,-1), 1.0, 0.17));
    fb("softmax", vec![r(&[b,h,l,l])], |i| i[0].softmax(-1, Kind::Float));
    fb("av matmul", vec![r(&[b,h,l,l]), r(&[b,h,l,d/h])], |i| i[0].matmul(&i[1]));
    fb("sdpa", vec![r(&[b,h,l,d/h]), r(&[b,h,l,d/h]), r(&[b,h,l,d/h])], |i| Tensor::scaled_dot_product_attention(&i[0], &i[1], &i[2], None::<Tensor>, 0.0, false, 0.17, false));
    let idx: Vec<i64> = (0..1858).map(|i| i * 2).collect(); let idx = Tensor::from_slice(&idx);
    fb("index_select", vec![r(&[b,4096])], |i| i[0].index_select(1, &idx));
    fb("gather", vec![r(&[b,4096])], |i| i[0].gather(1, &idx.unsqueeze(0).expand([b,1858], false), false));
}
