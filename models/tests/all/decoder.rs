//! The decoder: what a token may see, what its answers are made of, how large it is.

use crate::common::learning::{constant, minimise, one_move_each};
use crate::common::sums::{Sum, policy_cross_entropy, wdl_cross_entropy};
use crate::common::*;
use encodings::{EncodingConfig, MapKind};
use models::input::predicts_board;
use models::loss::PolicyTargets;
use models::optimizer::AdamwConfig;
use models::{BoardTokens, HeadName, ModelConfig, Network, OptimizerConfig, Output};
use nn::{Arena, Layout, ParamId, Part};
use std::sync::Arc;
use tch::{Device, Kind, Tensor};

const MOVES: usize = 1_924;
/// Tokens of boards: pieces and the empty square, `start_pos`, `end_pos`, castling, side to move.
const VOCABULARY: usize = 13 + 2 + 16 + 2;
/// Tokens of one board; a move makes a ply of them.
const BOARD: usize = 68;
const PLIES: usize = 3;
const WIDTH: usize = 16;

fn model(more: &str) -> ModelConfig {
    read(&format!(r#"{{"decoder": {{"layers": 2, "width": {WIDTH}, "heads": 2, "ff": 24{more}}}}}"#))
}

const MASKS: [&str; 2] = ["", r#", "mask": "causal""#];

fn declared(more: &str, stack: &[EncodingConfig]) -> (Network, Arc<Layout>) {
    declare_model(&model(more), stack, &tokens_68())
}

fn stacks() -> Vec<Vec<EncodingConfig>> {
    let stacks = EncodingConfig::example_stacks();
    let all = stacks.len();
    let taken: Vec<_> =
        stacks.into_iter().filter(|stack| Network::declare(&model(""), stack, &tokens_68()).is_ok()).collect();
    assert!(taken.len() > 10 && taken.len() < all, "{} of {all}", taken.len());
    taken
}

/// Rows of this number of sequences, with moves.
fn sequences(count: usize) -> Vec<Vec<u8>> {
    let mut rows = rows(&tokens_68(), count * PLIES);
    for (i, row) in rows.iter_mut().enumerate() {
        let played = (mixed(i as u64 + 5) as usize % MOVES) as u16;
        row.extend(played.to_le_bytes());
    }
    rows
}

fn answer(network: &Network, arena: &Arena, rows: &[Vec<u8>]) -> Output {
    tch::no_grad(|| network.forward(&arena.frozen_views(), &tensor(rows)))
}

/// All outputs for a row: moves, result, and the tokens of its board, concatenated.
fn parts(output: &Output, row: usize) -> [Vec<f64>; 3] {
    let of = |tensor: &Tensor| numbers(&tensor.get(row as i64));
    let board = BoardTokens::of(output).expect("a board head");
    [of(policy_of(output)), of(wdl_of(output)), of(&board.logits_bcw)]
}

#[test]
fn every_row_of_a_sequence_is_answered() {
    for stack in stacks() {
        let (network, layout) = declared("", &stack);
        let output = answer(&network, &stirred(&layout), &sequences(2));
        let rows = (2 * PLIES) as i64;
        assert_eq!(policy_of(&output).size(), [rows, MOVES as i64], "{stack:?}");
        assert_eq!(wdl_of(&output).size(), [rows, 3]);
        let board = BoardTokens::of(&output).expect("a board head");
        assert_eq!(board.logits_bcw.size(), [rows, BOARD as i64, (MOVES + VOCABULARY) as i64]);
        assert_eq!(network.tokens().len(), PLIES * (BOARD + 1));
        assert!(numbers(policy_of(&output)).iter().all(|x| x.is_finite()), "{stack:?}");
    }
}

/// Changes in later plies, or in the move that is asked for, leave the answers to a ply as they are, to the last bit.
#[test]
fn nothing_later_is_seen() {
    for mask in MASKS {
        for stack in stacks() {
            let (network, layout) = declared(mask, &stack);
            let arena = stirred(&layout);
            let rows = sequences(1);
            let before = answer(&network, &arena, &rows);
            for changed in 0..PLIES {
                let mut other = rows.clone();
                let len = other[changed].len();
                other[changed][len - 2] ^= 1;
                for row in &mut other[changed + 1..] {
                    row.iter_mut().take(64).for_each(|code| *code = (*code + 1) % 13);
                    row[64] ^= 1;
                }
                let after = answer(&network, &arena, &other);
                for ply in 0..=changed {
                    assert!(parts(&before, ply) == parts(&after, ply), "ply {ply} sees ply {changed}: {stack:?}{mask}");
                }
                for ply in changed + 1..PLIES {
                    assert_ne!(
                        parts(&before, ply)[0],
                        parts(&after, ply)[0],
                        "ply {ply} sees nothing of ply {changed}"
                    );
                }
            }
        }
    }
}

/// Sequences do not see each other.
#[test]
fn a_sequence_is_answered_alike_in_any_company() {
    let (network, layout) = declared("", &flat());
    let arena = stirred(&layout);
    let rows = sequences(3);
    let together = answer(&network, &arena, &rows);
    let alone = answer(&network, &arena, &rows[PLIES..2 * PLIES]);
    for ply in 0..PLIES {
        for (a, b) in parts(&together, PLIES + ply).iter().zip(parts(&alone, ply)) {
            assert_near(a, &b, 1e-5, "a sequence alone");
        }
    }
}

/// The tokens of a board are predicted from earlier tokens only, whatever the mask of the moves.
#[test]
fn a_word_is_not_seen_before_it_is_asked_for() {
    for mask in MASKS {
        let (network, layout) = declared(mask, &flat());
        let arena = stirred(&layout);
        let rows = sequences(1);
        let predicted = |rows: &[Vec<u8>]| {
            let board = BoardTokens::of(&answer(&network, &arena, rows)).expect("a board head");
            let logits = numbers(&board.logits_bcw.get(1));
            logits.chunks(MOVES + VOCABULARY).map(<[f64]>::to_vec).collect::<Vec<_>>()
        };
        let before = predicted(&rows);
        let mut other = rows.clone();
        // Square 30 is token 31 after `start_pos`.
        other[1][30] = (other[1][30] + 1) % 13;
        let after = predicted(&other);
        let same: Vec<bool> = before.iter().zip(&after).map(|(a, b)| a == b).collect();
        assert!(same[..=31].iter().all(|&same| same), "{mask}: {same:?}");
        assert!(same[32..].iter().all(|&same| !same), "{mask}: {same:?}");
    }
}

#[test]
fn words_are_asked_for_behind_a_first_board_and_not_in_padding() {
    let mut rows = sequences(2);
    // The last row of the second sequence is padding.
    let len = rows[5].len();
    rows[5][len - 2..].copy_from_slice(&u16::MAX.to_le_bytes());
    let asked = predicts_board(&tensor(&rows), PLIES as i64);
    assert_eq!(numbers(&asked), [0.0, 1.0, 1.0, 0.0, 1.0, 0.0]);
    let (network, layout) = declared("", &flat());
    let board = BoardTokens::of(&answer(&network, &stirred(&layout), &rows)).expect("a board head");
    let losses = board.losses();
    let silent = numbers(&losses.sum_dim_intlist([1i64].as_slice(), false, Kind::Double));
    assert!(silent[0] == 0.0 && silent[3] == 0.0 && silent[5] == 0.0 && silent[1] > 0.0, "{silent:?}");
    // By hand: the token at square 7 of the second row.
    let logits = numbers(&board.logits_bcw.get(1).get(8));
    let token = MOVES + usize::from(rows[1][7]);
    let sum: f64 = logits.iter().map(|x| x.exp()).sum();
    assert!((losses.double_value(&[1, 8]) - (sum.ln() - logits[token])).abs() < 1e-4);
}

/// Behind the prefix mask the first board is what an encoder makes of it that sees all of its tokens: one with the same
/// weights, built of other parts.
#[test]
fn the_first_board_is_read_as_an_encoder_reads_it() {
    let spec = tokens_68();
    let (network, layout) = declared("", &flat());
    let arena = stirred(&layout);
    let (encoder, own) = declare(&tiny_encoder(), &flat(), &spec);
    // A column for each token of a board; the decoder's table has a row for each, behind the moves.
    let table = layout.find("embedding.table").expect("a table");
    let table = arena.frozen_views()[table].narrow(0, MOVES as i64, VOCABULARY as i64).transpose(0, 1);
    let nothing = |param: ParamId| Tensor::zeros(&own.param(param).shape[..], (Kind::Float, Device::Cpu));
    let copied = copied(&own, &arena, |name| match name {
        "embedding.weight" => Some(table.shallow_clone()),
        name if name.starts_with("body.") => None,
        of_heads => own.find(of_heads).map(nothing),
    });
    let rows = sequences(2);
    let boards: Vec<Vec<u8>> = rows.iter().step_by(PLIES).map(|row| row[..row.len() - 2].to_vec()).collect();
    let expected = encoder.trunk(&copied.frozen_views(), &tensor(&boards)).select(1, BOARD as i64 - 1);
    let found = network.trunk(&arena.frozen_views(), &tensor(&rows)).select(1, 0).slice(0, 0, None, PLIES as i64);
    assert!(largest_difference(&found, &expected) < 1e-5);
    // Behind the causal mask it is not: tokens do not see later ones.
    let (causal, _) = declared(MASKS[1], &flat());
    let found = causal.trunk(&arena.frozen_views(), &tensor(&rows)).select(1, 0).slice(0, 0, None, PLIES as i64);
    assert!(largest_difference(&found, &expected) > 1e-3);
}

/// Two heads have the logits of tokens, and a network with neither has none.
#[test]
fn only_heads_that_predict_tokens_have_their_logits() {
    let tokens = MOVES + VOCABULARY;
    for (heads, size) in [(r#", "policy": {}"#, tokens), (r#", "board": {}"#, tokens), ("", 0)] {
        let (_, layout) = declared(&format!(r#", "outputs": {{"result": {{}}{heads}}}"#), &flat());
        assert_eq!(layout.count(Part::Head), (WIDTH + 1) * (size + 3), "{heads}");
    }
}

#[test]
fn every_parameter_gets_a_gradient() {
    for stack in stacks() {
        let (network, layout) = declared("", &stack);
        let arena = stirred(&layout);
        let output = network.forward(&arena.views(), &tensor(&sequences(4)));
        let board = BoardTokens::of(&output).expect("a board head");
        let loss = policy_of(&output).log_softmax(-1, Kind::Float).select(1, 7).mean(Kind::Float)
            + wdl_of(&output).log_softmax(-1, Kind::Float).select(1, 0).mean(Kind::Float)
            + board.losses().mean(Kind::Float);
        assert_gradients(&layout, &arena, &loss, &stack);
    }
}

/// The document says about 122 million, with 4,500 words; its code has 1,960, of which no position has three.
#[test]
fn the_preset_has_the_codes_numbers_less_the_words_that_no_position_has() {
    let (d, ff, layers) = (768, 3_072, 12);
    let blocks = layers * (4 * d * d + 3 * d * ff + 2 * d);
    let of = |vocabulary: usize| vocabulary * d + blocks + d + (d + 1) * vocabulary + (d + 1) * 3;
    assert_eq!(of(1_960), 116_280_235);
    assert_eq!(of(4_500), 120_184_215, "the document's tokens would make this");
    assert_eq!(MOVES + VOCABULARY, 1_957);
    let (network, layout) = declare_preset("chess-decoder", &flat(), &tokens_68());
    assert_eq!(layout.total(), of(1_957));
    assert_eq!(layout.total() + 3 * (d + d + 1), 116_280_235);
    assert_eq!((layout.count(Part::Encoding), layout.count(Part::Head)), (0, (d + 1) * 1_957 + (d + 1) * 3));
    // Two passes over 207 tokens, per ply; logits of 68 tokens and of the move.
    let length = PLIES * (BOARD + 1);
    let pass = (BOARD + 1) * layers * (4 * d * d + 3 * d * ff) + layers * 2 * length * length * d / PLIES;
    let macs = network.macs();
    assert_eq!(macs.trunk as usize, 2 * pass);
    assert_eq!(macs.of_heads() as usize, (BOARD + 1) * d * 1_957 + 3 * d);
}

#[test]
fn its_norms_have_the_epsilon_of_either_library_and_the_default_is_not_written() {
    let written = |more: &str| serde_json::to_string(&model(more)).expect("JSON");
    assert!(!written("").contains("normalisation"));
    let torchtune = r#", "normalisation": "rms_1e-6""#;
    assert!(written(torchtune).contains("rms_1e-6"));
    let answers = |more: &str| {
        let (network, layout) = declared(more, &flat());
        parts(&answer(&network, &initialise(&layout, 1), &sequences(1)), 0)
    };
    assert_ne!(answers(""), answers(torchtune));
}

/// Each loss of the last step.
fn learn(more: &str, steps: u64) -> Vec<f64> {
    let (network, layout) = declared(more, &flat());
    // Boards without chance: the squares of a row hold one piece, which the ply before tells.
    let mut rows = sequences(2);
    rows.iter_mut().enumerate().for_each(|(i, row)| row[..64].fill((i % 5) as u8));
    let (packed, [index, prob]) = (tensor(&rows), one_move_each(MOVES, rows.len()));
    let outcome = Tensor::from_slice(&(0..rows.len() as i64).map(|row| row % 3).collect::<Vec<_>>());
    let adamw = OptimizerConfig::Adamw(AdamwConfig::default());
    minimise(&mut initialise(&layout, 1), adamw, None, steps, &constant(4e-3), |views| {
        let output = network.forward(views, &packed);
        let targets = PolicyTargets { index_bk: &index, prob_bk: &prob };
        let board = BoardTokens::of(&output).expect("a board head");
        vec![
            policy_cross_entropy(policy_of(&output), None, targets).mean(),
            wdl_cross_entropy(wdl_of(&output), &outcome).mean(),
            Sum::of(&board.losses(), &board.present_bc).mean(),
        ]
    })
}

#[test]
fn shares_of_the_result_are_said_at_every_ply() {
    let (network, layout) = declared(r#", "outputs": {"policy": {}, "result_shares": {}, "board": {}}"#, &flat());
    let rows = sequences(2);
    let output = answer(&network, &initialise(&layout, 1), &rows);
    assert!(output.get(HeadName::Result).is_none());
    assert_eq!(output[HeadName::ResultShares].size(), [rows.len() as i64, 3]);
    let usual = declared("", &flat()).1;
    let sizes = |layout: &Layout| layout.params().iter().map(|param| param.len()).sum::<usize>();
    assert_eq!(sizes(&layout), sizes(&usual), "as many numbers as the result's head has");
}

#[test]
fn a_batch_is_learnt_by_heart() {
    for mask in MASKS {
        let losses = learn(mask, 250);
        assert!(losses.iter().all(|&loss| loss < 0.05), "{losses:?}{mask}");
    }
}

/// The mask itself, as attention shows it: exactly nothing on what a token may not see, something on all that it may.
#[test]
fn attention_is_exactly_on_the_past_and_behind_the_prefix_mask_on_the_own_board() {
    for (mask, prefix) in MASKS.into_iter().zip([true, false]) {
        let (network, layout) = declared(mask, &flat());
        let (network, watch) = network.watched();
        let _answer = network.trunk(&stirred(&layout).frozen_views(), &tensor(&sequences(2)));
        let seen: Vec<_> = watch.take().into_iter().filter(|seen| seen.kind == MapKind::Attention).collect();
        assert_eq!(seen.len(), 2, "two layers");
        let length = PLIES * (BOARD + 1);
        // The ply and, on its board, the token; the move follows the tokens.
        let place = |token: usize| (token / (BOARD + 1), (token % (BOARD + 1) < BOARD).then_some(()));
        for seen in seen {
            for (pair, weight) in numbers(&seen.map_ll).into_iter().enumerate() {
                let (query, key) = (pair / length, pair % length);
                let same_board = place(query).1.is_some() && place(query) == place(key);
                let may_see = key <= query || (prefix && same_board);
                assert_eq!(weight > 0.0, may_see, "{query} and {key}: {weight}{mask}");
            }
        }
    }
}
