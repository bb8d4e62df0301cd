//! Products of dense layers against their definitions in f64.

use crate::{assert_threads_change_no_bit, numbers, place};
use kernels::dense::{Dense, DenseGradients, DenseOperands};
use kernels::{Instructions, Workers};

/// More than a group of rows that are summed up, and a strip of few; widths of whole panels, of a part of one, and of both.
const LAYERS: [Dense; 3] = [
    Dense { rows: 579, inputs: 32, outputs: 80 },
    Dense { rows: 257, inputs: 48, outputs: 16 },
    Dense { rows: 1, inputs: 16, outputs: 64 },
];

struct Operands {
    layer: Dense,
    x: Vec<f32>,
    weight: Vec<f32>,
    bias: Vec<f32>,
    of_y: Vec<f32>,
}

impl Operands {
    fn new(layer: Dense) -> Self {
        let Dense { rows, inputs, outputs } = layer;
        Self {
            layer,
            x: numbers(1.0, &[rows, inputs]),
            weight: numbers(2.0, &[outputs, inputs]),
            bias: numbers(3.0, &[outputs]),
            of_y: numbers(4.0, &[rows, outputs]),
        }
    }

    /// y and the gradients of x, W and b, written over what is not a number.
    fn computed(&mut self, workers: Workers, with_bias: bool) -> [Vec<f32>; 4] {
        let Dense { rows, inputs, outputs } = self.layer;
        let [mut y, mut of_x, mut of_weight, mut of_bias] =
            [rows * outputs, rows * inputs, outputs * inputs, outputs].map(|count| vec![f32::NAN; count]);
        let bias = with_bias.then(|| place(&mut self.bias));
        let operands = DenseOperands { x: place(&mut self.x), weight: place(&mut self.weight), bias };
        let gradients = DenseGradients {
            of_x: Some(place(&mut of_x)),
            of_weight: Some(place(&mut of_weight)),
            of_bias: Some(place(&mut of_bias)),
        };
        // SAFETY: all slices live and have these sizes.
        unsafe {
            self.layer.compute(operands, place(&mut y), workers);
            self.layer.gradients(operands, place(&mut self.of_y), gradients, workers);
        }
        [y, of_x, of_weight, of_bias]
    }

    fn defined(&self, with_bias: bool) -> [Vec<f64>; 4] {
        let Dense { rows, inputs, outputs } = self.layer;
        let product = |a: f32, b: f32| f64::from(a) * f64::from(b);
        let y = |row: usize, e: usize| -> f64 {
            let sum: f64 = (0..inputs).map(|d| product(self.x[row * inputs + d], self.weight[e * inputs + d])).sum();
            sum + if with_bias { f64::from(self.bias[e]) } else { 0.0 }
        };
        let of_x = |row: usize, d: usize| -> f64 {
            (0..outputs).map(|e| product(self.of_y[row * outputs + e], self.weight[e * inputs + d])).sum()
        };
        let of_weight = |e: usize, d: usize| -> f64 {
            (0..rows).map(|row| product(self.of_y[row * outputs + e], self.x[row * inputs + d])).sum()
        };
        let of_bias = |e: usize| (0..rows).map(|row| f64::from(self.of_y[row * outputs + e])).sum();
        [
            (0..rows * outputs).map(|place| y(place / outputs, place % outputs)).collect(),
            (0..rows * inputs).map(|place| of_x(place / inputs, place % inputs)).collect(),
            (0..outputs * inputs).map(|place| of_weight(place / inputs, place % inputs)).collect(),
            (0..outputs).map(of_bias).collect(),
        ]
    }
}

#[test]
fn dense_products_are_those_of_the_definition() {
    for layer in LAYERS {
        let mut operands = Operands::new(layer);
        for with_bias in [true, false] {
            let wanted = operands.defined(with_bias);
            for instructions in Instructions::available() {
                let found = operands.computed(Workers { instructions, threads: 2 }, with_bias);
                for (found, wanted) in found.concat().iter().zip(wanted.concat()) {
                    let apart = (f64::from(*found) - wanted).abs() / wanted.abs().max(1.0);
                    assert!(apart < 3e-5, "{instructions:?}, {layer:?}, bias: {with_bias}: {apart} apart");
                }
            }
        }
    }
}

#[test]
fn threads_change_no_bit_of_dense_products() {
    assert_threads_change_no_bit("dense", |workers| Operands::new(LAYERS[0]).computed(workers, true).concat());
}
