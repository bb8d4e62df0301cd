//! Every encoding against its definition: an independent formula in f64, over all tokens and all pairs of every board.
//!
//! A new encoding needs a file below that implements [`Definition`] for its configuration, written from its source and not from
//! the program, and a line in [`definition`]; without it the tests do not compile. What a definition does not mention, the
//! encoding must leave unchanged.

mod absolute;
mod alibi;
mod cls_map;
mod continuous_bias;
mod cope;
mod deberta;
mod dynamic_relative;
mod fire;
mod gab_templates;
mod irpe;
mod kerple;
mod laplacian;
mod lepe;
mod liere;
mod log_buckets;
mod low_rank;
mod none;
mod pape;
mod pope;
mod relations;
mod relative_bias;
mod rope;
mod rove;
mod shaw;
mod smolgen;
mod spherical;
mod string;
mod tab;

use crate::common::single::{LAYER, Single, assert_near, numbers};
use crate::common::{DIMS, input, normal_tensor, place, sequences};
use encodings::{Dims, EncodingConfig, Queries, Tokens};
use games::GameKind;
use tch::{Kind, Tensor};

/// What an encoding does, as its source defines it. Vectors are row by row: `x_ld` is `[l,d]`, and so on.
pub(crate) trait Definition {
    /// How many multiplications by weights or tables it adds to a position, all layers together.
    fn macs(&self, _dims: Dims, _tokens: &Tokens) -> usize {
        0
    }

    /// After the input embedding: x → x.
    fn embed(&self, _given: &Given<'_>, x_ld: &[f64]) -> Vec<f64> {
        x_ld.to_vec()
    }

    /// At the input of attention: x → what queries and keys, and what values are made from.
    fn attend(&self, _given: &Given<'_>, x_ld: &[f64]) -> [Vec<f64>; 2] {
        [x_ld.to_vec(), x_ld.to_vec()]
    }

    /// On queries, and in the same way on keys.
    fn rotate(&self, _given: &Given<'_>, x_hlk: &[f64]) -> Vec<f64> {
        x_hlk.to_vec()
    }

    /// What is added to q·k before it is divided by √k, `[h,l,l]`.
    fn before_scale(&self, given: &Given<'_>, _board: &Board) -> Vec<f64> {
        given.of_pairs(|_, _, _| 0.0)
    }

    /// What is added after the division, `[h,l,l]`.
    fn after_scale(&self, given: &Given<'_>, _board: &Board) -> Vec<f64> {
        given.of_pairs(|_, _, _| 0.0)
    }

    /// What is added to the attention output, `[h,l,k]`.
    fn values(&self, given: &Given<'_>, _board: &Board) -> Vec<f64> {
        vec![0.0; given.heads() * given.len() * given.head_width()]
    }
}

pub(crate) fn definition(config: &EncodingConfig) -> &dyn Definition {
    match config {
        EncodingConfig::None(config) => config,
        EncodingConfig::Absolute(config) => config,
        EncodingConfig::RelativeBias(config) => config,
        EncodingConfig::Shaw(config) => config,
        EncodingConfig::Smolgen(config) => config,
        EncodingConfig::ClsMap(config) => config,
        EncodingConfig::DynamicRelative(config) => config,
        EncodingConfig::GabTemplates(config) => config,
        EncodingConfig::Rope(config) => config,
        EncodingConfig::Alibi(config) => config,
        EncodingConfig::Kerple(config) => config,
        EncodingConfig::LogBuckets(config) => config,
        EncodingConfig::Fire(config) => config,
        EncodingConfig::ContinuousBias(config) => config,
        EncodingConfig::Relations(config) => config,
        EncodingConfig::Laplacian(config) => config,
        EncodingConfig::Lepe(config) => config,
        EncodingConfig::String(config) => config,
        EncodingConfig::Irpe(config) => config,
        EncodingConfig::Deberta(config) => config,
        EncodingConfig::Cope(config) => config,
        EncodingConfig::Rove(config) => config,
        EncodingConfig::Pope(config) => config,
        EncodingConfig::LowRank(config) => config,
        EncodingConfig::Spherical(config) => config,
        EncodingConfig::Liere(config) => config,
        EncodingConfig::Pape(config) => config,
        EncodingConfig::Tab(config) => config,
    }
}

/// What a layer is given for one position.
pub(crate) struct Board {
    /// The piece codes of the squares, 0 for an empty one.
    pub(crate) pieces: Vec<f64>,
    pub(crate) x_ld: Vec<f64>,
    pub(crate) q_hlk: Vec<f64>,
    pub(crate) k_hlk: Vec<f64>,
    pub(crate) v_hlk: Vec<f64>,
    pub(crate) weights_hll: Vec<f64>,
}

