//! ChessDecoder: games as sequences of boards and moves.
//!
//! A sequence is some consecutive plies of a game, each the tokens of its board (see [`crate::layers::input`]) and the played
//! move, also a token. Packed rows come in sequences, one row per ply; the index of the move follows the packed board,
//! two bytes, little-endian, and is 65,535 in padding rows. The move of a ply is predicted from the last token of its
//! board, which precedes the move.
//!
//! | mask | a token sees |
//! |---|---|
//! | `causal` | itself and the tokens before it |
//! | `prefix` | the same, and all tokens of its own board |
//!
//! Moves and results are predicted with the configured mask. `board` adds a second pass, always causal, in which every
//! token predicts the next token of a board, except for the first board; with the prefix mask a board would see its own
//! targets.
//!
//! Reference: maxlegrec1/ChessDecoder@405b565 (`model.py`, `loader.py`, `train.py`). Deviations: every move follows its
//! board (there a fifth of the boards is dropped at random); games are cut into consecutive sequences (there one
//! sequence per game and epoch, from a random ply, ends within a board); tokens that no position has (`pad`, `bos`,
//! `eos`) have no rows in table and head; the move loss is over moves only, and the result is classified, unless
//! `result_shares` trains it as three raw values with a squared error, as there. Norms and initial weights are those of
//! the other networks here.

use super::refine::MoveContext;
use super::trunk::{Declared, Trunk, TrunkMacs};
use crate::config::{DecoderConfig, GameSpec, InitKind, ModelError, SequenceMask};
use crate::heads;
use crate::heads::BoardTokens;
use crate::heads::head::{Head, HeadContext};
use crate::heads::output::{Output, Reading};
use crate::layers::body::Body;
use crate::layers::dense;
use crate::layers::input::{TokenVocabulary, played_moves, predicts_board};
use crate::macs::HeadMacs;
use encodings::{EncodingConfig, LayerContext, Role, Stack, Tokens};
use facts::HeadName;
use games::Vocabulary;
use nn::{Constant, Init, LayoutBuilder, Linear, ParamId, Part, Views};
use std::sync::Arc;
use tch::{Kind, Tensor};

/// Added to the logit of a hidden token, so that its attention is exactly 0.
const HIDDEN: f32 = -1e30;

/// The heads of win, draw and loss.
const RESULTS: [HeadName; 4] = [HeadName::Result, HeadName::ResultShares, HeadName::ValueResult, HeadName::ValueShares];

/// A declared decoder without its heads.
#[derive(Debug)]
struct Decoder {
    vocabulary: TokenVocabulary,
    moves: i64,
    /// A row for each move, then for each other token `[tokens, d]`.
    table: ParamId,
    body: Body,
    mask: Constant,
    /// The logits of board tokens, which the policy shares, and their mask if it differs.
    board: Option<(Arc<Linear>, Option<Constant>)>,
    plies: i64,
    board_len: i64,
    prefix: bool,
}

pub(super) fn declare(
    builder: &mut LayoutBuilder,
    encodings: &[EncodingConfig],
    spec: &GameSpec,
    config: &DecoderConfig,
) -> Result<Declared, ModelError> {
    let (Some(vocabulary), Vocabulary::List(_)) = (TokenVocabulary::of(spec.input), spec.moves) else {
        return Err(ModelError::NoTokens { input: spec.input.name.name(), moves: spec.moves.name() });
    };
    let (chessformer, tokens) = (config.blocks(), sequence(spec, config.plies));
    let (moves, width) = (spec.moves.len() as i64, config.width as i64);
    let all = moves + vocabulary.len();
    let table = builder.scope("embedding", Part::Trunk).matrix("table", &[all, width], Init::Normal { std: 1.0 });
    let stack = Stack::declare(encodings, &mut builder.scope("encoding", Part::Encoding), chessformer.dims(), &tokens)?;
    let sees_ahead = encodings.iter().zip(stack.iter()).find(|(_, encoding)| !encoding.guarantees().pairwise);
    if let Some((config, _)) = sees_ahead {
        return Err(ModelError::SeesAhead(config.info().name));
    }
    let body = Body::declare(&mut builder.scope("body", Part::Trunk), &chessformer.body());
    let outputs = &config.outputs;
    let reads_logits = outputs.policy.is_some() || outputs.board.is_some();
    // A logit for each token, the moves first. Moves and board tokens share one weight, as in ChessDecoder.
    let logits = reads_logits
        .then(|| Arc::new(dense(&mut builder.scope("policy", Part::Head), "words", [width, all], InitKind::Glorot)));
    let mut heads: Vec<Box<dyn Head>> = Vec::new();
    if let Some(logits) = logits.clone().filter(|_| outputs.policy.is_some()) {
        heads.push(Box::new(MovePolicy { logits, moves }));
    }
    let site = HeadContext { builder, config: &chessformer, tokens: &tokens, moves: spec.moves };
    heads.extend(heads::declare(&RESULTS, site)?);
    let prefix = config.mask == SequenceMask::Prefix;
    let board_len = spec.input.tokens() as i64;
    let causal = prefix.then(|| mask(config.plies, spec.input.tokens(), SequenceMask::Causal));
    let decoder = Decoder {
        vocabulary,
        moves,
        table,
        body,
        mask: mask(config.plies, spec.input.tokens(), config.mask),
        board: logits.filter(|_| outputs.board.is_some()).map(|logits| (logits, causal)),
        plies: config.plies as i64,
        board_len,
        prefix,
    };
    Ok(Declared { trunk: Box::new(decoder), stack, heads, tokens })
}

