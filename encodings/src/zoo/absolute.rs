//! A vector per token, added to (or gating) the stream of tokens.
//!
//! | `at` | definition | source |
//! |---|---|---|
//! | `input` | x_i + c_i once, after the input embedding | dlshogi's transformer, chess transformers |
//! | `every_layer` | x_i + c_i at the input of every attention layer, not in the residual | Chessformer (arXiv 2409.12272) eq. 4; Ergodice/lczero-training `use_absolute_pe` |
//! | `gate` | x_i · relu(m_i) + a_i once | the same paper, A.1; Lc0's `ma_gating` |
//!
//! Eq. 4 adds c_i for queries and keys only; its code for values too. `values` chooses (default: the code's form).
//!
//! Parameters on l tokens of width d: l·d for a learned table, (ranks + files + aux)·d for a factorised one, once or
//! per layer; 2·l·d for the gate. Learned tables start at zero, or normal with `init_std`; the gate at m = 1, a = 0.
//!
//! Deviation: Lc0's TensorFlow code keeps m ≥ 0 by projecting it after each step; here it passes through relu in the
//! forward, as in Lc0's JAX code, so that a gate which reached zero stays closed.

use crate::prelude::*;

const NAME: &str = "absolute";

/// Where the vectors enter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InjectAt {
    /// Once, after the input embedding.
    Input,
    /// At the input of every attention layer, each with its own table.
    EveryLayer,
    /// Once, after the input embedding, as a factor and a summand per token and channel.
    Gate,
}

/// How the vectors are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VectorTable {
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

impl VectorTable {
    /// Every way of making the vectors.
    pub const ALL: [Self; 4] = [Self::Learned, Self::Factorised, Self::Sinusoidal1d, Self::Sinusoidal2d];

    /// Whether it has parameters.
    pub fn is_learned(self) -> bool {
        matches!(self, Self::Learned | Self::Factorised)
    }
}

/// Settings of the position vectors: where they enter, how they are made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Where the vectors enter; the input by default.
    pub at: InjectAt,
    /// How they are made; learned by default.
    pub table: VectorTable,
    /// Whether values see them too; true by default. Only with [`InjectAt::EveryLayer`].
    pub values: bool,
    /// Standard deviation of their first values; 0 by default.
    pub init_std: f64,
}

impl Default for Config {
    fn default() -> Self {
        Self { at: InjectAt::Input, table: VectorTable::Learned, values: true, init_std: 0.0 }
    }
}

impl Config {
    /// A learned table at `at`, everything else by default.
    pub fn new(at: InjectAt) -> Self {
        Self { at, ..Self::default() }
    }

    fn check(&self, dims: Dims) -> Result<(), EncodingError> {
        let no_effect =
            |option: &str, setting: &str, remedy| Err(EncodingError::no_effect(NAME, option, setting, remedy));
        EncodingError::check_init_std(NAME, self.init_std)?;
        let (at, table) = (format!("at: {}", word(&self.at)), format!("table: {}", word(&self.table)));
        if self.at == InjectAt::Gate && self.table != VectorTable::Learned {
            return no_effect(&table, &at, "the gate is always learned: leave the table out");
        }
        if !self.values && self.at != InjectAt::EveryLayer {
            return no_effect("values: false", &at, "only at: every_layer tells values from queries");
        }
        if self.init_std > 0.0 && (self.at == InjectAt::Gate || !self.table.is_learned()) {
            let setting = if self.at == InjectAt::Gate { &at } else { &table };
            return no_effect(&format!("init_std: {}", self.init_std), setting, "leave it out");
        }
        let divisor = match self.table {
            VectorTable::Learned | VectorTable::Factorised => 1,
            VectorTable::Sinusoidal1d => 2,
            VectorTable::Sinusoidal2d => 4,
        };
        let (encoding, remedy) = (format!("{NAME} with {table}"), "change the width or take another table");
        EncodingError::check_divisible(encoding, ("width", dims.width), divisor, remedy)
    }

