//! Positions counted along rays: how many squares that matter to the query lie on the way to the key.
//!
//! For squares i and j on one rank, file or diagonal p_ij = Σ_m σ(q_i·k_m/√k) over the squares m on the ray from i to j: without
//! i, with j. The term q_i·e[p_ij] is added to q_i·k_j before the division by √k, where e[p] is interpolated between learned
//! vectors e[0] to e[n−1]: (1 − p + ⌊p⌋)·e[⌊p⌋] + (p − ⌊p⌋)·e[⌊p⌋+1]. Larger p are n−1. So p_ii = 0, and a gate that opens for
//! occupied squares counts pieces in the way. All directions share the vectors.
//!
//! This is a definition of posenc's for research, after CoPE (arXiv 2405.18719; code facebookresearch/RAM,
//! projects/cope/src/cope/context_position.py, commit 5420e20), which sums gates over the tokens of a text from the key to the
//! query. As there, gates and terms use queries and keys before any rotation, vectors are per layer, shared by heads,
//! and start at zero. Deviations: the sum is along rays, and without the query's own gate. `positions` is n, 5 by default: as long
//! as gates are half open, as at the start, the longest ray of 9×9 counts no more than 4.
//!
//! Squares on no common ray get nothing, or with `off_ray: learned` the product of the query and one more vector. Nothing is
//! added for pairs with an auxiliary token.
//!
//! No tensor `[b,h,l,l,k]` is made: the sums are one product of gates `[b·h,l]` and a constant `[l,l]` for each query, and
//! the largest tensors are `[b,h,l,l]`. Positions are f32 whatever the training precision.
//!
//! Parameters per layer: n·k, and k more with `off_ray: learned`.

use crate::prelude::*;
use nn::pair_tables::contract;

const NAME: &str = "cope";

/// What is added for two squares on no common ray.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OffRay {
    /// Nothing.
    #[default]
    None,
    /// The product of the query and a learned vector.
    Learned,
}

/// Settings of the counted positions: the number of vectors, pairs off the rays.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// How many vectors there are (n); 5 by default.
    pub positions: usize,
    /// What is added for two squares on no common ray; nothing by default.
    pub off_ray: OffRay,
}

impl Default for Config {
    fn default() -> Self {
        Self { positions: 5, off_ray: OffRay::default() }
    }
}

impl Configure for Config {
    const INFO: EncodingInfo = EncodingInfo {
        name: NAME,
        summary: "learned vectors by a position that is counted along the ray from query to key, by gates of both",
        source: "posenc, after CoPE (arXiv 2405.18719, facebookresearch/RAM)",
        example: "cope: {positions: 5, off_ray: none}",
    };

    fn options(&self) -> Vec<String> {
        let positions = changed("positions", self.positions, Self::default().positions);
        let off_ray = (self.off_ray == OffRay::Learned).then(|| "off_ray=learned".to_owned());
        positions.into_iter().chain(off_ray).collect()
    }

    fn declare(&self, scope: &mut Scope<'_>, dims: Dims, tokens: &Tokens) -> Result<Box<dyn Encoding>, EncodingError> {
        EncodingError::check_size(NAME, "positions", self.positions)?;
        // A ray has one square less than the longer side beside its first, and gates are at most 1.
        if self.positions > tokens.geometry().files().max(tokens.geometry().ranks()) {
            let wanted = "at most the longer side of the board";
            return Err(EncodingError::out_of_range(NAME, "positions", wanted, self.positions));
        }
        let (positions, head_width) = (self.positions as i64, dims.head_width() as i64);
        let has_off_ray = self.off_ray == OffRay::Learned;
        let layers = dims.per_layer(scope, |scope| Vectors {
            positions: scope.f32_param("positions", &[positions, head_width], Init::ZEROS),
            off_ray: has_off_ray.then(|| scope.f32_param("off_ray", &[1, head_width], Init::ZEROS)),
        });
        let (length, width) = (tokens.len() as u64, dims.width as u64);
        let products = length * length * width + dims.heads as u64 * length.pow(3) + length * width * positions as u64;
        let macs = dims.layers as u64 * (products + u64::from(has_off_ray) * length * width);
        Ok(Box::new(Cope { layers, rays: Rays::new(tokens), positions, macs }))
    }

    fn size_mut(&mut self) -> Option<(&'static str, &mut usize)> {
        Some(("positions", &mut self.positions))
    }

    fn examples() -> Vec<Self> {
        let off_ray = Self { off_ray: OffRay::Learned, ..Self::default() };
        vec![Self::default(), off_ray, Self { positions: 3, ..Self::default() }]
    }
}

/// File and rank of the squares from one to another, without the first, if they are on one rank, file or diagonal.
pub(super) fn ray(from: (usize, usize), to: (usize, usize)) -> Option<Vec<(usize, usize)>> {
    let (files, ranks) = (to.0 as i64 - from.0 as i64, to.1 as i64 - from.1 as i64);
    let on_ray = files == 0 || ranks == 0 || files.abs() == ranks.abs();
    let steps = files.abs().max(ranks.abs());
    let step = |count: i64| {
        let along = |start: usize, whole: i64| (start as i64 + whole.signum() * count) as usize;
        (along(from.0, files), along(from.1, ranks))
    };
    on_ray.then(|| (1..=steps).map(step).collect())
}