impl Decoder {
    /// The predictions of the board tokens, if requested.
    fn board(&self, at: LayerContext<'_>, stack: &Stack) -> Option<BoardTokens> {
        let (logits, causal) = self.board.as_ref()?;
        let (tokens_sl, mask) = (self.sequences(at.packed), causal.as_ref().unwrap_or(&self.mask));
        let x_btd = self.pass(at, stack, &tokens_sl, &mask.on(at.packed.device()));
        // A token is predicted from the token before it.
        let x_sld = x_btd.view([tokens_sl.size()[0], -1, x_btd.size()[2]]);
        let before = x_sld.constant_pad_nd([0, 0, 1, 0]).narrow(1, 0, tokens_sl.size()[1]);
        let before = before.reshape(x_btd.size()).narrow(1, 0, self.board_len);
        let rows = at.packed.size()[0];
        Some(BoardTokens {
            logits_bcw: logits.forward(at.views, &before),
            token_bc: tokens_sl.reshape([rows, -1]).narrow(1, 0, self.board_len),
            present_bc: predicts_board(at.packed, self.plies).unsqueeze(1).expand([rows, self.board_len], false),
        })
    }

    /// The blocks over whole sequences: `[s,l]` → `[b, tokens of a ply, d]`.
    fn pass(&self, at: LayerContext<'_>, stack: &Stack, tokens_sl: &Tensor, mask: &Tensor) -> Tensor {
        let x_sld = Tensor::embedding(&at.views[self.table], tokens_sl, -1, false, false).to_kind(Kind::Float);
        let x_sld = self.body.forward(at, stack, stack.embed(at, x_sld), Some(mask));
        x_sld.reshape([at.packed.size()[0], self.board_len + 1, -1])
    }

    /// The token ids of packed rows: `[b,row]` → `[s,l]`, i64; moves first.
    fn sequences(&self, packed: &Tensor) -> Tensor {
        let board = self.vocabulary.ids(packed) + self.moves;
        let played = played_moves(packed);
        // In padding, and if no move is played yet, any move id is valid: no output depends on it.
        let played = played.where_self(&played.lt(self.moves), &played.zeros_like());
        Tensor::cat(&[board, played.unsqueeze(1)], 1).reshape([packed.size()[0] / self.plies, -1])
    }
}

impl Trunk for Decoder {
    /// `[b,1,d]`: the vector of the last token of each row's board.
    fn forward(&self, at: LayerContext<'_>, stack: &Stack) -> Tensor {
        let (tokens_sl, device) = (self.sequences(at.packed), at.packed.device());
        self.pass(at, stack, &tokens_sl, &self.mask.on(device)).narrow(1, self.board_len - 1, 1)
    }

    fn answer_further(
        &self,
        at: LayerContext<'_>,
        stack: &Stack,
        _context: Option<MoveContext<'_>>,
        output: &mut Output,
    ) {
        self.board(at, stack).into_iter().for_each(|board| board.set(output));
    }

    fn position_sources(&self) -> Vec<&'static str> {
        vec![if self.prefix {
            "prefix mask (what came before, and the own board)"
        } else {
            "causal mask (what came before)"
        }]
    }

    /// For a ply of a sequence.
    fn macs(&self, encoding: u64) -> TrunkMacs {
        let (plies, length) = (self.plies as u64, (self.plies * (self.board_len + 1)) as u64);
        let passes = if matches!(self.board, Some((_, Some(_)))) { 2 } else { 1 };
        let of_board = |logits: &Linear| HeadMacs::of_weights("board", self.board_len as u64 * logits.macs());
        TrunkMacs {
            trunk: passes * self.body.macs(length) / plies,
            encoding: passes * encoding / plies,
            weights: passes * (self.board_len as u64 + 1) * self.body.weight_macs_per_token(),
            further: self.board.as_ref().map(|(logits, _)| of_board(logits)),
            ..TrunkMacs::default()
        }
    }
}

/// Boards and moves alternating: the roles of a board's tokens once for each ply.
fn sequence(spec: &GameSpec, plies: usize) -> Tokens {
    let board = spec.tokens();
    let ply: Vec<Role> = board.roles().iter().copied().chain([Role::Aux("move")]).collect();
    Tokens::new(spec.input.geometry, ply.repeat(plies))
}

/// A mask `[l,l]` over plies of `board_len` tokens and a move. It is the same for all sequences, because boards have
/// the same places in each.
fn mask(plies: usize, board_len: usize, kind: SequenceMask) -> Constant {
    let ply_len = board_len + 1;
    let length = plies * ply_len;
    let board = move |token: usize| (token % ply_len < board_len).then_some(token / ply_len);
    let sees = move |query: usize, key: usize| {
        let own_board = kind == SequenceMask::Prefix && board(query).is_some() && board(query) == board(key);
        key <= query || own_board
    };
    Constant::floats_from(&[length as i64; 2], move || {
        let pairs = (0..length).flat_map(|query| (0..length).map(move |key| (query, key)));
        pairs.map(|(query, key)| if sees(query, key) { 0.0 } else { HIDDEN }).collect()
    })
}

/// The policy: the logits of the tokens that are moves.
#[derive(Debug)]
struct MovePolicy {
    logits: Arc<Linear>,
    moves: i64,
}

impl Head for MovePolicy {
    fn forward(&self, views: &Views, x_bld: &Tensor, output: &mut Output) {
        let logits_bv = self.logits.forward(views, &x_bld.select(1, 0)).narrow(1, 0, self.moves);
        output.set(HeadName::Policy, Reading::Policy, logits_bv);
    }

    fn macs(&self) -> Vec<HeadMacs> {
        vec![HeadMacs::of_weights("policy", self.logits.macs())]
    }

    fn position_sources(&self) -> Vec<&'static str> {
        vec!["policy (a weight for each move)"]
    }
}
