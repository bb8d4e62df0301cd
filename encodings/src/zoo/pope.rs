//! Queries and keys as lengths with angles: the content gives the lengths, the place and a learned shift the angles.
//!
//! e_ij = Σ_c softplus(q_ic)·softplus(k_jc)·cos(φ_jc − φ_ic + δ_c) / √k in place of q_i·k_j/√k. Every channel c of a head is a
//! complex number of its own, where RoPE makes one of two channels. The angle φ_c is rank · θ^(−2c/k) in the first half of
//! the channels and file · θ^(−2(c−k/2)/k) in the second. The shift δ_c belongs to a head and layer and starts at zero.
//!
//! Source: PoPE (arXiv 2509.10534); code lucidrains/x-transformers, `PolarEmbedding` and `apply_polar_pos_emb` (commit 9252ed7);
//! on several axes lucidrains/PoPE-pytorch, `AxialPoPE` (commit ee11cab), with its order of axes, which is free, as in `rope`.
//! Deviations: both codes can also start δ uniform between −2π and 0. The first keeps it there, where a shift that leaves at 0 gets
//! no gradient any more; here δ is free, and the cosine has the period 2π. The products are divided by √k, k being the number of
//! lengths, as RoPE's are.
//!
//! The body computes q_i·k_j, so what is added before the scale is the sum above minus q_i·k_j. Encodings that change queries
//! or keys cannot stand beside it. A token without a square stands at place 0, and its queries and keys become lengths too.
//!
//! Angles and products are f32 whatever the training precision. Parameters: d per layer.

use crate::prelude::*;

const NAME: &str = "pope";

/// Settings of the frequencies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The base of the frequencies.
    pub theta: f64,
}

impl Configure for Config {
    const INFO: EncodingInfo = EncodingInfo {
        name: NAME,
        summary: "products of lengths made from content, times cosines of angles made from place",
        source: "PoPE (arXiv 2509.10534); lucidrains/x-transformers, lucidrains/PoPE-pytorch",
        example: "pope: {theta: 100}",
    };

    fn options(&self) -> Vec<String> {
        vec![format!("theta={}", self.theta)]
    }

    fn declare(&self, scope: &mut Scope<'_>, dims: Dims, tokens: &Tokens) -> Result<Box<dyn Encoding>, EncodingError> {
        if !(self.theta.is_finite() && self.theta > 0.0) {
            return Err(EncodingError::out_of_range(NAME, "theta", "above 0", self.theta));
        }
        let head_width = dims.head_width();
        EncodingError::check_divisible(NAME, (HEAD_WIDTH, head_width), 2, "change the width or the number of heads")?;
        let shape = [dims.heads as i64, head_width as i64];
        let (theta, sequence) = (self.theta, tokens.clone());
        let angles = move || angles(theta, head_width, &sequence);
        Ok(Box::new(Pope {
            shifts: dims.per_layer(scope, |scope| scope.f32_param("shift", &shape, Init::ZEROS)),
            angles: Constant::floats_from(&[tokens.len() as i64, head_width as i64], angles),
            is_relative: !tokens.has_aux(),
            product_macs: (tokens.len() * tokens.len() * dims.width) as u64,
        }))
    }

    fn examples() -> Vec<Self> {
        vec![Self { theta: 100.0 }, Self { theta: 10.0 }]
    }
}

/// `[l,k]`, row by row; 0 for tokens without a square.
fn angles(theta: f64, head_width: usize, tokens: &Tokens) -> Vec<f32> {
    let half = head_width / 2;
    let frequency = |channel: usize| theta.powf(-(channel as f64) / half as f64);
    let along = |coordinate: usize| (0..half).map(move |channel| (coordinate as f64 * frequency(channel)) as f32);
    let of_token = |token: usize| {
        let (file, rank) = tokens.place(token).unwrap_or((0, 0));
        along(rank).chain(along(file)).collect::<Vec<_>>()
    };
    (0..tokens.len()).flat_map(of_token).collect()
}

#[derive(Debug)]
struct Pope {
    /// δ `[h,k]` of each layer.
    shifts: Vec<ParamId>,
    /// `[l,k]`.
    angles: Constant,
    /// Whether every token has a square.
    is_relative: bool,
    /// Multiplications of one product of queries and keys in one layer.
    product_macs: u64,
}

impl Encoding for Pope {
    fn guarantees(&self) -> Guarantees {
        Guarantees { translation_invariant: self.is_relative, pairwise: true, ..Guarantees::NONE }
    }

    fn replaces_products(&self) -> bool {
        true
    }

    /// Two products of cosines and sines, and one to take away that of the body.
    fn macs(&self) -> u64 {
        self.shifts.len() as u64 * 3 * self.product_macs
    }

    fn logits(&self, at: LayerContext<'_>, queries: Queries<'_>) -> Logits {
        let [q, k] = [queries.q_bhlk, queries.k_bhlk].map(|x| x.to_kind(Kind::Float));
        let angles_lk = self.angles.on(at.views.device());
        let shifted_hlk = &angles_lk + at.views[self.shifts[at.layer]].unsqueeze(1);
        let polar = |x: &Tensor, angles: &Tensor| {
            let length = x.softplus();
            [&length * angles.cos(), &length * angles.sin()]
        };
        let ([q_cos, q_sin], [k_cos, k_sin]) = (polar(&q, &angles_lk), polar(&k, &shifted_hlk));
        let of_queries = Tensor::cat(&[q_cos, q_sin, q.neg()], 3);
        let of_keys = Tensor::cat(&[k_cos, k_sin, k], 3);
        let term = of_queries.matmul(&of_keys.transpose(2, 3)).to_kind(queries.q_bhlk.kind());
        Logits { before_scale: Some(term), ..Logits::default() }
    }
}
