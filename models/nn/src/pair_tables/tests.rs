//! The operations and their gradients against the definitions in f64, with every set of instructions.

use super::{PairProducts, TableOperand};
use crate::Tokens;
use crate::pairs::{PairClasses, Share};
use games::Geometry;
use kernels::Instructions;
use tch::{Device, Kind, Tensor};

/// More than a block and no multiple of anything; a width that no register divides.
const SIZES: Sizes = Sizes { batch: 37, heads: 3, width: 20 };

#[derive(Clone, Copy)]
struct Sizes {
    batch: i64,
    heads: i64,
    width: i64,
}

/// A board with more ranks than files and tokens beside it, both ways of sharing.
fn all_classes() -> Vec<PairClasses> {
    let boards = [Tokens::squares_then(Geometry::new(3, 4), &["hand"]), Tokens::squares_then(Geometry::new(5, 7), &[])];
    let shared = |tokens| [Share::Displacement, Share::Pair].map(|share| PairClasses::new(tokens, share));
    boards.iter().flat_map(shared).collect()
}

fn with_each_set(classes: &PairClasses) -> Vec<PairProducts> {
    let with = |instructions| PairProducts { instructions, ..PairProducts::new(classes) };
    Instructions::available().into_iter().map(with).collect()
}

/// Vectors of queries, of keys, weights and three tables, all random.
fn leaves(classes: &PairClasses, sizes: Sizes) -> [Tensor; 6] {
    tch::manual_seed(5);
    let length = classes.tokens() as i64;
    let (rows, table) = ([sizes.batch, sizes.heads, length], [sizes.heads, classes.count(), sizes.width]);
    let rows_of = |width| [rows[0], rows[1], rows[2], width];
    let random = |shape: &[i64]| Tensor::randn(shape, (Kind::Float, Device::Cpu)).set_requires_grad(true);
    let vectors = || random(&rows_of(sizes.width));
    [vectors(), vectors(), random(&rows_of(length)), random(&table), random(&table), random(&table)]
}

type Forms<'a> = &'a dyn Fn(&[Tensor; 6]) -> [Tensor; 2];

/// Logits, values and the gradients of all leaves.
fn outcome(leaves: &[Tensor; 6], form: Forms<'_>) -> Vec<Tensor> {
    let terms = form(leaves);
    let mixture = |term: &Tensor| {
        let places = Tensor::arange(term.numel() as i64, (Kind::Double, Device::Cpu)).view(&term.size()[..]);
        (term * (places * 0.37).sin().to_kind(term.kind())).sum(term.kind())
    };
    let loss = mixture(&terms[0]) + mixture(&terms[1]);
    let gradients = Tensor::run_backward(&[&loss], leaves, false, false);
    terms.into_iter().chain(gradients).collect()
}

fn by_kernels(products: &PairProducts, [q, k, weights, of_q, of_k, of_v]: &[Tensor; 6]) -> [Tensor; 2] {
    let operand = |vectors_bhlk, table_hck| Some(TableOperand { vectors_bhlk, table_hck });
    let logits = products.logits(operand(q, of_q), operand(k, of_k)).expect("memory");
    [logits, products.values(weights, of_v).expect("memory")]
}

fn by_definition(classes: &PairClasses, [q, k, weights, of_q, of_k, of_v]: &[Tensor; 6]) -> [Tensor; 2] {
    let (a_hijk, c_hjik, v_hijk) = (classes.expand(of_q), classes.expand_by_key(of_k), classes.expand(of_v));
    let of_queries = Tensor::einsum("bhik,hijk->bhij", &[q, &a_hijk], None::<i64>);
    let of_keys = Tensor::einsum("bhjk,hjik->bhij", &[k, &c_hjik], None::<i64>);
    [of_queries + of_keys, Tensor::einsum("bhij,hijk->bhik", &[weights, &v_hijk], None::<i64>)]
}

#[test]
fn logits_values_and_gradients_are_those_of_the_definition() {
    for classes in all_classes() {
        let leaves = leaves(&classes, SIZES);
        let exact = leaves.each_ref().map(|leaf| leaf.detach().to_kind(Kind::Double).set_requires_grad(true));
        let wanted = outcome(&exact, &|leaves| by_definition(&classes, leaves));
        for products in with_each_set(&classes) {
            let found = outcome(&leaves, &|leaves| by_kernels(&products, leaves));
            for (number, (found, wanted)) in found.iter().zip(&wanted).enumerate() {
                let error = ((found - wanted).abs().max() / wanted.abs().max()).double_value(&[]);
                assert!(error < 1e-6, "{:?}, {classes:?}: number {number} is off by {error}", products.instructions);
            }
        }
    }
}

#[test]
fn one_term_alone_is_the_sum_without_the_other() {
    for classes in all_classes() {
        let [q, k, _, of_q, of_k, _] = leaves(&classes, SIZES);
        for products in with_each_set(&classes) {
            let operand = |vectors_bhlk, table_hck| Some(TableOperand { vectors_bhlk, table_hck });
            let logits = |of_queries, of_keys| products.logits(of_queries, of_keys).expect("memory");
            let together = logits(operand(&q, &of_q), operand(&k, &of_k));
            let apart = logits(operand(&q, &of_q), None) + logits(None, operand(&k, &of_k));
            assert!(together.equal(&apart), "{:?}", products.instructions);
        }
    }
}

#[test]
fn views_in_any_layout_are_read_in_their_order() {
    let classes = &all_classes()[0];
    for products in with_each_set(classes) {
        let leaves = leaves(classes, SIZES);
        let strided = leaves
            .each_ref()
            .map(|leaf| leaf.detach().transpose(1, 2).contiguous().transpose(1, 2).set_requires_grad(true));
        let [plain, strided] =
            [leaves, strided].map(|leaves| outcome(&leaves, &|leaves| by_kernels(&products, leaves)));
        assert!(plain.iter().zip(&strided).all(|(a, b)| a.equal(b)));
    }
}
