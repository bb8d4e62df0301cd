//! Attention as one operation against its definition in f64, with every set of instructions.

use crate::numbers;
use kernels::attention::{Scaled, Sizes, Strided, Term};
use kernels::{Attention, AttentionGradients, Instructions, Workers};

/// More than a block of positions; lengths and widths that registers divide, and that they do not.
const SIZES: [Sizes; 5] = [
    Sizes { batch: 19, heads: 2, length: 16, width: 16 },
    Sizes { batch: 3, heads: 3, length: 13, width: 20 },
    Sizes { batch: 2, heads: 1, length: 1, width: 1 },
    Sizes { batch: 1, heads: 2, length: 82, width: 32 },
    Sizes { batch: 2, heads: 1, length: 128, width: 64 },
];

const SCALE: f32 = 0.7;
const FACTOR: f32 = 1.3;

struct Operands {
    sizes: Sizes,
    /// `[b,l,3,h,k]`, as a projection writes them.
    qkv: Vec<f32>,
    of_position: Vec<f32>,
    shared: Vec<f32>,
    of_output: Vec<f32>,
    of_weights: Vec<f32>,
}

/// Everything that is written, with the same shapes.
#[derive(Debug, PartialEq)]
struct Found<T> {
    output: Vec<T>,
    weights: Vec<T>,
    of_qkv: Vec<T>,
    of_logits: Vec<T>,
    of_shared: Vec<T>,
}

impl<T> Found<T> {
    fn parts(&self) -> [(&'static str, &[T]); 5] {
        [
            ("output", &self.output),
            ("weights", &self.weights),
            ("gradient of q, k and v", &self.of_qkv),
            ("gradient of logits", &self.of_logits),
            ("gradient of shared logits", &self.of_shared),
        ]
    }
}

impl Operands {
    fn new(sizes: Sizes) -> Self {
        let Sizes { batch, heads, length, width } = sizes;
        Self {
            sizes,
            qkv: numbers(1.0, &[batch, length, 3, heads, width]),
            of_position: numbers(2.0, &[batch, heads, length, length]),
            shared: numbers(3.0, &[heads, length, length]),
            of_output: numbers(4.0, &[batch, length, heads, width]),
            of_weights: numbers(5.0, &[batch, heads, length, length]),
        }
    }

    fn computed(&mut self, workers: Workers) -> Found<f32> {
        let sizes = self.sizes;
        let Sizes { heads, length, width, .. } = sizes;
        let empty = |like: &[f32]| vec![f32::NAN; like.len()];
        let mut found = Found {
            output: empty(&self.of_output),
            weights: empty(&self.of_position),
            of_qkv: empty(&self.qkv),
            of_logits: empty(&self.of_position),
            of_shared: empty(&self.shared),
        };
        // SAFETY: the vectors have these sizes and live until the end of the function; no two of them overlap.
        unsafe {
            let part = |qkv: &mut [f32], number: usize| {
                let start = qkv[number * heads * width..].as_mut_ptr();
                Strided::new(start, [length * 3 * heads * width, width, 3 * heads * width])
            };
            let row_of_heads =
                |x: &mut [f32]| Strided::new(x.as_mut_ptr(), [length * heads * width, width, heads * width]);
            let pairs =
                |x: &mut [f32]| Strided::new(x.as_mut_ptr(), [heads * length * length, length * length, length]);
            let of_heads = |x: &mut [f32]| Strided::new(x.as_mut_ptr(), [0, length * length, length]);
            let [q, k, v] = [0, 1, 2].map(|number| part(&mut self.qkv, number));
            let [of_q, of_k, of_v] = [0, 1, 2].map(|number| part(&mut found.of_qkv, number));
            let weights = pairs(&mut found.weights);
            let terms = [
                Term { rows: pairs(&mut self.of_position), factor: FACTOR },
                Term { rows: of_heads(&mut self.shared), factor: 1.0 },
            ];
            let output = row_of_heads(&mut found.output);
            Attention { sizes, q, k, v, scale: SCALE, terms: &terms, output, weights: Some(weights) }.compute(workers);
            AttentionGradients {
                sizes,
                q,
                k,
                v,
                scale: SCALE,
                weights,
                of_output: row_of_heads(&mut self.of_output),
                of_weights: Some(pairs(&mut self.of_weights)),
                of_q,
                of_k,
                of_v,
                of_logits: Some(Scaled { rows: pairs(&mut found.of_logits), factor: FACTOR }),
                of_shared_logits: Some(Scaled { rows: of_heads(&mut found.of_shared), factor: 1.0 }),
            }
            .compute(workers);
        }
        found
    }

