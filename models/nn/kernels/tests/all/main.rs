//! The products against their definitions in f64, with every set of instructions that this processor has.

mod attention;
mod dense;
mod token_layers;

use kernels::{Instructions, Numbers, Product, Rows, Side, Workers};

/// More than a block of positions, and multiples of nothing; a width that no register divides.
const SIZES: Sizes = Sizes { batch: 37, heads: 3, length: 13, classes: 29, width: 20 };

#[derive(Clone, Copy)]
struct Sizes {
    batch: usize,
    heads: usize,
    length: usize,
    classes: usize,
    width: usize,
}

impl Sizes {
    fn pairs(self) -> [usize; 4] {
        [self.batch, self.heads, self.length, self.length]
    }

    fn vectors(self) -> [usize; 4] {
        [self.batch, self.heads, self.length, self.width]
    }

    fn table(self) -> [usize; 4] {
        [1, self.heads, self.classes, self.width]
    }

    /// The class of query i and key j: all classes occur, and no symmetry of rows and columns.
    fn class(self, i: usize, j: usize) -> usize {
        (5 * i + 2 * j + i * j) % self.classes
    }

    /// The class of own row i and other row j, as queries see them or as keys do.
    fn class_of(self, of_keys: bool, own: usize, other: usize) -> usize {
        if of_keys { self.class(other, own) } else { self.class(own, other) }
    }

    fn side(self, of_keys: bool) -> Side {
        let of_pair = |pair: usize| self.class_of(of_keys, pair / self.length, pair % self.length);
        let of_pairs: Vec<_> = (0..self.length * self.length).map(of_pair).collect();
        Side::new(self.length, self.classes, &of_pairs, of_keys)
    }

    /// Every own row and other row of every position and head: the places of the pair, of the own vector and of the
    /// class' vector.
    fn each(self, of_keys: bool) -> impl Iterator<Item = (usize, usize, usize)> {
        let Self { batch, heads, length: l, classes, width } = self;
        (0..batch * heads * l * l).map(move |place| {
            let (own, other, row) = (place / l % l, place % l, place / l / l);
            let (query, key) = if of_keys { (other, own) } else { (own, other) };
            let class = self.class_of(of_keys, own, other);
            let pair = (row * l + query) * l + key;
            (pair, (row * l + own) * width, (row % heads * classes + class) * width)
        })
    }
}

/// Numbers between −1 and 1 without a pattern.
fn numbers(seed: f64, sizes: &[usize]) -> Vec<f32> {
    (0..sizes.iter().product::<usize>()).map(|i| ((i as f64 * 0.734 + seed).sin() * 937.0).fract() as f32).collect()
}

/// Where they begin, for as long as the slice lives.
fn place(numbers: &mut [f32]) -> Numbers {
    // SAFETY: the slice has memory for its numbers.
    unsafe { Numbers::new(numbers.as_mut_ptr()) }
}

/// With every set of instructions; `what` is for the message.
fn assert_threads_change_no_bit(what: &str, computed: impl Fn(Workers) -> Vec<f32>) {
    for instructions in Instructions::available() {
        let with = |threads| computed(Workers { instructions, threads });
        let bits = |numbers: Vec<f32>| numbers.into_iter().map(f32::to_bits).collect::<Vec<_>>();
        assert_eq!(bits(with(1)), bits(with(3)), "{instructions:?}, {what}");
    }
}

struct Operands {
    pairs: Vec<f32>,
    vectors: Vec<f32>,
    table: Vec<f32>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Which {
    Dots { add: bool },
    Mix,
    Collect,
}

const ALL: [Which; 4] = [Which::Dots { add: false }, Which::Dots { add: true }, Which::Mix, Which::Collect];

impl Operands {
    fn new() -> Self {
        Self {
            pairs: numbers(1.0, &SIZES.pairs()),
            vectors: numbers(2.0, &SIZES.vectors()),
            table: numbers(3.0, &SIZES.table()),
        }
    }

