//! Queries and keys rotated by their token's position, so that their product depends on the displacement.
//!
//! The channels of a head form k/2 interleaved pairs (0,1), (2,3), …; pair i of a token is rotated by an angle:
//!
//! | `layout` | angle of pair i | source |
//! |---|---|---|
//! | `flat_1d` | index · θ^(−2i/k), the index of the token in the sequence | ChessDecoder (torchtune's RoPE); RoFormer, arXiv 2104.09864 |
//! | `axial_2d` | first half of the pairs rank · θ^(−4i/k), second half the same of the file | RoPE-ViT axial, arXiv 2403.13298; KataGo |
//! | `mixed_2d` | file · x_i + rank · y_i with learned x, y per head and layer | RoPE-ViT mixed |
//!
//! On the flat sequence the displacements (0,+1) and (+1,−F+1) are the same, across the edge of the board. `theta` has
//! no default: sources use 10,000 (1-D), 100 (axial) and 10 (mixed). Mixed frequencies start at magnitudes θ^(−4i/k), in
//! two directions at a right angle, rotated at random for each head and layer, as in RoPE-ViT.
//!
//! Tokens without a square are not rotated by the 2-D layouts (RoPE-ViT's CLS token); `flat_1d` rotates every token by its
//! index, as in ChessDecoder, or with `aux: unrotated` squares only. Attention between squares and auxiliary tokens
//! therefore depends on the place, and translation invariance is promised for boards without auxiliary tokens only.
//! Deviation: RoPE-ViT's axial layout has files before ranks, which permutes the pairs.
//!
//! Angles, sines and the rotation are f32 whatever the training precision. Parameters: none; mixed: d per layer.

mod rotation;

use crate::{
    Auxiliary, Configure, Dims, Encoding, EncodingError, EncodingInfo, Guarantees, InjectionPoints, LayerContext,
    Tokens,
};
use nn::{Constant, Init, ParamId, Scope, Views};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use tch::{Kind, Tensor};

const NAME: &str = "rope";

/// What the angles are made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Layout {
    /// The index in the sequence.
    #[serde(rename = "flat_1d")]
    Flat1d,
    /// Half the channels by rank, half by file.
    #[serde(rename = "axial_2d")]
    Axial2d,
    /// Learned mixtures of file and rank.
    #[serde(rename = "mixed_2d")]
    Mixed2d,
}

impl Layout {
    fn name(self) -> &'static str {
        match self {
            Self::Flat1d => "flat_1d",
            Self::Axial2d => "axial_2d",
            Self::Mixed2d => "mixed_2d",
        }
    }
}

/// What happens to tokens without a square.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Aux {
    /// Rotated by their index in the sequence; [`Layout::Flat1d`] only, and its default.
    Index,
    /// Left as they are; what the 2-D layouts do.
    Unrotated,
}

/// The options.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// What the angles are made from.
    pub layout: Layout,
    /// The base of the frequencies.
    pub theta: f64,
    /// What happens to tokens without a square; by default what the layout does.
    #[serde(default)]
    pub aux: Option<Aux>,
}

impl Config {
    fn rotates_aux(&self) -> bool {
        self.layout == Layout::Flat1d && self.aux != Some(Aux::Unrotated)
    }

    fn check(&self, dims: Dims) -> Result<(), EncodingError> {
        if !(self.theta.is_finite() && self.theta > 0.0) {
            let found = self.theta.to_string();
            return Err(EncodingError::OutOfRange { encoding: NAME, option: "theta", wanted: "above 0", found });
        }
        if self.aux == Some(Aux::Index) && self.layout != Layout::Flat1d {
            return Err(EncodingError::NoEffect {
                encoding: NAME,
                option: "aux: index".to_owned(),
                setting: format!("layout: {}", self.layout.name()),
                remedy: "2-D layouts have no place for a token without a square: leave it out",
            });
        }
        let divisor = if self.layout == Layout::Flat1d { 2 } else { 4 };
        if !dims.head_width().is_multiple_of(divisor) {
            return Err(EncodingError::Indivisible {
                encoding: format!("{NAME} with layout: {}", self.layout.name()),
                what: "head width (width / heads)",
                size: dims.head_width(),
                divisor,
                remedy: "change the width or the number of heads",
            });
        }
        Ok(())
    }
}

impl Configure for Config {
    const INFO: EncodingInfo = EncodingInfo {
        name: NAME,
        summary: "queries and keys rotated by index, by rank and file, or by learned mixtures of both",
        source: "RoPE-ViT (arXiv 2403.13298), RoFormer (arXiv 2104.09864); ChessDecoder, KataGo",
        example: "rope: {layout: axial_2d, theta: 100}",
    };

