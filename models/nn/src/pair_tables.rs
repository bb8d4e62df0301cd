//! Products of tokens' vectors, or attention weights, with tables of vectors by the class of a pair: what Shaw's encoding and
//! its relatives are made of.
//!
//! No tensor `[b,h,l,l,k]` is made. On CPUs the crate `kernels` computes the terms. On other devices
//! each table is expanded once per layer to `[h,l,l,k]`, whose product with the queries of the whole batch is
//! one product `[b,k]×[k,l]` for each head and query.

use crate::Queries;
use crate::pair_products::{PairProducts, TableOperand};
use crate::pairs::PairClasses;
use std::cell::OnceCell;
use tch::{Device, Kind, Tensor};

/// The products for one sequence and its classes. Tables are `[h,classes,k]`, f32.
#[derive(Debug)]
pub(crate) struct PairTables {
    classes: PairClasses,
    /// Made at the first use; `None` if products of tensors are to be used on the CPU too.
    products: OnceCell<Option<PairProducts>>,
}

impl PairTables {
    pub(crate) fn new(classes: PairClasses) -> Self {
        Self { classes, products: OnceCell::new() }
    }

    /// The same, by products of tensors on every device.
    #[cfg(test)]
    pub(crate) fn without_kernels(self) -> Self {
        Self { products: OnceCell::from(None), ..self }
    }

    pub(crate) fn classes(&self) -> &PairClasses {
        &self.classes
    }

    /// q_i·a_ij and k_j·c_ij, each where there is a table for it, `[b,h,l,l]`, together or apart. The keys' table is read in
    /// the order of [`PairClasses::by_key`].
    pub(crate) fn logits(
        &self,
        queries: Queries<'_>,
        of_queries: Option<&Tensor>,
        of_keys: Option<&Tensor>,
    ) -> Vec<Tensor> {
        let kind = queries.q_bhlk.kind();
        match self.products_on(queries.q_bhlk.device()) {
            Some(_) if of_queries.is_none() && of_keys.is_none() => vec![],
            Some(products) => {
                let f32 = |x: &Tensor| x.to_kind(Kind::Float);
                let of_queries = of_queries.map(|table| (f32(queries.q_bhlk), f32(table)));
                let of_keys = of_keys.map(|table| (f32(queries.k_bhlk), f32(table)));
                let sum = products.logits(of_queries.as_ref().map(operand), of_keys.as_ref().map(operand));
                vec![sum.expect("LibTorch adds logits by class").to_kind(kind)]
            }
            None => {
                let of_queries = of_queries.map(|table| {
                    let by_query_hllk = self.classes.expand(&table.to_kind(kind));
                    contract(queries.q_bhlk, &by_query_hllk.transpose(2, 3))
                });
                let of_keys = of_keys.map(|table| {
                    let by_key_hllk = self.classes.expand_by_key(&table.to_kind(kind));
                    transpose_tiles(&contract(queries.k_bhlk, &by_key_hllk.transpose(2, 3)))
                });
                of_queries.into_iter().chain(of_keys).collect()
            }
        }
    }

    pub(crate) fn values(&self, weights_bhll: &Tensor, table_hck: &Tensor) -> Tensor {
        let kind = weights_bhll.kind();
        match self.products_on(weights_bhll.device()) {
            Some(products) => {
                let sum = products.values(&weights_bhll.to_kind(Kind::Float), &table_hck.to_kind(Kind::Float));
                sum.expect("LibTorch adds values by class").to_kind(kind)
            }
            None => contract(weights_bhll, &self.classes.expand(&table_hck.to_kind(kind))),
        }
    }

    /// The kernels, where they can be used.
    fn products_on(&self, device: Device) -> Option<&PairProducts> {
        let products = || self.products.get_or_init(|| Some(PairProducts::new(&self.classes))).as_ref();
        (device == Device::Cpu).then(products).flatten()
    }
}

fn operand((vectors_bhlk, table_hck): &(Tensor, Tensor)) -> TableOperand<'_> {
    TableOperand { vectors_bhlk, table_hck }
}

/// The sum of terms of the logits, in the logits' own layout, which a sum of permuted views would not have.
pub(crate) fn sum(terms: impl IntoIterator<Item = Tensor>) -> Option<Tensor> {
    terms.into_iter().reduce(|sum, term| {
        let mut sum = sum.contiguous();
        sum += term;
        sum
    })
}

/// `[b,h,i,n]`, `[h,i,n,o]` → `[b,h,i,o]`: for each head and token i a product over the batch.
///
/// The copy of `x` costs little in f32 and halves the time in bf16, where products over strided views are slow.
pub(crate) fn contract(x_bhin: &Tensor, m_hino: &Tensor) -> Tensor {
    let (size, outputs) = (x_bhin.size(), m_hino.size()[3]);
    let (b, h, i, n) = (size[0], size[1], size[2], size[3]);
    let x = x_bhin.permute([1, 2, 0, 3]).contiguous().view([h * i, b, n]);
    x.bmm(&m_hino.flatten(0, 1)).view([h, i, b, outputs]).permute([2, 0, 1, 3])
}

/// `[b,h,j,i]` → `[b,h,i,j]`.
///
/// The detour over one row per head does not change a number. It makes both passes gather each head's tile before they
/// transpose it, so that the transposition, and that of the gradient, stays within one tile.
fn transpose_tiles(x_bhji: &Tensor) -> Tensor {
    let size = x_bhji.size();
    x_bhji.flatten(2, 3).view(&size[..]).transpose(2, 3)
}
