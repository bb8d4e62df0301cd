//! Refinement: the most probable moves of a first pass become tokens of a second one, which chooses among them.
//!
//! ```text
//! pass 1:  tokens + k · e(no move)                                       -> policy over all moves
//! pass 2:  tokens + e(move_i) + r(repetition after it) + p_i·s + rank_i  -> k logits, from the summary token
//! ```
//!
//! From the text of Heshtin/Chess-Transformer, with k = 3: the candidates are the most probable *legal* moves (the text
//! masks nothing), p_i are probabilities among them, at a temperature. r is the table of the input's repetition token if `embedding:
//! parts` has one, otherwise a separate table. The choice of candidates and p_i pass no gradient to the first pass.
//! With fewer legal moves the remaining places keep "no move" and cannot be chosen.
//! Its code (`src_ignore/main/present/reevaluate.py`) differs: p_i is the raw logit, there is no repetition, and if the
//! target is not a candidate the most probable candidate becomes the target.

use crate::config::{InitKind, RefinementConfig};
use crate::heads::pooled::Summary;
use crate::layers::dense;
use crate::loss::{Refined, mask_policy};
use crate::macs::HeadMacs;
use encodings::{Role, Tokens};
use nn::{Constant, Init, LayoutBuilder, Linear, ParamId, Part, Views};
use tch::{Kind, Tensor};

/// Names of the tokens; their number limits the refined moves.
const TOKENS: [&str; 5] = ["refinement.1", "refinement.2", "refinement.3", "refinement.4", "refinement.5"];
/// Embeddings of repetitions, if the input has none.
const REPETITIONS: i64 = 4;

impl RefinementConfig {
    /// The sequence followed by its tokens.
    pub(crate) fn extend(self, tokens: &Tokens) -> Tokens {
        let own = TOKENS.iter().take(self.moves).map(|&name| Role::Aux(name));
        Tokens::new(tokens.geometry(), tokens.roles().iter().copied().chain(own).collect())
    }
}

/// The legal moves of a batch and their repetitions.
#[derive(Debug, Clone, Copy)]
pub struct MoveContext<'a> {
    /// Which moves are legal, bool `[b,v]`.
    pub legal_bv: &'a Tensor,
    /// How often the position after each move occurred before, i64 `[b,v]`.
    pub repeats_bv: &'a Tensor,
}

/// The parameters of the refinement pass.
#[derive(Debug)]
pub(crate) struct Refine {
    /// `[v + 1, d]`: the last row is "no move".
    moves: ParamId,
    repetition: ParamId,
    scaling: ParamId,
    rank: ParamId,
    head: Linear,
    summary: Summary,
    count: i64,
    temperature: f64,
    numbers: Constant,
    repetitions: Constant,
    width: i64,
}

impl Refine {
    /// Declares `refinement` (tables) and `refined` (the head). `repetition`: the input's own table, if it has one.
    pub(crate) fn declare(
        builder: &mut LayoutBuilder,
        config: RefinementConfig,
        tokens: &Tokens,
        [width, moves]: [usize; 2],
        repetition: Option<ParamId>,
    ) -> Self {
        let (width, rows, count) = (width as i64, moves as i64 + 1, config.moves as i64);
        let init = Init::Normal { std: (width as f64).sqrt().recip() };
        let scope = &mut builder.scope("refinement", Part::Trunk);
        let moves = scope.matrix("moves", &[rows, width], init.clone());
        let own = |scope: &mut nn::Scope<'_>| scope.matrix("repetition", &[REPETITIONS, width], init.clone());
        let repetition = repetition.unwrap_or_else(|| own(scope));
        let scaling = scope.f32_param("scaling", &[width], init.clone());
        let rank = scope.f32_param("rank", &[count, width], init.clone());
        let head = dense(&mut builder.scope("refined", Part::Head), "choice", [width, count], InitKind::Glorot);
        let up_to = |end: i64| Constant::indices(&(0..end).collect::<Vec<_>>(), &[end]);
        Self {
            moves,
            repetition,
            scaling,
            rank,
            head,
            summary: Summary::of(tokens),
            count,
            temperature: config.temperature,
            numbers: up_to(rows),
            repetitions: up_to(REPETITIONS),
            width,
        }
    }

    /// The tokens of the first pass, `[b,k,d]`.
    pub(crate) fn no_moves(&self, views: &Views, batch: i64) -> Tensor {
        self.no_move(views).expand([batch, self.count, self.width], false)
    }

    /// The tokens of the second pass, `[b,k,d]`, with their candidates: by the first pass's policy `[b,v]`, over legal moves if they
    /// are known.
    pub(crate) fn candidates(
        &self,
        views: &Views,
        logits_bv: &Tensor,
        context: Option<MoveContext<'_>>,
    ) -> (Tensor, Candidates) {
        let logits = logits_bv.detach().to_kind(Kind::Float);
        let logits = context.map_or_else(|| logits.shallow_clone(), |context| mask_policy(&logits, context.legal_bv));
        let logits = if self.temperature == 1.0 { logits } else { logits / self.temperature };
        let (prob_bk, moves_bk) = logits.softmax(-1, Kind::Float).topk(self.count, -1, true, true);
        let present_bk = match context {
            Some(context) => context.legal_bv.gather(1, &moves_bk, false),
            None => moves_bk.ge(0),
        };
        let repeats = match context {
            Some(context) => context.repeats_bv.gather(1, &moves_bk, false).clamp_max(REPETITIONS - 1),
            None => moves_bk.zeros_like(),
        };
        let tokens = pick(views, self.moves, &self.numbers, &moves_bk)
            + pick(views, self.repetition, &self.repetitions, &repeats)
            + prob_bk.unsqueeze(-1) * &views[self.scaling]
            + &views[self.rank];
        let tokens = tokens.where_self(&present_bk.unsqueeze(-1), &self.no_move(views));
        (tokens, Candidates { moves_bk, present_bk })
    }

    /// The output of the second pass, from the trunk's output `[b,l,d]`.
    pub(crate) fn choose(&self, views: &Views, x_bld: &Tensor, candidates: Candidates) -> Refined {
        let logits_bk = self.head.forward(views, &self.summary.read(x_bld)).to_kind(Kind::Float);
        Refined::new(candidates.moves_bk, candidates.present_bk, &logits_bk)
    }

    pub(crate) fn tokens(&self) -> u64 {
        self.count as u64
    }

    pub(crate) fn macs(&self) -> HeadMacs {
        HeadMacs::of_weights("refined", self.head.macs())
    }

    fn no_move(&self, views: &Views) -> Tensor {
        let table = &views[self.moves];
        table.narrow(0, table.size()[0] - 1, 1).to_kind(Kind::Float).unsqueeze(0)
    }
}

/// The candidate moves of a second pass, and which of them are present, both `[b,k]`.
#[derive(Debug)]
pub(crate) struct Candidates {
    moves_bk: Tensor,
    present_bk: Tensor,
}

/// Rows of a table by index `[b,k]` → `[b,k,d]`, f32, as a matrix product, whose gradient is summed in a fixed order.
fn pick(views: &Views, table: ParamId, numbers: &Constant, index_bk: &Tensor) -> Tensor {
    let one_hot = index_bk.unsqueeze(-1).eq_tensor(&numbers.on(index_bk.device()));
    one_hot.to_kind(views.kind()).matmul(&views[table]).to_kind(Kind::Float)
}
