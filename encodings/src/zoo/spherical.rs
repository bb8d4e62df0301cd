//! Queries and keys rotated in three dimensions, by the file about one axis and by the rank about another.
//!
//! The first 3·⌊k/3⌋ channels of a head form vectors (x, y, z). Vector i of a token is rotated about y by the file and then about
//! x by the rank: x' = x·cos φ − z·sin φ, z' = x·sin φ + z·cos φ; y' = y·cos ρ − z'·sin ρ, z'' = y·sin ρ + z'·cos ρ, where
//! φ = file · f_i and ρ = rank · f_i. The two rotations do not commute: R_y(−φ_i)·R_x(ρ_j − ρ_i)·R_y(φ_j) stands between a query
//! and a key. It stays if both move up the board, and changes if both move to a side.
//!
//! Source: Spherical RoPE (arXiv 2511.08368); code of its first author beside CARE (arXiv 2511.11665), in ChasevdG/CARE,
//! care/Positional_Embeddings, `Spherical_RoPE` and `Learned_Spherical_RoPE` (commit 752415a). With `frequencies: fixed`
//! f_i = θ^(−2i/k), θ being 100 there and by default; with `learned` ranks and files have frequencies of their own per head,
//! which start uniform between 0 and 1, as there.
//!
//! The source's axes have no names; here ranks are its first one. Deviations: the channels that are left over when k is not
//! divisible by 3 stay as they are (the source refuses such widths); learned frequencies are per layer. Tokens without a square
//! are not rotated.
//!
//! Angles and rotations are f32 whatever the training precision. Parameters: none; learned: 2·h·⌊k/3⌋ per layer.

use crate::prelude::*;

const NAME: &str = "spherical";
const THETA: f64 = 100.0;
const DIMENSIONS: usize = 3;

/// Where the frequencies come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Frequencies {
    /// Powers of θ, the same for ranks and files.
    #[default]
    Fixed,
    /// Parameters of each head and layer, for ranks and for files.
    Learned,
}

/// Settings of the frequencies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Where the frequencies come from; fixed by default.
    pub frequencies: Frequencies,
    /// The base of fixed frequencies; 100 by default.
    pub theta: f64,
}

impl Default for Config {
    fn default() -> Self {
        Self { frequencies: Frequencies::default(), theta: THETA }
    }
}

impl Config {
    fn check(&self, dims: Dims) -> Result<(), EncodingError> {
        if !(self.theta.is_finite() && self.theta > 0.0) {
            return Err(EncodingError::out_of_range(NAME, "theta", "above 0", self.theta));
        }
        if self.frequencies == Frequencies::Learned && self.theta != THETA {
            let (option, remedy) = (format!("theta: {}", self.theta), "leave it out");
            return Err(EncodingError::no_effect(NAME, option, "frequencies: learned", remedy));
        }
        if dims.head_width() < DIMENSIONS {
            return Err(EncodingError::out_of_range(NAME, HEAD_WIDTH, "3 or more", dims.head_width()));
        }
        Ok(())
    }
}

impl Configure for Config {
    const INFO: EncodingInfo = EncodingInfo {
        name: NAME,
        summary: "queries and keys rotated in three dimensions by rank and file, about axes at a right angle",
        source: "Spherical RoPE (arXiv 2511.08368), code of CARE (arXiv 2511.11665)",
        example: "spherical: {frequencies: fixed, theta: 100}",
    };

    fn options(&self) -> Vec<String> {
        let learned = (self.frequencies == Frequencies::Learned).then(|| "learned".to_owned());
        let theta = changed("theta", self.theta, THETA);
        learned.into_iter().chain(theta).collect()
    }

