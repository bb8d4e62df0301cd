//! The heads of maps, with a label for each square or for each pair of squares, which share their loss and metrics.

use super::head::{DeclaredHead, Head, HeadContext, HeadDeclaration, Need, always};
use super::output::{Output, Reading};
use super::visit::Visit;
use crate::layers;
use crate::loss::examples::Column;
use crate::loss::{Targets, pair_map_answer, pair_map_cells, square_map_answer, square_map_cells};
use crate::macs::HeadMacs;
use facts::HeadName;
use facts::heads::map::{ACCURACY, LOSS, RECALL, SPECIFICITY};
use nn::{Activation, Init, Linear, ParamId, Views};
use tch::Tensor;

pub(super) const PER_SQUARE: HeadDeclaration = declaration(
    &[Need::SquareMap],
    |visit| {
        evaluate(visit, HeadName::PerSquare, |logits| logits.size()[1], square_map_cells, square_map_answer);
    },
    |at| {
        let classes = at.config.outputs.per_square?.classes as i64;
        Some(at.in_scope("per_square", |scope, config, tokens| {
            let d = config.width as i64;
            let dense = Linear::declare(scope, d, classes, Init::glorot_normal(d, classes, 1.0), true);
            PerSquareHead { dense, squares: tokens.geometry().squares() as i64 }
        }))
    },
);

pub(super) const PAIRS: HeadDeclaration = declaration(
    &[Need::PairMap],
    |visit| {
        // A dataset has one map: a network with both heads is only timed, by the map of squares.
        if visit.output.get(HeadName::PerSquare).is_none() {
            let cells = |logits: &Tensor| logits.size()[1] * logits.size()[2];
            evaluate(visit, HeadName::Pairs, cells, pair_map_cells, pair_map_answer);
        }
    },
    |at| {
        let options = at.config.outputs.pairs?;
        Some(at.in_scope("pairs", |scope, config, tokens| {
            let d = config.width as i64;
            let [e, depth] = [options.embedding, options.depth].map(|size| size.map_or(d, |size| size as i64));
            let mut dense = |name, inputs, outputs| {
                Linear::declare(&mut scope.sub(name), inputs, outputs, Init::glorot_normal(inputs, outputs, 1.0), true)
            };
            PairsHead {
                embedding: dense("embedding", d, e),
                query: dense("query", e, depth),
                key: dense("key", e, depth),
                bias: scope.f32_param("bias", &[1], Init::ZEROS),
                activation: config.activation,
                squares: tokens.geometry().squares() as i64,
                depth,
            }
        }))
    },
);

/// The declaration of a head that learns maps of one shape.
const fn declaration(
    needs: &'static [Need],
    evaluate: fn(&mut Visit<'_>),
    declare: fn(&mut HeadContext<'_>) -> Option<DeclaredHead>,
) -> HeadDeclaration {
    HeadDeclaration { columns: &[Column::Map], needs, asked: always, evaluate, declare }
}

/// Measures the answer of a head to a map of `cells`: by its losses `[b,cells]` and its likeliest labels `[b,cells]`, i64.
fn evaluate(
    visit: &mut Visit<'_>,
    head: HeadName,
    cells: fn(&Tensor) -> i64,
    losses: fn(&Tensor, &Targets) -> Tensor,
    answers: fn(&Tensor) -> Tensor,
) {
    let Some(logits) = visit.output.get(head) else { return };
    let targets = visit.examples.map(cells(logits));
    visit.loss(&LOSS, || losses(logits, &targets));
    let Targets { values: label_bc, present: present_bc } = &targets;
    let right = || answers(logits).eq_tensor(label_bc).logical_and(present_bc);
    visit.value(&ACCURACY, right);
    visit.value(&RECALL, || right().logical_and(&label_bc.gt(0)));
    visit.value(&SPECIFICITY, || right().logical_and(&label_bc.eq(0)));
}

/// One dense layer from a square's token to the logits of its label, the same for every square: what it predicts for a
/// place, the trunk must have put into the token.
#[derive(Debug)]
struct PerSquareHead {
    dense: Linear,
    squares: i64,
}

impl Head for PerSquareHead {
    fn forward(&self, views: &Views, x_bld: &Tensor, output: &mut Output) {
        let logits_bnc = self.dense.forward(views, &layers::tokens(x_bld, 0, self.squares));
        output.set(HeadName::PerSquare, Reading::Labels, logits_bnc);
    }

    fn macs(&self) -> Vec<HeadMacs> {
        vec![HeadMacs::of_weights("per_square", self.squares as u64 * self.dense.macs())]
    }

    fn position_sources(&self) -> Vec<&'static str> {
        Vec::new()
    }
}

/// `logit(from, to) = query(from)·key(to) / √depth + bias`, queries and keys made from an embedding of the squares: the
/// policy's logits without its vocabulary, promotions and drops, so that every pair is treated alike. The bias is one
/// number, since most pairs of most maps are a no.
#[derive(Debug)]
struct PairsHead {
    embedding: Linear,
    query: Linear,
    key: Linear,
    bias: ParamId,
    activation: Activation,
    squares: i64,
    depth: i64,
}

impl Head for PairsHead {
    fn forward(&self, views: &Views, x_bld: &Tensor, output: &mut Output) {
        let squares = layers::tokens(x_bld, 0, self.squares);
        let embedded = self.activation.apply(&self.embedding.forward(views, &squares));
        let queries = self.query.forward(views, &embedded) * (self.depth as f64).sqrt().recip();
        let keys = self.key.forward(views, &embedded);
        let logits_bnn = queries.matmul(&keys.transpose(1, 2)) + &views[self.bias];
        output.set(HeadName::Pairs, Reading::Pairs, logits_bnn);
    }

    fn macs(&self) -> Vec<HeadMacs> {
        let (squares, depth) = (self.squares as u64, self.depth as u64);
        let weights = squares * (self.embedding.macs() + self.query.macs() + self.key.macs());
        vec![HeadMacs { name: "pairs", macs: weights + squares * squares * depth, weights }]
    }

    fn position_sources(&self) -> Vec<&'static str> {
        Vec::new()
    }
}
