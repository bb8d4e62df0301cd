//! A sum of parabolas of the displacement, whose openings and slopes each query chooses.
//!
//! e_ij = (q_i·k_j + Σ_m −a_im·p_m(i−j)² + b_im·p_m(i−j)) / √k, where p_m(r, c) = u_m·r + v_m·c measures a displacement of r ranks
//! and c files along direction m, a_i = softplus(A·x_i) and b_i = B·x_i. Every head has M directions of its own.
//!
//! Source: PaPE (arXiv 2602.01418); code DTU-PAS/parabolic-position-encoding, pape/nn/positions/pape.py (commit 21cb390), which
//! appends the factors of these products to queries and keys before the division by √k. `parabolas` is M, 50 there and by
//! default. All start uniform in ±1/√inputs: u and v in ±1/√2, A and B in ±1/√d. It is *not* the identity at the start.
//!
//! p_m is linear, so the sum over m is a quadratic form of r and c whose five coefficients are made for each query and head:
//! −Σ a·u², −2·Σ a·u·v, −Σ a·v², Σ b·u and Σ b·v. [`PairTables`] multiplies them with r², r·c, c², r and c.
//!
//! Deviations: ranks come before files. Nothing is added for pairs with an auxiliary token: in the source the CLS token stands
//! at (0, 0), outside a grid that begins at (1, 1). PaPE-RI, its form without directions, is not here.
//!
//! Coefficients are f32 whatever the training precision. Parameters per layer: 2·h·M·(d+1).

use crate::prelude::*;
use nn::PairTables;

const NAME: &str = "pape";
/// r², r·c, c², r and c.
const MONOMIALS: i64 = 5;

/// Settings of the parabolas.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Directions per head (M); 50 by default.
    pub parabolas: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self { parabolas: 50 }
    }
}

impl Configure for Config {
    const INFO: EncodingInfo = EncodingInfo {
        name: NAME,
        summary: "a sum of parabolas of the displacement in learned directions, with openings and slopes made from the query's token",
        source: "PaPE (arXiv 2602.01418), DTU-PAS/parabolic-position-encoding",
        example: "pape: {parabolas: 50}",
    };

    fn options(&self) -> Vec<String> {
        changed("parabolas", self.parabolas, Self::default().parabolas).into_iter().collect()
    }

    fn declare(&self, scope: &mut Scope<'_>, dims: Dims, tokens: &Tokens) -> Result<Box<dyn Encoding>, EncodingError> {
        EncodingError::check_size(NAME, "parabolas", self.parabolas)?;
        let (width, heads, parabolas) = (dims.width as i64, dims.heads as i64, self.parabolas as i64);
        let layers = dims.per_layer(scope, |scope| Parabolas {
            directions: scope.f32_param("directions", &[2, heads, parabolas], Init::torch(2)),
            choice: Linear::declare(&mut scope.sub("choice"), width, 2 * heads * parabolas, Init::torch(width), false),
        });
        let classes = PairSharing::Displacement.classes(tokens);
        Ok(Box::new(Pape {
            monomials: monomials(tokens.geometry(), classes.count()),
            pairs: PairTables::new(classes),
            layers,
            heads,
            parabolas,
        }))
    }

    fn size_mut(&mut self) -> Option<(&'static str, &mut usize)> {
        Some(("parabolas", &mut self.parabolas))
    }

    fn examples() -> Vec<Self> {
        vec![Self { parabolas: 3 }, Self { parabolas: 7 }]
    }
}

/// r², r·c, c², r and c of every class, `[1, classes, 5]`; 0 for pairs with auxiliary tokens.
fn monomials(board: Geometry, classes: i64) -> Constant {
    Constant::floats_from(&[1, classes, MONOMIALS], move || {
        let of = |Displacement { ranks: r, files: c }| [r * r, r * c, c * c, r, c].map(|number| number as f32);
        let of_squares = Displacement::all(board).into_iter().flat_map(of);
        of_squares.chain(std::iter::repeat(0.0)).take((classes * MONOMIALS) as usize).collect()
    })
}

#[derive(Debug)]
struct Parabolas {
    /// u, then v, `[2, h, M]`.
    directions: ParamId,
    /// A above B, `[2·h·M, d]`.
    choice: Linear,
}

#[derive(Debug)]
struct Pape {
    layers: Vec<Parabolas>,
    monomials: Constant,
    pairs: PairTables,
    heads: i64,
    parabolas: i64,
}

impl Pape {
    /// The five coefficients of every query, `[b,h,l,5]`.
    fn coefficients(&self, at: LayerContext<'_>, x_bld: &Tensor) -> Tensor {
        let layer = &self.layers[at.layer];
        let (batch, length, _) = x_bld.size3().expect("activations are [b,l,d]");
        let choice = layer.choice.forward(at.views, x_bld).to_kind(Kind::Float);
        let choice_bhl2m = choice.view([batch, length, 2, self.heads, -1]).permute([0, 3, 1, 2, 4]);
        let (a_bhlm, b_bhlm) = (choice_bhl2m.select(3, 0).softplus(), choice_bhl2m.select(3, 1));
        let directions = &at.views[layer.directions];
        let (u_hm, v_hm) = (directions.select(0, 0), directions.select(0, 1));
        let squares_hm3 = Tensor::stack(&[u_hm.square(), &u_hm * &v_hm * 2.0, v_hm.square()], -1);
        let slopes_hm2 = Tensor::stack(&[u_hm, v_hm], -1);
        Tensor::cat(&[a_bhlm.matmul(&squares_hm3).neg(), b_bhlm.matmul(&slopes_hm2)], 3)
    }
}

impl Encoding for Pape {
    fn guarantees(&self) -> Guarantees {
        Guarantees { auxiliary: Auxiliary::Untouched, ..Guarantees::RELATIVE }
    }

    fn macs(&self) -> u64 {
        let (length, coefficients) = (self.pairs.classes().tokens() as u64, (self.heads * MONOMIALS) as u64);
        let products = coefficients * (self.parabolas as u64 + length);
        self.layers.iter().map(|layer| length * (layer.choice.macs() + products)).sum()
    }

    fn logits(&self, at: LayerContext<'_>, queries: Queries<'_>) -> Logits {
        let coefficients = self.coefficients(at, queries.x_bld);
        let table_hc5 = self.monomials.on(at.views.device()).expand([self.heads, -1, -1], false);
        let term = self.pairs.logits(&coefficients, &coefficients, Some(&table_hc5), None);
        Logits { before_scale: term.map(|term| term.to_kind(queries.q_bhlk.kind())), ..Logits::default() }
    }
}
