//! Tensors and class maps as the kernels read them.

/// Rows of classes are padded to a multiple of this many: the numbers of an AVX register.
pub(crate) const TILE: usize = 8;

/// A contiguous tensor `[b,h,l,width]` of f32. A copy does not keep the memory alive.
#[derive(Debug, Clone, Copy)]
pub struct Rows {
    start: *mut f32,
    pub(crate) batch: usize,
    pub(crate) heads: usize,
    length: usize,
    pub(crate) width: usize,
}

// SAFETY: heads are worked on apart, and rows of different heads do not overlap.
unsafe impl Send for Rows {}
// SAFETY: as for `Send`.
unsafe impl Sync for Rows {}

impl Rows {
    /// The tensor of this shape that begins at `start`.
    ///
    /// # Safety
    /// That much memory is allocated there.
    pub unsafe fn new(start: *mut f32, [batch, heads, length, width]: [usize; 4]) -> Self {
        Self { start, batch, heads, length, width }
    }

    #[inline(always)]
    pub(crate) fn row(self, position: usize, head: usize, row: usize) -> *mut f32 {
        self.start.wrapping_add(((position * self.heads + head) * self.length + row) * self.width)
    }
}

/// A contiguous table `[h,c,width]` of f32. A copy does not keep the memory alive.
#[derive(Debug, Clone, Copy)]
pub struct Table {
    start: *mut f32,
    heads: usize,
    pub(crate) classes: usize,
    pub(crate) width: usize,
}

// SAFETY: as for `Rows`.
unsafe impl Send for Table {}
// SAFETY: as for `Rows`.
unsafe impl Sync for Table {}

impl Table {
    /// The table of this shape that begins at `start`.
    ///
    /// # Safety
    /// That much memory is allocated there.
    pub unsafe fn new(start: *mut f32, [heads, classes, width]: [usize; 3]) -> Self {
        Self { start, heads, classes, width }
    }

    /// Where the numbers of a class begin.
    pub(crate) fn row(self, head: usize, class: usize) -> *mut f32 {
        self.start.wrapping_add((head * self.classes + class) * self.width)
    }
}

/// The classes as queries see them, or as keys do.
#[derive(Debug)]
pub struct Side {
    pub(crate) length: usize,
    classes_in_all: usize,
    /// Numbers of a row: a multiple of [`TILE`].
    stride: usize,
    classes: Vec<usize>,
    /// Whether own rows are the columns of the pairs.
    pub(crate) is_transposed: bool,
}

impl Side {
    /// The side of queries: pairs are read as (query, key). `of_pairs [l,l]` has the class of each, of `classes` in all.
    ///
    /// # Panics
    /// If a class is not below `classes`, or there are not `length`² of them.
    pub fn queries(length: usize, classes: usize, of_pairs: &[usize]) -> Self {
        Self::new(length, classes, of_pairs, false)
    }

    /// The side of keys: the rows of `of_pairs [l,l]` and of vectors are keys, while pairs still are (query, key).
    ///
    /// # Panics
    /// As [`Self::queries`].
    pub fn keys(length: usize, classes: usize, of_pairs: &[usize]) -> Self {
        Self::new(length, classes, of_pairs, true)
    }

    fn new(length: usize, classes_in_all: usize, of_pairs: &[usize], is_transposed: bool) -> Self {
        assert_eq!(of_pairs.len(), length * length, "every pair has a class");
        assert!(of_pairs.iter().all(|&class| class < classes_in_all), "every pair's class is one of the table's");
        let stride = length.next_multiple_of(TILE);
        let padded = |row: &[usize]| row.iter().copied().chain(std::iter::repeat(0)).take(stride).collect::<Vec<_>>();
        let classes = of_pairs.chunks(length.max(1)).flat_map(padded).collect();
        Self { length, classes_in_all, stride, classes, is_transposed }
    }

    /// Whether a product of these can be computed: pairs `[b,h,l,l]`, vectors `[b,h,l,k]`, table `[h,c,k]`.
    pub(crate) fn fits(&self, pairs: Rows, vectors: Rows, table: Table) -> bool {
        (pairs.length, pairs.width, vectors.length) == (self.length, self.length, self.length)
            && (pairs.batch, pairs.heads) == (vectors.batch, vectors.heads)
            && (table.heads, table.classes, table.width) == (vectors.heads, self.classes_in_all, vectors.width)
    }

    /// The classes of an own row with every other one, padded with the first class.
    pub(crate) fn row(&self, own: usize) -> &[usize] {
        &self.classes[own * self.stride..(own + 1) * self.stride]
    }
}
