//! Eigenvectors of a graph of squares as features of each square, projected and added once: x_i + W·f_i.
//!
//! Squares are the nodes of an undirected graph; two are joined if the piece that `graph` names could move from one to the
//! other on an empty board. With the adjacency A and the degrees D, L = I − D^(−1/2)·A·D^(−1/2). The features f_i of a square
//! are its entries in the `vectors` eigenvectors with the smallest eigenvalues above 0.
//!
//! Source: Dwivedi and Bresson (arXiv 2012.09699; code graphdeeplearning/graphtransformer). There L comes from data, eigenvalue
//! 0 is left out once, and the signs of eigenvectors are drawn at random in training.
//!
//! **A canonical basis.** Boards are symmetric, so most eigenvalues are multiple, and their eigenvectors are defined up to a
//! rotation, single ones up to their sign. The eigenspace itself is unique, and so is the projection P onto it. Of each
//! eigenspace, squares in their order are projected: P·e_s, made orthogonal to what was found before in this eigenspace
//! (Gram–Schmidt), is the next vector, at length 1, unless its length is below 1e-6. The entry of a vector at the square that
//! it was made from is positive. Eigenvalues within 1e-9 are one. An eigenspace that does not fit into `vectors` as a whole
//! gives its first vectors.
//!
//! Deviations: no random signs, since the basis is fixed; vectors of eigenvalue 0 are all left out (the bishop's graph has two
//! components); features are multiplied with the square root of the number of squares, so that the mean of their squares is 1;
//! W starts at zero (source: as PyTorch's dense layers) and has no bias.
//!
//! Auxiliary tokens are left as they are.
//!
//! Parameters: vectors·d, `projection [vectors, d]`. The product of features and W is made once for all positions, so no
//! multiplications per position are counted.

use crate::displacements::Distance;
use crate::prelude::*;

const NAME: &str = "laplacian";

/// Eigenvalues that differ by less are one.
const SAME: f64 = 1e-9;

/// Projections that are shorter give no vector.
const SHORT: f64 = 1e-6;

/// Entries are rounded to this, so that those that are 0 are exactly 0 on every processor.
const GRAIN: f64 = 1e-10;

/// Which squares are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Graph {
    /// Neighbours, in all eight directions.
    #[default]
    King,
    /// Squares on one rank or file.
    Rook,
    /// Squares on one diagonal, of either direction.
    Bishop,
    /// A chess knight's jumps.
    Knight,
}

impl Graph {
    /// Every graph.
    pub const ALL: [Self; 4] = [Self::King, Self::Rook, Self::Bishop, Self::Knight];

    fn joins(self, displacement: Displacement) -> bool {
        let Displacement { ranks, files } = displacement;
        match self {
            Self::King => Distance::Chebyshev.of(displacement) == 1.0,
            Self::Rook => (ranks == 0) != (files == 0),
            Self::Bishop => ranks.abs() == files.abs() && ranks != 0,
            Self::Knight => ranks.abs() + files.abs() == 3 && ranks != 0 && files != 0,
        }
    }

    /// A, row by row.
    fn adjacency(self, board: Geometry) -> Vec<f64> {
        let all = Displacement::all(board);
        let pairs = (0..board.squares()).flat_map(|a| (0..board.squares()).map(move |b| (a, b)));
        pairs.map(|(a, b)| f64::from(u8::from(self.joins(all[board.displacement_class(a, b)])))).collect()
    }
}

/// Settings of the eigenvectors: their graph and their number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Which squares are joined; neighbours by default.
    pub graph: Graph,
    /// How many eigenvectors are used; 16 by default.
    pub vectors: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self { graph: Graph::King, vectors: 16 }
    }
}

impl Configure for Config {
    const INFO: EncodingInfo = EncodingInfo {
        name: NAME,
        summary: "eigenvectors of a graph of squares (steps of a king, rook, bishop or knight), projected and added at the input",
        source: "Dwivedi and Bresson (arXiv 2012.09699)",
        example: "laplacian: {graph: king, vectors: 16}",
    };

    fn options(&self) -> Vec<String> {
        let graph = (self.graph != Graph::default()).then(|| word(&self.graph));
        let vectors = changed("vectors", self.vectors, Self::default().vectors);
        [graph, vectors].into_iter().flatten().collect()
    }

    fn act(&self) -> Act {
        Act::Sum
    }

    fn declare(&self, scope: &mut Scope<'_>, dims: Dims, tokens: &Tokens) -> Result<Box<dyn Encoding>, EncodingError> {
        let board = tokens.geometry();
        let most = board.squares() - components(&self.graph.adjacency(board), board.squares());
        if !(1..=most).contains(&self.vectors) {
            let wanted = "1 or more, and fewer than the squares of the board (for the bishop's two graphs by two)";
            return Err(EncodingError::out_of_range(NAME, "vectors", wanted, self.vectors));
        }
        let (config, sequence) = (self.clone(), tokens.clone());
        let shape = [tokens.len() as i64, self.vectors as i64];
        Ok(Box::new(Laplacian {
            features: Constant::floats_from(&shape, move || config.features(&sequence)),
            projection: scope.f32_param("projection", &[self.vectors as i64, dims.width as i64], Init::ZEROS),
        }))
    }

