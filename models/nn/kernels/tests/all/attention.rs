//! Attention as one operation. Its values and gradients are compared with the definition in crate `nn`, with every set of instructions.

use crate::{assert_threads_change_no_bit, numbers};
use kernels::attention::{Scaled, Sizes, Strided};
use kernels::{Attention, AttentionGradients, Instructions, Workers};

/// More than a block of positions; a length and a width that registers divide, and that they do not.
const SIZES: [Sizes; 2] =
    [Sizes { batch: 19, heads: 2, length: 16, width: 16 }, Sizes { batch: 3, heads: 3, length: 13, width: 20 }];

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

/// Outputs and gradients that the operation writes.
struct Found {
    output: Vec<f32>,
    weights: Vec<f32>,
    of_qkv: Vec<f32>,
    of_logits: Vec<f32>,
    of_shared: Vec<f32>,
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

    fn computed(&mut self, workers: Workers) -> Found {
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
                Scaled { rows: pairs(&mut self.of_position), factor: FACTOR },
                Scaled { rows: of_heads(&mut self.shared), factor: 1.0 },
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
}

#[test]
fn threads_change_no_bit_of_attention() {
    for sizes in SIZES {
        assert_threads_change_no_bit(&format!("{sizes:?}"), |workers| {
            let Found { output, weights, of_qkv, of_logits, of_shared } = Operands::new(sizes).computed(workers);
            [output, weights, of_qkv, of_logits, of_shared].concat()
        });
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
