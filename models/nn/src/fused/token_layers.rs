//! What a block does with each token by itself, after attention, as one operation on CPUs.

use super::dense::is_small;
use super::operands::{contiguous, numbers, writable};
use super::{supports, workers};
use crate::differentiable::{BackwardContext, Results, apply_one};
use crate::{Activation, Differentiable, Linear, Norm, ParamId, Views};
use kernels::token_layers::{DenseLayer, Saved, TokenLayers as Kernel, TokenLayersGradients};
use tch::{Device, Kind, TchError, Tensor};

/// Attention's output layer, a norm of its sum with the stream, a feed-forward layer, and a norm of the sum of these two:
/// y = norm(a·stream + c·out(mixed)), output = norm(a·y + c·outer(activation(inner(y)))).
#[derive(Debug, Clone, Copy)]
pub struct TokenLayers<'a> {
    /// Attention's output layer, its weight `[d,d]`.
    pub out: &'a Linear,
    /// The first layer of the feed-forward part, its weight `[hidden,d]`.
    pub inner: &'a Linear,
    /// The second layer of the feed-forward part, its weight `[d,hidden]`.
    pub outer: &'a Linear,
    /// The first and the second.
    pub norms: [&'a Norm; 2],
    /// Between `inner` and `outer`.
    pub activation: Activation,
    /// a of the stream, and c of what is added to it.
    pub factors: (f64, f64),
}

impl TokenLayers<'_> {
    /// The output for a stream and a mixture of values `[…,d]`; `None` where its parts are to be computed one by one: on GPUs, in
    /// bf16, with another norm than the root mean square's or another activation than Mish, for large weights, and for sizes that
    /// do not belong together.
    ///
    /// # Panics
    /// If memory runs out.
    pub fn forward(&self, views: &Views, stream: &Tensor, mixed: &Tensor) -> Option<Tensor> {
        let layers = [self.out, self.inner, self.outer].map(Linear::parameters);
        let [Some(first_gain), Some(second_gain)] = self.norms.map(Norm::gain_of_root_mean_square) else { return None };
        let weights = layers.map(|(weight, _)| &views[weight]);
        let parameters = layers.iter().map(|(weight, _)| *weight).chain([first_gain, second_gain]);
        let biases = layers.iter().filter_map(|(_, bias)| *bias);
        let of_views = parameters.chain(biases).map(|id: ParamId| &views[id]);
        let inputs: Vec<&Tensor> = [stream, mixed].into_iter().chain(of_views).collect();
        let fits = self.activation == Activation::Mish
            && weights.iter().all(|weight| is_small(weight))
            && stream.size() == mixed.size()
            && self.sizes_fit(views, stream)
            && inputs.iter().all(|input| supports(input))
            && workers().instructions.are_vectors();
        if !fits {
            return None;
        }
        let operation = TokenLayersOperation {
            has_bias: layers.map(|(_, bias)| bias.is_some()),
            factors: [self.factors.0 as f32, self.factors.1 as f32],
            epsilon: Norm::EPSILON as f32,
        };
        Some(apply_one(operation, &inputs).expect("LibTorch has memory for a block's layers"))
    }

    /// Whether weights, biases and gains have the sizes that the stream's width and the first feed-forward layer imply: the kernel
    /// reads that many numbers of each.
    fn sizes_fit(&self, views: &Views, stream: &Tensor) -> bool {
        let Some(&width) = stream.size().last() else { return false };
        let hidden = views[self.inner.parameters().0].size()[0];
        let layers = [(self.out, [width, width]), (self.inner, [hidden, width]), (self.outer, [width, hidden])];
        let is_layer = |(layer, shape): (&Linear, [i64; 2])| {
            let (weight, bias) = layer.parameters();
            views[weight].size() == shape && bias.is_none_or(|bias| views[bias].size() == shape[..1])
        };
        let gains = self.norms.map(Norm::gain_of_root_mean_square);
        layers.into_iter().all(is_layer) && gains.iter().flatten().all(|&gain| views[gain].size() == [width])
    }
}

/// Its inputs are the stream, the mixture, the weights of the three layers, the gains of the two norms, and those biases that
/// there are.
struct TokenLayersOperation {
    has_bias: [bool; 3],
    factors: [f32; 2],
    epsilon: f32,
}

