//! What Lc0 computes with the tensors of an attention body, written down once more in plain loops and f64, from the
//! format's own layouts: nothing of posenc's networks is used.

use crate::random::{DEFAULT, Net, PIECES, RELU_2, SQUARES, SWISH};

type Rows = Vec<Vec<f64>>;

/// What the heads say about a position.
pub(crate) struct Outputs {
    /// The 1858 logits of each policy, in the order of the shape.
    pub(crate) policies: Vec<Vec<f64>>,
    /// Of each value: its last layers' numbers, without tanh, sigmoid or softmax.
    pub(crate) values: Vec<[Vec<f64>; 3]>,
    pub(crate) moves_left: f64,
}

fn mish(x: f64) -> f64 {
    x * x.exp().ln_1p().tanh()
}

struct Forward<'a> {
    net: &'a Net,
}

/// Asks a network about the planes of a position, `[square][plane]`, with the count of rule 50 as it is.
pub(crate) fn forward(net: &Net, planes: &Rows) -> Outputs {
    let forward = Forward { net };
    let mut x = forward.embedding(planes);
    for layer in 0..net.shape.layers {
        x = forward.encoder(layer, &x);
    }
    let named = |part: &str, name: &str| if name.is_empty() { String::new() } else { format!("{part}.{name}.") };
    let policies = net.shape.policies.iter().map(|(name, _)| forward.policy(&named("policy_heads", name), &x));
    let values = net.shape.values.iter().map(|(name, _)| forward.value(&named("value_heads", name), &x));
    let hidden = forward.pooled(["ip_mov", "ip1_mov"], &x);
    let moves_left = forward.dense("ip2_mov", &hidden)[0].max(0.0);
    Outputs { policies: policies.collect(), values: values.collect(), moves_left }
}

