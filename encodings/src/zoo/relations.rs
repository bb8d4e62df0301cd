//! Relations by the moves of pieces: one parameter per head and relation of two squares, added up, and for lines another one
//! where a piece stands between the squares: e_ij/√k + Σ_r w_h[r]·[r holds for (i, j)] + Σ_line g_h[line]·[line is blocked].
//!
//! This is posenc's own control, not from a paper (in graphs: Graphormer's bias by relation, arXiv 2106.05234). A pair can
//! have several relations. They are seen from the query towards the key; forward is away from the own back rank:
//!
//! | relation | the key stands |
//! |---|---|
//! | `same` | on the square itself |
//! | `rank`, `file`, `diagonal`, `antidiagonal` | on this line through the query, at any distance but 0; the diagonal runs from left to right away from the own back rank |
//! | `king` | one step away, in any of eight directions |
//! | `knight` | a chess knight's jump away |
//! | `jump` | a shogi knight's jump away: two ranks forward, one file aside |
//! | `forward`, `backward`, `sideways`, `forward_diagonal`, `backward_diagonal` | one step away in this direction, left or right |
//!
//! Lance, silver and gold are sums of these. `king` is the sum of the five single steps: a parameter that they share.
//!
//! **The gate.** A pair on a rank, file or diagonal is blocked if some square strictly between its two is occupied. With
//! `gate: board`, the default, each of the four lines has a second parameter, which blocked pairs get in addition. The first
//! [`Geometry::squares`] bytes of every packed row are the piece codes of the position, 0 for empty, in the order of squares
//! (`games::InputLayout`); `lc0_112` has older boards after these. `gate: none` leaves the second parameters out: the logits
//! are then a function of the displacement.
//!
//! With the gate what is added for a pair depends on what stands on other squares, so decoders refuse it.
//!
//! Pairs with auxiliary tokens have three further parameters: square → auxiliary, auxiliary → square, auxiliary → auxiliary.
//! Everything starts at zero.
//!
//! Parameters per layer: 13h, `relation [h,13]`; with the gate 4h more, `blocked [h,4]` (rank, file, diagonal,
//! antidiagonal); `aux [h,3]` if there are auxiliary tokens.
//!
//! Cost of the gate per layer and position: squares · P multiplications of the occupied squares with a 0/1 matrix, P pairs of
//! squares on a line with something between (518 on 8×8, 784 on 9×9), then one pass that writes `[h,l,l]`.

use super::cope::ray;
use crate::prelude::*;
use std::sync::Arc;

const NAME: &str = "relations";

/// Whether pieces on a line change its logits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Gate {
    /// Blocked lines have a second parameter; pieces are read from the packed row.
    #[default]
    Board,
    /// Lines are alike whatever stands on them.
    None,
}

/// Settings of the bias per relation: whether blocked lines differ.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Whether blocked lines have a second parameter; they have by default.
    #[serde(default)]
    pub gate: Gate,
}

/// Lines that a piece can block.
const LINES: [fn(KeyOffset) -> bool; 4] = [
    |step| step.forward == 0 && step.right != 0,
    |step| step.right == 0 && step.forward != 0,
    |step| step.right == step.forward && step.forward != 0,
    |step| step.right == -step.forward && step.forward != 0,
];

/// Every relation, in the order of the parameters: the square itself, lines, jumps, single steps.
const RELATIONS: [fn(KeyOffset) -> bool; 13] = [
    |step| step.distance() == 0,
    LINES[0],
    LINES[1],
    LINES[2],
    LINES[3],
    |step| step.distance() == 1,
    |step| step.forward.abs() + step.right.abs() == 3 && step.distance() == 2,
    |step| step.forward == 2 && step.right.abs() == 1,
    |step| (step.forward, step.right) == (1, 0),
    |step| (step.forward, step.right) == (-1, 0),
    |step| (step.forward, step.right.abs()) == (0, 1),
    |step| (step.forward, step.right.abs()) == (1, 1),
    |step| (step.forward, step.right.abs()) == (-1, 1),
];

