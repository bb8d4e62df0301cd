//! Learned vectors per displacement, as terms of queries, keys and values.
//!
//! e_ij = (q_i·k_j + q_i·a^K_ij + k_j·a^Q_ij) / √k and z_i = Σ_j α_ij (v_j + a^V_ij): Chessformer (arXiv 2409.12272)
//! eq. 6 and 7 after Shaw et al. 2018 (arXiv 1803.02155); code Ergodice/lczero-training `RPELogits`, `RPEValue`.
//!
//! `terms` names the tables by what they are multiplied with, as in that code: `q` is a^K, multiplied with the query; `k` is
//! a^Q, multiplied with the key; `v` is a^V. Eq. 6 also has a^Q_ij·a^K_ij, which the code leaves out: `cross: true` adds
//! it. Tables `[h, classes, k]` are per layer and head and start at zero. With `share: pair` every pair of tokens has its
//! own vector.
//!
//! Parameters per layer and term: d·classes, (2F−1)(2R−1) classes (and 3 more if there are auxiliary tokens), or d·l².
//!
//! No tensor `[b,h,l,l,k]` is made: [`PairTables`] computes the products.

use crate::prelude::*;
use nn::{PairTables, pair_tables};

const NAME: &str = "shaw";

/// What a table is multiplied with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Term {
    /// Queries: the a^K of the paper.
    Q,
    /// Keys: the a^Q of the paper.
    K,
    /// Attention weights: a^V.
    V,
}

impl Term {
    const ALL: [Self; 3] = [Self::Q, Self::K, Self::V];
}

/// Settings of the tables of relative vectors.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Which tables there are; all three by default.
    #[serde(deserialize_with = "sorted")]
    pub terms: Vec<Term>,
    /// Whether the product of the two logit tables is added; false by default.
    pub cross: bool,
    /// Which pairs share a vector; displacements by default.
    pub share: PairSharing,
}

impl Default for Config {
    fn default() -> Self {
        Self { terms: Term::ALL.to_vec(), cross: false, share: PairSharing::Displacement }
    }
}

impl Config {
    fn has(&self, term: Term) -> bool {
        self.terms.contains(&term)
    }

    fn check(&self) -> Result<(), EncodingError> {
        if !is_set(&self.terms) {
            let found = format!("[{}]", self.terms.iter().map(word).collect::<Vec<_>>().join(", "));
            let wanted = "one, two or three of q, k, v, each once";
            return Err(EncodingError::out_of_range(NAME, "terms", wanted, found));
        }
        if self.cross && !(self.has(Term::Q) && self.has(Term::K)) {
            let (setting, remedy) = ("only one of the terms q and k", "name both terms or leave cross out");
            return Err(EncodingError::no_effect(NAME, "cross: true", setting, remedy));
        }
        Ok(())
    }
}

impl Configure for Config {
    const INFO: EncodingInfo = EncodingInfo {
        name: NAME,
        summary: "learned vectors per displacement, multiplied with queries, keys and attention weights",
        source: "Chessformer eq. 6-7 (arXiv 2409.12272), Shaw et al. 2018; Ergodice/lczero-training",
        example: "shaw: {terms: [q, k, v], cross: false, share: displacement}",
    };

    fn options(&self) -> Vec<String> {
        let mut options: Vec<_> = self.terms.iter().map(word).collect();
        options.extend(self.cross.then(|| "cross".to_owned()));
        options.extend((self.share == PairSharing::Pair).then(|| word(&self.share)));
        options
    }

    fn declare(&self, scope: &mut Scope<'_>, dims: Dims, tokens: &Tokens) -> Result<Box<dyn Encoding>, EncodingError> {
        self.check()?;
        Ok(Box::new(Shaw::declare(self, scope, dims, tokens)))
    }

    fn examples() -> Vec<Self> {
        let mut all: Vec<_> = [vec![Term::Q], vec![Term::K], vec![Term::V], vec![Term::Q, Term::K], Term::ALL.to_vec()]
            .into_iter()
            .map(|terms| Self { terms, ..Self::default() })
            .collect();
        all.push(Self { cross: true, ..Self::default() });
        all.push(Self { share: PairSharing::Pair, ..Self::default() });
        all.push(Self { terms: vec![Term::Q, Term::K], cross: true, share: PairSharing::Pair });
        all
    }
}

