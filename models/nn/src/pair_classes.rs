//! Classes of pairs of tokens, in which relative terms share their parameters.

use crate::Constant;
use std::fmt;
use std::sync::Arc;
use tch::Tensor;

/// The class of every ordered pair of tokens.
///
/// Tables of a relative term have the shape `[h, classes, …]`; [`Self::expand`] makes `[h, l, l, …]` of them.
pub struct PairClasses {
    tokens: usize,
    count: usize,
    /// Absent where every pair has its own class: a table is its own expansion.
    maps: Option<Maps>,
}

/// By (query, key) and by (key, query).
struct Maps {
    by_query: Map,
    by_key: Map,
}

/// The class of the pair at a row and a column.
struct Map {
    class: Class,
    /// The class of every pair, `[l·l]`.
    index: Constant,
}

type Class = Arc<dyn Fn(usize, usize) -> usize + Send + Sync>;

impl PairClasses {
    /// Every pair of tokens has its own class.
    pub fn own(tokens: usize) -> Self {
        Self { tokens, count: tokens * tokens, maps: None }
    }

    /// `count` classes, given that of a query and a key.
    pub fn shared(tokens: usize, count: usize, class: impl Fn(usize, usize) -> usize + Send + Sync + 'static) -> Self {
        let by_query: Class = Arc::new(class);
        let class = Arc::clone(&by_query);
        let by_key: Class = Arc::new(move |key, query| class(query, key));
        let maps = Maps { by_query: Map::new(tokens, by_query), by_key: Map::new(tokens, by_key) };
        Self { tokens, count, maps: Some(maps) }
    }

    /// The length of the sequence.
    pub fn tokens(&self) -> usize {
        self.tokens
    }

    /// How many classes there are.
    pub fn count(&self) -> i64 {
        self.count as i64
    }

    /// `[l, l]`, the class of query i and key j, as in [`Self::expand`].
    pub(crate) fn by_query(&self) -> Vec<usize> {
        self.list(self.maps.as_ref().map(|maps| &maps.by_query))
    }

    /// `[l, l]`, the class of key j and query i, as in [`Self::expand_by_key`].
    pub(crate) fn by_key(&self) -> Vec<usize> {
        self.list(self.maps.as_ref().map(|maps| &maps.by_key))
    }

    fn list(&self, map: Option<&Map>) -> Vec<usize> {
        map.map_or_else(|| (0..self.count).collect(), |map| list(self.tokens, &map.class))
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

    fn pick(&self, map: Option<&Map>, table: &Tensor) -> Tensor {
        let (size, tokens) = (table.size(), self.tokens as i64);
        let shape: Vec<i64> = [size[0], tokens, tokens].into_iter().chain(size[2..].iter().copied()).collect();
        match map {
            None => table.view(&shape[..]),
            Some(map) => table.index_select(1, &map.index.on(table.device())).view(&shape[..]),
        }
    }
}

impl Map {
    fn new(tokens: usize, class: Class) -> Self {
        let of_pairs = Arc::clone(&class);
        let indices = move || list(tokens, &of_pairs).into_iter().map(|class| class as i64).collect();
        Self { class, index: Constant::indices_from(&[(tokens * tokens) as i64], indices) }
    }
}

fn list(tokens: usize, class: &Class) -> Vec<usize> {
    (0..tokens * tokens).map(|pair| class(pair / tokens, pair % tokens)).collect()
}

impl fmt::Debug for PairClasses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tokens, count, .. } = self;
        f.debug_struct("PairClasses").field("tokens", tokens).field("count", count).finish_non_exhaustive()
    }
}
