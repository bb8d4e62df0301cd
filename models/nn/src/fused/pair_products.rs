//! Products with tables by the class of a pair as operations on CPUs.

use super::operands::{numbers, shape_of};
use super::workers_with;
use crate::differentiable::{BackwardContext, Results, apply_one};
use crate::{Differentiable, PairClasses};
use kernels::{Instructions, Product, Rows, Side};
use std::sync::Arc;
use tch::{Device, Kind, TchError, Tensor};

/// The products for one sequence and its classes.
#[derive(Debug, Clone)]
pub(crate) struct PairProducts {
    queries: Arc<Side>,
    keys: Arc<Side>,
    instructions: Instructions,
}

impl PairProducts {
    pub(crate) fn fastest(classes: &PairClasses) -> Self {
        Self::new(classes, Instructions::fastest())
    }

    pub(crate) fn new(classes: &PairClasses, instructions: Instructions) -> Self {
        let (length, count) = (classes.tokens(), classes.count() as usize);
        Self {
            queries: Arc::new(Side::new(length, count, &classes.by_query(), false)),
            keys: Arc::new(Side::new(length, count, &classes.by_key(), true)),
            instructions,
        }
    }

    /// q_i·a_ij + k_j·c_ij, each term for vectors `[b,h,l,k]` and their table `[h,classes,k]` if they are given → `[b,h,l,l]`.
    /// The keys' table is read in the order of [`PairClasses::by_key`]. f32, on the CPU.
    pub(crate) fn logits(
        &self,
        of_queries: Option<&[Tensor; 2]>,
        of_keys: Option<&[Tensor; 2]>,
    ) -> Result<Tensor, TchError> {
        let operation = Logits { products: self.clone(), of_queries: of_queries.is_some(), of_keys: of_keys.is_some() };
        let inputs: Vec<&Tensor> = [of_queries, of_keys].into_iter().flatten().flatten().collect();
        apply_one(operation, &inputs)
    }

    /// Σ_j w_ij·a_ij; `[b,h,l,l]` and `[h,classes,k]` → `[b,h,l,k]`. f32, on the CPU.
    pub(crate) fn values(&self, weights_bhll: &Tensor, table_hck: &Tensor) -> Result<Tensor, TchError> {
        apply_one(Values { products: self.clone() }, &[weights_bhll, table_hck])
    }

    /// Computes a product on as many threads as LibTorch may use.
    ///
    /// # Safety
    /// As for [`Product::compute`].
    unsafe fn compute(&self, product: Product<'_>) {
        // SAFETY: the caller vouches for it.
        unsafe { product.compute(workers_with(self.instructions)) };
    }

    /// pairs(i, j) = vectors(i)·table(i, j), written into `pairs` or added to it.
    fn dots(&self, vectors: &Tensor, table: &Tensor, side: &Side, pairs: &Tensor, add: bool) -> Result<(), TchError> {
        let (vectors, table) = (vectors.f_contiguous()?, table.f_contiguous()?);
        let product = Product::Dots { vectors: rows(&vectors), table: rows(&table), pairs: rows(pairs), side, add };
        // SAFETY: the tensors live, and `pairs` is a new one.
        unsafe { self.compute(product) };
        Ok(())
    }

    /// Σ_j pairs(i, j)·table(i, j).
    fn mix(&self, pairs: &Tensor, table: &Tensor, side: &Side) -> Result<Tensor, TchError> {
        let (pairs, table) = (pairs.f_contiguous()?, table.f_contiguous()?);
        let (size, width) = (pairs.size(), table.size()[2]);
        let found = Tensor::f_empty([size[0], size[1], size[2], width], (Kind::Float, Device::Cpu))?;
        let product = Product::Mix { pairs: rows(&pairs), table: rows(&table), vectors: rows(&found), side };
        // SAFETY: the tensors live, and `found` is a new one.
        unsafe { self.compute(product) };
        Ok(found)
    }

    /// The gradient of `table`.
    fn collect(&self, pairs: &Tensor, vectors: &Tensor, table: &Tensor, side: &Side) -> Result<Tensor, TchError> {
        let (pairs, vectors) = (pairs.f_contiguous()?, vectors.f_contiguous()?);
        let found = Tensor::f_empty(table.size(), (Kind::Float, Device::Cpu))?;
        let product = Product::Collect { pairs: rows(&pairs), vectors: rows(&vectors), table: rows(&found), side };
        // SAFETY: the tensors live, and `found` is a new one.
        unsafe { self.compute(product) };
        Ok(found)
    }
}

struct Logits {
    products: PairProducts,
    of_queries: bool,
    of_keys: bool,
}

impl Logits {
    fn sides(&self) -> impl Iterator<Item = &Side> {
        [(self.of_queries, &self.products.queries), (self.of_keys, &self.products.keys)]
            .into_iter()
            .filter(|(has, _)| *has)
            .map(|(_, side)| &**side)
    }
}

impl Differentiable for Logits {
    fn forward(&self, inputs: &[Tensor], _: bool) -> Result<Results, TchError> {
        let vectors = inputs[0].size();
        let shape = [vectors[0], vectors[1], vectors[2], vectors[2]];
        let options = (Kind::Float, Device::Cpu);
        // The keys' term is added in any case: transposing needs no second kind of store.
        let logits = if self.of_queries { Tensor::f_empty(shape, options) } else { Tensor::f_zeros(shape, options) }?;
        for (number, (side, term)) in self.sides().zip(inputs.chunks_exact(2)).enumerate() {
            self.products.dots(&term[0], &term[1], side, &logits, number > 0)?;
        }
        Ok(Results::one(logits))
    }

    fn backward(&self, context: BackwardContext<'_>, wanted: &[bool]) -> Result<Vec<Option<Tensor>>, TchError> {
        let gradient = context.gradient()?;
        let inputs = context.inputs;
        let mut all = vec![];
        for ((side, term), wanted) in self.sides().zip(inputs.chunks_exact(2)).zip(wanted.chunks_exact(2)) {
            all.push(wanted[0].then(|| self.products.mix(&gradient, &term[1], side)).transpose()?);
            all.push(wanted[1].then(|| self.products.collect(&gradient, &term[0], &term[1], side)).transpose()?);
        }
        Ok(all)
    }
}

struct Values {
    products: PairProducts,
}

impl Differentiable for Values {
    fn forward(&self, inputs: &[Tensor], _: bool) -> Result<Results, TchError> {
        self.products.mix(&inputs[0], &inputs[1], &self.products.queries).map(Results::one)
    }

    fn backward(&self, context: BackwardContext<'_>, wanted: &[bool]) -> Result<Vec<Option<Tensor>>, TchError> {
        let (weights, table, gradient) = (&context.inputs[0], &context.inputs[1], context.gradient()?);
        let side = &*self.products.queries;
        let of_weights = || -> Result<Tensor, TchError> {
            let found = Tensor::f_empty(weights.size(), (Kind::Float, Device::Cpu))?;
            self.products.dots(&gradient, table, side, &found, false)?;
            Ok(found)
        };
        let of_table = || self.products.collect(weights, &gradient, table, side);
        Ok(vec![wanted[0].then(of_weights).transpose()?, wanted[1].then(of_table).transpose()?])
    }
}

/// A tensor `[b,h,l,width]`, or a table `[h,classes,width]`, as the kernels read it.
fn rows(tensor: &Tensor) -> Rows {
    // SAFETY: the tensor is contiguous, of which `numbers` makes sure, and so has memory of this shape.
    unsafe { Rows::new(numbers(tensor), shape_of(tensor).map(|size| size as usize)) }
}
