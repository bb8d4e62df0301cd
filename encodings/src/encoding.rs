//! The [`Encoding`] trait: the hooks that an encoding can implement.

use nn::{Logits, ParamId, Scope, Views};
use std::fmt::{self, Debug};
use std::ops::BitOr;
use tch::Tensor;

/// The sizes of a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dims {
    /// Width `d` of a token's vector.
    pub width: usize,
    /// Attention heads `h`; they divide the width.
    pub heads: usize,
    /// Attention layers.
    pub layers: usize,
}

impl Dims {
    /// Width `k` of each head: `width / heads`.
    pub fn head_width(&self) -> usize {
        self.width / self.heads
    }

    /// Declares something in the scope `layer.N` of every attention layer.
    pub(crate) fn per_layer<T>(&self, scope: &mut Scope<'_>, mut declare: impl FnMut(&mut Scope<'_>) -> T) -> Vec<T> {
        (0..self.layers).map(|layer| declare(&mut scope.sub("layer").sub(layer))).collect()
    }
}

/// The forward pass and the layer in which a hook is called.
#[derive(Debug, Clone, Copy)]
pub struct LayerContext<'a> {
    /// The parameters of this forward pass.
    pub views: &'a Views,
    /// The attention layer, from 0.
    pub layer: usize,
    /// The packed rows of the batch `[b, row]`, u8, on the device.
    pub packed: &'a Tensor,
}

/// The input of an attention layer.
#[derive(Debug)]
pub struct AttendInput {
    /// What queries and keys are computed from, `[b,l,d]`.
    pub qk_bld: Tensor,
    /// What values are computed from, `[b,l,d]`; `None` for the same tensor, so that a fused projection survives.
    pub v_bld: Option<Tensor>,
}

/// What logits can be computed from.
#[derive(Debug, Clone, Copy)]
pub struct Queries<'a> {
    /// The layer's input for queries and keys, after [`Encoding::attend`], `[b,l,d]`.
    pub x_bld: &'a Tensor,
    /// Queries before rotation, `[b,h,l,k]`.
    pub q_bhlk: &'a Tensor,
    /// Keys before rotation, `[b,h,l,k]`.
    pub k_bhlk: &'a Tensor,
}

/// A set of injection points: the five places at which an encoding may touch attention. Reports print it for every row, so
/// that no confound hides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct InjectionPoints(u8);

impl InjectionPoints {
    /// The empty set.
    pub const NONE: Self = Self(0);
    /// Once, after the input embedding.
    pub const EMBED: Self = Self(1);
    /// The input of every attention layer.
    pub const ATTEND: Self = Self(2);
    /// Queries and keys of every layer.
    pub const ROTATE: Self = Self(4);
    /// A term of the attention logits of every layer.
    pub const LOGITS: Self = Self(8);
    /// A term of the attention output of every layer.
    pub const VALUES: Self = Self(16);

    const NAMES: [(Self, &'static str); 5] = [
        (Self::EMBED, "embed"),
        (Self::ATTEND, "attend"),
        (Self::ROTATE, "rotate"),
        (Self::LOGITS, "logits"),
        (Self::VALUES, "values"),
    ];

    /// Whether every injection point of `other` is in this set.
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// The names of the injection points, in the order of a forward pass.
    pub fn names(self) -> Vec<&'static str> {
        Self::NAMES.iter().filter(|(point, _)| self.contains(*point)).map(|&(_, name)| name).collect()
    }
}

impl BitOr for InjectionPoints {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl fmt::Display for InjectionPoints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&if self.0 == 0 { "none".to_owned() } else { self.names().join("+") })
    }
}

/// What an encoding does with auxiliary tokens, alone and in pairs with squares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Auxiliary {
    /// Nothing: their vectors stay, and nothing is added for their pairs.
    Untouched,
    /// What it adds for them comes from parameters that it uses for no square and no pair of squares.
    OwnParameters,
    /// The rule or the parameters of squares apply to them.
    AsSquares,
}

/// What an encoding guarantees, and what it does with auxiliary tokens. The laws compare each with what is observed: a
/// guarantee holds for all parameters, and where none is given random parameters break it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Guarantees {
    /// With its first parameters, the network computes the same function as without the encoding.
    pub identity_at_start: bool,
    /// Moving everything on the board by the same displacement does not change how tokens attend to each other,
    /// auxiliary tokens included.
    pub translation_invariant: bool,
    /// It does not distinguish squares: permuting the squares of the input permutes the output.
    pub permutation_equivariant: bool,
    /// Exchanging left and right in the input exchanges them in the output.
    pub mirror_equivariant: bool,
    /// Rotating the board of the input by 180° rotates that of the output.
    pub half_turn_equivariant: bool,
    /// What it does to a token depends on that token only, and what it adds for a pair on these two only. A decoder asks
    /// for it, because its mask hides tokens pair by pair.
    pub pairwise: bool,
    /// It sees tokens by displacements on the torus only, so that squares outside the board can
    /// [hide its edge](crate::Tokens::hide_edge). No other encoding is given such squares.
    pub toroidal: bool,
    /// All that it does is add terms to the logits that are the same for every position: a table per layer and head.
    pub static_logits: bool,
    /// What it does with tokens that stand for no square.
    pub auxiliary: Auxiliary,
}

