//! Curves over displacements that a layer's heads share, mixed by each token: a Shaw encoding of low rank.
//!
//! e_ij/√k + Σ_r w_ihr·D_r(i−j), w_ih = W_h·x_i + b_h. D `[rank, classes]` holds the curves of a layer, x the input of its
//! queries and keys. Shaw's term q_i·a_ij also mixes curves over displacements, k of them for each head.
//!
//! Source: `RelativeProjPositionalBias` of lucidrains/x-transformers (commit 9252ed7; it names the Inkling model, which has no
//! paper), whose curves run over distances in one direction of a text; here over the classes of displacements. First values as
//! there: D normal with standard deviation 0.02, W uniform in ±1/√d; `rank` is 16 there and by default. It is *not* the
//! identity at the start.
//!
//! `terms: [k]`, which is posenc's, mixes by the key's token instead, w_jh = W_h·x_j + b_h, and `[q, k]` adds both, each with
//! parameters of its own, as `shaw` does.
//!
//! Deviation: b starts at zero (there uniform). Pairs with auxiliary tokens have three further classes, and auxiliary tokens
//! mix as squares do.
//!
//! Parameters per layer and term: (d+1)·h·rank + rank·classes, (2F−1)(2R−1) classes (and 3 more if there are auxiliary tokens).
//!
//! [`PairTables`] computes the products, as those of `shaw` with vectors of width rank.

use super::shaw::Term;
use crate::prelude::*;
use nn::PairTables;

const NAME: &str = "low_rank";

/// Settings of the curves: their number, and which token mixes them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// How many curves there are; 16 by default.
    pub rank: usize,
    /// Whose token mixes them: the query's (`q`, by default), the key's (`k`), or each its own curves.
    #[serde(deserialize_with = "sorted")]
    pub terms: Vec<Term>,
}

impl Default for Config {
    fn default() -> Self {
        Self { rank: 16, terms: vec![Term::Q] }
    }
}

impl Configure for Config {
    const INFO: EncodingInfo = EncodingInfo {
        name: NAME,
        summary: "curves over displacements that all heads share, mixed by each token; a Shaw encoding of low rank",
        source: "RelativeProjPositionalBias (lucidrains/x-transformers, commit 9252ed7), after Inkling",
        example: "low_rank: {rank: 16, terms: [q]}",
    };

    fn options(&self) -> Vec<String> {
        let defaults = Self::default();
        let rank = changed("rank", self.rank, defaults.rank);
        let terms = self.terms.iter().filter(|_| self.terms != defaults.terms).map(word);
        rank.into_iter().chain(terms).collect()
    }

    fn declare(&self, scope: &mut Scope<'_>, dims: Dims, tokens: &Tokens) -> Result<Box<dyn Encoding>, EncodingError> {
        EncodingError::check_size(NAME, "rank", self.rank)?;
        if !is_set(&self.terms) || self.terms.contains(&Term::V) {
            let found = format!("[{}]", self.terms.iter().map(word).collect::<Vec<_>>().join(", "));
            return Err(EncodingError::out_of_range(NAME, "terms", "q, k or both, each once", found));
        }
        let classes = PairSharing::Displacement.classes(tokens);
        let (width, heads, rank) = (dims.width as i64, dims.heads as i64, self.rank as i64);
        let layers = dims.per_layer(scope, |scope| {
            let mut mixture = |term: Term| {
                let mut scope = scope.sub(word(&term));
                let weights = Linear::declare(&mut scope.sub("weights"), width, heads * rank, Init::torch(width), true);
                let curves = scope.f32_param("curves", &[rank, classes.count()], Init::Normal { std: 0.02 });
                Mixture { weights, curves, heads, rank }
            };
            [Term::Q, Term::K].map(|term| self.terms.contains(&term).then(|| mixture(term)))
        });
        Ok(Box::new(LowRank { layers, pairs: PairTables::new(classes) }))
    }

    fn size_mut(&mut self) -> Option<(&'static str, &mut usize)> {
        Some(("rank", &mut self.rank))
    }

    fn examples() -> Vec<Self> {
        let of = |rank, terms| Self { rank, terms };
        vec![of(4, vec![Term::Q]), of(3, vec![Term::K]), of(5, vec![Term::Q, Term::K]), Self::default()]
    }
}

/// How the tokens of queries, or of keys, mix their curves.
#[derive(Debug)]
struct Mixture {
    weights: Linear,
    /// D `[rank, classes]`.
    curves: ParamId,
    heads: i64,
    rank: i64,
}

impl Mixture {
    /// w `[b,h,l,rank]` and the curves as a table `[h,classes,rank]`.
    fn forward(&self, views: &Views, x_bld: &Tensor) -> [Tensor; 2] {
        let (batch, length, _) = x_bld.size3().expect("activations are [b,l,d]");
        let weights = self.weights.forward(views, x_bld).view([batch, length, self.heads, self.rank]);
        let curves_1cr = views[self.curves].transpose(0, 1).unsqueeze(0);
        [weights.transpose(1, 2), curves_1cr.expand([self.heads, -1, -1], false)]
    }
}

#[derive(Debug)]
struct LowRank {
    /// For each layer the mixture of queries, then that of keys, where the terms have one.
    layers: Vec<[Option<Mixture>; 2]>,
    pairs: PairTables,
}

impl Encoding for LowRank {
    fn guarantees(&self) -> Guarantees {
        Guarantees::RELATIVE
    }

    fn displacement_tables(&self) -> Vec<ParamId> {
        self.layers.iter().flatten().flatten().map(|mixture| mixture.curves).collect()
    }

    fn macs(&self) -> u64 {
        let length = self.pairs.classes().tokens() as u64;
        let of = |one: &Mixture| length * (one.weights.macs() + length * (one.heads * one.rank) as u64);
        self.layers.iter().flatten().flatten().map(of).sum()
    }

    fn logits(&self, at: LayerContext<'_>, queries: Queries<'_>) -> Logits {
        let mixtures = self.layers[at.layer].each_ref();
        let [of_queries, of_keys] =
            mixtures.map(|mixture| mixture.as_ref().map(|mixture| mixture.forward(at.views, queries.x_bld)));
        // Vectors for which there is no table are not read.
        let vectors = [of_queries.as_ref().or(of_keys.as_ref()), of_keys.as_ref().or(of_queries.as_ref())];
        let [Some([for_queries, _]), Some([for_keys, _])] = vectors else { return Logits::default() };
        let [q_table, k_table] = [&of_queries, &of_keys].map(|term| term.as_ref().map(|[_, table]| table));
        let term = self.pairs.logits(for_queries, for_keys, q_table, k_table);
        Logits { after_scale: term.map(|term| term.to_kind(queries.q_bhlk.kind())), ..Logits::default() }
    }
}