    /// Declares what the table learns in `scope`: `table [l, d]`, or `rank`, `file` and `aux`.
    fn rows(&self, scope: &mut Scope<'_>, dims: Dims, tokens: &Tokens) -> Vectors {
        let init = if self.init_std == 0.0 { Init::ZEROS } else { Init::Normal { std: self.init_std } };
        let width = dims.width as i64;
        match self.table {
            VectorTable::Learned => Vectors::Learned(scope.f32_param("table", &[tokens.len() as i64, width], init)),
            VectorTable::Factorised => factorised(scope, &init, width, tokens),
            VectorTable::Sinusoidal1d => fixed(dims, tokens, move |_, square| sinusoid(square, dims.width)),
            VectorTable::Sinusoidal2d => {
                let of = move |coordinate| sinusoid(coordinate, dims.width / 2);
                fixed(dims, tokens, move |board, square| {
                    [of(board.rank_of(square)), of(board.file_of(square))].concat()
                })
            }
        }
    }

    fn guarantees(&self) -> Guarantees {
        Guarantees {
            identity_at_start: self.table.is_learned() && self.init_std == 0.0,
            pairwise: true,
            auxiliary: if self.table.is_learned() { Auxiliary::OwnParameters } else { Auxiliary::Untouched },
            ..Guarantees::NONE
        }
    }
}

impl Configure for Config {
    const INFO: EncodingInfo = EncodingInfo {
        name: NAME,
        summary: "a vector per token: added at the input or at every layer, or a gate; learned, factorised or sines",
        source: "Chessformer eq. 4 and A.1 (arXiv 2409.12272); Ergodice/lczero-training; searchless_chess",
        example: "absolute: {at: every_layer, table: learned, values: true, init_std: 0.0}",
    };

    fn options(&self) -> Vec<String> {
        let mut options = vec![word(&self.at)];
        options.extend((self.table != VectorTable::Learned).then(|| word(&self.table)));
        options.extend((!self.values).then(|| "q,k only".to_owned()));
        options.extend(changed("init_std", self.init_std, 0.0));
        options
    }

    /// The place is part of the key: the paper's absolute network carries the gate and a table in every layer.
    fn key(&self) -> String {
        format!("{NAME}.{}", word(&self.at))
    }

    fn act(&self) -> Act {
        match self.at {
            InjectAt::Input => Act::Sum,
            InjectAt::Gate => Act::Gate,
            InjectAt::EveryLayer => Act::Free,
        }
    }

    fn declare(&self, scope: &mut Scope<'_>, dims: Dims, tokens: &Tokens) -> Result<Box<dyn Encoding>, EncodingError> {
        self.check(dims)?;
        let rows = |scope: &mut Scope<'_>| self.rows(scope, dims, tokens);
        Ok(match self.at {
            InjectAt::Input => Box::new(Input { rows: rows(scope), guarantees: self.guarantees() }),
            InjectAt::EveryLayer => Box::new(EveryLayer {
                rows: dims.per_layer(scope, rows),
                values: self.values,
                guarantees: self.guarantees(),
            }),
            InjectAt::Gate => {
                let shape = [tokens.len() as i64, dims.width as i64];
                Box::new(Gate {
                    factor: scope.f32_param("factor", &shape, Init::ONES),
                    summand: scope.f32_param("summand", &shape, Init::ZEROS),
                })
            }
        })
    }

    fn examples() -> Vec<Self> {
        let at_every_layer = |table| Self { table, ..Self::new(InjectAt::EveryLayer) };
        let at_input = |table| Self { table, ..Self::new(InjectAt::Input) };
        let mut all = vec![Self::new(InjectAt::Gate)];
        all.extend(VectorTable::ALL.map(at_input));
        all.extend(VectorTable::ALL.map(at_every_layer));
        all.push(Self { values: false, ..at_every_layer(VectorTable::Learned) });
        all.push(Self { init_std: 0.02, ..at_input(VectorTable::Learned) });
        all.push(Self { init_std: 0.02, ..at_input(VectorTable::Factorised) });
        all
    }
}

