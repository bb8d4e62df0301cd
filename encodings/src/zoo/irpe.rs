//! Learned vectors or scalars per bucket of displacements: fine buckets near the query, coarse ones far from it.
//!
//! A displacement of (r, c) ranks and files from key to query falls into buckets by the piecewise function
//! g(x) = round(x) for |x| ≤ α, else sign(x)·min(β, round(α + ln(|x|/α)/ln(γ/α)·(β−α))), cut to whole numbers, which has
//! 2⌊β⌋+1 values. `method: product` has a bucket for every pair (g(r), g(c)); `method: cross` has one for g(r) and one for
//! g(c), whose entries are added. `terms` names the tables by what they are multiplied with, as in `shaw`:
//!
//! | term | adds | in the source |
//! |---|---|---|
//! | `q` | q_i·a_ij to q_i·k_j, before the division by √k | contextual, on keys |
//! | `k` | k_j·a_ij, likewise | contextual, on queries |
//! | `v` | Σ_j w_ij·a_ij to the output | contextual, on values |
//! | `bias` | a number to the logit, after the division | bias |
//!
//! Source: iRPE (arXiv 2107.14222), eq. 18 and section 3; code microsoft/Cream, iRPE/DeiT-with-iRPE/irpe.py, commit 12aed81.
//! Its defaults are ours: product, contextual on keys, a table for all heads (`heads: shared`), α, β, γ = 1.9, 3.8, 15.2 (1, 2
//! and 8 times 1.9), so that a board has the buckets 0, ±1, ±2 to 3 and ±4 and more on each axis. Tables are per layer and
//! start at zero. With a bucket for every displacement and `heads: own` the terms q, k and v are those of `shaw`.
//!
//! Deviations: in the source `k` reads the bucket of the displacement from query to key, which permutes the table's rows, and
//! one bucket serves all pairs with an auxiliary token; here square → auxiliary, auxiliary → square and
//! auxiliary → auxiliary have one each, as in every relative encoding of posenc. The methods Euclidean and quantization are missing.
//!
//! Parameters per layer and term: n·k for all heads, n·d with `heads: own`, for `bias` n and n·h; n is (2⌊β⌋+1)² for product,
//! 2·(2⌊β⌋+1) for cross, and 3 more for each table if there are auxiliary tokens (two tables for cross).

use crate::prelude::*;
use nn::PairTables;

const NAME: &str = "irpe";
/// The largest β: (2β+1)² buckets are far more than any board has displacements.
const LARGEST_BETA: f64 = 1000.0;

/// How the two axes of a displacement make a bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// One bucket for both.
    #[default]
    Product,
    /// One for each, whose entries are added.
    Cross,
}

/// What a table is multiplied with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Term {
    /// Nothing: it has numbers, which are added to the logits.
    Bias,
    /// Queries.
    Q,
    /// Keys.
    K,
    /// Attention weights.
    V,
}

/// Whether heads share tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Heads {
    /// All heads of a layer read one table.
    #[default]
    Shared,
    /// Each has its own.
    Own,
}

/// Settings of the buckets and of the tables over them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// How the two axes make a bucket; product by default.
    pub method: Method,
    /// Which tables there are; that of queries by default.
    #[serde(deserialize_with = "sorted")]
    pub terms: Vec<Term>,
    /// Whether heads share tables; shared by default.
    pub heads: Heads,
    /// Up to this distance every step has a bucket; 1.9 by default.
    pub alpha: f64,
    /// The last bucket, cut to a whole number; 3.8 by default.
    pub beta: f64,
    /// The distance that would fall into bucket β; 15.2 by default.
    pub gamma: f64,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            method: Method::default(),
            terms: vec![Term::Q],
            heads: Heads::default(),
            alpha: 1.9,
            beta: 3.8,
            gamma: 15.2,
        }
    }
}

impl Config {
    fn has(&self, term: Term) -> bool {
        self.terms.contains(&term)
    }

    /// How far buckets reach on either side of 0.
    fn reach(&self) -> i64 {
        self.beta as i64
    }

    /// Buckets of an axis.
    fn side(&self) -> i64 {
        2 * self.reach() + 1
    }

