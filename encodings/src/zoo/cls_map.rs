//! One map of logits, computed from the summary token and shared by all heads and layers.
//!
//! A single linear map width → t² (with bias), whose weights every layer shares, reads the CLS token of the layer's
//! input and gives a `[t,t]` map that is added to the scaled logits of every head. Source: Sid3024/Chess-AI, whose
//! README calls it smolgen. Without a CLS token it reads the mean of the squares.
//!
//! `tokens: squares` maps pairs of squares only, as that project's text says; `tokens: all` every pair, as its code does.
//!
//! Parameters: d·t² + t², once. The weight starts uniform in ±1/√d as PyTorch's default does; deviation: the bias starts
//! at zero.

use crate::prelude::*;
use crate::tokens::SquaresMean;

/// Which tokens the map covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MapTokens {
    /// Pairs of squares; others get nothing added.
    #[default]
    Squares,
    /// Every pair of tokens.
    All,
}

/// Settings of the generated map: the tokens that it covers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Which tokens the map covers; squares by default.
    #[serde(default)]
    pub tokens: MapTokens,
}

impl Configure for Config {
    const INFO: EncodingInfo = EncodingInfo {
        name: "cls_map",
        summary: "one map of logits from the summary token (or mean of squares), for all heads and layers",
        source: "Sid3024/Chess-AI (there called smolgen)",
        example: "cls_map: {tokens: squares}",
    };

    fn options(&self) -> Vec<String> {
        (self.tokens == MapTokens::All).then(|| "all".to_owned()).into_iter().collect()
    }

    fn declare(&self, scope: &mut Scope<'_>, dims: Dims, tokens: &Tokens) -> Result<Box<dyn Encoding>, EncodingError> {
        let covered: Vec<_> = match self.tokens {
            MapTokens::Squares => tokens.squares().map(|(token, _)| token).collect(),
            MapTokens::All => (0..tokens.len()).collect(),
        };
        let (width, pairs) = (dims.width as i64, (covered.len() * covered.len()) as i64);
        let init = Init::Uniform { bound: 1.0 / (dims.width as f64).sqrt() };
        let in_place = (0..tokens.len()).eq(covered.iter().copied());
        Ok(Box::new(ClsMap {
            map: Linear::declare(&mut scope.sub("map"), width, pairs, init, true),
            cls: tokens.cls().map(|token| token as i64),
            mean: SquaresMean::new(tokens),
            spread: (!in_place).then(|| spread(tokens.len(), &covered)),
            tokens: tokens.len() as i64,
            auxiliary: match self.tokens {
                MapTokens::Squares => Auxiliary::Untouched,
                MapTokens::All => Auxiliary::OwnParameters,
            },
            layers: dims.layers as u64,
        }))
    }

    fn examples() -> Vec<Self> {
        vec![Self { tokens: MapTokens::Squares }, Self { tokens: MapTokens::All }]
    }
}

/// For every pair of tokens its place in the map, or the place after the map's end where it has none.
fn spread(tokens: usize, covered: &[usize]) -> Constant {
    let place = |token: usize| covered.iter().position(|&t| t == token);
    let entry = |pair: usize| match (place(pair / tokens), place(pair % tokens)) {
        (Some(query), Some(key)) => query * covered.len() + key,
        _ => covered.len() * covered.len(),
    };
    let entries: Vec<_> = (0..tokens * tokens).map(|pair| entry(pair) as i64).collect();
    Constant::indices(&entries, &[entries.len() as i64])
}

#[derive(Debug)]
struct ClsMap {
    map: Linear,
    /// The summary token, if there is one.
    cls: Option<i64>,
    mean: SquaresMean,
    /// Absent where the map covers every token.
    spread: Option<Constant>,
    tokens: i64,
    auxiliary: Auxiliary,
    layers: u64,
}

impl Encoding for ClsMap {
    fn guarantees(&self) -> Guarantees {
        Guarantees { auxiliary: self.auxiliary, ..Guarantees::NONE }
    }

    fn macs(&self) -> u64 {
        self.layers * self.map.macs()
    }

    fn logits(&self, at: LayerContext<'_>, queries: Queries<'_>) -> Logits {
        let summary_bd = self.cls.map_or_else(|| self.mean.of(queries.x_bld), |cls| queries.x_bld.select(1, cls));
        let map = self.map.forward(at.views, &summary_bd);
        let map = match &self.spread {
            None => map,
            Some(spread) => map.constant_pad_nd([0, 1]).index_select(1, &spread.on(map.device())),
        };
        Logits { after_scale: Some(map.view([-1, 1, self.tokens, self.tokens])), ..Logits::default() }
    }
}
