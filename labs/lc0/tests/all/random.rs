//! Networks with attention bodies, of random numbers, in Lc0's format: every tensor that such a file may have.

use super::wire::{Message, file, rounded};
use std::collections::BTreeMap;

pub const SQUARES: usize = 64;
pub const PLANES: usize = 112;
pub const PIECES: usize = 12;
pub const DISPLACEMENTS: usize = 15 * 15;

/// Numbers of the format's activations.
pub const DEFAULT: u64 = 0;
pub const SWISH: u64 = 7;
pub const RELU_2: u64 = 8;

/// What a network is made of.
#[derive(Clone)]
pub struct Shape {
    pub width: usize,
    pub heads: usize,
    pub layers: usize,
    pub ff: usize,
    /// Numbers a square of the embedding that sees all squares, and the inside of its feed-forward layer; otherwise a map.
    pub dense: Option<[usize; 2]>,
    pub gate: bool,
    /// Compressed channels, hidden layer, inputs of the generator.
    pub smolgen: Option<[usize; 3]>,
    pub qkv_bias: bool,
    /// Policies by name with the width of their queries; a single one has no name.
    pub policies: Vec<(&'static str, usize)>,
    /// Values by name with what they say: outputs, error, intervals.
    pub values: Vec<(&'static str, [usize; 3])>,
    pub mish: bool,
    pub smolgen_activation: u64,
    pub ff_activation: u64,
}

pub const POLICY: usize = 10;
pub const VALUE: [usize; 2] = [3, 7];
pub const MOVES_LEFT: [usize; 2] = [2, 5];

/// A network: its tensors by Lc0's names.
#[derive(Clone)]
pub struct Net {
    pub shape: Shape,
    pub tensors: BTreeMap<String, Vec<f32>>,
    state: u64,
}

impl Net {
    pub fn new(shape: Shape, seed: u64) -> Self {
        let mut net = Self { shape: shape.clone(), tensors: BTreeMap::new(), state: seed };
        net.embedding();
        (0..shape.layers).for_each(|layer| net.encoder(layer));
        if let Some([_, _, generator]) = shape.smolgen {
            net.matrix("smolgen_w", generator, SQUARES * SQUARES);
        }
        net.policies();
        for (name, [outputs, error, intervals]) in &shape.values {
            let from = if name.is_empty() { String::new() } else { format!("value_heads.{name}.") };
            net.dense(&format!("{from}ip_val"), shape.width, VALUE[0]);
            net.dense(&format!("{from}ip1_val"), VALUE[0] * SQUARES, VALUE[1]);
            net.dense(&format!("{from}ip2_val"), VALUE[1], *outputs);
            for (part, size) in [("ip_val_err", *error), ("ip_val_cat", *intervals)] {
                if size > 0 {
                    net.dense(&format!("{from}{part}"), VALUE[1], size);
                }
            }
        }
        net.dense("ip_mov", shape.width, MOVES_LEFT[0]);
        net.dense("ip1_mov", MOVES_LEFT[0] * SQUARES, MOVES_LEFT[1]);
        net.dense("ip2_mov", MOVES_LEFT[1], 1);
        // The last layer ends in a ReLU, behind which much would look alike.
        net.tensors.insert("ip2_mov_b".to_owned(), vec![3.0]);
        net
    }

    fn embedding(&mut self) {
        let shape = self.shape.clone();
        let added = match shape.dense {
            None => SQUARES,
            Some([dense, ff]) => {
                self.dense("ip_emb_preproc", PIECES * SQUARES, dense * SQUARES);
                self.norm("ip_emb_ln", shape.width);
                self.feed_forward("ip_emb_ffn", ff);
                self.norm("ip_emb_ffn_ln", shape.width);
                dense
            }
        };
        self.dense("ip_emb", PLANES + added, shape.width);
        if shape.gate {
            let len = SQUARES * shape.width;
            self.put("ip_mult_gate", len, 0.3, 1.0);
            self.put("ip_add_gate", len, 0.3, 0.0);
        }
    }

    fn encoder(&mut self, layer: usize) {
        let (shape, width) = (self.shape.clone(), self.shape.width);
        let name = |part: &str| format!("encoder[{layer}].{part}");
        for part in ["q", "k", "v"] {
            self.matrix(&name(&format!("mha.{part}_w")), width, width);
            if shape.qkv_bias {
                self.put(&name(&format!("mha.{part}_b")), width, 0.3, 0.0);
            }
        }
        self.dense(&name("mha.dense"), width, width);
        self.norm(&name("ln1"), width);
        self.feed_forward(&name("ffn"), shape.ff);
        self.norm(&name("ln2"), width);
        if let Some([compress, hidden, generator]) = shape.smolgen {
            self.matrix(&name("mha.smolgen.compress"), width, compress);
            self.dense(&name("mha.smolgen.dense1"), compress * SQUARES, hidden);
            self.norm(&name("mha.smolgen.ln1"), hidden);
            self.dense(&name("mha.smolgen.dense2"), hidden, generator * shape.heads);
            self.norm(&name("mha.smolgen.ln2"), generator * shape.heads);
        }
    }

    fn policies(&mut self) {
        let policies = self.shape.policies.clone();
        let shared = if policies[0].0.is_empty() { "ip_pol" } else { "policy_heads.ip_pol" };
        self.dense(shared, self.shape.width, POLICY);
        for (name, depth) in policies {
            let from = if name.is_empty() { String::new() } else { format!("policy_heads.{name}.") };
            self.dense(&format!("{from}ip2_pol"), POLICY, depth);
            self.dense(&format!("{from}ip3_pol"), POLICY, depth);
            self.matrix(&format!("{from}ip4_pol_w"), depth, 4);
        }
    }

    fn feed_forward(&mut self, name: &str, ff: usize) {
        self.dense(&format!("{name}.dense1"), self.shape.width, ff);
        self.dense(&format!("{name}.dense2"), ff, self.shape.width);
    }

    fn norm(&mut self, name: &str, width: usize) {
        self.put(&format!("{name}_gammas"), width, 0.4, 1.0);
        self.put(&format!("{name}_betas"), width, 0.3, 0.0);
    }

    /// The same with relative positions in every encoder.
    pub fn with_relative_positions(mut self) -> Self {
        for layer in 0..self.shape.layers {
            for name in ["rpe_q", "rpe_k", "rpe_v"] {
                self.put(&format!("encoder[{layer}].mha.{name}"), DISPLACEMENTS * self.shape.width, 0.5, 0.0);
            }
        }
        self
    }

    fn dense(&mut self, name: &str, inputs: usize, outputs: usize) {
        self.matrix(&format!("{name}_w"), inputs, outputs);
        self.put(&format!("{name}_b"), outputs, 0.3, 0.0);
    }

    fn matrix(&mut self, name: &str, inputs: usize, outputs: usize) {
        self.put(name, inputs * outputs, 2.0 / (inputs as f64).sqrt(), 0.0);
    }

    /// Numbers within `spread` of `middle`.
    fn put(&mut self, name: &str, len: usize, spread: f64, middle: f64) {
        let mut next = || {
            // Marsaglia's xorshift.
            self.state ^= self.state << 13;
            self.state ^= self.state >> 7;
            self.state ^= self.state << 17;
            (self.state >> 11) as f64 / (1u64 << 53) as f64
        };
        let numbers = (0..len).map(|_| (middle + spread * (2.0 * next() - 1.0)) as f32).collect();
        self.tensors.insert(name.to_owned(), numbers);
    }

    /// The same with the numbers that a file of 16 bits gives back.
    pub fn rounded(mut self) -> Self {
        self.tensors.values_mut().for_each(|numbers| *numbers = rounded(numbers));
        self
    }

    /// The format that says what it is.
    pub fn format(&self) -> [u64; 10] {
        let many = !self.shape.policies[0].0.is_empty();
        let (network, embedding) = (if many { 7 } else { 6 }, if self.shape.dense.is_some() { 2 } else { 1 });
        let [smolgen, ff] = [self.shape.smolgen_activation, self.shape.ff_activation];
        [1, 2, network, 3, 2, 1, u64::from(self.shape.mish), smolgen, ff, embedding]
    }

    /// The file, in 32-bit numbers or in 16.
    pub fn file(&self, wide: bool) -> Vec<u8> {
        file(self.format(), &self.weights(wide))
    }

    pub fn weights(&self, wide: bool) -> Message {
        let of = |prefix: &str, tensors: &str| self.message(prefix, tensors, wide);
        let mut weights = of("", TOP);
        for layer in 0..self.shape.layers {
            let prefix = format!("encoder[{layer}].");
            let smolgen = of(&format!("{prefix}mha.smolgen."), SMOLGEN);
            let mut attention = of(&format!("{prefix}mha."), ATTENTION);
            if self.shape.smolgen.is_some() {
                attention = attention.message(9, &smolgen);
            }
            let encoder = of(&prefix, NORMS).message(1, &attention);
            weights = weights.message(27, &encoder.message(4, &of(&format!("{prefix}ffn."), FEED_FORWARD)));
        }
        weights = weights.varint(28, self.shape.heads as u64);
        if self.shape.dense.is_some() {
            weights = weights.message(41, &of("ip_emb_ffn.", FEED_FORWARD));
        }
        if self.shape.policies[0].0.is_empty() {
            return weights;
        }
        let mut values = Message::default();
        for (name, _) in &self.shape.values {
            let field = ["winner", "q", "st"].iter().position(|known| known == name).expect("a value head") as u64;
            values = values.message(field + 1, &of(&format!("value_heads.{name}."), VALUE_HEAD));
        }
        let mut policies = of("policy_heads.", "1 ip_pol_w, 2 ip_pol_b");
        for (name, _) in &self.shape.policies {
            let head = of(&format!("policy_heads.{name}."), POLICY_HEAD);
            let known = ["vanilla", "optimistic_st", "soft", "opponent"].iter().position(|known| known == name);
            policies = match known {
                Some(field) => policies.message(field as u64 + 3, &head),
                None => policies.message(7, &Message::default().bytes(1, name.as_bytes()).message(2, &head)),
            };
        }
        weights.message(44, &values).message(45, &policies)
    }

    /// The tensors of a message that there are, of a list like [`TOP`].
    fn message(&self, prefix: &str, tensors: &str, wide: bool) -> Message {
        tensors.split(", ").fold(Message::default(), |message, tensor| {
            let (field, name) = tensor.split_once(' ').expect("a field and a name");
            let field = field.parse().expect("a number");
            match self.tensors.get(&format!("{prefix}{name}")) {
                None => message,
                Some(numbers) if wide => message.tensor(field, numbers),
                Some(numbers) => message.linear(field, numbers),
            }
        })
    }
}

/// The tensors of a weights message, each behind the number of its field; the lists below are of messages in it.
const TOP: &str = "4 ip_pol_w, 5 ip_pol_b, 7 ip1_val_w, 8 ip1_val_b, 9 ip2_val_w, 10 ip2_val_b, 13 ip1_mov_w, \
                   14 ip1_mov_b, 15 ip2_mov_w, 16 ip2_mov_b, 17 ip2_pol_w, 18 ip2_pol_b, 19 ip3_pol_w, 20 ip3_pol_b, \
                   22 ip4_pol_w, 25 ip_emb_w, 26 ip_emb_b, 29 ip_val_w, 30 ip_val_b, 31 ip_mov_w, 32 ip_mov_b, \
                   33 ip_mult_gate, 34 ip_add_gate, 35 smolgen_w, 36 smolgen_b, 37 ip_emb_preproc_w, \
                   38 ip_emb_preproc_b, 39 ip_emb_ln_gammas, 40 ip_emb_ln_betas, 42 ip_emb_ffn_ln_gammas, \
                   43 ip_emb_ffn_ln_betas";

const ATTENTION: &str = "1 q_w, 2 q_b, 3 k_w, 4 k_b, 5 v_w, 6 v_b, 7 dense_w, 8 dense_b, 10 rpe_q, 11 rpe_k, 12 rpe_v";

const NORMS: &str = "2 ln1_gammas, 3 ln1_betas, 5 ln2_gammas, 6 ln2_betas";

const FEED_FORWARD: &str = "1 dense1_w, 2 dense1_b, 3 dense2_w, 4 dense2_b";

const SMOLGEN: &str = "1 compress, 2 dense1_w, 3 dense1_b, 4 ln1_gammas, 5 ln1_betas, 6 dense2_w, 7 dense2_b, \
                       8 ln2_gammas, 9 ln2_betas";

const POLICY_HEAD: &str = "1 ip_pol_w, 2 ip_pol_b, 3 ip2_pol_w, 4 ip2_pol_b, 5 ip3_pol_w, 6 ip3_pol_b, 7 ip4_pol_w";

const VALUE_HEAD: &str = "1 ip_val_w, 2 ip_val_b, 3 ip1_val_w, 4 ip1_val_b, 5 ip2_val_w, 6 ip2_val_b, 7 ip_val_err_w, \
                          8 ip_val_err_b, 9 ip_val_cat_w, 10 ip_val_cat_b";
