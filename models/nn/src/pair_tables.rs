//! Products of tokens' vectors, or attention weights, with tables of vectors by the class of a pair: what Shaw's encoding and
//! its relatives are made of.
//!
//! No tensor `[b,h,l,l,k]` is made. On CPUs kernels compute the terms. With LibTorch's operations
//! each table is expanded once per layer to `[h,l,l,k]`, whose product with the queries of the whole batch is
//! one product `[b,k]×[k,l]` for each head and query.

use crate::differentiable::{BackwardContext, Results, apply_one};
use crate::fused::pair_products::PairProducts;
use crate::fused::supports_device;
use crate::{Backend, Differentiable, PairClasses};
use std::cell::OnceCell;
use tch::{Device, Kind, TchError, Tensor};

/// The products for one sequence and its classes. Tables are `[h,classes,k]`, f32.
#[derive(Debug)]
pub struct PairTables {
    classes: PairClasses,
    /// Made at the first use.
    products: OnceCell<PairProducts>,
}

impl PairTables {
    /// The products for tables of these classes; nothing is made yet.
    pub fn new(classes: PairClasses) -> Self {
        Self { classes, products: OnceCell::new() }
    }

    /// The classes of the tables.
    pub fn classes(&self) -> &PairClasses {
        &self.classes
    }

    /// q_i·a_ij + k_j·c_ij, `[b,h,l,l]`, each term where there is a table for it. The keys' table is read by key, as
    /// [`PairClasses::expand_by_key`] does.
    pub fn logits(
        &self,
        q_bhlk: &Tensor,
        k_bhlk: &Tensor,
        of_queries: Option<&Tensor>,
        of_keys: Option<&Tensor>,
    ) -> Option<Tensor> {
        let kind = q_bhlk.kind();
        if of_queries.is_none() && of_keys.is_none() {
            return None;
        }
        if let Some(products) = self.products_on(q_bhlk.device()) {
            let in_f32 = |vectors: &Tensor, table: &Tensor| [vectors, table].map(|tensor| tensor.to_kind(Kind::Float));
            let of_queries = of_queries.map(|table| in_f32(q_bhlk, table));
            let of_keys = of_keys.map(|table| in_f32(k_bhlk, table));
            let sum = products.logits(of_queries.as_ref(), of_keys.as_ref());
            return Some(sum.expect("LibTorch adds logits by class").to_kind(kind));
        }
        let of_queries = of_queries.map(|table| {
            let by_query_hllk = self.classes.expand(&table.to_kind(kind));
            contract(q_bhlk, &by_query_hllk.transpose(2, 3))
        });
        let of_keys = of_keys.map(|table| {
            let by_key_hllk = self.classes.expand_by_key(&table.to_kind(kind));
            transpose_tiles(&contract(k_bhlk, &by_key_hllk.transpose(2, 3)))
        });
        of_queries.into_iter().chain(of_keys).reduce(add)
    }

    /// Σ_j w_ij·a_ij, `[b,h,l,l]` → `[b,h,l,k]`.
    pub fn values(&self, weights_bhll: &Tensor, table_hck: &Tensor) -> Tensor {
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
        supports_device(device).then(|| self.products.get_or_init(|| PairProducts::fastest(&self.classes)))
    }
}

/// The sum of two terms of the logits, in the logits' own layout, which a sum of permuted views would not have.
pub fn add(a_bhll: Tensor, b: Tensor) -> Tensor {
    let mut sum = a_bhll.contiguous();
    sum += b;
    sum
}

/// `[b,h,i,n]`, `[h,i,n,o]` → `[b,h,i,o]`: for each head and token i a product over the batch.
///
/// On a CPU the copy of `x` costs little in f32 and halves the time in bf16, where products over strided views are slow.
///
/// # Panics
/// If sizes do not fit each other, or memory runs out.
pub fn contract(x_bhin: &Tensor, m_hino: &Tensor) -> Tensor {
    if Backend::on(x_bhin.device()) == Backend::Fused {
        return apply_one(Contraction, &[x_bhin, m_hino]).expect("LibTorch has memory for products by token");
    }
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

/// [`contract`] as one operation of LibTorch's, whose result lies as the logits do: contiguous. Only an input that cannot be read by
/// tokens as it lies is copied.
struct Contraction;

impl Differentiable for Contraction {
    fn forward(&self, inputs: &[Tensor], keeps: bool) -> Result<Results, TchError> {
        let rows = by_token(&inputs[0])?;
        let outputs = vec![product(&rows, &matrices(&inputs[1])?, &inputs[0])?];
        Ok(Results { outputs, kept: if keeps { vec![rows] } else { vec![] } })
    }

    fn backward(&self, context: BackwardContext<'_>, wanted: &[bool]) -> Result<Vec<Option<Tensor>>, TchError> {
        let (x_bhin, m_hino) = (&context.inputs[0], &context.inputs[1]);
        let of_rows = by_token(&context.gradient()?)?;
        let of_x = || product(&of_rows, &matrices(m_hino)?.f_transpose(1, 2)?, x_bhin);
        let of_m = || context.kept[0].f_transpose(1, 2)?.f_bmm(&of_rows)?.f_view(&m_hino.size()[..]);
        Ok(vec![wanted[0].then(of_x).transpose()?, wanted[1].then(of_m).transpose()?])
    }
}

/// `[b,h,i,n]` → `[h·i,b,n]`.
fn by_token(x_bhin: &Tensor) -> Result<Tensor, TchError> {
    let (batch, heads, tokens, width) = x_bhin.size4()?;
    x_bhin.f_permute([1, 2, 0, 3])?.f_reshape([heads * tokens, batch, width])
}

/// `[h,i,n,o]` → `[h·i,n,o]`.
fn matrices(m_hino: &Tensor) -> Result<Tensor, TchError> {
    m_hino.f_flatten(0, 1)
}

/// `[h·i,b,n]`, `[h·i,n,o]` → `[b,h,i,o]`, of as many b, h and i as `like`.
fn product(rows: &Tensor, matrices: &Tensor, like: &Tensor) -> Result<Tensor, TchError> {
    let ((batch, heads, tokens, _), outputs) = (like.size4()?, matrices.size()[2]);
    let product = Tensor::f_empty([batch, heads, tokens, outputs], (rows.kind(), rows.device()))?;
    // A view: a copy would leave the product unwritten.
    let to = product.f_permute([1, 2, 0, 3])?.f_view([heads * tokens, batch, outputs])?;
    let _written = rows.f_bmm_out(&to, matrices)?;
    Ok(product)
}

#[cfg(test)]
mod tests;
