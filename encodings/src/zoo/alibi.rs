//! A penalty on the logit that grows linearly with the distance of two squares: e_ij/√k − m_h·distance(i, j).
//!
//! Source: ALiBi (arXiv 2108.12409; code ofirpress/attention_with_linear_biases), here on two axes. The distance of two
//! squares is a choice, since sources in two dimensions differ, and has no default: see [`Distance`].
//!
//! The slopes are fixed at m_h = 2^(−8(h+1)/H) for the heads h = 0 … H−1, the same in all layers. `slopes: learned` starts
//! from them and learns one number per head and layer, of either sign.
//!
//! Deviations: the source is causal, here both directions count alike; for a number of heads that is not a power of two its
//! code takes the slopes of the next smaller power and every other one of the next larger, here the formula is the same for
//! every H.
//!
//! Pairs with an auxiliary token get nothing: they have no distance. The encoding is *not* the identity at the start.
//!
//! Parameters: none; with learned slopes h per layer. The terms are a table `[h, classes]`, made once for all positions, so
//! no multiplications per position are counted.

use crate::displacement_bias::{self, AddedByDisplacement, DisplacementBias};
use crate::displacements::Distance;
use crate::prelude::*;
use std::sync::Arc;

/// Settings of the slopes and of the distance that they multiply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The distance of two squares.
    pub distance: Distance,
    /// Whether slopes are learned; fixed by default.
    #[serde(default)]
    pub slopes: SlopeKind,
}

/// Where the slopes come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SlopeKind {
    /// The geometric sequence of the source: 2^(−8(h+1)/H) for head h of H.
    #[default]
    Fixed,
    /// One parameter per head and layer, starting from that sequence.
    Learned,
}

impl Configure for Config {
    const INFO: EncodingInfo = EncodingInfo {
        name: "alibi",
        summary: "a penalty on the logit that grows linearly with the distance of two squares; fixed or learned slopes",
        source: "ALiBi (arXiv 2108.12409), on two axes",
        example: "alibi: {distance: chebyshev}",
    };

    fn options(&self) -> Vec<String> {
        let learned = (self.slopes == SlopeKind::Learned).then(|| "learned".to_owned());
        [word(&self.distance)].into_iter().chain(learned).collect()
    }

    fn declare(&self, scope: &mut Scope<'_>, dims: Dims, tokens: &Tokens) -> Result<Box<dyn Encoding>, EncodingError> {
        let (distance, heads) = (self.distance, dims.heads);
        let slopes = match self.slopes {
            SlopeKind::Fixed => Slopes::Fixed(Constant::floats(&first_slopes(heads), &[heads as i64])),
            SlopeKind::Learned => Slopes::learned(scope, dims),
        };
        Ok(AddedByDisplacement::boxed(tokens, |_| Alibi { distances: distance.numbers(tokens.geometry()), slopes }))
    }

    fn examples() -> Vec<Self> {
        let fixed = Distance::ALL.map(|distance| Self { distance, slopes: SlopeKind::Fixed });
        let learned = Self { distance: Distance::Euclidean, slopes: SlopeKind::Learned };
        fixed.into_iter().chain([learned]).collect()
    }
}

fn first_slopes(heads: usize) -> Vec<f32> {
    (1..=heads).map(|head| (-8.0 * head as f64 / heads as f64).exp2() as f32).collect()
}

#[derive(Debug)]
enum Slopes {
    /// `[h]`.
    Fixed(Constant),
    /// `[h]` of each layer.
    Learned(Vec<ParamId>),
}

impl Slopes {
    fn learned(scope: &mut Scope<'_>, dims: Dims) -> Self {
        let init = Init::Custom(Arc::new(|_, shape| first_slopes(shape[0] as usize)));
        Self::Learned(dims.per_layer(scope, |scope| scope.f32_param("slope", &[dims.heads as i64], init.clone())))
    }

    fn at(&self, views: &Views, layer: usize) -> Tensor {
        match self {
            Self::Fixed(slopes) => slopes.on(views.device()),
            Self::Learned(layers) => views[layers[layer]].shallow_clone(),
        }
    }
}

#[derive(Debug)]
struct Alibi {
    /// `[classes]`.
    distances: Constant,
    slopes: Slopes,
}

impl DisplacementBias for Alibi {
    fn guarantees(&self) -> Guarantees {
        displacement_bias::OF_DISTANCE
    }

    fn by_class(&self, at: LayerContext<'_>) -> Tensor {
        let slopes_h1 = self.slopes.at(at.views, at.layer).unsqueeze(1);
        -(slopes_h1 * self.distances.on(at.views.device()))
    }

    fn formula_parameters(&self) -> Vec<ParamId> {
        match &self.slopes {
            Slopes::Fixed(_) => Vec::new(),
            Slopes::Learned(layers) => layers.clone(),
        }
    }
}
