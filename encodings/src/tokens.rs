//! Which token of the sequence stands for which square, and which stands for something else.

use games::Geometry;
use nn::Constant;
use tch::{Kind, Tensor};

/// What a token stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A square, in the frame of the side to move (see [`Geometry`]), or as the input shows the board.
    Square(usize),
    /// The summary token.
    Cls,
    /// Something without a square, by name: a hand, castling rights, a clock.
    Aux(&'static str),
    /// An empty square outside the board: its file and rank on the board's [torus](Geometry::torus).
    Outside(usize, usize),
}

/// The sequence as an encoding sees it.
///
/// ```
/// let tokens = encodings::Tokens::squares_then(games::Geometry::new(8, 8), &["clock"]);
/// assert_eq!((tokens.len(), tokens.square(63), tokens.square(64)), (65, Some(63), None));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tokens {
    geometry: Geometry,
    roles: Vec<Role>,
}

impl Tokens {
    /// A sequence with these roles.
    ///
    /// # Panics
    /// If a role names a square that the board does not have.
    pub fn new(geometry: Geometry, roles: Vec<Role>) -> Self {
        let on_board = |role: &Role| !matches!(role, Role::Square(s) if *s >= geometry.squares());
        assert!(roles.iter().all(on_board), "a token names a square outside {geometry:?}");
        Self { geometry, roles }
    }

    /// What the summary token is called among an input's features.
    pub const CLS: &'static str = "cls";

    /// One token per square in board order, then auxiliary tokens by name, that of the name [`Self::CLS`] as the summary.
    pub fn squares_then(geometry: Geometry, aux: &[&'static str]) -> Self {
        let squares = (0..geometry.squares()).map(Role::Square);
        let role = |&name: &&'static str| if name == Self::CLS { Role::Cls } else { Role::Aux(name) };
        Self::new(geometry, squares.chain(aux.iter().map(role)).collect())
    }

    /// The same sequence, then empty squares that make the board a part of its [torus](Geometry::torus). Every square then
    /// sees each displacement exactly once, so that nothing shows where the board ends.
    pub fn surrounded(&self) -> Self {
        let (files, ranks) = self.geometry.torus();
        let is_outside = |file, rank| file >= self.geometry.files() || rank >= self.geometry.ranks();
        let places = (0..ranks).flat_map(|rank| (0..files).map(move |file| (file, rank)));
        let outside =
            places.filter(|&(file, rank)| is_outside(file, rank)).map(|(file, rank)| Role::Outside(file, rank));
        Self { geometry: self.geometry, roles: self.roles.iter().copied().chain(outside).collect() }
    }

    /// Whether squares outside the board hide its edge ([`Self::surrounded`]).
    pub fn hide_edge(&self) -> bool {
        self.roles.iter().any(|role| matches!(role, Role::Outside(..)))
    }

    /// File and rank of a token's square, which may be outside the board; `None` for auxiliary tokens.
    pub fn place(&self, token: usize) -> Option<(usize, usize)> {
        match self.roles[token] {
            Role::Square(square) => Some((self.geometry.file_of(square), self.geometry.rank_of(square))),
            Role::Outside(file, rank) => Some((file, rank)),
            Role::Cls | Role::Aux(_) => None,
        }
    }

    /// The board of the squares.
    pub fn geometry(&self) -> Geometry {
        self.geometry
    }

    /// What each token stands for, in the order of the sequence.
    pub fn roles(&self) -> &[Role] {
        &self.roles
    }

    /// How many tokens there are (`l`).
    pub fn len(&self) -> usize {
        self.roles.len()
    }

    /// Whether there is no token.
    pub fn is_empty(&self) -> bool {
        self.roles.is_empty()
    }

    /// The square of the board that a token stands for, if it stands for one.
    pub fn square(&self, token: usize) -> Option<usize> {
        match self.roles[token] {
            Role::Square(square) => Some(square),
            Role::Cls | Role::Aux(_) | Role::Outside(..) => None,
        }
    }

    /// Whether some token has no square.
    pub fn has_aux(&self) -> bool {
        self.aux().next().is_some()
    }

    /// The tokens that stand for squares, in order, each with its square.
    pub fn squares(&self) -> impl Iterator<Item = (usize, usize)> {
        (0..self.len()).filter_map(|token| self.square(token).map(|square| (token, square)))
    }

    /// The first token that stands for a square; 0 if none does.
    pub fn first_square(&self) -> usize {
        self.squares().next().map_or(0, |(token, _)| token)
    }

    /// The tokens that have no square, in order.
    pub fn aux(&self) -> impl Iterator<Item = usize> {
        (0..self.len()).filter(|&token| self.place(token).is_none())
    }

    /// The first summary token, if there is one.
    pub fn cls(&self) -> Option<usize> {
        self.roles.iter().position(|role| *role == Role::Cls)
    }
}

/// Reads the mean of the tokens that stand for squares: a summary of the position.
#[derive(Debug)]
pub(crate) struct SquaresMean {
    /// The tokens that stand for squares.
    squares: Constant,
}

impl SquaresMean {
    pub(crate) fn new(tokens: &Tokens) -> Self {
        let squares: Vec<_> = tokens.squares().map(|(token, _)| token as i64).collect();
        Self { squares: Constant::indices(&squares, &[squares.len() as i64]) }
    }

    pub(crate) fn of(&self, x_bld: &Tensor) -> Tensor {
        let of_squares = x_bld.index_select(1, &self.squares.on(x_bld.device()));
        of_squares.mean_dim([1i64].as_slice(), false, None::<Kind>)
    }
}