/// Where the weights, the gains and the biases begin among the inputs.
const WEIGHTS: usize = 2;
const GAINS: usize = 5;
const BIASES: usize = 7;

impl TokenLayersOperation {
    /// The layers among tensors that correspond to the inputs.
    fn layers(&self, tensors: &[Tensor]) -> [DenseLayer; 3] {
        let mut next = BIASES;
        [0, 1, 2].map(|i| {
            let bias = self.has_bias[i].then(|| {
                next += 1;
                numbers(&tensors[next - 1])
            });
            DenseLayer { weight: numbers(&tensors[WEIGHTS + i]), bias }
        })
    }

    fn kernel(&self, inputs: &[Tensor]) -> Kernel {
        let (width, hidden) = (inputs[GAINS].numel(), inputs[WEIGHTS + 1].size()[0] as usize);
        let [out, inner, outer] = self.layers(inputs);
        Kernel {
            rows: inputs[0].numel() / width,
            width,
            hidden,
            stream: numbers(&inputs[0]),
            mixed: numbers(&inputs[1]),
            out,
            inner,
            outer,
            gains: [numbers(&inputs[GAINS]), numbers(&inputs[GAINS + 1])],
            factors: self.factors,
            epsilon: self.epsilon,
        }
    }
}

/// The numbers of what is kept.
fn places(kept: &[Tensor]) -> Saved {
    Saved { attended: numbers(&kept[0]), hidden: numbers(&kept[1]), fed: numbers(&kept[2]) }
}

impl Differentiable for TokenLayersOperation {
    fn forward(&self, inputs: &[Tensor], keeps: bool) -> Result<Results, TchError> {
        let inputs = contiguous(inputs)?;
        let kernel = self.kernel(&inputs);
        let rows = |width: usize| Tensor::f_empty([kernel.rows as i64, width as i64], (Kind::Float, Device::Cpu));
        let output = writable(&inputs[0])?;
        let kept = if keeps { vec![rows(kernel.width)?, rows(kernel.hidden)?, rows(kernel.width)?] } else { vec![] };
        // SAFETY: the tensors live, are contiguous and of the layers' sizes, and what is written is new.
        unsafe { kernel.compute(numbers(&output), keeps.then(|| places(&kept)), workers()) };
        Ok(Results { outputs: vec![output], kept })
    }

    fn backward(&self, context: BackwardContext<'_>, _: &[bool]) -> Result<Vec<Option<Tensor>>, TchError> {
        let inputs = contiguous(context.inputs)?;
        let of_output = context.gradient()?;
        let all = inputs.iter().map(writable).collect::<Result<Vec<_>, _>>()?;
        let [of_out, of_inner, of_outer] = self.layers(&all);
        let to = TokenLayersGradients {
            of_stream: numbers(&all[0]),
            of_mixed: numbers(&all[1]),
            of_out,
            of_inner,
            of_outer,
            of_gains: [numbers(&all[GAINS]), numbers(&all[GAINS + 1])],
        };
        // SAFETY: as in `forward`.
        unsafe { self.kernel(&inputs).gradients(places(context.kept), numbers(&of_output), to, workers()) };
        Ok(all.into_iter().map(Some).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Arena, Backend, Init, Layout, LayoutBuilder, NormKind, Part};
    use std::sync::Arc;

    struct Declared {
        out: Linear,
        inner: Linear,
        outer: Linear,
        norms: [Norm; 2],
    }

    impl Declared {
        fn layers(&self, activation: Activation) -> TokenLayers<'_> {
            let Self { out, inner, outer, norms: [first, second] } = self;
            TokenLayers { out, inner, outer, norms: [first, second], activation, factors: (0.8, 1.3) }
        }

        /// The same, part by part.
        fn one_by_one(&self, views: &Views, stream: &Tensor, mixed: &Tensor) -> Tensor {
            let sum = |stream: &Tensor, branch: &Tensor| stream * 0.8 + branch * 1.3;
            let y = self.norms[0].forward(views, &sum(stream, &self.out.forward(views, mixed)));
            let fed = self.outer.forward(views, &Activation::Mish.apply(&self.inner.forward(views, &y)));
            self.norms[1].forward(views, &sum(&y, &fed))
        }
    }

