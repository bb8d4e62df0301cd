//! A product for each head and token as one operation of LibTorch's, whose result lies as the logits do.

use crate::Differentiable;
use crate::differentiable::{Known, Results};
use tch::{TchError, Tensor};

/// `[b,h,i,n]`, `[h,i,n,o]` → `[b,h,i,o]`, contiguous. Only an input that cannot be read by tokens as it lies is copied.
pub(super) struct Contraction;

impl Differentiable for Contraction {
    fn forward(&self, inputs: &[Tensor], keeps: bool) -> Result<Results, TchError> {
        let rows = by_token(&inputs[0])?;
        let outputs = vec![product(&rows, &matrices(&inputs[1])?, &inputs[0])?];
        Ok(Results { outputs, kept: if keeps { vec![rows] } else { vec![] } })
    }

    fn backward(&self, known: Known<'_>, wanted: &[bool]) -> Result<Vec<Option<Tensor>>, TchError> {
        let (x_bhin, m_hino) = (&known.inputs[0], &known.inputs[1]);
        let of_rows = by_token(&known.gradient()?)?;
        let of_x = || product(&of_rows, &matrices(m_hino)?.f_transpose(1, 2)?, x_bhin);
        let of_m = || known.kept[0].f_transpose(1, 2)?.f_bmm(&of_rows)?.f_view(&m_hino.size()[..]);
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