impl Forward<'_> {
    fn tensor(&self, name: &str) -> Vec<f64> {
        self.net.tensors[name].iter().map(|&x| f64::from(x)).collect()
    }

    /// `W x + b` with `W [out, in]`; no bias where there is none.
    fn dense(&self, name: &str, x: &[f64]) -> Vec<f64> {
        let weight = self.tensor(&format!("{name}_w"));
        let product = multiply(&weight, x);
        match self.net.tensors.get(&format!("{name}_b")) {
            None => product,
            Some(bias) => product.iter().zip(bias).map(|(x, &b)| x + f64::from(b)).collect(),
        }
    }

    fn each(&self, name: &str, x: &Rows) -> Rows {
        x.iter().map(|x| self.dense(name, x)).collect()
    }

    fn activate(&self, x: f64) -> f64 {
        if self.net.shape.mish { mish(x) } else { x.max(0.0) }
    }

    fn activate_as(&self, which: u64, x: f64) -> f64 {
        match which {
            DEFAULT => self.activate(x),
            SWISH => x / (1.0 + (-x).exp()),
            RELU_2 => x.max(0.0).powi(2),
            other => panic!("no test has the activation {other}"),
        }
    }

    fn norm(&self, name: &str, x: &[f64], epsilon: f64) -> Vec<f64> {
        let (gain, bias) = (self.tensor(&format!("{name}_gammas")), self.tensor(&format!("{name}_betas")));
        let n = x.len() as f64;
        let mean = x.iter().sum::<f64>() / n;
        let root = (x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n + epsilon).sqrt();
        x.iter().zip(gain.iter().zip(&bias)).map(|(x, (g, b))| (x - mean) / root * g + b).collect()
    }

    /// `Norm(x + α·branch)`, α = (2N)^(-1/4).
    fn add_and_norm(&self, name: &str, x: &Rows, branch: &Rows) -> Rows {
        let alpha = (2.0 * self.net.shape.layers as f64).powf(-0.25);
        let epsilon = if self.net.shape.dense.is_some() { 1e-3 } else { 1e-6 };
        let sum = x.iter().zip(branch).map(|(x, y)| x.iter().zip(y).map(|(x, y)| x + alpha * y).collect::<Vec<f64>>());
        sum.map(|sum| self.norm(name, &sum, epsilon)).collect()
    }

    fn feed_forward(&self, name: &str, x: &Rows) -> Rows {
        let which = self.net.shape.ff_activation;
        let inside = |x: &Vec<f64>| -> Vec<f64> {
            self.dense(&format!("{name}.dense1"), x).into_iter().map(|x| self.activate_as(which, x)).collect()
        };
        x.iter().map(|x| self.dense(&format!("{name}.dense2"), &inside(x))).collect()
    }

    fn embedding(&self, planes: &Rows) -> Rows {
        let shape = &self.net.shape;
        let added: Rows = match shape.dense {
            None => (0..SQUARES).map(|square| (0..SQUARES).map(|to| reached(square, to)).collect()).collect(),
            Some([dense, _]) => {
                let pieces: Vec<f64> = planes.iter().flat_map(|planes| planes[..PIECES].to_vec()).collect();
                self.dense("ip_emb_preproc", &pieces).chunks(dense).map(<[f64]>::to_vec).collect()
            }
        };
        let mut x: Rows = planes
            .iter()
            .zip(&added)
            .map(|(planes, added)| {
                let inputs = [&planes[..], added].concat();
                self.dense("ip_emb", &inputs).into_iter().map(|x| self.activate(x)).collect()
            })
            .collect();
        if shape.dense.is_some() {
            x = x.iter().map(|x| self.norm("ip_emb_ln", x, 1e-3)).collect();
        }
        if shape.gate {
            let (factor, summand) = (self.tensor("ip_mult_gate"), self.tensor("ip_add_gate"));
            for (square, x) in x.iter_mut().enumerate() {
                for (channel, x) in x.iter_mut().enumerate() {
                    *x = *x * factor[channel * SQUARES + square] + summand[channel * SQUARES + square];
                }
            }
        }
        if shape.dense.is_none() {
            return x;
        }
        let branch = self.feed_forward("ip_emb_ffn", &x);
        self.add_and_norm("ip_emb_ffn_ln", &x, &branch)
    }

    fn encoder(&self, layer: usize, x: &Rows) -> Rows {
        let name = |part: &str| format!("encoder[{layer}].{part}");
        let shape = &self.net.shape;
        let [q, k, v] = ["q", "k", "v"].map(|part| self.each(&name(&format!("mha.{part}")), x));
        let depth = shape.width / shape.heads;
        let generated = shape.smolgen.map(|_| self.smolgen(&name("mha.smolgen"), x));
        let [rpe_q, rpe_k, rpe_v] =
            ["rpe_q", "rpe_k", "rpe_v"].map(|table| self.net.tensors.get(&name(&format!("mha.{table}"))));
        let mut mixed = vec![vec![0.0; shape.width]; SQUARES];
        for head in 0..shape.heads {
            let own = head * depth..(head + 1) * depth;
            for query in 0..SQUARES {
                let relative = |table: Option<&Vec<f32>>, key: usize, i: usize| {
                    let class = 15 * (query / 8 + 7 - key / 8) + query % 8 + 7 - key % 8;
                    let column = (i - head * depth) * shape.heads + head;
                    table.map_or(0.0, |numbers| f64::from(numbers[class * shape.width + column]))
                };
                let logit = |key: usize| {
                    let of_channel = |i: usize| {
                        let [of_query, of_key] = [rpe_q, rpe_k].map(|table| relative(table, key, i));
                        q[query][i] * (k[key][i] + of_query) + k[key][i] * of_key
                    };
                    let product: f64 = own.clone().map(of_channel).sum();
                    let more = generated.as_ref().map_or(0.0, |maps| maps[head][query * SQUARES + key]);
                    product / (depth as f64).sqrt() + more
                };
                let weights = softmax(&(0..SQUARES).map(logit).collect::<Vec<f64>>());
                for i in own.clone() {
                    mixed[query][i] =
                        (0..SQUARES).map(|key| weights[key] * (v[key][i] + relative(rpe_v, key, i))).sum();
                }
            }
        }
        let branch = self.each(&name("mha.dense"), &mixed);
        let x = self.add_and_norm(&name("ln1"), x, &branch);
        let branch = self.feed_forward(&name("ffn"), &x);
        self.add_and_norm(&name("ln2"), &x, &branch)
    }

    /// A map `[query·64 + key]` for each head.
    fn smolgen(&self, name: &str, x: &Rows) -> Rows {
        let which = self.net.shape.smolgen_activation;
        let layer = |number: usize, x: &[f64]| {
            let hidden = self.dense(&format!("{name}.dense{number}"), x);
            let hidden: Vec<f64> = hidden.into_iter().map(|x| self.activate_as(which, x)).collect();
            self.norm(&format!("{name}.ln{number}"), &hidden, 1e-3)
        };
        let compress = self.tensor(&format!("{name}.compress"));
        let board: Vec<f64> = x.iter().flat_map(|x| multiply(&compress, x)).collect();
        let by_head = layer(2, &layer(1, &board));
        let generator = self.tensor("smolgen_w");
        by_head.chunks(by_head.len() / self.net.shape.heads).map(|own| multiply(&generator, own)).collect()
    }

    fn policy(&self, from: &str, x: &Rows) -> Vec<f64> {
        let shared = if from.is_empty() { "ip_pol" } else { "policy_heads.ip_pol" };
        let embedded: Rows =
            self.each(shared, x).into_iter().map(|x| x.into_iter().map(|x| self.activate(x)).collect()).collect();
        let queries = self.each(&format!("{from}ip2_pol"), &embedded);
        let keys = self.each(&format!("{from}ip3_pol"), &embedded);
        let promotions = self.tensor(&format!("{from}ip4_pol_w"));
        let scale = (queries[0].len() as f64).sqrt();
        let logit =
            |from: usize, to: usize| queries[from].iter().zip(&keys[to]).map(|(q, k)| q * k).sum::<f64>() / scale;
        let plain = (0..SQUARES * SQUARES).map(|i| (i / SQUARES, i % SQUARES));
        let plain = plain.filter(|&(from, to)| reached(from, to) > 0.0).map(|(from, to)| logit(from, to));
        let (seventh, eighth) = (48, 56);
        let files = (0..8usize).flat_map(|from| (0..8usize).map(move |to| (from, to)));
        let promoted = files.filter(|(from, to)| from.abs_diff(*to) <= 1).flat_map(|(from, to)| {
            // Rows of queen, rook and bishop, each with the last row.
            let offsets = multiply(&promotions, &keys[eighth + to]);
            let plain = logit(seventh + from, eighth + to);
            [0, 1, 2].map(|kind| plain + offsets[kind] + offsets[3])
        });
        plain.chain(promoted).collect()
    }

    /// The board as a vector, by an embedding of each square and a layer from all.
    fn pooled(&self, [embedding, hidden]: [&str; 2], x: &Rows) -> Vec<f64> {
        let squares: Vec<f64> = self.each(embedding, x).concat().into_iter().map(|x| self.activate(x)).collect();
        self.dense(hidden, &squares).into_iter().map(|x| self.activate(x)).collect()
    }

    fn value(&self, from: &str, x: &Rows) -> [Vec<f64>; 3] {
        let hidden = self.pooled([&format!("{from}ip_val"), &format!("{from}ip1_val")], x);
        ["ip2_val", "ip_val_err", "ip_val_cat"].map(|layer| {
            let there = self.net.tensors.contains_key(&format!("{from}{layer}_w"));
            if there { self.dense(&format!("{from}{layer}"), &hidden) } else { Vec::new() }
        })
    }
}

/// Lc0's map of positions: 1 where a queen or a knight gets from one square to the other, −1 on the square itself.
fn reached(from: usize, to: usize) -> f64 {
    let [ranks, files] = [(from / 8).abs_diff(to / 8), (from % 8).abs_diff(to % 8)];
    if from == to {
        return -1.0;
    }
    let queen = ranks == 0 || files == 0 || ranks == files;
    if queen || ranks * files == 2 { 1.0 } else { 0.0 }
}

fn multiply(matrix: &[f64], x: &[f64]) -> Vec<f64> {
    matrix.chunks_exact(x.len()).map(|row| row.iter().zip(x).map(|(a, b)| a * b).sum()).collect()
}

pub(crate) fn softmax(logits: &[f64]) -> Vec<f64> {
    let most = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = logits.iter().map(|x| (x - most).exp()).collect();
    let sum: f64 = weights.iter().sum();
    weights.into_iter().map(|x| x / sum).collect()
}
