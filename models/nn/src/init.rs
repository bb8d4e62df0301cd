//! How parameters start: each from its own random stream, keyed by seed and name.

use std::fmt;
use std::sync::Arc;
use streams::Stream;

/// A parameter's first values.
#[derive(Clone)]
pub enum Init {
    /// The same number everywhere.
    Constant(f32),
    /// Normal with mean 0.
    Normal {
        /// Standard deviation.
        std: f64,
    },
    /// Normal with mean 0 cut at two standard deviations of the uncut distribution, whose spread is widened by
    /// 1/0.8796 so that the result has standard deviation `std` (Keras' `VarianceScaling`).
    TruncatedNormal {
        /// Standard deviation after cutting.
        std: f64,
    },
    /// Uniform in ±`bound`.
    Uniform {
        /// Half the width of the interval.
        bound: f64,
    },
    /// Anything else, from the parameter's stream and its shape.
    Custom(Arc<Draw>),
}

/// Makes a parameter's first values, in row-major order, from its stream and its shape.
pub type Draw = dyn Fn(&mut Stream, &[i64]) -> Vec<f32> + Send + Sync;

/// The standard deviation of a standard normal cut at ±2.
const CUT_NORMAL_STD: f64 = 0.879_625_661_034_239_8;

impl Init {
    /// All zeros.
    pub const ZEROS: Self = Self::Constant(0.0);
    /// All ones.
    pub const ONES: Self = Self::Constant(1.0);

    /// Glorot's normal initialiser as Keras computes it, with its variance scaled by `scale`:
    /// std = √(scale · 2 / (fan_in + fan_out)), truncated.
    pub fn glorot_normal(fan_in: i64, fan_out: i64, scale: f64) -> Self {
        Self::TruncatedNormal { std: (scale * 2.0 / (fan_in + fan_out) as f64).sqrt() }
    }

    /// Glorot's uniform initialiser: bound = √(6 / (fan_in + fan_out)).
    pub fn glorot_uniform(fan_in: i64, fan_out: i64) -> Self {
        Self::Uniform { bound: (6.0 / (fan_in + fan_out) as f64).sqrt() }
    }

    /// What PyTorch's dense layers and convolutions start from: bound = 1 / √fan_in (`kaiming_uniform_` with a = √5).
    pub fn torch(fan_in: i64) -> Self {
        Self::Uniform { bound: (fan_in as f64).sqrt().recip() }
    }

    /// Each number by itself, drawn from the parameter's stream.
    pub fn drawn(draw: impl Fn(&mut Stream) -> f64 + Send + Sync + 'static) -> Self {
        Self::Custom(Arc::new(move |stream, shape| {
            (0..shape.iter().product::<i64>()).map(|_| draw(stream) as f32).collect()
        }))
    }

    /// The values of a parameter of this shape, drawn from `stream`.
    pub fn values(&self, stream: &mut Stream, shape: &[i64]) -> Vec<f32> {
        let len = shape.iter().product::<i64>() as usize;
        let mut fill = |draw: &dyn Fn(&mut Stream) -> f64| (0..len).map(|_| draw(stream) as f32).collect();
        match self {
            Self::Constant(value) => vec![*value; len],
            Self::Normal { std } => fill(&|s| std * streams::normal(s)),
            Self::TruncatedNormal { std } => fill(&|s| std / CUT_NORMAL_STD * cut_normal(s)),
            Self::Uniform { bound } => fill(&|s| bound * (2.0 * streams::uniform(s) - 1.0)),
            Self::Custom(make) => {
                let values = make(stream, shape);
                assert_eq!(values.len(), len, "a custom initialiser made the wrong number of values for {shape:?}");
                values
            }
        }
    }
}

fn cut_normal(stream: &mut Stream) -> f64 {
    loop {
        let draw = streams::normal(stream);
        if draw.abs() <= 2.0 {
            return draw;
        }
    }
}

impl fmt::Debug for Init {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Constant(value) => write!(f, "constant {value}"),
            Self::Normal { std } => write!(f, "normal {std}"),
            Self::TruncatedNormal { std } => write!(f, "truncated normal {std}"),
            Self::Uniform { bound } => write!(f, "uniform ±{bound}"),
            Self::Custom(_) => f.write_str("custom"),
        }
    }
}
