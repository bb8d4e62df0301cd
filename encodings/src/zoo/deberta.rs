//! Disentangled attention: content to position and position to content, with one table of relative embeddings.
//!
//! e_ij = (q_i·k_j + q_i·K_δ(i,j) + k_j·Q_δ(j,i)) / √(3k), where δ(i,j) is the class of the displacement from j to i, and K and
//! Q are two projections of one table E `[classes, d]` that all layers share: K = E·W_Kᵀ and Q = E·W_Qᵀ, cut into heads.
//!
//! Source: DeBERTa (arXiv 2006.03654) eq. 4; code microsoft/DeBERTa, DeBERTa/deberta/disentangled_attention.py, commit 009cc44
//! (`c2p|p2c`). On the board δ is the class of a displacement in two dimensions, with which nothing is clipped to a
//! largest distance.
//!
//! The body divides by √k. So the two terms are divided by √3 here, and queries and keys are each multiplied with 3^(−1/4)
//! where other encodings rotate them: what else is added to the logits keeps its scale.
//!
//! First values as in the source's configurations: E, W_K and W_Q normal with standard deviation 0.02. It is *not* the
//! identity at the start. Deviations: W_Q has no bias (the formula has none, the code has), and dropout on E is left out.
//! Pairs with auxiliary tokens have three further classes, whose rows of E pass the same projections.
//!
//! Parameters: d·classes once, (2F−1)(2R−1) classes (and 3 more if there are auxiliary tokens), and 2·d² per layer.

use crate::prelude::*;
use nn::PairTables;

/// Content to content, content to position, position to content.
const TERMS: f64 = 3.0;
const START: Init = Init::Normal { std: 0.02 };

/// It has no options.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {}

impl Configure for Config {
    const INFO: EncodingInfo = EncodingInfo {
        name: "deberta",
        summary: "disentangled attention: queries and keys times two projections of one table of embeddings of displacements",
        source: "DeBERTa (arXiv 2006.03654), microsoft/DeBERTa",
        example: "deberta",
    };

    fn act(&self) -> Act {
        Act::Factor
    }

    fn declare(&self, scope: &mut Scope<'_>, dims: Dims, tokens: &Tokens) -> Result<Box<dyn Encoding>, EncodingError> {
        let classes = PairSharing::Displacement.classes(tokens);
        let width = dims.width as i64;
        let embeddings = scope.f32_param("embeddings", &[classes.count(), width], START);
        let layers = dims.per_layer(scope, |scope| {
            let mut square = |name: &str| Linear::declare(&mut scope.sub(name), width, width, START, false);
            Projections { to_keys: square("to_keys"), to_queries: square("to_queries") }
        });
        Ok(Box::new(Deberta {
            layers,
            embeddings,
            reversed: reversed(tokens, classes.count()),
            pairs: PairTables::new(classes),
            heads: dims.heads as i64,
            pair_macs: (tokens.len() * tokens.len() * dims.width) as u64,
        }))
    }

    fn examples() -> Vec<Self> {
        vec![Self {}]
    }
}

/// For every class of pairs the class of the reversed pair.
fn reversed(tokens: &Tokens, count: i64) -> Constant {
    let of_squares = tokens.geometry().displacement_classes() as i64;
    Constant::indices_from(&[count], move || {
        let of_aux = [of_squares + 1, of_squares, of_squares + 2];
        (0..of_squares).rev().chain(of_aux).take(count as usize).collect()
    })
}

#[derive(Debug)]
struct Projections {
    to_keys: Linear,
    to_queries: Linear,
}

#[derive(Debug)]
struct Deberta {
    layers: Vec<Projections>,
    /// E `[classes, d]`.
    embeddings: ParamId,
    reversed: Constant,
    pairs: PairTables,
    heads: i64,
    /// Multiplications of one term in one layer.
    pair_macs: u64,
}

impl Deberta {
    /// A projection of the embeddings by head, `[h, classes, k]`.
    fn table(&self, views: &Views, projection: &Linear) -> Tensor {
        let embeddings = &views[self.embeddings];
        let (classes, heads) = (embeddings.size()[0], self.heads);
        projection.forward(views, embeddings).view([classes, heads, -1]).transpose(0, 1)
    }
}

impl Encoding for Deberta {
    fn injection_points(&self) -> InjectionPoints {
        InjectionPoints::ROTATE | InjectionPoints::LOGITS
    }

    fn guarantees(&self) -> Guarantees {
        Guarantees::RELATIVE
    }

    /// The projections of the table are made once per batch, and are left out.
    fn macs(&self) -> u64 {
        self.layers.len() as u64 * 2 * self.pair_macs
    }

    fn rotate(&self, _at: LayerContext<'_>, q_bhlk: &Tensor, k_bhlk: &Tensor) -> Option<(Tensor, Tensor)> {
        let share = TERMS.powf(-0.25);
        Some((q_bhlk * share, k_bhlk * share))
    }

    fn logits(&self, at: LayerContext<'_>, queries: Queries<'_>) -> Logits {
        let layer = &self.layers[at.layer];
        let share = TERMS.sqrt().recip();
        let of_queries = self.table(at.views, &layer.to_keys) * share;
        let of_keys = self.table(at.views, &layer.to_queries) * share;
        let of_keys = of_keys.index_select(1, &self.reversed.on(at.views.device()));
        let terms = self.pairs.logits(queries.q_bhlk, queries.k_bhlk, Some(&of_queries), Some(&of_keys));
        Logits { before_scale: terms, ..Logits::default() }
    }
}