    /// g(x), from 0 upwards.
    fn bucket(&self, steps: i64) -> i64 {
        let distance = steps.abs() as f64;
        let from_middle = if distance <= self.alpha {
            steps
        } else {
            let share = (distance / self.alpha).ln() / (self.gamma / self.alpha).ln();
            let place = (self.alpha + share * (self.beta - self.alpha)).round_ties_even();
            steps.signum() * place.min(self.beta) as i64
        };
        from_middle + self.reach()
    }

    fn check(&self) -> Result<(), EncodingError> {
        let refuse = |option, wanted, found: String| Err(EncodingError::out_of_range(NAME, option, wanted, found));
        if !is_set(&self.terms) {
            let found = self.terms.iter().map(word).collect::<Vec<_>>().join(", ");
            return refuse("terms", "some of bias, q, k, v, each once", format!("[{found}]"));
        }
        if !(self.alpha.is_finite() && self.alpha > 0.0) {
            return refuse("alpha", "above 0", self.alpha.to_string());
        }
        if !(self.alpha..=LARGEST_BETA).contains(&self.beta) {
            return refuse("beta", "at least alpha and at most 1000", self.beta.to_string());
        }
        if !(self.gamma.is_finite() && self.gamma > self.alpha) {
            return refuse("gamma", "above alpha", self.gamma.to_string());
        }
        Ok(())
    }
}

impl Configure for Config {
    const INFO: EncodingInfo = EncodingInfo {
        name: NAME,
        summary: "learned vectors or numbers per bucket of displacements, far ones together",
        source: "iRPE (arXiv 2107.14222), microsoft/Cream",
        example: "irpe: {method: product, terms: [q], heads: shared, alpha: 1.9, beta: 3.8, gamma: 15.2}",
    };

    fn options(&self) -> Vec<String> {
        let defaults = Self::default();
        let mut options: Vec<_> = self.terms.iter().map(word).collect();
        options.extend((self.method == Method::Cross).then(|| "cross".to_owned()));
        options.extend((self.heads == Heads::Own).then(|| "heads=own".to_owned()));
        options.extend(changed("alpha", self.alpha, defaults.alpha));
        options.extend(changed("beta", self.beta, defaults.beta));
        options.extend(changed("gamma", self.gamma, defaults.gamma));
        options
    }

    fn declare(&self, scope: &mut Scope<'_>, dims: Dims, tokens: &Tokens) -> Result<Box<dyn Encoding>, EncodingError> {
        self.check()?;
        let heads = if self.heads == Heads::Shared { 1 } else { dims.heads as i64 };
        let buckets = Buckets::new(self, tokens);
        let layers = dims.per_layer(scope, |scope| {
            let mut table = |term: Term| {
                let width = if term == Term::Bias { 1 } else { dims.head_width() as i64 };
                self.has(term).then(|| buckets.declare(&mut scope.sub(word(&term)), heads, width))
            };
            Tables { bias: table(Term::Bias), q: table(Term::Q), k: table(Term::K), v: table(Term::V) }
        });
        Ok(Box::new(Irpe {
            layers,
            config: self.clone(),
            pairs: PairTables::new(PairSharing::Displacement.classes(tokens)),
            buckets,
            heads: dims.heads as i64,
            pair_macs: (tokens.len() * tokens.len() * dims.width) as u64,
        }))
    }

    fn examples() -> Vec<Self> {
        let all_vectors = vec![Term::Q, Term::K, Term::V];
        vec![
            Self::default(),
            Self { terms: all_vectors.clone(), ..Self::default() },
            Self { terms: all_vectors.clone(), heads: Heads::Own, ..Self::default() },
            Self { terms: vec![Term::Bias], ..Self::default() },
            Self { terms: vec![Term::Bias], heads: Heads::Own, method: Method::Cross, ..Self::default() },
            Self { terms: all_vectors, method: Method::Cross, ..Self::default() },
            Self { terms: vec![Term::Q], alpha: 1.0, beta: 2.0, gamma: 6.0, ..Self::default() },
        ]
    }
}

/// The entries of one term in one layer, `[1 or h, buckets, width]`: one table, or one for ranks and one for files.
type Parts = Vec<ParamId>;

#[derive(Debug)]
struct Tables {
    bias: Option<Parts>,
    q: Option<Parts>,
    k: Option<Parts>,
    v: Option<Parts>,
}

