//! The declaration of a network's parameters: names, shapes, initialisers and places in the flat store.

use crate::init::Init;
use std::collections::HashSet;

/// Offsets are multiples of this many elements, so that every parameter starts on a cache line (and is
/// aligned for vectorised kernels) in any element type. Checkpoints store offsets: do not change it.
pub const ALIGNMENT: usize = 64;

/// A parameter's handle: its place in [`Layout::params`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ParamId(pub(crate) usize);

/// Which half of the flat store a parameter lies in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Range {
    /// Weights of matrix products: cast to the training precision as a block, and subject to weight decay.
    Matrix,
    /// Norms, biases, gates, position tables, frequencies: always f32, never decayed.
    Full,
}

/// What a parameter belongs to, for counting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    /// Input embedding and body.
    Trunk,
    /// Position encodings.
    Encoding,
    /// Policy and value heads.
    Head,
    /// What training observes and does not learn: running means and variances, see [`crate::BatchNorm`].
    Statistic,
}

/// A parameter as it was declared.
#[derive(Debug, Clone)]
pub struct ParamSpec {
    /// Its unique dotted name, e.g. `body.0.attention.query.weight`.
    pub name: String,
    /// Its shape.
    pub shape: Vec<i64>,
    /// How it starts.
    pub init: Init,
    /// Which half of the store it lies in.
    pub range: Range,
    /// The part of the network with which it is counted.
    pub part: Part,
    /// Whether layers read it in the element type of matrices, too: see [`Scope::cast_param`].
    pub cast: bool,
    /// Its first element in the flat store.
    pub offset: usize,
}

impl ParamSpec {
    /// How many elements it has; [`usize::MAX`] if they cannot be counted.
    pub fn len(&self) -> usize {
        self.shape.iter().fold(1, |len: usize, &size| len.saturating_mul(size as usize))
    }

    /// Whether it has no element.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The places of its elements in the flat store.
    pub fn elements(&self) -> std::ops::Range<usize> {
        self.offset..self.offset + self.len()
    }

    fn padded(&self) -> usize {
        self.len().next_multiple_of(ALIGNMENT)
    }
}

/// The largest width, number of channels or the like that a network may ask for: the product of two sizes, a sequence's
/// length and a few small factors can be counted in 64 bits.
pub const LARGEST_SIZE: usize = 1 << 24;

/// The most parameters of a network: 2³⁶, 256 GiB in f32, and at least four times as much in training. More than one
/// device holds today, so that only mistakes are refused.
pub const MOST_PARAMETERS: usize = 1 << 36;

/// Why declarations do not make a layout.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LayoutError {
    /// Two parameters have one name.
    #[error("two parameters are called \"{0}\": names must be unique, since seeds and checkpoints are keyed by them")]
    DuplicateName(String),
    /// The network is too large for any device.
    #[error(
        "the network is too large: with the parameter \"{name}\" of shape {shape:?} it needs {} GiB in f32, and the limit \
         is {} GiB; choose smaller sizes",
        gibibytes(*parameters),
        gibibytes(MOST_PARAMETERS)
    )]
    TooLarge {
        /// The name of the largest parameter.
        name: String,
        /// Its shape.
        shape: Vec<i64>,
        /// The number of parameters of the network.
        parameters: usize,
    },
}

fn gibibytes(parameters: usize) -> usize {
    parameters / ((1 << 30) / size_of::<f32>())
}

/// Collects declarations; [`LayoutBuilder::finish`] assigns offsets.
#[derive(Debug, Default)]
pub struct LayoutBuilder {
    params: Vec<ParamSpec>,
}

impl LayoutBuilder {
    /// The outermost scope of a part.
    pub fn scope(&mut self, name: &str, part: Part) -> Scope<'_> {
        Scope { builder: self, prefix: name.to_owned(), part }
    }

    /// Assigns offsets: matrices first, then everything else, each in order of declaration. An error if two parameters share
    /// a name, or if the network has more than [`MOST_PARAMETERS`].
    pub fn finish(mut self) -> Result<Layout, LayoutError> {
        let mut names = HashSet::new();
        if let Some(twice) = self.params.iter().find(|p| !names.insert(p.name.as_str())) {
            return Err(LayoutError::DuplicateName(twice.name.clone()));
        }
        let parameters = self.params.iter().fold(0, |sum: usize, param| sum.saturating_add(param.len()));
        if let Some(largest) = self.params.iter().max_by_key(|p| p.len()).filter(|_| parameters > MOST_PARAMETERS) {
            return Err(LayoutError::TooLarge { name: largest.name.clone(), shape: largest.shape.clone(), parameters });
        }
        let mut end = 0;
        let mut matrix_end = 0;
        for range in [Range::Matrix, Range::Full] {
            for param in self.params.iter_mut().filter(|p| p.range == range) {
                param.offset = end;
                end += param.padded();
            }
            if range == Range::Matrix {
                matrix_end = end;
            }
        }
        Ok(Layout { params: self.params, matrix_end, len: end })
    }
}