    /// The same in f64, as it is defined.
    fn defined(&self) -> Found<f64> {
        let Sizes { batch, heads, length, width } = self.sizes;
        let exact = |numbers: &[f32]| numbers.iter().copied().map(f64::from).collect::<Vec<_>>();
        let (qkv, of_output) = (exact(&self.qkv), exact(&self.of_output));
        let zeros = |like: &[f32]| vec![0.0; like.len()];
        let mut found = Found {
            output: zeros(&self.of_output),
            weights: zeros(&self.of_position),
            of_qkv: zeros(&self.qkv),
            of_logits: zeros(&self.of_position),
            of_shared: zeros(&self.shared),
        };
        for (b, h) in (0..batch).flat_map(|b| (0..heads).map(move |h| (b, h))) {
            let of_part = |part: usize, token: usize| (((b * length + token) * 3 + part) * heads + h) * width;
            let of_row = |token: usize| ((b * length + token) * heads + h) * width;
            let dot = |x: &[f64], x_at: usize, y: &[f64], y_at: usize| -> f64 {
                x[x_at..x_at + width].iter().zip(&y[y_at..y_at + width]).map(|(x, y)| x * y).sum()
            };
            for i in 0..length {
                let pair = |j: usize| ((b * heads + h) * length + i) * length + j;
                let shared = |j: usize| (h * length + i) * length + j;
                let logit = |j: usize| {
                    f64::from(SCALE) * dot(&qkv, of_part(0, i), &qkv, of_part(1, j))
                        + f64::from(FACTOR) * f64::from(self.of_position[pair(j)])
                        + f64::from(self.shared[shared(j)])
                };
                let powers: Vec<f64> = (0..length).map(|j| logit(j).exp()).collect();
                let weight = |j: usize| powers[j] / powers.iter().sum::<f64>();
                let of_weight =
                    |j: usize| dot(&of_output, of_row(i), &qkv, of_part(2, j)) + f64::from(self.of_weights[pair(j)]);
                let mean: f64 = (0..length).map(|j| weight(j) * of_weight(j)).sum();
                for j in 0..length {
                    let of_logit = weight(j) * (of_weight(j) - mean);
                    found.weights[pair(j)] = weight(j);
                    found.of_logits[pair(j)] = f64::from(FACTOR) * of_logit;
                    found.of_shared[shared(j)] += of_logit;
                    for c in 0..width {
                        found.output[of_row(i) + c] += weight(j) * qkv[of_part(2, j) + c];
                        found.of_qkv[of_part(0, i) + c] += f64::from(SCALE) * of_logit * qkv[of_part(1, j) + c];
                        found.of_qkv[of_part(1, j) + c] += f64::from(SCALE) * of_logit * qkv[of_part(0, i) + c];
                        found.of_qkv[of_part(2, j) + c] += weight(j) * of_output[of_row(i) + c];
                    }
                }
            }
        }
        found
    }
}

#[test]
fn attention_and_its_gradients_are_those_of_the_definition() {
    for sizes in SIZES {
        let mut operands = Operands::new(sizes);
        let wanted = operands.defined();
        for instructions in Instructions::available() {
            let found = operands.computed(Workers { instructions, threads: 2 });
            for ((name, found), (_, wanted)) in found.parts().iter().zip(wanted.parts()) {
                let largest = wanted.iter().fold(0f64, |largest, number| largest.max(number.abs()));
                let apart = found.iter().zip(wanted).map(|(f, w)| (f64::from(*f) - w).abs()).fold(0.0, f64::max);
                assert!(found.iter().all(|number| number.is_finite()), "{instructions:?}, {sizes:?}: {name} has gaps");
                // With one token the gradient of its logit is zero.
                let apart = apart / largest.max(1e-3);
                assert!(apart < 2e-6, "{instructions:?}, {sizes:?}: {name} is {apart} apart");
            }
        }
    }
}

#[test]
fn threads_change_no_bit_of_attention() {
    let bits = |found: Found<f32>| found.parts().map(|(_, part)| part.iter().map(|n| n.to_bits()).collect::<Vec<_>>());
    for instructions in Instructions::available() {
        for sizes in [SIZES[0], SIZES[1]] {
            let with = |threads| bits(Operands::new(sizes).computed(Workers { instructions, threads }));
            assert_eq!(with(1), with(3), "{instructions:?}, {sizes:?}");
        }
    }
}

#[test]
fn what_a_mask_hides_has_no_weight_at_all() {
    let sizes = SIZES[0];
    for instructions in Instructions::available() {
        let mut operands = Operands::new(sizes);
        operands.of_position.iter_mut().skip(1).step_by(2).for_each(|term| *term = -1e9);
        let found = operands.computed(Workers { instructions, threads: 1 });
        assert!(found.weights.iter().skip(1).step_by(2).all(|weight| *weight == 0.0), "{instructions:?}");
        assert!(found.of_logits.iter().skip(1).step_by(2).all(|gradient| *gradient == 0.0), "{instructions:?}");
    }
}

#[test]
fn a_logit_that_is_not_a_number_is_not_hidden() {
    let sizes = SIZES[1];
    for instructions in Instructions::available() {
        let mut operands = Operands::new(sizes);
        operands.of_position[5] = f32::NAN;
        let found = operands.computed(Workers { instructions, threads: 1 });
        assert!(found.output[..sizes.width].iter().all(|number| number.is_nan()), "{instructions:?}");
    }
}