/// Where a key stands, seen from the query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct KeyOffset {
    /// Ranks away from the own back rank.
    forward: i64,
    /// Files to the right.
    right: i64,
}

impl KeyOffset {
    fn of(displacement: Displacement) -> Self {
        Self { forward: -displacement.ranks, right: -displacement.files }
    }

    /// In steps of a king.
    fn distance(self) -> i64 {
        self.forward.abs().max(self.right.abs())
    }
}

impl Configure for Config {
    const INFO: EncodingInfo = EncodingInfo {
        name: NAME,
        summary: "a parameter per head and relation of two squares (lines, steps and jumps of the pieces); lines have another one where a piece stands between",
        source: "a control of posenc; relations as in Graphormer (arXiv 2106.05234)",
        example: "relations: {gate: board}",
    };

    fn options(&self) -> Vec<String> {
        (self.gate == Gate::None).then(|| "gate=none".to_owned()).into_iter().collect()
    }

    fn declare(&self, scope: &mut Scope<'_>, dims: Dims, tokens: &Tokens) -> Result<Box<dyn Encoding>, EncodingError> {
        let pairs = ByDisplacement::new(tokens);
        let layers = dims.per_layer(scope, |scope| self.layer(scope, dims.heads, &pairs));
        Ok(Box::new(Relations {
            layers,
            relations: holding(tokens.geometry(), &RELATIONS),
            lines: holding(tokens.geometry(), &LINES),
            pairs,
            blockades: (self.gate == Gate::Board).then(|| Blockades::new(tokens)),
        }))
    }

    fn examples() -> Vec<Self> {
        vec![Self { gate: Gate::Board }, Self { gate: Gate::None }]
    }
}

impl Config {
    fn layer(&self, scope: &mut Scope<'_>, heads: usize, pairs: &ByDisplacement) -> RelationsLayer {
        let mut table = |name, columns: usize| scope.f32_param(name, &[heads as i64, columns as i64], Init::ZEROS);
        let relation = table("relation", RELATIONS.len());
        let blocked = (self.gate == Gate::Board).then(|| table("blocked", LINES.len()));
        RelationsLayer { relation, blocked, aux: pairs.declare_aux(scope, heads) }
    }
}

/// The 0/1 matrix `[relations, classes]`: which of these hold for each displacement.
fn holding(board: Geometry, relations: &'static [fn(KeyOffset) -> bool]) -> Constant {
    Constant::floats_from(&[relations.len() as i64, board.displacement_classes() as i64], move || {
        let all = Displacement::all(board);
        let row = |holds: &fn(KeyOffset) -> bool| {
            all.iter().map(|&one| f32::from(u8::from(holds(KeyOffset::of(one))))).collect::<Vec<_>>()
        };
        relations.iter().flat_map(row).collect()
    })
}

#[derive(Debug)]
struct RelationsLayer {
    /// `[h, relations]`.
    relation: ParamId,
    /// `[h, lines]`; absent without the gate.
    blocked: Option<ParamId>,
    /// `[h,3]`.
    aux: Option<ParamId>,
}

/// Which pairs of tokens have a piece between them.
#[derive(Debug)]
struct Blockades {
    squares: i64,
    /// Pairs of squares on a line with something between, each once.
    lines: i64,
    /// The 0/1 matrix `[squares, lines]`: which squares stand between the ends of each.
    between: Constant,
    /// Of every pair of tokens its place among these lines, or the place after the last.
    of_pairs: Constant,
    tokens: i64,
}

impl Blockades {
    fn new(tokens: &Tokens) -> Self {
        let board = tokens.geometry();
        let lines = Arc::new(lines(board));
        let count = lines.len();
        let (of_matrix, of_tokens, sequence) = (Arc::clone(&lines), lines, tokens.clone());
        let length = tokens.len();
        Self {
            squares: board.squares() as i64,
            lines: count as i64,
            between: Constant::floats_from(&[board.squares() as i64, count as i64], move || {
                let mut matrix = vec![0.0; board.squares() * count];
                for (number, line) in of_matrix.iter().enumerate() {
                    line.between.iter().for_each(|square| matrix[square * count + number] = 1.0);
                }
                matrix
            }),
            of_pairs: Constant::indices_from(&[(length * length) as i64], move || {
                let mut of_squares = vec![count; board.squares() * board.squares()];
                for (number, BoardLine { ends: [a, b], .. }) in of_tokens.iter().enumerate() {
                    of_squares[a * board.squares() + b] = number;
                    of_squares[b * board.squares() + a] = number;
                }
                let line = |pair: usize| match (sequence.square(pair / length), sequence.square(pair % length)) {
                    (Some(query), Some(key)) => of_squares[query * board.squares() + key],
                    _ => count,
                };
                (0..length * length).map(|pair| line(pair) as i64).collect()
            }),
            tokens: length as i64,
        }
    }

