//! Queries and keys multiplied with a rotation that is the exponential of learned generators, times the token's place.
//!
//! q_i becomes R_i·q_i and k_j becomes R_j·k_j with R_i = exp(ρ_i·A + φ_i·B), where A and B are learned antisymmetric matrices and
//! (ρ_i, φ_i) is the place: rank/(R−1) and file/(F−1), between 0 and 1. A and B need not commute, so the product
//! q_iᵀ·R_iᵀ·R_j·k_j depends on both places; if they commute, as with `block: 2`, it depends
//! on the displacement.
//!
//! Source: LieRE (arXiv 2406.10322); code StanfordMIMI/LieRE, models/rope_vit.py, `LierePositionEncoder` (commit b27b41b), which
//! also scales places to 1. Generators are per head and layer, as in its configurations. `block` cuts a head into blocks of so
//! many channels with generators of their own (`generator_dim`, LieRE_8); without it a block is the whole head (LieRE_64).
//! The numbers above the diagonal start uniform between 0 and 2π, as there.
//!
//! Deviations: a block must divide the head (the code leaves the rest unrotated). Places are between 0 and 1 on every board; on
//! an image larger than the trained one the code goes beyond 1. Tokens without a square are not rotated.
//!
//! Rotations are f32 whatever the training precision. Parameters per layer: h·k·(block−1), for two axes. The exponentials, one
//! for each token, head and block, are made once per batch.

use super::string::antisymmetric;
use crate::prelude::*;
use nn::pair_tables::contract;
use std::f64::consts::TAU;

const NAME: &str = "liere";

/// Settings of the rotated blocks.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Channels that rotate together; by default all of a head.
    pub block: Option<usize>,
}

impl Configure for Config {
    const INFO: EncodingInfo = EncodingInfo {
        name: NAME,
        summary: "queries and keys multiplied with rotations that are exponentials of learned generators times the place",
        source: "LieRE (arXiv 2406.10322), StanfordMIMI/LieRE",
        example: "liere: {block: 8}",
    };

    fn options(&self) -> Vec<String> {
        self.block.map(|block| format!("block={block}")).into_iter().collect()
    }

    fn declare(&self, scope: &mut Scope<'_>, dims: Dims, tokens: &Tokens) -> Result<Box<dyn Encoding>, EncodingError> {
        let head_width = dims.head_width();
        let block = self.block.unwrap_or(head_width);
        if block < 2 {
            return Err(EncodingError::out_of_range(NAME, "block", "2 or more", block));
        }
        let remedy = "change block, the width or the number of heads";
        EncodingError::check_divisible(NAME, (HEAD_WIDTH, head_width), block, remedy)?;
        let shape = [2, dims.heads as i64, (head_width / block) as i64, (block * (block - 1) / 2) as i64];
        let init = Init::drawn(|stream| TAU * streams::uniform(stream));
        Ok(Box::new(Liere {
            generators: dims.per_layer(scope, |scope| scope.f32_param("generators", &shape, init.clone())),
            antisymmetric: antisymmetric(block),
            places: places(tokens),
            block: block as i64,
            is_relative: block == 2 && !tokens.has_aux(),
            layer_macs: (2 * tokens.len() * dims.width * block) as u64,
        }))
    }

    fn examples() -> Vec<Self> {
        vec![Self::default(), Self { block: Some(4) }, Self { block: Some(2) }]
    }
}

/// Rank and file of every token as shares of the largest, `[l,2]`; 0 without a square.
fn places(tokens: &Tokens) -> Constant {
    let share = |coordinate: usize, side: usize| coordinate as f32 / (side - 1).max(1) as f32;
    let board = tokens.geometry();
    let of_token = |token: usize| {
        let (file, rank) = tokens.place(token).unwrap_or((0, 0));
        [share(rank, board.ranks()), share(file, board.files())]
    };
    let all: Vec<f32> = (0..tokens.len()).flat_map(of_token).collect();
    Constant::floats(&all, &[tokens.len() as i64, 2])
}

#[derive(Debug)]
struct Liere {
    /// The numbers above the diagonals of A, then of B, column by column: `[2, h, blocks, block·(block−1)/2]` of each layer.
    generators: Vec<ParamId>,
    /// From these numbers to the transposed generator.
    antisymmetric: Constant,
    places: Constant,
    block: i64,
    /// Rotations of a plane commute.
    is_relative: bool,
    /// Multiplications by rotations in one layer.
    layer_macs: u64,
}

impl Liere {
    /// Rᵀ of each token and block, which rows are multiplied with from the right: `[h, l·blocks, block, block]`.
    fn transposed_rotations(&self, at: LayerContext<'_>) -> Tensor {
        let (device, block) = (at.views.device(), self.block);
        let generators = at.views[self.generators[at.layer]].matmul(&self.antisymmetric.on(device));
        let (heads, blocks) = (generators.size()[1], generators.size()[2]);
        let of_tokens = self.places.on(device).matmul(&generators.view([2, -1]));
        let of_tokens = of_tokens.view([-1, heads, blocks, block, block]).transpose(0, 1);
        of_tokens.flatten(1, 2).contiguous().linalg_matrix_exp()
    }
}

impl Encoding for Liere {
    fn injection_points(&self) -> InjectionPoints {
        InjectionPoints::ROTATE
    }

    fn guarantees(&self) -> Guarantees {
        Guarantees {
            translation_invariant: self.is_relative,
            pairwise: true,
            auxiliary: Auxiliary::Untouched,
            ..Guarantees::NONE
        }
    }

    fn macs(&self) -> u64 {
        self.generators.len() as u64 * self.layer_macs
    }

    fn rotate(&self, at: LayerContext<'_>, q_bhlk: &Tensor, k_bhlk: &Tensor) -> Option<(Tensor, Tensor)> {
        let rotations = self.transposed_rotations(at);
        let rotated = |x: &Tensor| {
            let size = x.size();
            let blocks = x.to_kind(Kind::Float).reshape([size[0], size[1], -1, self.block]);
            contract(&blocks, &rotations).reshape(&size[..]).to_kind(x.kind())
        };
        Some((rotated(q_bhlk), rotated(k_bhlk)))
    }
}