/// Which bucket each displacement falls into.
#[derive(Debug)]
struct Buckets {
    /// For each part of a table: its name, if it has one, and the bucket of every class of pairs.
    parts: Vec<(Option<&'static str>, Constant)>,
    /// Buckets of a part.
    count: i64,
}

impl Buckets {
    fn new(config: &Config, tokens: &Tokens) -> Self {
        let geometry = tokens.geometry();
        let of_squares = match config.method {
            Method::Product => config.side() * config.side(),
            Method::Cross => config.side(),
        };
        let of_aux = if tokens.has_aux() { 3 } else { 0 };
        let part = |bucket: fn(&Config, Displacement) -> i64| {
            let own = config.clone();
            let classes = geometry.displacement_classes() as i64 + of_aux;
            Constant::indices_from(&[classes], move || {
                let buckets = Displacement::all(geometry).into_iter().map(|by| bucket(&own, by));
                buckets.chain(of_squares..of_squares + of_aux).collect()
            })
        };
        let parts = match config.method {
            Method::Product => {
                vec![(None, part(|config, by| config.bucket(by.ranks) * config.side() + config.bucket(by.files)))]
            }
            Method::Cross => vec![
                (Some("ranks"), part(|config, by| config.bucket(by.ranks))),
                (Some("files"), part(|config, by| config.bucket(by.files))),
            ],
        };
        Self { parts, count: of_squares + of_aux }
    }

    fn declare(&self, scope: &mut Scope<'_>, heads: i64, width: i64) -> Parts {
        let shape = [heads, self.count, width];
        let names = self.parts.iter().map(|(name, _)| name.unwrap_or("table"));
        names.map(|name| scope.f32_param(name, &shape, Init::ZEROS)).collect()
    }

    /// A table with an entry for every class of pairs, `[heads, classes, width]`.
    fn by_class(&self, views: &Views, parts: &Parts, heads: i64) -> Tensor {
        let of_part = |(part, (_, buckets)): (&ParamId, &(_, Constant))| {
            views[*part].index_select(1, &buckets.on(views.device()))
        };
        let entries = parts.iter().zip(&self.parts).map(of_part).reduce(|sum, part| sum + part);
        entries.expect("a table has a part").expand([heads, -1, -1], false)
    }
}

#[derive(Debug)]
struct Irpe {
    config: Config,
    pairs: PairTables,
    buckets: Buckets,
    layers: Vec<Tables>,
    heads: i64,
    /// Multiplications of one term in one layer.
    pair_macs: u64,
}

impl Encoding for Irpe {
    fn injection_points(&self) -> InjectionPoints {
        let on_logits = self.config.terms.iter().any(|term| *term != Term::V);
        let logits = if on_logits { InjectionPoints::LOGITS } else { InjectionPoints::NONE };
        logits | if self.config.has(Term::V) { InjectionPoints::VALUES } else { InjectionPoints::NONE }
    }

    fn guarantees(&self) -> Guarantees {
        Guarantees {
            identity_at_start: true,
            static_logits: self.config.terms == [Term::Bias],
            auxiliary: Auxiliary::OwnParameters,
            ..Guarantees::RELATIVE
        }
    }

    fn macs(&self) -> u64 {
        let products = self.config.terms.iter().filter(|term| **term != Term::Bias).count();
        (self.layers.len() * products) as u64 * self.pair_macs
    }

    fn logits(&self, at: LayerContext<'_>, queries: Queries<'_>) -> Logits {
        let tables = &self.layers[at.layer];
        let by_class = |parts: &Parts, heads: i64| self.buckets.by_class(at.views, parts, heads);
        let [q, k] = [&tables.q, &tables.k].map(|parts| parts.as_ref().map(|parts| by_class(parts, self.heads)));
        let bias = tables.bias.as_ref().map(|parts| {
            // The table has as many heads as its parameters.
            let bias_hc = by_class(parts, -1).squeeze_dim(-1);
            self.pairs.classes().expand(&bias_hc).to_kind(queries.q_bhlk.kind())
        });
        let products = self.pairs.logits(queries.q_bhlk, queries.k_bhlk, q.as_ref(), k.as_ref());
        Logits { before_scale: products, after_scale: bias }
    }

    fn values(&self, at: LayerContext<'_>, weights_bhll: Option<&Tensor>, _v_bhlk: &Tensor) -> Option<Tensor> {
        let parts = self.layers[at.layer].v.as_ref()?;
        let weights_bhll = weights_bhll.expect("this encoding reads the weights");
        Some(self.pairs.values(weights_bhll, &self.buckets.by_class(at.views, parts, self.heads)))
    }
}
