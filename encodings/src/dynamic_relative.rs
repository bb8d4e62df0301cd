//! A relative term whose keys are generated from the whole board.
//!
//! Per layer: u = W₁·flat(x) (l·d → bottleneck), w = W₂·u (bottleneck → h·k·l), r_ij = Σ_c P_ic·w_cj with a learned
//! P `[h,l,k]`; r is added to q·k before the division by √k. No biases.
//!
//! Source: Yamaoka's dlshogi, branch feature/resnet-transformer, commit 8d7dc0e (his article on shogi with
//! transformers compares it with no relative term, one run each). W₁ and W₂ start uniform in ±1/√inputs (PyTorch's
//! default), P standard normal: it is *not* the identity at the start. All tokens take part, auxiliary ones included.
//! Deviation: the reference flattens channel by channel, this token by token, which permutes the columns of W₁.
//!
//! Parameters per layer: 2·l·d·bottleneck + l·d.

use crate::{At, Claims, Configure, Dims, Encoding, EncodingError, Entry, Logits, Queries, Seams, Tokens};
use nn::{Init, Linear, ParamId, Scope};
use serde::{Deserialize, Serialize};

const NAME: &str = "dynamic_relative";

/// The options.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Width of u; 32 by default.
    #[serde(default = "bottleneck")]
    pub bottleneck: usize,
}

fn bottleneck() -> usize {
    32
}

impl Configure for Config {
    const ENTRY: Entry = Entry {
        name: NAME,
        summary: "a learned vector per token meets keys that are generated from the whole board",
        source: "Yamaoka, dlshogi feature/resnet-transformer, commit 8d7dc0e",
        example: "dynamic_relative: {bottleneck: 32}",
    };

    fn options(&self) -> Vec<String> {
        (self.bottleneck != bottleneck()).then(|| format!("bottleneck={}", self.bottleneck)).into_iter().collect()
    }

    fn declare(&self, scope: &mut Scope<'_>, dims: Dims, tokens: &Tokens) -> Result<Box<dyn Encoding>, EncodingError> {
        if self.bottleneck == 0 {
            return Err(EncodingError::OutOfRange {
                encoding: NAME,
                option: "bottleneck",
                wanted: "1 or more",
                found: "0".to_owned(),
            });
        }
        let shape = [dims.heads as i64, tokens.len() as i64, dims.head_width() as i64];
        let layers = (0..dims.layers)
            .map(|layer| Layer::declare(&mut scope.sub("layer").sub(layer), self.bottleneck as i64, shape))
            .collect();
        Ok(Box::new(DynamicRelative { layers, shape }))
    }

    fn size_mut(&mut self) -> Option<(&'static str, &mut usize)> {
        Some(("bottleneck", &mut self.bottleneck))
    }

    fn examples() -> Vec<Self> {
        vec![Self { bottleneck: bottleneck() }, Self { bottleneck: 5 }]
    }
}

#[derive(Debug)]
struct Layer {
    down: Linear,
    up: Linear,
    /// P `[h,l,k]`.
    position: ParamId,
}

impl Layer {
    fn declare(scope: &mut Scope<'_>, bottleneck: i64, shape: [i64; 3]) -> Self {
        let board = shape.iter().product();
        let mut linear = |name: &str, inputs: i64, outputs: i64| {
            let init = Init::Uniform { bound: 1.0 / (inputs as f64).sqrt() };
            Linear::declare(&mut scope.sub(name), inputs, outputs, init, false)
        };
        Self {
            down: linear("down", board, bottleneck),
            up: linear("up", bottleneck, board),
            position: scope.full("position", &shape, Init::Normal { std: 1.0 }),
        }
    }
}

#[derive(Debug)]
struct DynamicRelative {
    layers: Vec<Layer>,
    /// h, l, k.
    shape: [i64; 3],
}

impl Encoding for DynamicRelative {
    fn seams(&self) -> Seams {
        Seams::LOGITS
    }

    fn claims(&self) -> Claims {
        Claims::NONE
    }

    fn macs(&self) -> u64 {
        let [heads, tokens, head_width] = self.shape.map(|n| n as u64);
        let product = heads * tokens * tokens * head_width;
        self.layers.iter().map(|layer| layer.down.macs() + layer.up.macs() + product).sum()
    }

    fn logits(&self, at: At<'_>, queries: Queries<'_>) -> Logits {
        let layer = &self.layers[at.layer];
        let [heads, tokens, head_width] = self.shape;
        let u = layer.down.forward(at.views, &queries.x_bld.flatten(1, 2));
        let w_bhkl = layer.up.forward(at.views, &u).view([-1, heads, head_width, tokens]);
        let position_hlk = at.views[layer.position].to_kind(w_bhkl.kind());
        Logits { before_scale: Some(position_hlk.matmul(&w_bhkl)), ..Logits::default() }
    }
}