/// The vectors of a sequence, `[l, d]`.
#[derive(Debug)]
enum Vectors {
    Learned(ParamId),
    Factorised {
        /// The learned vectors `[ranks, d]`, `[files, d]` and, if there are auxiliary tokens, `[aux, d]`.
        parts: Vec<ParamId>,
        /// The 0/1 matrix `[l, ranks + files + aux]` that picks each token's summands.
        picks: Constant,
    },
    Fixed(Constant),
}

impl Vectors {
    /// The table with a learned vector for each token, if there is one.
    fn by_token(&self) -> Option<ParamId> {
        match self {
            Self::Learned(table) => Some(*table),
            Self::Factorised { .. } | Self::Fixed(_) => None,
        }
    }

    /// The vectors, `[l, d]`, f32.
    fn at(&self, views: &Views) -> Tensor {
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

fn factorised(scope: &mut Scope<'_>, init: &Init, width: i64, tokens: &Tokens) -> Vectors {
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
    Vectors::Factorised {
        parts: parts.map(|(name, rows)| scope.f32_param(name, &[rows as i64, width], init.clone())).collect(),
        picks: Constant::floats(&picks, &[tokens.len() as i64, columns as i64]),
    }
}

/// The rows of squares, `row(board, square)`; zeros for auxiliary tokens.
fn fixed(dims: Dims, tokens: &Tokens, row: impl Fn(Geometry, usize) -> Vec<f32> + Send + 'static) -> Vectors {
    let tokens = tokens.clone();
    Vectors::Fixed(Constant::floats_from(&[tokens.len() as i64, dims.width as i64], move || {
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

#[derive(Debug)]
struct Input {
    rows: Vectors,
    guarantees: Guarantees,
}

impl Encoding for Input {
    fn injection_points(&self) -> InjectionPoints {
        InjectionPoints::EMBED
    }

    fn guarantees(&self) -> Guarantees {
        self.guarantees
    }

    fn square_tables(&self) -> Vec<ParamId> {
        self.rows.by_token().into_iter().collect()
    }

    fn embed(&self, at: LayerContext<'_>, x_bld: Tensor) -> Tensor {
        let rows = self.rows.at(at.views).to_kind(x_bld.kind());
        x_bld + rows
    }
}

#[derive(Debug)]
struct EveryLayer {
    rows: Vec<Vectors>,
    values: bool,
    guarantees: Guarantees,
}

impl Encoding for EveryLayer {
    fn injection_points(&self) -> InjectionPoints {
        InjectionPoints::ATTEND
    }

    fn guarantees(&self) -> Guarantees {
        self.guarantees
    }

    fn square_tables(&self) -> Vec<ParamId> {
        self.rows.iter().filter_map(Vectors::by_token).collect()
    }

    fn attend(&self, at: LayerContext<'_>, x_bld: &Tensor) -> Option<AttendInput> {
        let qk_bld = x_bld + self.rows[at.layer].at(at.views).to_kind(x_bld.kind());
        let v_bld = (!self.values).then(|| x_bld.shallow_clone());
        Some(AttendInput { qk_bld, v_bld })
    }
}

#[derive(Debug)]
struct Gate {
    factor: ParamId,
    summand: ParamId,
}

impl Encoding for Gate {
    fn injection_points(&self) -> InjectionPoints {
        InjectionPoints::EMBED
    }

    fn guarantees(&self) -> Guarantees {
        Guarantees { identity_at_start: true, pairwise: true, auxiliary: Auxiliary::OwnParameters, ..Guarantees::NONE }
    }

    fn square_tables(&self) -> Vec<ParamId> {
        vec![self.factor, self.summand]
    }

    fn embed(&self, at: LayerContext<'_>, x_bld: Tensor) -> Tensor {
        let kind = x_bld.kind();
        x_bld * at.views[self.factor].relu().to_kind(kind) + at.views[self.summand].to_kind(kind)
    }
}
