//! Tensors and class maps as the kernels read them.

/// Rows of classes are padded to a multiple of this many: the numbers of an AVX register.
pub(crate) const TILE: usize = 8;

/// Where the numbers of a contiguous tensor begin. A copy does not keep the memory alive.
#[derive(Debug, Clone, Copy)]
pub struct Numbers(pub(crate) *mut f32);

// SAFETY: units of work write to places of their own.
unsafe impl Send for Numbers {}
// SAFETY: as for `Send`.
unsafe impl Sync for Numbers {}

impl Numbers {
    /// Those that begin at `start`.
    ///
    /// # Safety
    /// Memory for all of them is allocated there.
    pub unsafe fn new(start: *mut f32) -> Self {
        Self(start)
    }

    /// Those that begin `place` numbers further on.
    #[inline(always)]
    pub(crate) fn after(self, place: usize) -> Self {
        Self(self.at(place))
    }

    #[inline(always)]
    pub(crate) fn at(self, place: usize) -> *mut f32 {
        self.0.wrapping_add(place)
    }
}

/// A contiguous tensor `[b,h,l,width]`, or a table `[1,h,c,width]` with a row for each class.
#[derive(Debug, Clone, Copy)]
pub struct Rows {
    start: Numbers,
    pub(crate) batch: usize,
    pub(crate) heads: usize,
    pub(crate) length: usize,
    pub(crate) width: usize,
}

impl Rows {
    /// The tensor of this shape that begins at `start`.
    ///
    /// # Safety
    /// That much memory is allocated there.
    pub unsafe fn new(start: Numbers, [batch, heads, length, width]: [usize; 4]) -> Self {
        Self { start, batch, heads, length, width }
    }

    #[inline(always)]
    pub(crate) fn row(self, position: usize, head: usize, row: usize) -> *mut f32 {
        self.start.at(((position * self.heads + head) * self.length + row) * self.width)
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
    /// Pairs are (query, key), and the side's own rows are queries or, with `of_keys`, keys. `of_pairs [l,l]` has the class of
    /// each own row and each other row, of `classes_in_all`.
    ///
    /// # Panics
    /// If a class is not below `classes_in_all`, or there are not `length`² of them.
    pub fn new(length: usize, classes_in_all: usize, of_pairs: &[usize], of_keys: bool) -> Self {
        assert_eq!(of_pairs.len(), length * length, "every pair has a class");
        assert!(of_pairs.iter().all(|&class| class < classes_in_all), "every pair's class is one of the table's");
        let stride = length.next_multiple_of(TILE);
        let padded = |row: &[usize]| row.iter().copied().chain(std::iter::repeat(0)).take(stride).collect::<Vec<_>>();
        let classes = of_pairs.chunks(length.max(1)).flat_map(padded).collect();
        Self { length, classes_in_all, stride, classes, is_transposed: of_keys }
    }

    /// Whether a product of these can be computed: pairs `[b,h,l,l]`, vectors `[b,h,l,k]`, table `[1,h,c,k]`.
    pub(crate) fn fits(&self, pairs: Rows, vectors: Rows, table: Rows) -> bool {
        (pairs.length, pairs.width, vectors.length) == (self.length, self.length, self.length)
            && (pairs.batch, pairs.heads) == (vectors.batch, vectors.heads)
            && (table.batch, table.heads) == (1, vectors.heads)
            && (table.length, table.width) == (self.classes_in_all, vectors.width)
    }

    /// The classes of an own row with every other one, padded with the first class.
    pub(crate) fn row(&self, own: usize) -> &[usize] {
        &self.classes[own * self.stride..(own + 1) * self.stride]
    }
}