    fn declared(width: i64, hidden: i64, bias: bool, kind: NormKind) -> (Declared, Layout) {
        let mut builder = LayoutBuilder::default();
        let mut scope = builder.scope("block", Part::Trunk);
        let mut linear = |name: &str, inputs, outputs, bias| {
            Linear::declare(&mut scope.sub(name), inputs, outputs, Init::glorot_normal(inputs, outputs, 1.0), bias)
        };
        let out = linear("out", width, width, true);
        let (inner, outer) = (linear("inner", width, hidden, bias), linear("outer", hidden, width, bias));
        let norms = ["first", "second"].map(|name| Norm::declare(&mut scope.sub(name), width, kind));
        let layout = builder.finish().expect("names differ");
        (Declared { out, inner, outer, norms }, layout)
    }

    #[test]
    fn values_and_gradients_are_those_of_the_parts() {
        tch::manual_seed(3);
        for bias in [true, false] {
            let (parts, layout) = declared(32, 48, bias, NormKind::Rms);
            let arena = Arena::initialise(Arc::new(layout), 1, "", Device::Cpu).expect("memory");
            // Gains and biases that are not 1 and 0.
            let _noise = arena.flat().f_add_(&(Tensor::randn_like(&arena.flat()) * 0.1)).expect("memory");
            // More than a group of rows.
            let leaf = || Tensor::randn([9, 67, 32], (Kind::Float, Device::Cpu)).set_requires_grad(true);
            let (stream, mixed) = (leaf(), leaf());
            let weighting = Tensor::randn([9, 67, 32], (Kind::Float, Device::Cpu));
            let outcome = |on: bool| {
                let views = arena.views();
                let backend = if on { Backend::Kernels } else { Backend::Operations };
                let output = backend.run(|| {
                    if on {
                        parts.layers(Activation::Mish).forward(&views, &stream, &mixed).expect("it is served")
                    } else {
                        parts.one_by_one(&views, &stream, &mixed)
                    }
                });
                let loss = (&output * &weighting).sum(Kind::Float);
                let mut all = Tensor::run_backward(&[&loss], &[&stream, &mixed], true, false);
                all.push(arena.gradient(&loss).expect("it depends on the parameters"));
                all.push(output);
                all
            };
            if !workers().instructions.are_vectors() {
                continue;
            }
            for (found, wanted) in outcome(true).iter().zip(&outcome(false)) {
                let apart = ((found - wanted).abs().max() / wanted.abs().max()).double_value(&[]);
                assert!(apart < 1e-5, "{apart} apart, with biases: {bias}");
            }
            let [kept, free] = [true, false].map(|keeps| {
                let run = || parts.layers(Activation::Mish).forward(&arena.views(), &stream, &mixed);
                Backend::Kernels.run(|| if keeps { run() } else { tch::no_grad(run) }).expect("it is served")
            });
            assert!(kept.equal(&free), "without gradients the output is another one");
        }
    }

    #[test]
    fn other_norms_activations_and_sizes_are_left_to_the_parts() {
        let supports = |width, hidden, kind, activation| {
            let (parts, layout) = declared(width, hidden, true, kind);
            let arena = Arena::initialise(Arc::new(layout), 1, "", Device::Cpu).expect("memory");
            let x = Tensor::ones([2, width], (Kind::Float, Device::Cpu));
            Backend::Kernels.run(|| parts.layers(activation).forward(&arena.views(), &x, &x).is_some())
        };
        assert_eq!(supports(32, 48, NormKind::Rms, Activation::Mish), workers().instructions.are_vectors());
        assert!(!supports(32, 48, NormKind::Layer, Activation::Mish));
        assert!(!supports(32, 48, NormKind::Rms, Activation::Gelu));
        assert!(!supports(32, 40, NormKind::Rms, Activation::Mish));
        assert!(!supports(64, 2048, NormKind::Rms, Activation::Mish));
        // A layer that takes the stream to another width than the norm's: LibTorch refuses it, the kernel would read on.
        let (parts, layout) = declared(32, 48, true, NormKind::Rms);
        let arena = Arena::initialise(Arc::new(layout), 1, "", Device::Cpu).expect("memory");
        let layers = TokenLayers { out: &parts.inner, ..parts.layers(Activation::Mish) };
        let x = Tensor::ones([2, 32], (Kind::Float, Device::Cpu));
        assert!(Backend::Kernels.run(|| layers.forward(&arena.views(), &x, &x).is_none()));
    }
}