/// The sequence, the sizes and the parameters.
pub(crate) struct Given<'a> {
    pub(crate) tokens: &'a Tokens,
    single: &'a Single,
    key: String,
}

impl Given<'_> {
    /// A parameter of the encoding, by its name below the encoding's.
    pub(crate) fn parameter(&self, name: &str) -> Vec<f64> {
        self.single.parameter(&format!("{}.{name}", self.key))
    }

    /// A parameter of the layer in question.
    pub(crate) fn of_layer(&self, name: &str) -> Vec<f64> {
        self.parameter(&format!("layer.{LAYER}.{name}"))
    }

    pub(crate) fn len(&self) -> usize {
        self.tokens.len()
    }

    /// Whether some token stands for no square.
    pub(crate) fn has_aux(&self) -> bool {
        (0..self.len()).any(|token| self.place(token).is_none())
    }

    pub(crate) fn width(&self) -> usize {
        DIMS.width
    }

    pub(crate) fn heads(&self) -> usize {
        DIMS.heads
    }

    pub(crate) fn head_width(&self) -> usize {
        DIMS.width / DIMS.heads
    }

    /// Rank and file of a token, if it stands for a square: squares are numbered rank by rank.
    pub(crate) fn place(&self, token: usize) -> Option<[usize; 2]> {
        let files = self.tokens.geometry().files();
        self.tokens.square(token).map(|square| [square / files, square % files])
    }

    /// `[h,l,l]` from a formula for head, query token and key token.
    pub(crate) fn of_pairs(&self, logit: impl Fn(usize, usize, usize) -> f64) -> Vec<f64> {
        let l = self.len();
        (0..self.heads() * l * l).map(|i| logit(i / l / l, i / l % l, i % l)).collect()
    }

    pub(crate) fn row<'t>(&self, table: &'t [f64], row: usize, width: usize) -> &'t [f64] {
        &table[row * width..(row + 1) * width]
    }
}

pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// `W·x + b`, W row by row.
pub(crate) fn affine(weight: &[f64], bias: Option<&[f64]>, x: &[f64]) -> Vec<f64> {
    weight.chunks(x.len()).enumerate().map(|(i, row)| dot(row, x) + bias.map_or(0.0, |bias| bias[i])).collect()
}

pub(crate) fn mean_of_rows(rows: &[f64], width: usize) -> Vec<f64> {
    let count = (rows.len() / width) as f64;
    (0..width).map(|i| rows.chunks(width).map(|row| row[i]).sum::<f64>() / count).collect()
}

pub(crate) fn mean_of_squares(given: &Given<'_>, board: &Board) -> Vec<f64> {
    let squares = (0..given.len()).filter(|&token| given.place(token).is_some());
    let rows: Vec<f64> = squares.flat_map(|token| given.row(&board.x_ld, token, given.width()).to_vec()).collect();
    mean_of_rows(&rows, given.width())
}

/// `(x − mean) / √(variance + 1e-3) · gain + bias`.
pub(crate) fn layer_norm(x: &[f64], gain: &[f64], bias: &[f64]) -> Vec<f64> {
    let mean = x.iter().sum::<f64>() / x.len() as f64;
    let variance = x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / x.len() as f64;
    x.iter().zip(gain.iter().zip(bias)).map(|(x, (g, b))| (x - mean) / (variance + 1e-3).sqrt() * g + b).collect()
}

/// The number of classes of pairs: one a displacement, or one a pair.
pub(crate) fn classes(share: encodings::displacements::PairSharing, tokens: &Tokens) -> usize {
    let (files, ranks) = (tokens.geometry().files(), tokens.geometry().ranks());
    match share {
        encodings::displacements::PairSharing::Pair => tokens.len() * tokens.len(),
        encodings::displacements::PairSharing::Displacement => {
            (2 * files - 1) * (2 * ranks - 1) + if tokens.len() > files * ranks { 3 } else { 0 }
        }
    }
}

/// Ranks and files of the query less those of the key, if both stand for squares.
pub(crate) fn displacement(given: &Given<'_>, i: usize, j: usize) -> Option<[f64; 2]> {
    let ([rank_i, file_i], [rank_j, file_j]) = (given.place(i)?, given.place(j)?);
    Some([rank_i as f64 - rank_j as f64, file_i as f64 - file_j as f64])
}

/// Which of three a pair is in which some token stands for no square: square → auxiliary, auxiliary → square,
/// auxiliary → auxiliary.
pub(crate) fn aux_class(given: &Given<'_>, i: usize, j: usize) -> usize {
    match (given.place(i), given.place(j)) {
        (Some(_), None) => 0,
        (None, Some(_)) => 1,
        _ => 2,
    }
}

