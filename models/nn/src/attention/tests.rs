//! The operation and its gradients against products of tensors in f64 and in f32, with every set of instructions.

use super::{Logits, Mixture, Projections, attention, one_operation, products};
use crate::Backend;
use kernels::Instructions;
use tch::{Device, Kind, Tensor};

#[derive(Debug, Clone, Copy)]
struct Sizes {
    batch: i64,
    heads: i64,
    length: i64,
    width: i64,
}

impl Sizes {
    fn shape(self, [position, head]: [bool; 2]) -> Vec<i64> {
        let of = |size: i64, full: bool| if full { size } else { 1 };
        vec![of(self.batch, position), of(self.heads, head), self.length, self.length]
    }
}

/// Boards of 4×5 and 7×7, with tokens beside one, odd batches, a width that no register divides, the least of everything, and the
/// most tokens.
const ALL_SIZES: [Sizes; 5] = [
    Sizes { batch: 5, heads: 2, length: 20, width: 16 },
    Sizes { batch: 17, heads: 2, length: 49, width: 12 },
    Sizes { batch: 3, heads: 1, length: 82, width: 32 },
    Sizes { batch: 2, heads: 3, length: 1, width: 5 },
    Sizes { batch: 2, heads: 1, length: 128, width: 64 },
];

#[derive(Debug, Clone)]
struct Terms {
    before: Option<Vec<i64>>,
    after: Option<Vec<i64>>,
    mask: bool,
}

fn all_terms(sizes: Sizes) -> Vec<Terms> {
    let (each, shared) = (|| Some(sizes.shape([true, true])), || Some(sizes.shape([false, true])));
    let of_all_heads = Some(sizes.shape([true, false]));
    let three = Some(sizes.shape([false, true])[1..].to_vec());
    let pairs = Some(vec![sizes.length, sizes.length]);
    let terms = |before, after, mask| Terms { before, after, mask };
    vec![
        terms(None, None, false),
        terms(None, three, true),
        terms(each(), None, false),
        terms(each(), each(), true),
        terms(shared(), of_all_heads, false),
        terms(pairs, shared(), false),
    ]
}

struct Leaves {
    /// `[b,l,3,h,k]`.
    qkv: Tensor,
    terms: Logits,
    mask: Option<Tensor>,
}

impl Leaves {
    fn new(sizes: Sizes, terms: &Terms) -> Self {
        tch::manual_seed(7);
        let random = |shape: &[i64]| Tensor::randn(shape, (Kind::Float, Device::Cpu)).set_requires_grad(true);
        let Sizes { batch, heads, length, width } = sizes;
        let hidden = (Tensor::ones([length, length], (Kind::Float, Device::Cpu)) * -1e9).triu(1);
        Self {
            qkv: random(&[batch, length, 3, heads, width]),
            terms: Logits {
                before_scale: terms.before.as_ref().map(|shape| random(shape)),
                after_scale: terms.after.as_ref().map(|shape| random(shape)),
            },
            mask: terms.mask.then_some(hidden),
        }
    }

    fn in_f64(&self) -> Self {
        let exact = |leaf: &Tensor| leaf.detach().to_kind(Kind::Double).set_requires_grad(true);
        Self {
            qkv: exact(&self.qkv),
            terms: Logits {
                before_scale: self.terms.before_scale.as_ref().map(exact),
                after_scale: self.terms.after_scale.as_ref().map(exact),
            },
            mask: self.mask.as_ref().map(|mask| mask.to_kind(Kind::Double)),
        }
    }

    fn terms(&self) -> Logits {
        let [before_scale, after_scale] =
            [&self.terms.before_scale, &self.terms.after_scale].map(|term| term.as_ref().map(Tensor::shallow_clone));
        Logits { before_scale, after_scale }
    }

    /// The mixture and the weights as written down.
    fn defined(&self) -> [Tensor; 2] {
        let parts: [Tensor; 3] = self.qkv.unbind(2).try_into().expect("three parts");
        let [q, k, v] = parts.map(|part| part.transpose(1, 2));
        let mut logits = q.matmul(&k.transpose(-2, -1));
        if let Some(before) = &self.terms.before_scale {
            logits += before;
        }
        let mut logits = logits / (q.size()[3] as f64).sqrt();
        for term in self.terms.after_scale.iter().chain(&self.mask) {
            logits += term;
        }
        let weights = logits.softmax(-1, self.qkv.kind());
        [weights.matmul(&v).transpose(1, 2), weights]
    }

    /// The same by products of tensors.
    fn by_products(&self) -> [Tensor; 2] {
        let qkv = Backend::Operations.run(|| Projections::from_qkv(self.qkv.shallow_clone()));
        both(products(&qkv, self.terms(), self.mask.as_ref(), true))
    }

    /// The same as one operation.
    fn fused(&self, instructions: Instructions, together: bool) -> [Tensor; 2] {
        let mut qkv = Backend::Kernels.run(|| Projections::from_qkv(self.qkv.shallow_clone()));
        if !together {
            // Two layouts of rows.
            qkv.k_bhlk = qkv.k_bhlk.contiguous();
            qkv.together = None;
        }
        both(one_operation(&qkv, &self.terms, self.mask.as_ref(), true, instructions))
    }