impl Guarantees {
    /// Every guarantee: those of an encoding without effect.
    pub const ALL: Self = Self::all(true, Auxiliary::Untouched);

    /// No guarantee, and auxiliary tokens are treated as squares.
    pub const NONE: Self = Self::all(false, Auxiliary::AsSquares);

    /// The guarantees of terms of pairs that see squares by their displacement only.
    pub const RELATIVE: Self = Self { translation_invariant: true, pairwise: true, toroidal: true, ..Self::NONE };

    const fn all(holds: bool, auxiliary: Auxiliary) -> Self {
        Self {
            identity_at_start: holds,
            translation_invariant: holds,
            permutation_equivariant: holds,
            mirror_equivariant: holds,
            half_turn_equivariant: holds,
            pairwise: holds,
            toroidal: holds,
            static_logits: holds,
            auxiliary,
        }
    }

    /// What holds when two encodings are stacked: what both guarantee.
    pub fn and(self, other: Self) -> Self {
        Self {
            identity_at_start: self.identity_at_start && other.identity_at_start,
            translation_invariant: self.translation_invariant && other.translation_invariant,
            permutation_equivariant: self.permutation_equivariant && other.permutation_equivariant,
            mirror_equivariant: self.mirror_equivariant && other.mirror_equivariant,
            half_turn_equivariant: self.half_turn_equivariant && other.half_turn_equivariant,
            pairwise: self.pairwise && other.pairwise,
            toroidal: self.toroidal && other.toroidal,
            static_logits: self.static_logits && other.static_logits,
            auxiliary: self.auxiliary.max(other.auxiliary),
        }
    }
}

/// A position encoding, declared for one network.
pub trait Encoding: Debug + Send {
    /// The injection points it touches; by default the logits, to which most encodings add a term. A test compares them
    /// with what is observed.
    fn injection_points(&self) -> InjectionPoints {
        InjectionPoints::LOGITS
    }

    /// What it guarantees. Tests compare it with what is observed.
    fn guarantees(&self) -> Guarantees;

    /// Its parameters `[h, classes, …]`, or `[curves, classes]` of curves that heads share, with the classes of
    /// [`PairClasses`](nn::PairClasses) by displacement: tables that can be moved to another board.
    fn displacement_tables(&self) -> Vec<ParamId> {
        Vec::new()
    }

    /// The parameters of a formula of the displacement or of the distance. Their shapes do not depend on the board, so a network on
    /// another board can begin with them.
    fn formula_parameters(&self) -> Vec<ParamId> {
        Vec::new()
    }

    /// Its parameters `[l, …]` with a row for each token, in the order of the tokens: tables that can be stretched over another
    /// board.
    fn square_tables(&self) -> Vec<ParamId> {
        Vec::new()
    }

    /// Multiplications that it adds per position (all layers), softmax, elementwise work and what is made once for all
    /// positions left out.
    fn macs(&self) -> u64 {
        0
    }

    /// Once, after the input embedding: `[b,l,d]` → `[b,l,d]`. `at.layer` is 0 and has no meaning.
    fn embed(&self, _at: LayerContext<'_>, x_bld: Tensor) -> Tensor {
        x_bld
    }

    /// At the input of an attention layer: `None` leaves it as it is.
    fn attend(&self, _at: LayerContext<'_>, _x_bld: &Tensor) -> Option<AttendInput> {
        None
    }

    /// On queries and keys `[b,h,l,k]`; `None` leaves them as they are.
    fn rotate(&self, _at: LayerContext<'_>, _q_bhlk: &Tensor, _k_bhlk: &Tensor) -> Option<(Tensor, Tensor)> {
        None
    }

    /// Whether its term replaces the products of queries and keys: it contains their negative. No other encoding may change
    /// queries or keys beside it.
    fn replaces_products(&self) -> bool {
        false
    }

    /// Additive terms of the logits.
    fn logits(&self, _at: LayerContext<'_>, _queries: Queries<'_>) -> Logits {
        Logits::default()
    }

    /// Whether [`Self::values`] uses the attention weights. They are passed only where some encoding of the stack does.
    fn reads_weights(&self) -> bool {
        self.injection_points().contains(InjectionPoints::VALUES)
    }

    /// An additive term `[b,h,l,k]` of the attention output, from the values `[b,h,l,k]` and the weights `[b,h,l,l]`,
    /// which are there if this encoding [reads them](Self::reads_weights).
    fn values(&self, _at: LayerContext<'_>, _weights_bhll: Option<&Tensor>, _v_bhlk: &Tensor) -> Option<Tensor> {
        None
    }
}