    fn options(&self) -> Vec<String> {
        let mut options = vec![self.layout.name().to_owned(), format!("theta={}", self.theta)];
        options.extend(self.aux.map(|aux| match aux {
            Aux::Index => "aux=index".to_owned(),
            Aux::Unrotated => "aux=unrotated".to_owned(),
        }));
        options
    }

    fn declare(&self, scope: &mut Scope<'_>, dims: Dims, tokens: &Tokens) -> Result<Box<dyn Encoding>, EncodingError> {
        self.check(dims)?;
        let (config, head_width, sequence) = (self.clone(), dims.head_width(), tokens.clone());
        let shape = [tokens.len(), head_width];
        let angles = match self.layout {
            Layout::Flat1d => Angles::fixed(shape, move || flat_angles(&config, head_width, &sequence)),
            Layout::Axial2d => Angles::fixed(shape, move || axial_angles(config.theta, head_width, &sequence)),
            Layout::Mixed2d => Angles::learned(scope, self.theta, dims, tokens),
        };
        let guarantees = Guarantees {
            translation_invariant: !tokens.has_aux(),
            pairwise: true,
            auxiliary: if self.rotates_aux() { Auxiliary::AsSquares } else { Auxiliary::Untouched },
            ..Guarantees::NONE
        };
        Ok(Box::new(Rope { angles, guarantees, swap: pair_swap(dims.head_width()) }))
    }

    fn examples() -> Vec<Self> {
        let flat = Self { layout: Layout::Flat1d, theta: 10_000.0, aux: None };
        let unrotated = Self { aux: Some(Aux::Unrotated), ..flat.clone() };
        let axial = Self { layout: Layout::Axial2d, theta: 100.0, aux: None };
        let mixed = Self { layout: Layout::Mixed2d, theta: 10.0, aux: None };
        vec![flat, unrotated, axial, mixed]
    }
}

/// The angle of every token and pair, `[l, k/2]` row by row.
fn flat_angles(config: &Config, head_width: usize, tokens: &Tokens) -> Vec<f64> {
    let rotated = |token: usize| config.rotates_aux() || tokens.square(token).is_some();
    let index = |token: usize| if rotated(token) { token as f64 } else { 0.0 };
    let frequency = |pair: usize| config.theta.powf(-2.0 * pair as f64 / head_width as f64);
    (0..tokens.len()).flat_map(|token| (0..head_width / 2).map(move |pair| index(token) * frequency(pair))).collect()
}

fn axial_angles(theta: f64, head_width: usize, tokens: &Tokens) -> Vec<f64> {
    let frequencies = axis_frequencies(theta, head_width);
    let of_token = |token: usize| {
        let (rank, file) = coordinates(tokens, token);
        let rotated = |coordinate: f64| frequencies.iter().map(move |f| coordinate * f);
        rotated(rank).chain(rotated(file)).collect::<Vec<_>>()
    };
    (0..tokens.len()).flat_map(of_token).collect()
}

/// θ^(−4i/k) for the k/4 pairs of one axis.
fn axis_frequencies(theta: f64, head_width: usize) -> Vec<f64> {
    (0..head_width / 4).map(|i| theta.powf(-4.0 * i as f64 / head_width as f64)).collect()
}

/// Rank and file of a token, (0, 0) for one without a square, which therefore is not rotated.
fn coordinates(tokens: &Tokens, token: usize) -> (f64, f64) {
    let of_square = |s| (tokens.geometry().rank_of(s) as f64, tokens.geometry().file_of(s) as f64);
    tokens.square(token).map_or((0.0, 0.0), of_square)
}

#[derive(Debug)]
enum Angles {
    Fixed {
        /// Cosines `[l, k]`, each pair's twice.
        cosine: Constant,
        /// Sines `[l, k]`, each pair's twice.
        sine: Constant,
    },
    Learned {
        /// `[2, h, k/2]` of each layer: radians per file, radians per rank.
        frequencies: Vec<ParamId>,
        /// File and rank of each token `[l, 2]`.
        coordinates: Constant,
    },
}

impl Angles {
    /// From the angles `[l, k/2]`, which are computed at the first use.
    fn fixed(shape_lk: [usize; 2], angles: impl Fn() -> Vec<f64> + Send + Sync + 'static) -> Self {
        let angles = Arc::new(angles);
        let twice = |of: fn(f64) -> f64| {
            let angles = Arc::clone(&angles);
            let values = move || angles().into_iter().flat_map(|angle| [of(angle) as f32; 2]).collect();
            Constant::floats_from(&shape_lk.map(|size| size as i64), values)
        };
        Self::Fixed { cosine: twice(f64::cos), sine: twice(f64::sin) }
    }