/// A place in the tree of names.
#[derive(Debug)]
pub struct Scope<'a> {
    builder: &'a mut LayoutBuilder,
    prefix: String,
    part: Part,
}

impl Scope<'_> {
    /// A scope below this one.
    pub fn sub(&mut self, name: impl std::fmt::Display) -> Scope<'_> {
        Scope { prefix: format!("{}.{name}", self.prefix), part: self.part, builder: self.builder }
    }

    /// A scope below this one whose parameters count towards another part.
    pub fn sub_part(&mut self, name: impl std::fmt::Display, part: Part) -> Scope<'_> {
        Scope { prefix: format!("{}.{name}", self.prefix), part, builder: self.builder }
    }

    /// This scope, with parameters that count towards another part.
    pub fn part(&mut self, part: Part) -> Scope<'_> {
        Scope { prefix: self.prefix.clone(), part, builder: self.builder }
    }

    /// Declares a weight of a matrix product.
    pub fn matrix(&mut self, name: &str, shape: &[i64], init: Init) -> ParamId {
        self.declare(name, shape, init, Range::Matrix, false)
    }

    /// Declares a parameter that stays f32 and undecayed: a norm's gain, a bias, a gate, a position table.
    pub fn f32_param(&mut self, name: &str, shape: &[i64], init: Init) -> ParamId {
        self.declare(name, shape, init, Range::Full, false)
    }

    /// The same for a parameter that layers read by [`crate::Views::cast`], such as the bias of a product.
    pub fn cast_param(&mut self, name: &str, shape: &[i64], init: Init) -> ParamId {
        self.declare(name, shape, init, Range::Full, true)
    }

    fn declare(&mut self, name: &str, shape: &[i64], init: Init, range: Range, cast: bool) -> ParamId {
        let id = ParamId(self.builder.params.len());
        self.builder.params.push(ParamSpec {
            name: format!("{}.{name}", self.prefix),
            shape: shape.to_vec(),
            init,
            range,
            part: self.part,
            cast,
            offset: 0,
        });
        id
    }
}

/// A finished declaration: every parameter's name, shape, first values and place in the flat store.
#[derive(Debug, Clone)]
pub struct Layout {
    params: Vec<ParamSpec>,
    matrix_end: usize,
    len: usize,
}

impl Layout {
    /// Every parameter, in order of declaration; [`ParamId`] indexes it.
    pub fn params(&self) -> &[ParamSpec] {
        &self.params
    }

    /// The parameter of a handle.
    pub fn param(&self, id: ParamId) -> &ParamSpec {
        &self.params[id.0]
    }

    /// The handle of a name.
    pub fn find(&self, name: &str) -> Option<ParamId> {
        self.params.iter().position(|p| p.name == name).map(ParamId)
    }

    /// Elements of the flat store, padding included.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Where the [`Range::Matrix`] half ends and the [`Range::Full`] half begins.
    pub fn matrix_end(&self) -> usize {
        self.matrix_end
    }

    /// The number of parameters of a part, without padding.
    pub fn count(&self, part: Part) -> usize {
        self.params.iter().filter(|p| p.part == part).map(ParamSpec::len).sum()
    }

    /// The number of trained parameters, without padding and statistics.
    pub fn total(&self) -> usize {
        self.params.iter().filter(|p| p.part != Part::Statistic).map(ParamSpec::len).sum()
    }

    /// Parameters with their handles in the order in which they lie in the flat store.
    pub(crate) fn in_memory_order(&self) -> Vec<ParamId> {
        let mut ids: Vec<_> = (0..self.params.len()).map(ParamId).collect();
        ids.sort_by_key(|&id| (self.param(id).offset, id.0));
        ids
    }
}