    /// Results and the gradients of every leaf, if the mixture, the weights, or both are used.
    fn outcome(&self, results: [Tensor; 2], used: [bool; 2]) -> Vec<Tensor> {
        let weighted = |result: &Tensor| {
            let places = Tensor::arange(result.numel() as i64, (Kind::Double, Device::Cpu)).view(&result.size()[..]);
            (result * (places * 0.37).sin().to_kind(result.kind())).sum(result.kind())
        };
        let parts = results.iter().zip(used).filter(|(_, used)| *used).map(|(result, _)| weighted(result));
        let loss = parts.reduce(|sum, part| sum + part).expect("something is used");
        let leaves = [Some(&self.qkv), self.terms.before_scale.as_ref(), self.terms.after_scale.as_ref()];
        let leaves: Vec<&Tensor> = leaves.into_iter().flatten().collect();
        let gradients = Tensor::run_backward(&[&loss], &leaves, false, false);
        results.into_iter().chain(gradients).collect()
    }
}

fn both(Mixture { mixed_blhk, weights_bhll }: Mixture) -> [Tensor; 2] {
    [mixed_blhk, weights_bhll.expect("they were asked for")]
}

#[test]
fn values_and_gradients_are_those_of_the_definition() {
    for sizes in ALL_SIZES {
        for terms in all_terms(sizes) {
            let leaves = Leaves::new(sizes, &terms);
            let exact = leaves.in_f64();
            for used in [[true, false], [false, true], [true, true]] {
                let wanted = exact.outcome(exact.defined(), used);
                let plain = leaves.outcome(leaves.by_products(), used);
                for (instructions, together) in
                    Instructions::available().into_iter().flat_map(|set| [(set, true), (set, false)])
                {
                    let found = leaves.outcome(leaves.fused(instructions, together), used);
                    for (number, wanted) in wanted.iter().enumerate() {
                        let largest = wanted.abs().max().double_value(&[]).max(1e-2);
                        let from = |other: &Tensor| (&found[number] - other).abs().max().double_value(&[]) / largest;
                        let (error, apart) = (from(wanted), from(&plain[number]));
                        assert!(
                            error < 3e-6 && apart < 1e-5,
                            "{instructions:?}, {sizes:?}, {terms:?}, together: {together}, used: {used:?}: number \
                             {number} is off by {error}, {apart} from products of tensors"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn libtorchs_operation_has_the_values_and_gradients_of_the_definition() {
    for sizes in ALL_SIZES {
        let mut all = all_terms(sizes);
        // Of a key alone, and of a query.
        let narrow = |rows, columns| Some(vec![sizes.batch, 1, rows, columns]);
        all.push(Terms { before: narrow(1, sizes.length), after: narrow(sizes.length, 1), mask: true });
        for terms in all {
            let leaves = Leaves::new(sizes, &terms);
            let exact = leaves.in_f64();
            let used = [true, false];
            let wanted = exact.outcome(exact.defined(), used);
            let Mixture { mixed_blhk, weights_bhll } = Backend::Fused.run(|| {
                let qkv = Projections::from_qkv(leaves.qkv.shallow_clone());
                attention(&qkv, leaves.terms(), leaves.mask.as_ref(), false)
            });
            assert!(weights_bhll.is_none());
            let [_, unused] = exact.defined();
            let found = leaves.outcome([mixed_blhk, unused], used);
            for (number, (found, wanted)) in found.iter().zip(&wanted).enumerate() {
                // The gradient of a term of the query alone is 0: a sum of numbers that cancel.
                let largest = wanted.abs().max().double_value(&[]).max(0.1);
                let error = (found - wanted).abs().max().double_value(&[]) / largest;
                assert!(error < 1e-5, "{sizes:?}, {terms:?}: number {number} is off by {error}");
            }
        }
    }
}

#[test]
fn libtorchs_operation_is_not_taken_where_weights_are_asked_for() {
    let sizes = ALL_SIZES[0];
    let leaves = Leaves::new(sizes, &all_terms(sizes)[3]);
    let of = |backend: Backend| {
        backend.run(|| {
            let qkv = Projections::from_qkv(leaves.qkv.shallow_clone());
            both(attention(&qkv, leaves.terms(), leaves.mask.as_ref(), true))
        })
    };
    let [elementary, fused] = [Backend::Operations, Backend::Fused].map(of);
    for (elementary, fused) in elementary.iter().zip(&fused) {
        assert!((elementary - fused).abs().max().double_value(&[]) < 1e-6);
    }
}

#[test]
fn without_gradients_the_numbers_are_the_same_and_no_weights_are_given_unasked() {
    let sizes = ALL_SIZES[1];
    let leaves = Leaves::new(sizes, &all_terms(sizes)[1]);
    let once = |with_weights| {
        Backend::Kernels.run(|| {
            let qkv = Projections::from_qkv(leaves.qkv.shallow_clone());
            attention(&qkv, leaves.terms(), leaves.mask.as_ref(), with_weights)
        })
    };
    let trained = once(true);
    let evaluated = tch::no_grad(|| once(false));
    assert!(evaluated.weights_bhll.is_none() && trained.weights_bhll.is_some());
    assert!(!evaluated.mixed_blhk.requires_grad() && trained.mixed_blhk.requires_grad());
    assert!(evaluated.mixed_blhk.equal(&trained.mixed_blhk));
}