    fn learned(scope: &mut Scope<'_>, theta: f64, dims: Dims, tokens: &Tokens) -> Self {
        let shape = [2, dims.heads as i64, dims.head_width() as i64 / 2];
        let init = rotated_axes(axis_frequencies(theta, dims.head_width()));
        let places: Vec<_> = (0..tokens.len())
            .map(|token| coordinates(tokens, token))
            .flat_map(|(rank, file)| [file as f32, rank as f32])
            .collect();
        Self::Learned {
            frequencies: (0..dims.layers)
                .map(|layer| scope.sub("layer").sub(layer).f32_param("frequencies", &shape, init.clone()))
                .collect(),
            coordinates: Constant::floats(&places, &[tokens.len() as i64, 2]),
        }
    }

    /// Cosines and sines that broadcast to `[b,h,l,k]`, f32.
    fn cosine_and_sine(&self, views: &Views, layer: usize) -> (Tensor, Tensor) {
        match self {
            Self::Fixed { cosine, sine } => (cosine.on(views.device()), sine.on(views.device())),
            Self::Learned { frequencies, coordinates } => {
                let places_l2 = coordinates.on(views.device());
                let axes_2hp = &views[frequencies[layer]];
                let along =
                    |axis: i64| places_l2.select(1, axis).view([1, -1, 1]) * axes_2hp.select(0, axis).unsqueeze(1);
                let angles_hlp = along(0) + along(1);
                let twice = |t: Tensor| t.unsqueeze(-1).expand([-1, -1, -1, 2], false).flatten(2, 3);
                (twice(angles_hlp.cos()), twice(angles_hlp.sin()))
            }
        }
    }
}

/// RoPE-ViT's first frequencies `[2, h, k/2]`: each head draws one direction, half of its pairs look along it and half at
/// a right angle to it.
fn rotated_axes(magnitudes: Vec<f64>) -> Init {
    Init::Custom(Arc::new(move |stream, shape| {
        let heads = shape[1] as usize;
        let directions: Vec<_> = (0..heads).map(|_| std::f64::consts::TAU * streams::uniform(stream)).collect();
        let axis = |part: fn(f64) -> f64| {
            let of_head = |direction: f64| {
                let looking = [direction, direction + std::f64::consts::FRAC_PI_2];
                looking
                    .into_iter()
                    .flat_map(|to| magnitudes.iter().map(move |m| (m * part(to)) as f32))
                    .collect::<Vec<_>>()
            };
            directions.iter().flat_map(|&direction| of_head(direction)).collect::<Vec<_>>()
        };
        [axis(f64::cos), axis(f64::sin)].concat()
    }))
}

/// The matrix J `[k,k]` with (x₀, x₁, …)·J = (−x₁, x₀, …): one small product instead of strided slices.
fn pair_swap(head_width: usize) -> Constant {
    Constant::floats_from(&[head_width as i64; 2], move || {
        let mut swap = vec![0f32; head_width * head_width];
        for first in (0..head_width).step_by(2) {
            swap[(first + 1) * head_width + first] = -1.0;
            swap[first * head_width + first + 1] = 1.0;
        }
        swap
    })
}

#[derive(Debug)]
struct Rope {
    angles: Angles,
    guarantees: Guarantees,
    swap: Constant,
}

impl Encoding for Rope {
    fn injection_points(&self) -> InjectionPoints {
        InjectionPoints::ROTATE
    }

    fn guarantees(&self) -> Guarantees {
        self.guarantees
    }

    fn macs(&self) -> u64 {
        0
    }

    fn rotate(&self, at: LayerContext<'_>, q_bhlk: &Tensor, k_bhlk: &Tensor) -> Option<(Tensor, Tensor)> {
        let (cosine, sine) = self.angles.cosine_and_sine(at.views, at.layer);
        let swap = self.swap.on(q_bhlk.device());
        let rotate = |x: &Tensor| {
            if let Some(rotated) = rotation::rotated(x, &cosine, &sine) {
                return rotated;
            }
            let x32 = x.to_kind(Kind::Float);
            (&x32 * &cosine + x32.matmul(&swap) * &sine).to_kind(x.kind())
        };
        Some((rotate(q_bhlk), rotate(k_bhlk)))
    }
}