/// The tables of one layer, `[h, classes, k]` each.
#[derive(Debug)]
struct Tables {
    q: Option<ParamId>,
    k: Option<ParamId>,
    v: Option<ParamId>,
}

#[derive(Debug)]
struct Shaw {
    config: Config,
    pairs: PairTables,
    tables: Vec<Tables>,
    /// Multiplications of one term in one layer.
    pair_macs: u64,
}

impl Encoding for Shaw {
    fn injection_points(&self) -> InjectionPoints {
        let logits = if self.config.has(Term::Q) || self.config.has(Term::K) {
            InjectionPoints::LOGITS
        } else {
            InjectionPoints::NONE
        };
        logits | if self.config.has(Term::V) { InjectionPoints::VALUES } else { InjectionPoints::NONE }
    }

    fn guarantees(&self) -> Guarantees {
        Guarantees {
            identity_at_start: true,
            translation_invariant: self.config.share == PairSharing::Displacement,
            pairwise: true,
            toroidal: self.config.share == PairSharing::Displacement,
            auxiliary: Auxiliary::OwnParameters,
            ..Guarantees::NONE
        }
    }

    fn displacement_tables(&self) -> Vec<ParamId> {
        let by_displacement = self.tables.iter().filter(|_| self.config.share == PairSharing::Displacement);
        by_displacement.flat_map(|tables| [tables.q, tables.k, tables.v]).flatten().collect()
    }

    fn macs(&self) -> u64 {
        (self.tables.len() * self.config.terms.len()) as u64 * self.pair_macs
    }

    fn logits(&self, at: LayerContext<'_>, queries: Queries<'_>) -> Logits {
        let tables = &self.tables[at.layer];
        let Queries { q_bhlk, k_bhlk, .. } = queries;
        let [of_queries, of_keys] = [tables.q, tables.k].map(|table| table.map(|table| &at.views[table]));
        let terms = self.pairs.logits(q_bhlk, k_bhlk, of_queries, of_keys);
        let cross = match (of_queries, of_keys) {
            (Some(q), Some(k)) if self.config.cross => Some(self.cross(q, k).to_kind(q_bhlk.kind())),
            _ => None,
        };
        Logits { before_scale: terms.into_iter().chain(cross).reduce(pair_tables::add), ..Logits::default() }
    }

    fn values(&self, at: LayerContext<'_>, weights_bhll: Option<&Tensor>, _v_bhlk: &Tensor) -> Option<Tensor> {
        let table = &at.views[self.tables[at.layer].v?];
        let weights_bhll = weights_bhll.expect("this encoding reads the weights");
        Some(self.pairs.values(weights_bhll, table))
    }
}

impl Shaw {
    fn declare(config: &Config, scope: &mut Scope<'_>, dims: Dims, tokens: &Tokens) -> Self {
        let classes = config.share.classes(tokens);
        let shape = [dims.heads as i64, classes.count(), dims.head_width() as i64];
        let tables = dims.per_layer(scope, |scope| {
            let mut table = |term| config.has(term).then(|| scope.f32_param(&word(&term), &shape, Init::ZEROS));
            Tables { q: table(Term::Q), k: table(Term::K), v: table(Term::V) }
        });
        let pair_macs = (tokens.len() * tokens.len() * dims.width) as u64;
        Self { config: config.clone(), pairs: PairTables::new(classes), tables, pair_macs }
    }

    /// a^Q_ij·a^K_ij, `[h,l,l]`: content-free, so by class where classes are shared.
    fn cross(&self, q_hck: &Tensor, k_hck: &Tensor) -> Tensor {
        let classes = self.pairs.classes();
        let dot = |a: &Tensor, b: &Tensor| (a * b).sum_dim_intlist([-1i64].as_slice(), false, Kind::Float);
        match self.config.share {
            PairSharing::Displacement => classes.expand(&dot(q_hck, k_hck)),
            PairSharing::Pair => dot(&classes.expand(q_hck), &classes.expand_by_key(k_hck).transpose(1, 2)),
        }
    }
}