    fn declare(&self, scope: &mut Scope<'_>, dims: Dims, tokens: &Tokens) -> Result<Box<dyn Encoding>, EncodingError> {
        self.check(dims)?;
        let (head_width, vectors) = (dims.head_width(), dims.head_width() / DIMENSIONS);
        let frequencies = match self.frequencies {
            Frequencies::Fixed => {
                let frequency = |i: usize| self.theta.powf(-2.0 * i as f64 / head_width as f64) as f32;
                let of_axis: Vec<f32> = (0..vectors).map(frequency).collect();
                Source::Fixed(Constant::floats(&[&of_axis[..]; 2].concat(), &[2, 1, vectors as i64]))
            }
            Frequencies::Learned => {
                let (shape, init) = ([2, dims.heads as i64, vectors as i64], Init::drawn(streams::uniform));
                Source::Learned(dims.per_layer(scope, |scope| scope.f32_param("frequencies", &shape, init.clone())))
            }
        };
        let place = |token: usize| tokens.place(token).unwrap_or((0, 0));
        let ranks = (0..tokens.len()).map(|token| place(token).1 as f32);
        let places: Vec<f32> = ranks.chain((0..tokens.len()).map(|token| place(token).0 as f32)).collect();
        Ok(Box::new(Spherical {
            frequencies,
            places: Constant::floats(&places, &[2, 1, tokens.len() as i64, 1]),
            vectors: vectors as i64,
        }))
    }

    fn examples() -> Vec<Self> {
        let learned = Self { frequencies: Frequencies::Learned, ..Self::default() };
        vec![Self::default(), learned, Self { theta: 10.0, ..Self::default() }]
    }
}

#[derive(Debug)]
enum Source {
    /// `[2, 1, ⌊k/3⌋]`.
    Fixed(Constant),
    /// `[2, h, ⌊k/3⌋]` of each layer: radians per rank, radians per file.
    Learned(Vec<ParamId>),
}

#[derive(Debug)]
struct Spherical {
    frequencies: Source,
    /// Ranks, then files of the tokens, `[2, 1, l, 1]`.
    places: Constant,
    /// How many vectors a head has.
    vectors: i64,
}

/// Cosine and sine of angles that broadcast to `[b, h, l, ⌊k/3⌋]`.
type Rotation = [Tensor; 2];

/// (a·cos − b·sin, a·sin + b·cos).
fn rotate(a: &Tensor, b: &Tensor, [cosine, sine]: &Rotation) -> [Tensor; 2] {
    [a * cosine - b * sine, a * sine + b * cosine]
}

impl Spherical {
    /// The rotations by ranks and by files.
    fn rotations(&self, at: LayerContext<'_>) -> [Rotation; 2] {
        let device = at.views.device();
        let frequencies = match &self.frequencies {
            Source::Fixed(frequencies) => frequencies.on(device),
            Source::Learned(layers) => at.views[layers[at.layer]].shallow_clone(),
        };
        let angles_2hlv = self.places.on(device) * frequencies.unsqueeze(2);
        [0, 1].map(|axis| angles_2hlv.select(0, axis)).map(|angles| [angles.cos(), angles.sin()])
    }

    fn rotated(&self, x_bhlk: &Tensor, [by_ranks, by_files]: &[Rotation; 2]) -> Tensor {
        let (all, end) = (x_bhlk.to_kind(Kind::Float), DIMENSIONS as i64 * self.vectors);
        let [x, y, z] = [0i64, 1, 2].map(|first| all.slice(3, first, end, DIMENSIONS as i64));
        let [x, z] = rotate(&x, &z, by_files);
        let [y, z] = rotate(&y, &z, by_ranks);
        let vectors = Tensor::stack(&[x, y, z], -1).flatten(3, 4);
        let rest = all.narrow(3, end, all.size()[3] - end);
        Tensor::cat(&[vectors, rest], 3).to_kind(x_bhlk.kind())
    }
}

impl Encoding for Spherical {
    fn injection_points(&self) -> InjectionPoints {
        InjectionPoints::ROTATE
    }

    fn guarantees(&self) -> Guarantees {
        Guarantees { pairwise: true, auxiliary: Auxiliary::Untouched, ..Guarantees::NONE }
    }

    fn rotate(&self, at: LayerContext<'_>, q_bhlk: &Tensor, k_bhlk: &Tensor) -> Option<(Tensor, Tensor)> {
        let rotations = self.rotations(at);
        Some((self.rotated(q_bhlk, &rotations), self.rotated(k_bhlk, &rotations)))
    }
}
