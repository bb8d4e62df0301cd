//! A penalty on the logit that is a learned kernel of the distance of two squares.
//!
//! | `kernel` | added to e_ij/√k, with d the distance of i and j | first values |
//! |---|---|---|
//! | `log` | −r1·ln(1 + r2·d) | r1 uniform in (0, 2), r2 in (0, 1) |
//! | `power` | −r1·d^r2 with r2 < 2 | r1 uniform in (0, 1), r2 in (0, 2) |
//!
//! r1 and r2 are learned per head and layer. Source: KERPLE (arXiv 2205.09921; code chijames/KERPLE, `ParallelKerpleLog` and
//! `ParallelKerplePower`, its variant with a bias only), here on two axes: `distance` is one of [`Distance`] and has no
//! default. The kernels are conditionally positive definite for r1, r2 > 0 and, of the power, r2 ≤ 2, with the Euclidean
//! distance; for the others nothing is claimed.
//!
//! Deviations: the source is causal, here both directions count alike. Its code cuts r1 and r2 at 0.01 from below (and the
//! exponent at 2 from above) after every step. Here they are positive by construction: ln r1 and ln r2 are learned, of the
//! exponent ln(r2 / (2 − r2)), so that no parameter loses its gradient. First values are at least 0.01 (the exponent at
//! most 1.99).
//!
//! Pairs with an auxiliary token get nothing: they have no distance. The encoding is *not* the identity at the start.
//!
//! Parameters: 2h per layer, `first [h]` and `second [h]`. The terms are a table `[h, classes]`, made once for all
//! positions, so no multiplications per position are counted.

use crate::displacement_bias::{self, AddedByDisplacement, DisplacementBias};
use crate::displacements::Distance;
use crate::prelude::*;

/// The smallest first value of r1 and r2.
const SMALLEST: f64 = 0.01;

const LARGEST_EXPONENT: f64 = 2.0;

/// The function of the distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kernel {
    /// −r1·ln(1 + r2·d).
    Log,
    /// −r1·d^r2.
    Power,
}

impl Kernel {
    /// The logarithm, or that of the odds, of uniform first values: of r1 and of r2.
    fn inits(self) -> [Init; 2] {
        match self {
            Self::Log => [uniform(2.0, f64::ln), uniform(1.0, f64::ln)],
            Self::Power => {
                let log_odds = |exponent: f64| {
                    let exponent = exponent.min(LARGEST_EXPONENT - SMALLEST);
                    (exponent / (LARGEST_EXPONENT - exponent)).ln()
                };
                [uniform(1.0, f64::ln), uniform(LARGEST_EXPONENT, log_odds)]
            }
        }
    }

    /// What is learned in a layer: of r1 and of r2.
    fn declare(self, scope: &mut Scope<'_>, dims: Dims) -> [ParamId; 2] {
        let [first, second] = self.inits();
        [("first", first), ("second", second)].map(|(name, init)| scope.f32_param(name, &[dims.heads as i64], init))
    }

    /// The logits `[h, classes]` of distances `[classes]`, from what is learned, `[h]` each.
    fn logits(self, distances: &Tensor, first: &Tensor, second: &Tensor) -> Tensor {
        let (first, second) = (first.exp().unsqueeze(1), second.unsqueeze(1));
        let penalties = match self {
            Self::Log => (distances * second.exp()).log1p(),
            Self::Power => distances.unsqueeze(0).pow(&(second.sigmoid() * LARGEST_EXPONENT)),
        };
        -(first * penalties)
    }
}

/// `of` a number that is uniform in 0 … `bound`, but at least [`SMALLEST`].
fn uniform(bound: f64, of: impl Fn(f64) -> f64 + Send + Sync + 'static) -> Init {
    Init::drawn(move |stream| of((bound * streams::uniform(stream)).max(SMALLEST)))
}

/// Settings of the kernel and of its distance.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The function of the distance.
    pub kernel: Kernel,
    /// The distance of two squares.
    pub distance: Distance,
}

impl Configure for Config {
    const INFO: EncodingInfo = EncodingInfo {
        name: "kerple",
        summary: "a penalty on the logit that is a learned logarithm or power of the distance of two squares",
        source: "KERPLE (arXiv 2205.09921; chijames/KERPLE), on two axes",
        example: "kerple: {kernel: log, distance: euclidean}",
    };

    fn options(&self) -> Vec<String> {
        vec![word(&self.kernel), word(&self.distance)]
    }

    fn declare(&self, scope: &mut Scope<'_>, dims: Dims, tokens: &Tokens) -> Result<Box<dyn Encoding>, EncodingError> {
        let layers = dims.per_layer(scope, |scope| self.kernel.declare(scope, dims));
        let distances = self.distance.numbers(tokens.geometry());
        Ok(AddedByDisplacement::boxed(tokens, |_| Kerple { kernel: self.kernel, layers, distances }))
    }

    fn examples() -> Vec<Self> {
        let with = |kernel, distance| Self { kernel, distance };
        vec![
            with(Kernel::Log, Distance::Euclidean),
            with(Kernel::Log, Distance::Knight),
            with(Kernel::Power, Distance::L1),
            with(Kernel::Power, Distance::Chebyshev),
        ]
    }
}

#[derive(Debug)]
struct Kerple {
    kernel: Kernel,
    /// What r1 and r2 are made from, `[h]` each.
    layers: Vec<[ParamId; 2]>,
    /// `[classes]`.
    distances: Constant,
}

impl DisplacementBias for Kerple {
    fn guarantees(&self) -> Guarantees {
        displacement_bias::OF_DISTANCE
    }

    fn by_class(&self, at: LayerContext<'_>) -> Tensor {
        let [first, second] = self.layers[at.layer].map(|parameter| &at.views[parameter]);
        self.kernel.logits(&self.distances.on(at.views.device()), first, second)
    }

    fn formula_parameters(&self) -> Vec<ParamId> {
        self.layers.as_flattened().to_vec()
    }
}