    /// 1 for pairs with a piece between them, else 0: `[b,row]` → `[b,1,l,l]`.
    fn on(&self, packed: &Tensor, kind: Kind) -> Tensor {
        let device = packed.device();
        let occupied = packed.narrow(1, 0, self.squares).ne(0).to_kind(Kind::Float);
        let blocked = occupied.matmul(&self.between.on(device)).gt(0.5).to_kind(kind);
        let of_pairs = blocked.constant_pad_nd([0, 1]).index_select(1, &self.of_pairs.on(device));
        of_pairs.view([-1, 1, self.tokens, self.tokens])
    }

    fn macs(&self) -> u64 {
        (self.squares * self.lines) as u64
    }
}

/// Two squares on a line and the squares between them.
#[derive(Debug)]
struct BoardLine {
    ends: [usize; 2],
    between: Vec<usize>,
}

/// Every line with something between its ends, each once.
fn lines(board: Geometry) -> Vec<BoardLine> {
    let pairs = (0..board.squares()).flat_map(|a| (0..a).map(move |b| [a, b]));
    let line = |ends: [usize; 2]| {
        let [from, to] = ends.map(|square| (board.file_of(square), board.rank_of(square)));
        let squares: Vec<usize> = ray(from, to)?.into_iter().map(|(file, rank)| board.square(file, rank)).collect();
        let (_, between) = squares.split_last().filter(|(_, between)| !between.is_empty())?;
        Some(BoardLine { ends, between: between.to_vec() })
    };
    pairs.filter_map(line).collect()
}

#[derive(Debug)]
struct Relations {
    layers: Vec<RelationsLayer>,
    /// `[relations, classes]`.
    relations: Constant,
    /// `[lines, classes]`.
    lines: Constant,
    pairs: ByDisplacement,
    /// Absent without the gate.
    blockades: Option<Blockades>,
}

impl Encoding for Relations {
    /// What stands between two squares moves with everything else on the board.
    fn guarantees(&self) -> Guarantees {
        Guarantees {
            identity_at_start: true,
            translation_invariant: true,
            pairwise: self.blockades.is_none(),
            toroidal: self.blockades.is_none(),
            static_logits: self.blockades.is_none(),
            auxiliary: Auxiliary::OwnParameters,
            ..Guarantees::NONE
        }
    }

    fn macs(&self) -> u64 {
        self.blockades.as_ref().map_or(0, |blockades| self.layers.len() as u64 * blockades.macs())
    }

    fn logits(&self, at: LayerContext<'_>, queries: Queries<'_>) -> Logits {
        let (layer, device, kind) = (&self.layers[at.layer], at.views.device(), queries.q_bhlk.kind());
        let aux = layer.aux.map(|aux| &at.views[aux]);
        let by_relation_hc = at.views[layer.relation].matmul(&self.relations.on(device));
        let static_hll = self.pairs.logits(&by_relation_hc, aux).to_kind(kind);
        let gated = self.blockades.as_ref().zip(layer.blocked).map(|(blockades, blocked)| {
            let by_line_hc = at.views[blocked].matmul(&self.lines.on(device));
            let if_blocked_hll = self.pairs.logits(&by_line_hc, None).to_kind(kind);
            static_hll.addcmul(&blockades.on(at.packed, kind), &if_blocked_hll)
        });
        Logits { after_scale: Some(gated.unwrap_or(static_hll)), ..Logits::default() }
    }
}