    fn computed(mut self, which: Which, of_keys: bool, workers: Workers) -> Vec<f32> {
        let side = &SIZES.side(of_keys);
        // SAFETY: the vectors have these sizes and live until the end of the function; no two of them overlap.
        unsafe {
            let pairs = Rows::new(place(&mut self.pairs), SIZES.pairs());
            let vectors = Rows::new(place(&mut self.vectors), SIZES.vectors());
            let table = Rows::new(place(&mut self.table), SIZES.table());
            let product = match which {
                Which::Dots { add } => Product::Dots { vectors, table, pairs, side, add },
                Which::Mix => Product::Mix { pairs, table, vectors, side },
                Which::Collect => Product::Collect { pairs, vectors, table, side },
            };
            product.compute(workers);
        }
        match which {
            Which::Dots { .. } => self.pairs,
            Which::Mix => self.vectors,
            Which::Collect => self.table,
        }
    }

    /// The same in f64, as it is defined.
    fn defined(&self, which: Which, of_keys: bool) -> Vec<f64> {
        let exact = |numbers: &[f32]| numbers.iter().copied().map(f64::from).collect::<Vec<_>>();
        let (pairs, vectors, table) = (exact(&self.pairs), exact(&self.vectors), exact(&self.table));
        let adds = of_keys || which == Which::Dots { add: true };
        let mut found = match which {
            Which::Dots { .. } if adds => pairs.clone(),
            Which::Dots { .. } => vec![0.0; pairs.len()],
            Which::Mix => vec![0.0; vectors.len()],
            Which::Collect => vec![0.0; table.len()],
        };
        for (pair, vector, class) in SIZES.each(of_keys) {
            for channel in 0..SIZES.width {
                match which {
                    Which::Dots { .. } => found[pair] += vectors[vector + channel] * table[class + channel],
                    Which::Mix => found[vector + channel] += pairs[pair] * table[class + channel],
                    Which::Collect => found[class + channel] += pairs[pair] * vectors[vector + channel],
                }
            }
        }
        found
    }
}

#[test]
fn every_instruction_set_gives_the_numbers_of_the_definition() {
    for instructions in Instructions::available() {
        for of_keys in [false, true] {
            for which in ALL {
                let wanted = Operands::new().defined(which, of_keys);
                let found = Operands::new().computed(which, of_keys, Workers { instructions, threads: 2 });
                let largest = wanted.iter().fold(0f64, |largest, number| largest.max(number.abs()));
                let apart = found.iter().zip(&wanted).map(|(f, w)| (f64::from(*f) - w).abs()).fold(0.0, f64::max);
                assert!(apart / largest < 1e-6, "{instructions:?}, {which:?}, keys: {of_keys}: {apart} apart");
            }
        }
    }
}

#[test]
fn threads_change_no_bit() {
    for which in ALL {
        assert_threads_change_no_bit(&format!("{which:?}"), |workers| Operands::new().computed(which, true, workers));
    }
}

#[test]
fn operands_of_other_sizes_are_refused() {
    let side = &SIZES.side(false);
    for table_shape in [[1, SIZES.heads, SIZES.classes - 1, SIZES.width], [2, SIZES.heads, SIZES.classes, SIZES.width]]
    {
        let refused = std::panic::catch_unwind(|| {
            let workers = Workers { instructions: Instructions::fastest(), threads: 1 };
            let Operands { mut pairs, mut vectors, table } = Operands::new();
            let mut table = table.repeat(2);
            // SAFETY: the sizes are not larger than the vectors; nothing is computed.
            unsafe {
                let pairs = Rows::new(place(&mut pairs), SIZES.pairs());
                let vectors = Rows::new(place(&mut vectors), SIZES.vectors());
                let table = Rows::new(place(&mut table), table_shape);
                Product::Mix { pairs, table, vectors, side }.compute(workers);
            }
        });
        let refused = refused.expect_err("a panic");
        let message = refused.downcast_ref::<&str>().copied().or(refused.downcast_ref().map(String::as_str));
        assert!(message.is_some_and(|message| message.contains("of one sequence, batch and width")), "{table_shape:?}");
    }
}