/// The number, of three per head, for such a pair.
pub(crate) fn aux_number(given: &Given<'_>, table_h3: &[f64], [head, i, j]: [usize; 3]) -> f64 {
    table_h3[3 * head + aux_class(given, i, j)]
}

/// The class of query i and key j: (2F−1)·(rank_i − rank_j + R−1) + (file_i − file_j + F−1) for two squares, and after
/// these one class each for square → auxiliary, auxiliary → square and auxiliary → auxiliary.
pub(crate) fn displacement_class(given: &Given<'_>, i: usize, j: usize) -> usize {
    let (files, ranks) = (given.tokens.geometry().files(), given.tokens.geometry().ranks());
    match (given.place(i), given.place(j)) {
        (Some([rank_i, file_i]), Some([rank_j, file_j])) => {
            (2 * files - 1) * (rank_i + ranks - 1 - rank_j) + file_i + files - 1 - file_j
        }
        _ => (2 * files - 1) * (2 * ranks - 1) + aux_class(given, i, j),
    }
}

#[test]
fn every_encoding_equals_its_definition() {
    for config in EncodingConfig::examples() {
        for tokens in sequences() {
            let single = Single::random(config.clone(), &tokens);
            let given = Given { tokens: &tokens, single: &single, key: config.key() };
            check(definition(&config), &given, &place(std::slice::from_ref(&config), &tokens));
        }
    }
}

fn check(definition: &dyn Definition, given: &Given<'_>, place: &str) {
    let (l, h, k) = (given.len() as i64, given.heads() as i64, given.head_width() as i64);
    let board = given.tokens.geometry();
    // That positions of a batch do not mix is seen on the smallest board.
    let batch = if board == GameKind::Minishogi.geometry() { 2 } else { 1 };
    let x = input(3, batch, given.tokens, DIMS);
    let [q, k_tensor, v] = ["q", "k", "v"].map(|name| normal_tensor(3, name, &[batch, h, l, k]));
    let weights = normal_tensor(3, "weights", &[batch, h, l, l]).softmax(-1, Kind::Float);
    let packed = given.single.network.packed(&x);
    let boards: Vec<_> = (0..batch)
        .map(|position| Board {
            pieces: numbers(&packed.get(position)).into_iter().take(board.squares()).collect(),
            x_ld: numbers(&x.get(position)),
            q_hlk: numbers(&q.get(position)),
            k_hlk: numbers(&k_tensor.get(position)),
            v_hlk: numbers(&v.get(position)),
            weights_hll: numbers(&weights.get(position)),
        })
        .collect();
    let near = |what: &str, found: &Tensor, wanted: &dyn Fn(&Board) -> Vec<f64>| {
        let wanted: Vec<f64> = boards.iter().flat_map(wanted).collect();
        assert_near(&numbers(found), &wanted, &format!("{place}: {what}"));
    };
    given.single.ask(&x, |encoding, at| {
        near("embed", &encoding.embed(at, x.shallow_clone()), &|board| definition.embed(given, &board.x_ld));

        let attended = encoding.attend(at, &x);
        let [qk, v_input] = match &attended {
            None => [&x, &x],
            Some(input) => {
                // One tensor serves a fused projection.
                assert_ne!(input.v_bld.as_ref(), Some(&input.qk_bld), "{place}: two tensors where one serves");
                [&input.qk_bld, input.v_bld.as_ref().unwrap_or(&input.qk_bld)]
            }
        };
        near("attend, queries and keys", qk, &|board| definition.attend(given, &board.x_ld)[0].clone());
        near("attend, values", v_input, &|board| definition.attend(given, &board.x_ld)[1].clone());

        let (rotated_q, rotated_k) =
            encoding.rotate(at, &q, &k_tensor).unwrap_or((q.shallow_clone(), k_tensor.shallow_clone()));
        near("rotated queries", &rotated_q, &|board| definition.rotate(given, &board.q_hlk));
        near("rotated keys", &rotated_k, &|board| definition.rotate(given, &board.k_hlk));

        let logits = encoding.logits(at, Queries { x_bld: &x, q_bhlk: &q, k_bhlk: &k_tensor });
        let whole = |term: Option<Tensor>, shape: [i64; 4]| match term {
            Some(term) => term.expand(shape, false),
            None => Tensor::zeros(shape, (Kind::Float, x.device())),
        };
        let before = whole(logits.before_scale, [batch, h, l, l]);
        near("logits before the scale", &before, &|board| definition.before_scale(given, board));
        let after = whole(logits.after_scale, [batch, h, l, l]);
        near("logits after the scale", &after, &|board| definition.after_scale(given, board));

        let values = whole(encoding.values(at, Some(&weights), &v), [batch, h, l, k]);
        near("values", &values, &|board| definition.values(given, board));
    });
}
