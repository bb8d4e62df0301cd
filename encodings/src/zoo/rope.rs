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

use crate::prelude::*;
use nn::Rotation;
use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserializer, Serializer};
use std::f64::consts::{FRAC_PI_2, PI, TAU};
use std::fmt;
use std::sync::Arc;

const NAME: &str = "rope";
const BOARD: &str = "board";

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

/// What happens to tokens without a square.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Aux {
    /// Rotated by their index in the sequence; [`Layout::Flat1d`] only, and its default.
    Index,
    /// Left as they are; what the 2-D layouts do.
    Unrotated,
}

/// Settings of the rotation: the angles and their frequencies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "WrittenConfig")]
pub struct Config {
    /// What the angles are made from.
    pub layout: Layout,
    /// The base of the frequencies, or those of the board.
    pub theta: Theta,
    /// What happens to tokens without a square; `None` for what the layout does, which files may name.
    pub aux: Option<Aux>,
    /// How learned frequencies start; for [`Layout::Mixed2d`] only.
    #[serde(skip_serializing_if = "is_default")]
    pub start: FrequencyStart,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "struct Config")]
struct WrittenConfig {
    layout: Layout,
    theta: Theta,
    #[serde(default)]
    aux: Option<Aux>,
    #[serde(default)]
    start: FrequencyStart,
}

impl From<WrittenConfig> for Config {
    fn from(WrittenConfig { layout, theta, aux, start }: WrittenConfig) -> Self {
        let of_layout = if layout == Layout::Flat1d { Aux::Index } else { Aux::Unrotated };
        Self { layout, theta, aux: aux.filter(|aux| *aux != of_layout), start }
    }
}

/// How learned frequencies start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FrequencyStart {
    /// At the magnitudes of the axial layout, in two directions at a right angle, rotated at random per head (RoPE-ViT).
    #[default]
    RotatedAxes,
    /// With random signs and magnitudes between 1/θ and 1 of which the logarithm is uniform (KataGo).
    LogUniform,
}

impl Config {
    fn rotates_aux(&self) -> bool {
        self.layout == Layout::Flat1d && self.aux != Some(Aux::Unrotated)
    }

    /// A configuration without the options that have a default.
    pub fn new(layout: Layout, theta: impl Into<Theta>) -> Self {
        Self { layout, theta: theta.into(), aux: None, start: FrequencyStart::default() }
    }

    /// Refuses options that contradict each other or the sizes, in the name of the encoding that has them.
    fn check(&self, encoding: &'static str, dims: Dims) -> Result<(), EncodingError> {
        let wanted = match self.theta {
            Theta::Base(base) if !(base.is_finite() && base > 0.0) => Some("above 0"),
            Theta::Board if self.layout != Layout::Axial2d => Some("a number unless layout is axial_2d"),
            _ => None,
        };
        if let Some(wanted) = wanted {
            return Err(EncodingError::out_of_range(encoding, "theta", wanted, self.theta));
        }
        let layout = format!("layout: {}", word(&self.layout));
        let no_effect = |option: &str, remedy| Err(EncodingError::no_effect(encoding, option, &layout, remedy));
        if self.start == FrequencyStart::LogUniform && self.layout != Layout::Mixed2d {
            return no_effect("start: log_uniform", "only mixed_2d learns its frequencies: leave it out");
        }
        if self.aux == Some(Aux::Index) && self.layout != Layout::Flat1d {
            return no_effect("aux: index", "2-D layouts have no place for a token without a square: leave it out");
        }
        let divisor = if self.layout == Layout::Flat1d { 2 } else { 4 };
        let (encoding, head_width) = (format!("{encoding} with {layout}"), (HEAD_WIDTH, dims.head_width()));
        EncodingError::check_divisible(encoding, head_width, divisor, "change the width or the number of heads")
    }
}

/// A number, or the word `board`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Theta {
    /// The frequencies are powers of this base.
    Base(f64),
    /// They are those of a discrete Fourier transform over the sides of the board.
    Board,
}

impl Theta {
    /// The base.
    ///
    /// # Panics
    /// If there is none: the layouts that read it refuse [`Self::Board`].
    fn base(self) -> f64 {
        match self {
            Self::Base(base) => base,
            Self::Board => unreachable!("a layout without sides was declared with the frequencies of sides"),
        }
    }
}

impl From<f64> for Theta {
    fn from(base: f64) -> Self {
        Self::Base(base)
    }
}

impl fmt::Display for Theta {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Base(base) => write!(f, "{base}"),
            Self::Board => f.write_str(BOARD),
        }
    }
}

impl Serialize for Theta {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Base(base) => serializer.serialize_f64(*base),
            Self::Board => serializer.serialize_str(BOARD),
        }
    }
}

impl<'de> Deserialize<'de> for Theta {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NumberOrBoard)
    }
}

struct NumberOrBoard;

impl Visitor<'_> for NumberOrBoard {
    type Value = Theta;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a number, or `{BOARD}`")
    }

    fn visit_f64<E: Error>(self, base: f64) -> Result<Theta, E> {
        Ok(Theta::Base(base))
    }

    fn visit_i64<E: Error>(self, base: i64) -> Result<Theta, E> {
        Ok(Theta::Base(base as f64))
    }

    fn visit_u64<E: Error>(self, base: u64) -> Result<Theta, E> {
        Ok(Theta::Base(base as f64))
    }

    fn visit_str<E: Error>(self, word: &str) -> Result<Theta, E> {
        match word {
            BOARD => Ok(Theta::Board),
            _ => Err(E::invalid_type(Unexpected::Str(word), &self)),
        }
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
        let mut options = vec![word(&self.layout), format!("theta={}", self.theta)];
        options.extend(self.aux.map(|aux| format!("aux={}", word(&aux))));
        options.extend((self.start == FrequencyStart::LogUniform).then(|| "start=log_uniform".to_owned()));
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
        let log_uniform = Self { start: FrequencyStart::LogUniform, ..Self::new(Layout::Mixed2d, 50.0) };
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

    pub(crate) fn rotated_back(&self, at: LayerContext<'_>, x_bhlk: &Tensor) -> Tensor {
        let (cosine, sine) = self.angles.cosine_and_sine(at.views, at.layer);
        self.rotation.apply(x_bhlk, &cosine, &sine.neg())
    }
}

