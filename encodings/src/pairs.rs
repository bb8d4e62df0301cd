//! Pairs of tokens and the classes in which relative encodings share their parameters.

use crate::Tokens;
use nn::Constant;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;
use tch::Tensor;

/// Which pairs of tokens share a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Share {
    /// Pairs of squares with the same displacement in files and ranks.
    Displacement,
    /// None: every pair has its own.
    Pair,
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Displacement => "displacement",
            Self::Pair => "pair",
        })
    }
}

/// The class of every ordered pair of tokens.
///
/// Tables of a relative encoding have the shape `[h, classes, …]`; [`Self::expand`] makes `[h, l, l, …]` of them.
#[derive(Debug)]
pub struct PairClasses {
    rule: Arc<Rule>,
    /// Absent where every pair has its own class: a table is its own expansion.
    maps: Option<Maps>,
}

/// The class of each pair, flattened: by (query, key) and by (key, query).
#[derive(Debug)]
struct Maps {
    by_query: Constant,
    by_key: Constant,
}

impl PairClasses {
    /// The classes of a sequence. Under [`Share::Displacement`] these are
    /// [`games::Geometry::displacement_class`] for two squares (on the torus, if squares outside the board
    /// [hide its edge](Tokens::hide_edge)) and, only if some token has no square, one class
    /// each for square → auxiliary, auxiliary → square and auxiliary → auxiliary.
    pub fn new(tokens: &Tokens, share: Share) -> Self {
        let rule = Arc::new(Rule { tokens: tokens.clone(), share });
        let map = |list: fn(&Rule) -> Vec<usize>| {
            let (rule, pairs) = (Arc::clone(&rule), (tokens.len() * tokens.len()) as i64);
            Constant::indices_from(&[pairs], move || list(&rule).into_iter().map(|class| class as i64).collect())
        };
        let maps =
            (share == Share::Displacement).then(|| Maps { by_query: map(Rule::by_query), by_key: map(Rule::by_key) });
        Self { rule, maps }
    }

    /// The length of the sequence.
    pub fn tokens(&self) -> usize {
        self.rule.tokens.len()
    }

    /// `[l, l]`, the class of query i and key j, as in [`Self::expand`].
    pub fn by_query(&self) -> Vec<usize> {
        self.rule.by_query()
    }

    /// `[l, l]`, the class of key j and query i, as in [`Self::expand_by_key`].
    pub fn by_key(&self) -> Vec<usize> {
        self.rule.by_key()
    }

    /// How many classes there are.
    pub fn count(&self) -> i64 {
        self.rule.count() as i64
    }

    /// `[h, classes, …]` → `[h, l, l, …]`: entry (i, j) is that of the class of query i and key j.
    pub fn expand(&self, table: &Tensor) -> Tensor {
        self.pick(self.maps.as_ref().map(|maps| &maps.by_query), table)
    }

    /// Like [`Self::expand`], by key: entry (j, i) is that of the class of query i and key j. Where every pair has its
    /// own parameter, the table itself is stored in this order.
    pub fn expand_by_key(&self, table: &Tensor) -> Tensor {
        self.pick(self.maps.as_ref().map(|maps| &maps.by_key), table)
    }

    fn pick(&self, classes: Option<&Constant>, table: &Tensor) -> Tensor {
        let (size, tokens) = (table.size(), self.tokens() as i64);
        let shape: Vec<i64> = [size[0], tokens, tokens].into_iter().chain(size[2..].iter().copied()).collect();
        match classes {
            None => table.view(&shape[..]),
            Some(classes) => table.index_select(1, &classes.on(table.device())).view(&shape[..]),
        }
    }
}

/// Which class a pair has.
#[derive(Debug)]
struct Rule {
    tokens: Tokens,
    share: Share,
}

impl Rule {
    fn count(&self) -> usize {
        let (geometry, len) = (self.tokens.geometry(), self.tokens.len());
        match self.share {
            Share::Pair => len * len,
            Share::Displacement => geometry.displacement_classes() + if self.tokens.has_aux() { 3 } else { 0 },
        }
    }

    fn by_query(&self) -> Vec<usize> {
        match self.share {
            Share::Pair => (0..self.count()).collect(),
            Share::Displacement => self.of_pairs(|query, key| self.displacement_class(query, key)),
        }
    }

    fn by_key(&self) -> Vec<usize> {
        match self.share {
            Share::Pair => (0..self.count()).collect(),
            Share::Displacement => self.of_pairs(|key, query| self.displacement_class(query, key)),
        }
    }

    fn of_pairs(&self, class: impl Fn(usize, usize) -> usize) -> Vec<usize> {
        let len = self.tokens.len();
        (0..len * len).map(|pair| class(pair / len, pair % len)).collect()
    }

    fn displacement_class(&self, query: usize, key: usize) -> usize {
        let geometry = self.tokens.geometry();
        let on_board = geometry.displacement_classes();
        match (self.tokens.place(query), self.tokens.place(key)) {
            (Some(q), Some(k)) => geometry.class_on_torus(q, k),
            (Some(_), None) => on_board,
            (None, Some(_)) => on_board + 1,
            (None, None) => on_board + 2,
        }
    }
}
