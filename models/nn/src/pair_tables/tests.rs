//! The operations and their gradients against the definitions in f64, with every set of instructions and by products of tensors.

use super::{PairProducts, PairTables};
use crate::{Backend, PairClasses};
use kernels::Instructions;
use std::cell::OnceCell;
use tch::{Device, Kind, Tensor};

/// More than a block and no multiple of anything; a width that no register divides.
const SIZES: Sizes = Sizes { batch: 37, heads: 3, width: 20 };

#[derive(Clone, Copy)]
struct Sizes {
    batch: i64,
    heads: i64,
    width: i64,
}

/// A board with more ranks than files, with a token beside it or without, each with the classes of displacements and with a class
/// for every pair.
#[derive(Debug, Clone, Copy)]
struct Case {
    files: usize,
    ranks: usize,
    has_aux: bool,
    shared: bool,
}

impl Case {
    fn all() -> Vec<Self> {
        let with_aux = Self { files: 3, ranks: 4, has_aux: true, shared: true };
        let squares = Self { files: 5, ranks: 7, has_aux: false, shared: true };
        [with_aux, squares].into_iter().flat_map(|case| [case, Self { shared: false, ..case }]).collect()
    }

    fn classes(self) -> PairClasses {
        let Self { files, ranks, has_aux, shared } = self;
        let (squares, on_board) = (files * ranks, (2 * files - 1) * (2 * ranks - 1));
        let (tokens, of_aux) = if has_aux { (squares + 1, 3) } else { (squares, 0) };
        if !shared {
            return PairClasses::own(tokens);
        }
        PairClasses::shared(tokens, on_board + of_aux, move |query, key| match (query < squares, key < squares) {
            (true, true) => {
                let by_ranks = query / files + ranks - 1 - key / files;
                by_ranks * (2 * files - 1) + query % files + files - 1 - key % files
            }
            (true, false) => on_board,
            (false, true) => on_board + 1,
            (false, false) => on_board + 2,
        })
    }

    fn by_kernels(self, instructions: Instructions) -> PairTables {
        let products = PairProducts::new(&self.classes(), instructions);
        PairTables { classes: self.classes(), products: OnceCell::from(products) }
    }

    fn by_tensors(self) -> PairTables {
        PairTables::new(self.classes())
    }
}

/// Vectors of queries, of keys, weights and three tables, all random.
fn leaves(classes: &PairClasses) -> [Tensor; 6] {
    tch::manual_seed(5);
    let (Sizes { batch, heads, width }, length) = (SIZES, classes.tokens() as i64);
    let table = [heads, classes.count(), width];
    let random = |shape: &[i64]| Tensor::randn(shape, (Kind::Float, Device::Cpu)).set_requires_grad(true);
    let rows_of = |width| random(&[batch, heads, length, width]);
    [rows_of(width), rows_of(width), rows_of(length), random(&table), random(&table), random(&table)]
}

/// Logits, values and the gradients of all leaves.
fn outcome(leaves: &[Tensor; 6], form: &dyn Fn(&[Tensor; 6]) -> [Tensor; 2]) -> Vec<Tensor> {
    let terms = form(leaves);
    let mixture = |term: &Tensor| {
        let places = Tensor::arange(term.numel() as i64, (Kind::Double, Device::Cpu)).view(&term.size()[..]);
        (term * (places * 0.37).sin().to_kind(term.kind())).sum(term.kind())
    };
    let loss = mixture(&terms[0]) + mixture(&terms[1]);
    let gradients = Tensor::run_backward(&[&loss], leaves, false, false);
    terms.into_iter().chain(gradients).collect()
}

fn by(tables: &PairTables, [q, k, weights, of_q, of_k, of_v]: &[Tensor; 6]) -> [Tensor; 2] {
    [tables.logits(q, k, Some(of_q), Some(of_k)).expect("two terms"), tables.values(weights, of_v)]
}

fn by_definition(classes: &PairClasses, [q, k, weights, of_q, of_k, of_v]: &[Tensor; 6]) -> [Tensor; 2] {
    let (a_hijk, c_hjik, v_hijk) = (classes.expand(of_q), classes.expand_by_key(of_k), classes.expand(of_v));
    let of_queries = Tensor::einsum("bhik,hijk->bhij", &[q, &a_hijk], None::<i64>);
    let of_keys = Tensor::einsum("bhjk,hjik->bhij", &[k, &c_hjik], None::<i64>);
    [of_queries + of_keys, Tensor::einsum("bhij,hijk->bhik", &[weights, &v_hijk], None::<i64>)]
}

#[test]
fn logits_values_and_gradients_are_those_of_the_definition() {
    for case in Case::all() {
        let classes = case.classes();
        let leaves = leaves(&classes);
        let exact = leaves.each_ref().map(|leaf| leaf.detach().to_kind(Kind::Double).set_requires_grad(true));
        let wanted = outcome(&exact, &|leaves| by_definition(&classes, leaves));
        let by_kernels = |set| (format!("{set:?}"), Backend::Kernels, case.by_kernels(set), 1e-6);
        let kernels = Instructions::available().into_iter().map(by_kernels);
        let by_tensors = |backend| (format!("tensors, {backend:?}"), backend, case.by_tensors(), 1e-5);
        let tensors = [Backend::Operations, Backend::Fused].map(by_tensors);
        for (way, backend, tables, tolerance) in kernels.chain(tensors) {
            let found = backend.run(|| outcome(&leaves, &|leaves| by(&tables, leaves)));
            for (number, (found, wanted)) in found.iter().zip(&wanted).enumerate() {
                let error = ((found - wanted).abs().max() / wanted.abs().max()).double_value(&[]);
                assert!(error < tolerance, "{way}, {case:?}: number {number} is off by {error}");
            }
        }
    }
}

#[test]
fn one_term_alone_is_the_sum_without_the_other() {
    for case in Case::all() {
        let [q, k, _, of_q, of_k, _] = leaves(&case.classes());
        let kernels = Instructions::available().into_iter().map(|set| (Backend::Kernels, case.by_kernels(set)));
        let tensors = [Backend::Operations, Backend::Fused].map(|backend| (backend, case.by_tensors()));
        for (backend, tables) in kernels.chain(tensors) {
            let logits =
                |of_queries, of_keys| backend.run(|| tables.logits(&q, &k, of_queries, of_keys)).expect("a term");
            let together = logits(Some(&of_q), Some(&of_k));
            let apart = logits(Some(&of_q), None) + logits(None, Some(&of_k));
            assert!(together.equal(&apart), "{case:?}");
            assert!(tables.logits(&q, &k, None, None).is_none());
        }
    }
}

#[test]
fn views_in_any_layout_are_read_in_their_order() {
    let case = Case::all()[0];
    for set in Instructions::available() {
        let tables = case.by_kernels(set);
        let leaves = leaves(&case.classes());
        let strided = leaves
            .each_ref()
            .map(|leaf| leaf.detach().transpose(1, 2).contiguous().transpose(1, 2).set_requires_grad(true));
        let [plain, strided] =
            [leaves, strided].map(|leaves| Backend::Kernels.run(|| outcome(&leaves, &|leaves| by(&tables, leaves))));
        assert!(plain.iter().zip(&strided).all(|(a, b)| a.equal(b)));
    }
}