#[derive(Debug)]
struct Rays {
    /// For query i 1 where token m is on the ray from i to token j, `[1,l,l,l]` in the order i, m, j.
    ray_squares: Constant,
    /// 1 for two squares on a ray, `[l,l]`.
    on_ray: Constant,
    /// 1 for two squares on no common ray, `[l,l]`.
    off_ray: Constant,
}

impl Rays {
    fn new(tokens: &Tokens) -> Self {
        let length = tokens.len();
        let pairs = move |tokens: &Tokens, on_ray: bool| -> Vec<f32> {
            let pair = |pair: usize| match (tokens.place(pair / length), tokens.place(pair % length)) {
                (Some(from), Some(to)) if ray(from, to).is_some() == on_ray => 1.0,
                _ => 0.0,
            };
            (0..length * length).map(pair).collect()
        };
        let [all, on_ray, off_ray] = [(); 3].map(|()| tokens.clone());
        let (shape, side) = ([length as i64; 2], length as i64);
        Self {
            ray_squares: Constant::floats_from(&[1, side, side, side], move || ray_squares(&all)),
            on_ray: Constant::floats_from(&shape, move || pairs(&on_ray, true)),
            off_ray: Constant::floats_from(&shape, move || pairs(&off_ray, false)),
        }
    }
}

fn ray_squares(tokens: &Tokens) -> Vec<f32> {
    let length = tokens.len();
    let token_at = |place: (usize, usize)| {
        (0..length).find(|&token| tokens.place(token) == Some(place)).expect("every square has a token")
    };
    let mut ray_squares = vec![0.0; length * length * length];
    for (i, j) in (0..length).flat_map(|i| (0..length).map(move |j| (i, j))) {
        let (Some(from), Some(to)) = (tokens.place(i), tokens.place(j)) else { continue };
        for place in ray(from, to).into_iter().flatten() {
            ray_squares[(i * length + token_at(place)) * length + j] = 1.0;
        }
    }
    ray_squares
}

#[derive(Debug)]
struct Vectors {
    /// e `[n,k]`.
    positions: ParamId,
    /// `[1,k]`.
    off_ray: Option<ParamId>,
}

#[derive(Debug)]
struct Cope {
    layers: Vec<Vectors>,
    rays: Rays,
    positions: i64,
    macs: u64,
}

impl Cope {
    /// The counted positions p `[b,h,l,l]`.
    fn counted(&self, q_bhlk: &Tensor, k_bhlk: &Tensor) -> Tensor {
        let size = q_bhlk.size();
        let scale = (size[3] as f64).sqrt().recip();
        let gates = (q_bhlk.matmul(&k_bhlk.transpose(2, 3)) * scale).sigmoid();
        let by_query = gates.view([size[0] * size[1], 1, size[2], size[2]]);
        contract(&by_query, &self.rays.ray_squares.on(q_bhlk.device())).reshape([size[0], size[1], size[2], size[2]])
    }
}

impl Encoding for Cope {
    fn guarantees(&self) -> Guarantees {
        Guarantees {
            identity_at_start: true,
            translation_invariant: true,
            mirror_equivariant: true,
            half_turn_equivariant: true,
            auxiliary: Auxiliary::Untouched,
            ..Guarantees::NONE
        }
    }

    fn macs(&self) -> u64 {
        self.macs
    }

    fn logits(&self, at: LayerContext<'_>, queries: Queries<'_>) -> Logits {
        let vectors = &self.layers[at.layer];
        let device = queries.q_bhlk.device();
        let [q, k] = [queries.q_bhlk, queries.k_bhlk].map(|x| x.to_kind(Kind::Float));
        let last = (self.positions - 1) as f64;
        let counted = self.counted(&q, &k).clamp_max(last);
        // Where a network diverges p is not a number, nor is the logit then, whichever entry is read; but there must be one.
        let below = counted.detach().floor().nan_to_num(0.0, None::<f64>, None::<f64>);
        let above = (&below + 1.0).clamp_max(last);
        let of_positions_bhln = q.matmul(&at.views[vectors.positions].transpose(0, 1));
        let entry = |index: &Tensor| of_positions_bhln.gather(-1, &index.to_kind(Kind::Int64), false);
        let at_below = entry(&below);
        let on_rays = (&at_below + (counted - below) * (entry(&above) - &at_below)) * self.rays.on_ray.on(device);
        let whole = match vectors.off_ray {
            None => on_rays,
            Some(vector) => {
                let of_query = q.matmul(&at.views[vector].transpose(0, 1));
                on_rays + of_query * self.rays.off_ray.on(device)
            }
        };
        Logits { before_scale: Some(whole.to_kind(queries.q_bhlk.kind())), ..Logits::default() }
    }
}