    fn examples() -> Vec<Self> {
        let graphs = Graph::ALL.map(|graph| Self { graph, ..Self::default() });
        graphs.into_iter().chain([Self { vectors: 5, ..Self::default() }]).collect()
    }
}

impl Config {
    /// `[l, vectors]`, zeros for tokens without a square.
    fn features(&self, tokens: &Tokens) -> Vec<f32> {
        let board = tokens.geometry();
        let scale = (board.squares() as f64).sqrt();
        let basis: Vec<Vec<f64>> = eigenspaces(&self.graph.adjacency(board), board.squares())
            .iter()
            .flat_map(canonical_basis)
            .take(self.vectors)
            .collect();
        let entry = |vector: &Vec<f64>, square: usize| ((vector[square] / GRAIN).round() * GRAIN * scale) as f32;
        let row = |token: usize| {
            basis
                .iter()
                .map(|vector| tokens.square(token).map_or(0.0, |square| entry(vector, square)))
                .collect::<Vec<_>>()
        };
        (0..tokens.len()).flat_map(row).collect()
    }
}

/// How many connected parts a graph has.
fn components(adjacency: &[f64], squares: usize) -> usize {
    let mut seen = vec![false; squares];
    let mut parts = 0;
    for start in 0..squares {
        let mut waiting = if seen[start] { vec![] } else { vec![start] };
        parts += waiting.len();
        while let Some(square) = waiting.pop() {
            if !std::mem::replace(&mut seen[square], true) {
                waiting.extend((0..squares).filter(|next| adjacency[square * squares + next] > 0.0));
            }
        }
    }
    parts
}

/// Orthogonal vectors that span an eigenspace.
type Space = Vec<Vec<f64>>;

/// The eigenspaces of L with eigenvalues above 0, the smallest eigenvalue first.
fn eigenspaces(adjacency: &[f64], squares: usize) -> Vec<Space> {
    let degrees: Vec<f64> = adjacency.chunks(squares).map(|row| row.iter().sum()).collect();
    let entry = |(place, joined): (usize, &f64)| {
        let (a, b) = (place / squares, place % squares);
        f64::from(u8::from(a == b)) - joined / (degrees[a] * degrees[b]).sqrt()
    };
    let laplacian: Vec<f64> = adjacency.iter().enumerate().map(entry).collect();
    let size = squares as i64;
    let (values, vectors) = Tensor::from_slice(&laplacian).view([size, size]).linalg_eigh("L");
    let numbers = |tensor: &Tensor| Vec::<f64>::try_from(tensor.contiguous().view(-1)).expect("numbers in f64");
    let (values, vectors) = (numbers(&values), numbers(&vectors.transpose(0, 1)));
    let mut spaces: Vec<(f64, Space)> = Vec::new();
    for (value, vector) in values.into_iter().zip(vectors.chunks(squares)).filter(|(value, _)| *value > SAME) {
        match spaces.last_mut() {
            Some((last, space)) if value - *last < SAME => space.push(vector.to_vec()),
            _ => spaces.push((value, vec![vector.to_vec()])),
        }
    }
    spaces.into_iter().map(|(_, space)| space).collect()
}

/// The basis of a space that does not depend on how it is given; see the top of this file.
fn canonical_basis(space: &Space) -> Space {
    let squares = space[0].len();
    let mut basis: Space = Vec::new();
    for square in 0..squares {
        let mut candidate = vec![0.0; squares];
        space.iter().for_each(|vector| add(&mut candidate, vector[square], vector));
        // Twice, since one pass leaves rounding errors of the size of what it removes.
        for _ in 0..2 {
            for found in &basis {
                let along = dot(found, &candidate);
                add(&mut candidate, -along, found);
            }
        }
        let length = dot(&candidate, &candidate).sqrt();
        if length > SHORT {
            basis.push(candidate.iter().map(|entry| entry / length).collect());
        }
    }
    basis
}

fn add(sum: &mut [f64], factor: f64, vector: &[f64]) {
    sum.iter_mut().zip(vector).for_each(|(sum, entry)| *sum += factor * entry);
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[derive(Debug)]
struct Laplacian {
    /// `[l, vectors]`.
    features: Constant,
    /// `[vectors, d]`.
    projection: ParamId,
}

impl Encoding for Laplacian {
    fn injection_points(&self) -> InjectionPoints {
        InjectionPoints::EMBED
    }

    fn guarantees(&self) -> Guarantees {
        Guarantees { identity_at_start: true, pairwise: true, auxiliary: Auxiliary::Untouched, ..Guarantees::NONE }
    }

    fn embed(&self, at: LayerContext<'_>, x_bld: Tensor) -> Tensor {
        let rows_ld = self.features.on(at.views.device()).matmul(&at.views[self.projection]);
        let kind = x_bld.kind();
        x_bld + rows_ld.to_kind(kind)
    }
}