impl Encoding for Rope {
    fn injection_points(&self) -> InjectionPoints {
        InjectionPoints::ROTATE
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
    /// Declares what is learned of them in `scope`.
    fn declare(config: &Config, scope: &mut Scope<'_>, dims: Dims, tokens: &Tokens) -> Self {
        let (own, head_width, sequence) = (config.clone(), dims.head_width(), tokens.clone());
        let shape = [tokens.len(), head_width];
        match config.layout {
            Layout::Flat1d => Self::fixed(shape, move || flat_angles(&own, head_width, &sequence)),
            Layout::Axial2d => Self::fixed(shape, move || axial_angles(own.theta, head_width, &sequence)),
            Layout::Mixed2d => Self::learned(config, scope, dims, tokens),
        }
    }

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

    fn learned(config: &Config, scope: &mut Scope<'_>, dims: Dims, tokens: &Tokens) -> Self {
        let shape = [2, dims.heads as i64, dims.head_width() as i64 / 2];
        let theta = config.theta.base();
        let init = match config.start {
            FrequencyStart::RotatedAxes => rotated_axes(powers(theta, dims.head_width())),
            FrequencyStart::LogUniform => log_uniform(theta),
        };
        let places: Vec<_> = (0..tokens.len())
            .map(|token| coordinates(tokens, token))
            .flat_map(|(rank, file)| [file as f32, rank as f32])
            .collect();
        Self::Learned {
            frequencies: dims.per_layer(scope, |scope| scope.f32_param("frequencies", &shape, init.clone())),
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

/// The angle of every token and pair, `[l, k/2]` row by row.
fn flat_angles(config: &Config, head_width: usize, tokens: &Tokens) -> Vec<f64> {
    let rotated = |token: usize| config.rotates_aux() || tokens.square(token).is_some();
    let index = |token: usize| if rotated(token) { token as f64 } else { 0.0 };
    let theta = config.theta.base();
    let frequency = |pair: usize| theta.powf(-2.0 * pair as f64 / head_width as f64);
    (0..tokens.len()).flat_map(|token| (0..head_width / 2).map(move |pair| index(token) * frequency(pair))).collect()
}

fn axial_angles(theta: Theta, head_width: usize, tokens: &Tokens) -> Vec<f64> {
    let sides = [tokens.geometry().ranks(), tokens.geometry().files()];
    let [of_ranks, of_files] = sides.map(|side| match theta {
        Theta::Base(base) => powers(base, head_width),
        Theta::Board => transform(side, head_width),
    });
    let of_token = |token: usize| {
        let (rank, file) = coordinates(tokens, token);
        let rotated = |coordinate: f64, frequencies: &[f64]| frequencies.iter().map(|f| coordinate * f).collect();
        let by_axis: [Vec<f64>; 2] = [rotated(rank, &of_ranks), rotated(file, &of_files)];
        by_axis.concat()
    };
    (0..tokens.len()).flat_map(of_token).collect()
}

/// θ^(−4i/k) for the k/4 pairs of one axis.
fn powers(theta: f64, head_width: usize) -> Vec<f64> {
    (0..head_width / 4).map(|i| theta.powf(-4.0 * i as f64 / head_width as f64)).collect()
}

/// πm/n for the p = k/4 pairs of an axis of n squares: m is 1 + (n−1)i/(p−1), rounded half up.
fn transform(side: usize, head_width: usize) -> Vec<f64> {
    let pairs = head_width / 4;
    let steps = (pairs - 1).max(1);
    let waves = |i: usize| 1 + (2 * (side - 1) * i + steps) / (2 * steps);
    (0..pairs).map(|i| PI * waves(i) as f64 / side as f64).collect()
}

/// Rank and file of a token, (0, 0) for one without a square, which therefore is not rotated.
fn coordinates(tokens: &Tokens, token: usize) -> (f64, f64) {
    let of_square = |s| (tokens.geometry().rank_of(s) as f64, tokens.geometry().file_of(s) as f64);
    tokens.square(token).map_or((0.0, 0.0), of_square)
}

/// RoPE-ViT's first frequencies `[2, h, k/2]`: each head draws one direction, half of its pairs look along it and half at
/// a right angle to it.
fn rotated_axes(magnitudes: Vec<f64>) -> Init {
    Init::Custom(Arc::new(move |stream, shape| {
        let heads = shape[1] as usize;
        let directions: Vec<_> = (0..heads).map(|_| TAU * streams::uniform(stream)).collect();
        let axis = |part: fn(f64) -> f64| {
            let of_head = |direction: f64| {
                let looking = [direction, direction + FRAC_PI_2];
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

/// KataGo's first frequencies: random signs, magnitudes between 1/θ and 1 of which the logarithm is uniform.
pub(super) fn log_uniform(theta: f64) -> Init {
    Init::drawn(move |stream| {
        let magnitude = theta.powf(-streams::uniform(stream));
        let sign = if streams::uniform(stream) < 0.5 { -1.0 } else { 1.0 };
        sign * magnitude
    })
}
