//! Queries and keys rotated by their token's position, so that their product depends on the displacement.
//!
//! The channels of a head form k/2 interleaved pairs (0,1), (2,3), …; pair i of a token is rotated by an angle:
//!
//! | `layout` | angle of pair i | source |
//! |---|---|---|
//! | `flat_1d` | index · θ^(−2i/k), the index of the token in the sequence | ChessDecoder (torchtune's RoPE); RoFormer, arXiv 2104.09864 |
//! | `axial_2d` | first half of the pairs rank · θ^(−4i/k), second half the same of the file | RoPE-ViT axial, arXiv 2403.13298; KataGo |
//! | `mixed_2d` | file · x_i + rank · y_i with learned x, y per head and layer | RoPE-ViT mixed; KataGo's learnable RoPE |
//!
//! On the flat sequence the displacements (0,+1) and (+1,−F+1) are the same, across the edge of the board. `theta` has
//! no default: sources use 10,000 (1-D), 100 (axial) and 10 (mixed).
//!
//! `theta: board` gives `axial_2d` the frequencies πm/n of a discrete Fourier transform over each side, n squares long, in
//! place of powers. The p = k/4 pairs of an axis have m from 1 to n in even steps, 1 + (n−1)i/(p−1), rounded half up: each of
//! them once if p = n. The first pair distinguishes all displacements along a side; the last rotates by π a square, which
//! shows the colour of squares (powers of θ rotate by 1 radian at most). This choice is posenc's.
//!
//! Mixed frequencies start as in RoPE-ViT: at magnitudes θ^(−4i/k), in two directions at a right angle, rotated at random for
//! each head and layer. With `start: log_uniform` they start as in KataGo (python/katago/train/model_pytorch.py, commit
//! 02c7a39, unchanged in v1.17.2, `learnable_rope`): every x and y has a random sign and a magnitude of which the logarithm is uniform between
//! 1/θ and 1. KataGo has 1/50 there: `theta: 50`.
//!
//! Tokens without a square are not rotated by the 2-D layouts (RoPE-ViT's CLS token); `flat_1d` rotates every token by its
//! index, as in ChessDecoder, or with `aux: unrotated` squares only. Attention between squares and auxiliary tokens
//! therefore depends on the place, and translation invariance is guaranteed for boards without auxiliary tokens only.
//! Deviation: RoPE-ViT's axial layout has files before ranks, which permutes the pairs.
//!
//! Angles, sines and the rotation are f32 whatever the training precision. Parameters: none; mixed: d per layer.

mod angles;
mod config;

pub use config::{Aux, Config, Layout, Start, Theta};

use crate::prelude::*;
use angles::Angles;
pub(super) use angles::log_uniform;
use nn::Rotation;

const NAME: &str = "rope";

impl Configure for Config {
    const INFO: EncodingInfo = EncodingInfo {
        name: NAME,
        summary: "queries and keys rotated by index, by rank and file, or by learned mixtures of both",
        source: "RoPE-ViT (arXiv 2403.13298), RoFormer (arXiv 2104.09864); ChessDecoder, KataGo",
        example: "rope: {layout: axial_2d, theta: 100}",
    };

    fn options(&self) -> Vec<String> {
        let mut options = vec![word(&self.layout), format!("theta={}", self.theta)];
        options.extend(self.aux.map(|aux| format!("aux={}", word(&aux))));
        options.extend((self.start == Start::LogUniform).then(|| "start=log_uniform".to_owned()));
        options
    }

    fn declare(&self, scope: &mut Scope<'_>, dims: Dims, tokens: &Tokens) -> Result<Box<dyn Encoding>, EncodingError> {
        Ok(Box::new(Rope::declare(self, NAME, scope, dims, tokens)?))
    }

    fn examples() -> Vec<Self> {
        let flat = Self::new(Layout::Flat1d, 10_000.0);
        let unrotated = Self { aux: Some(Aux::Unrotated), ..flat.clone() };
        let axial = Self::new(Layout::Axial2d, 100.0);
        let board = Self::new(Layout::Axial2d, Theta::Board);
        let mixed = Self::new(Layout::Mixed2d, 10.0);
        let log_uniform = Self { start: Start::LogUniform, ..Self::new(Layout::Mixed2d, 50.0) };
        vec![flat, unrotated, axial, board, mixed, log_uniform]
    }
}

#[derive(Debug)]
pub(crate) struct Rope {
    angles: Angles,
    guarantees: Guarantees,
    rotation: Rotation,
}

impl Rope {
    /// The rotation with these options, for the encoding of this name.
    pub(crate) fn declare(
        config: &Config,
        encoding: &'static str,
        scope: &mut Scope<'_>,
        dims: Dims,
        tokens: &Tokens,
    ) -> Result<Self, EncodingError> {
        config.check(encoding, dims)?;
        let guarantees = Guarantees {
            translation_invariant: !tokens.has_aux(),
            pairwise: true,
            auxiliary: if config.rotates_aux() { Auxiliary::AsSquares } else { Auxiliary::Untouched },
            ..Guarantees::NONE
        };
        let angles = Angles::declare(config, scope, dims, tokens);
        Ok(Self { angles, guarantees, rotation: Rotation::new(dims.head_width()) })
    }

    /// Vectors `[b,h,l,k]`, each rotated by the angles of its token.
    pub(crate) fn rotated(&self, at: LayerContext<'_>, x_bhlk: &Tensor) -> Tensor {
        let (cosine, sine) = self.angles.cosine_and_sine(at.views, at.layer);
        self.rotation.apply(x_bhlk, &cosine, &sine)
    }

    /// The inverse of [`Self::rotated`].
    pub(crate) fn rotated_back(&self, at: LayerContext<'_>, x_bhlk: &Tensor) -> Tensor {
        let (cosine, sine) = self.angles.cosine_and_sine(at.views, at.layer);
        self.rotation.apply(x_bhlk, &cosine, &sine.neg())
    }
}

impl Encoding for Rope {
    fn injection_points(&self) -> InjectionPoints {
        InjectionPoints::ROTATE
    }

    fn is_rotary(&self) -> bool {
        true
    }

    fn guarantees(&self) -> Guarantees {
        self.guarantees
    }

    fn rotate(&self, at: LayerContext<'_>, q_bhlk: &Tensor, k_bhlk: &Tensor) -> Option<(Tensor, Tensor)> {
        let (cosine, sine) = self.angles.cosine_and_sine(at.views, at.layer);
        let rotated = |x: &Tensor| self.rotation.apply(x, &cosine, &sine);
        Some((rotated(q_bhlk), rotated(k_bhlk)))
    }
}
