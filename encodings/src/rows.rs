//! A vector for every token of the sequence: learned, factorised over rank and file, or sinusoidal.

use crate::configure::word;
use crate::{Dims, EncodingError, Tokens};
use games::Geometry;
use nn::{Constant, Init, ParamId, Scope, Views};
use serde::{Deserialize, Serialize};
use tch::Tensor;

/// How the vectors are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Table {
    /// One learned vector per token, auxiliary tokens included.
    Learned,
    /// Learned p_rank + p_file; each auxiliary token has a separate learned vector.
    Factorised,
    /// Fixed [sin | cos] of the square's index, largest time scale 10,000 (searchless_chess; Vaswani et al. 2017,
    /// arXiv 1706.03762); zero for auxiliary tokens. Deviations: searchless_chess takes the index in its sequence of
    /// characters, has one sine more and one cosine fewer, and multiplies its token embeddings by √d first.
    #[serde(rename = "sinusoidal_1d")]
    Sinusoidal1d,
    /// The first half of the channels as [`Self::Sinusoidal1d`] of the rank, the second half of the file; zero for
    /// auxiliary tokens.
    #[serde(rename = "sinusoidal_2d")]
    Sinusoidal2d,
}

impl Table {
    /// Every way.
    pub const ALL: [Self; 4] = [Self::Learned, Self::Factorised, Self::Sinusoidal1d, Self::Sinusoidal2d];

    /// Whether it has parameters.
    pub fn is_learned(self) -> bool {
        matches!(self, Self::Learned | Self::Factorised)
    }
}

/// The vectors of a sequence, `[l, d]`.
#[derive(Debug)]
pub(crate) enum Rows {
    Learned(ParamId),
    Factorised {
        /// The learned vectors `[ranks, d]`, `[files, d]` and, if there are auxiliary tokens, `[aux, d]`.
        parts: Vec<ParamId>,
        /// The 0/1 matrix `[l, ranks + files + aux]` that picks each token's summands.
        picks: Constant,
    },
    Fixed(Constant),
}

impl Rows {
    /// Declares what the table learns in `scope`: `table [l, d]`, or `rank`, `file` and `aux`, each starting from `init`. An
    /// error if a sinusoidal table cannot divide the width.
    pub(crate) fn declare(
        scope: &mut Scope<'_>,
        table: Table,
        init: &Init,
        dims: Dims,
        tokens: &Tokens,
    ) -> Result<Self, EncodingError> {
        let width = dims.width as i64;
        Ok(match table {
            Table::Learned => Self::Learned(scope.f32_param("table", &[tokens.len() as i64, width], init.clone())),
            Table::Factorised => factorised(scope, init, width, tokens),
            Table::Sinusoidal1d => {
                check_width(table, dims, 2)?;
                fixed(dims, tokens, move |_, square| sinusoid(square, dims.width))
            }
            Table::Sinusoidal2d => {
                check_width(table, dims, 4)?;
                let of = move |coordinate| sinusoid(coordinate, dims.width / 2);
                fixed(dims, tokens, move |board, square| {
                    [of(board.rank_of(square)), of(board.file_of(square))].concat()
                })
            }
        })
    }

    /// The table with a learned vector for each token, if there is one.
    pub(crate) fn by_token(&self) -> Option<ParamId> {
        match self {
            Self::Learned(table) => Some(*table),
            Self::Factorised { .. } | Self::Fixed(_) => None,
        }
    }

    /// The vectors, `[l, d]`, f32.
    pub(crate) fn at(&self, views: &Views) -> Tensor {
        match self {
            Self::Learned(table) => views[*table].shallow_clone(),
            Self::Factorised { parts, picks } => {
                let parts: Vec<_> = parts.iter().map(|&part| &views[part]).collect();
                picks.on(views.device()).matmul(&Tensor::cat(&parts, 0))
            }
            Self::Fixed(table) => table.on(views.device()),
        }
    }
}

fn factorised(scope: &mut Scope<'_>, init: &Init, width: i64, tokens: &Tokens) -> Rows {
    let (ranks, files, aux) = (tokens.geometry().ranks(), tokens.geometry().files(), tokens.aux().count());
    let columns = ranks + files + aux;
    let mut picks = vec![0f32; tokens.len() * columns];
    for (token, square) in tokens.squares() {
        picks[token * columns + tokens.geometry().rank_of(square)] = 1.0;
        picks[token * columns + ranks + tokens.geometry().file_of(square)] = 1.0;
    }
    for (number, token) in tokens.aux().enumerate() {
        picks[token * columns + ranks + files + number] = 1.0;
    }
    let parts = [("rank", ranks), ("file", files), ("aux", aux)].into_iter().filter(|&(_, rows)| rows > 0);
    Rows::Factorised {
        parts: parts.map(|(name, rows)| scope.f32_param(name, &[rows as i64, width], init.clone())).collect(),
        picks: Constant::floats(&picks, &[tokens.len() as i64, columns as i64]),
    }
}

/// The rows of squares, `row(board, square)`; zeros for auxiliary tokens.
fn fixed(dims: Dims, tokens: &Tokens, row: impl Fn(Geometry, usize) -> Vec<f32> + Send + 'static) -> Rows {
    let tokens = tokens.clone();
    Rows::Fixed(Constant::floats_from(&[tokens.len() as i64, dims.width as i64], move || {
        let of_token = |token| match tokens.square(token) {
            Some(square) => row(tokens.geometry(), square),
            None => vec![0.0; dims.width],
        };
        (0..tokens.len()).flat_map(of_token).collect()
    }))
}

/// `[sin(position·f_0), …, cos(position·f_0), …]` with f_i = 10000^(−2i/width).
fn sinusoid(position: usize, width: usize) -> Vec<f32> {
    let angles = (0..width / 2).map(|i| position as f64 * 10_000f64.powf(-2.0 * i as f64 / width as f64));
    let (sines, cosines): (Vec<_>, Vec<_>) = angles.map(|angle| (angle.sin() as f32, angle.cos() as f32)).unzip();
    [sines, cosines].concat()
}

fn check_width(table: Table, dims: Dims, divisor: usize) -> Result<(), EncodingError> {
    let (encoding, remedy) =
        (format!("absolute with table: {}", word(&table)), "change the width or take another table");
    EncodingError::check_divisible(encoding, ("width", dims.width), divisor, remedy)
}
