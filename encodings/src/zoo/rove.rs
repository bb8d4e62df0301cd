//! Queries, keys and values rotated by their token's position; each query's output is rotated back.
//!
//! With the rotation R(p) of [`rope`] at place p: e_ij = (R(p_i)·q_i)·(R(p_j)·k_j)/√k as there, and
//! z_i = R(p_i)ᵀ·Σ_j α_ij R(p_j)·v_j = Σ_j α_ij R(p_j − p_i)·v_j: a contribution depends on the displacement from the query.
//!
//! Source: RoVE (arXiv 2606.11275, v1, introduction), whose values have the rotation of the keys; RoPER (labmlai/research,
//! RoPER.md) is the same for text.
//!
//! The body adds Σ_j α_ij v_j; so the term of the output is R(p_i)ᵀ·Σ_j α_ij R(p_j)·v_j − Σ_j α_ij v_j here. A token without a
//! square stands at place 0 (`rope`), so what a square takes from it is rotated by the square's place.
//!
//! The options are those of [`rope`], and so are the parameters; learned frequencies are an extension of posenc.

use super::rope::{self, Rope};
use crate::prelude::*;

const NAME: &str = "rove";

/// The options: those of [`rope`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Config {
    /// The rotation of queries, keys and values.
    pub rotation: rope::Config,
}

impl Configure for Config {
    const INFO: EncodingInfo = EncodingInfo {
        name: NAME,
        summary: "queries, keys and values rotated as by rope, and the output rotated back",
        source: "RoVE (arXiv 2606.11275)",
        example: "rove: {layout: axial_2d, theta: 100}",
    };

    fn options(&self) -> Vec<String> {
        self.rotation.options()
    }

    fn declare(&self, scope: &mut Scope<'_>, dims: Dims, tokens: &Tokens) -> Result<Box<dyn Encoding>, EncodingError> {
        let rotation = Rope::declare(&self.rotation, NAME, scope, dims, tokens)?;
        let product_macs = (tokens.len() * tokens.len() * dims.width) as u64;
        Ok(Box::new(Rove { rotation, macs: 2 * dims.layers as u64 * product_macs }))
    }

    fn examples() -> Vec<Self> {
        let flat = rope::Config::new(rope::Layout::Flat1d, 10_000.0);
        let all =
            [flat, rope::Config::new(rope::Layout::Axial2d, 100.0), rope::Config::new(rope::Layout::Mixed2d, 10.0)];
        all.into_iter().map(|rotation| Self { rotation }).collect()
    }
}

#[derive(Debug)]
struct Rove {
    rotation: Rope,
    macs: u64,
}

impl Encoding for Rove {
    fn injection_points(&self) -> InjectionPoints {
        InjectionPoints::ROTATE | InjectionPoints::VALUES
    }

    fn guarantees(&self) -> Guarantees {
        Guarantees { auxiliary: Auxiliary::AsSquares, ..self.rotation.guarantees() }
    }

    /// The products of weights with rotated values and with those of the body.
    fn macs(&self) -> u64 {
        self.macs
    }

    fn rotate(&self, at: LayerContext<'_>, q_bhlk: &Tensor, k_bhlk: &Tensor) -> Option<(Tensor, Tensor)> {
        self.rotation.rotate(at, q_bhlk, k_bhlk)
    }

    fn values(&self, at: LayerContext<'_>, weights_bhll: Option<&Tensor>, v_bhlk: &Tensor) -> Option<Tensor> {
        let weights_bhll = weights_bhll.expect("this encoding reads the weights");
        let mixed_bhlk = weights_bhll.matmul(&self.rotation.rotated(at, v_bhlk));
        Some(self.rotation.rotated_back(at, &mixed_bhlk) - weights_bhll.matmul(v_bhlk))
    }
}
