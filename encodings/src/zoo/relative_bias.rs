//! One learned parameter per head and class of token pairs, added to the scaled logits: e_ij/√k + d_ij.
//!
//! Source: Chessformer (arXiv 2409.12272) eq. 5, with the class of the pair's displacement (as Swin, arXiv
//! 2103.14030, and T5 in one dimension); `share: pair` is Lc0's "logit gating" (Ergodice/lczero-training
//! `use_logit_gating`), and is called relative bias in that code: the paper describes displacements, its code has one
//! parameter per pair. Tables are per layer and start at zero.
//!
//! Parameters per layer: h·classes, (2F−1)(2R−1) classes (and 3 more if there are auxiliary tokens), or h·l².

use crate::prelude::*;
use nn::PairClasses;

/// Settings of the table: which pairs share a parameter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Which pairs share a parameter.
    pub share: PairSharing,
}

impl Configure for Config {
    const INFO: EncodingInfo = EncodingInfo {
        name: "relative_bias",
        summary: "one learned parameter per head and displacement (or per pair of squares), added to the logits",
        source: "Chessformer eq. 5 (arXiv 2409.12272); share: pair is Lc0's logit gating",
        example: "relative_bias: {share: displacement}",
    };

    fn options(&self) -> Vec<String> {
        vec![word(&self.share)]
    }

    fn declare(&self, scope: &mut Scope<'_>, dims: Dims, tokens: &Tokens) -> Result<Box<dyn Encoding>, EncodingError> {
        let classes = self.share.classes(tokens);
        let shape = [dims.heads as i64, classes.count()];
        let tables = dims.per_layer(scope, |scope| scope.f32_param("bias", &shape, Init::ZEROS));
        Ok(Box::new(RelativeBias { share: self.share, classes, tables }))
    }

    fn examples() -> Vec<Self> {
        vec![Self { share: PairSharing::Displacement }, Self { share: PairSharing::Pair }]
    }
}

#[derive(Debug)]
struct RelativeBias {
    share: PairSharing,
    classes: PairClasses,
    /// `[h, classes]` of each layer.
    tables: Vec<ParamId>,
}

impl Encoding for RelativeBias {
    fn guarantees(&self) -> Guarantees {
        Guarantees {
            identity_at_start: true,
            translation_invariant: self.share == PairSharing::Displacement,
            pairwise: true,
            toroidal: self.share == PairSharing::Displacement,
            static_logits: true,
            auxiliary: Auxiliary::OwnParameters,
            ..Guarantees::NONE
        }
    }

    fn displacement_tables(&self) -> Vec<ParamId> {
        if self.share == PairSharing::Displacement { self.tables.clone() } else { Vec::new() }
    }

    fn logits(&self, at: LayerContext<'_>, queries: Queries<'_>) -> Logits {
        let bias_hll = self.classes.expand(&at.views[self.tables[at.layer]]).to_kind(queries.q_bhlk.kind());
        Logits { after_scale: Some(bias_hll), ..Logits::default() }
    }
}
