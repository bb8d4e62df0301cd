//! ChessEncoder: tokens of a vocabulary, and a policy over a list of moves from the summary token.

use crate::common::*;
use encodings::EncodingConfig;
use models::input::Expander;
use models::{ChessformerConfig, HeadName};
use nn::Part;
use tch::Kind;

/// The tokens of a square, then the others.
const PIECES: usize = 13;
const RIGHTS: usize = 16;
const VOCABULARY: usize = PIECES + 2 + RIGHTS + 2;
const MOVES: usize = 1_924;
const TOKENS: usize = 68;

#[test]
fn every_token_is_one_of_the_vocabulary() {
    let spec = tokens_68();
    let rows = rows(&spec, 7);
    let channels = Expander::new(spec.input).expand(&tensor(&rows));
    assert_eq!(channels.size(), [7, TOKENS as i64, VOCABULARY as i64]);
    let found: Vec<Vec<f64>> = numbers(&channels).chunks(VOCABULARY).map(<[f64]>::to_vec).collect();
    let expected = rows.iter().flat_map(|row| {
        let square = |s: usize| usize::from(row[s]);
        let rights = PIECES + 2 + usize::from(row[squares()]);
        let side = PIECES + 2 + RIGHTS + usize::from(row[squares() + 1]);
        let mut tokens = vec![PIECES];
        tokens.extend((0..squares()).map(square));
        tokens.extend([PIECES + 1, rights, side]);
        tokens
    });
    for (i, (token, id)) in found.iter().zip(expected).enumerate() {
        let one_hot: Vec<f64> = (0..VOCABULARY).map(|channel| f64::from(u8::from(channel == id))).collect();
        assert_eq!(*token, one_hot, "token {i}");
    }
}

#[test]
fn the_heads_read_start_pos_and_nothing_else() {
    let spec = tokens_68();
    let (network, layout) = declare(&tiny_encoder(), &flat(), &spec);
    let arena = stirred(&layout);
    let (views, packed) = (arena.frozen_views(), packed(&spec, 3));
    let trunk = numbers(&network.trunk(&views, &packed));
    let output = network.forward(&views, &packed);
    let weights = Weights::of(&arena);
    let start_pos: Vec<&[f64]> = trunk.chunks(16).step_by(TOKENS).collect();
    let expect = |layer: &str| start_pos.iter().flat_map(|x| weights.dense(layer, x)).collect::<Vec<f64>>();
    assert_eq!(policy_of(&output).size(), [3, MOVES as i64]);
    assert_near(&numbers(policy_of(&output)), &expect("policy.moves"), 1e-5, "policy");
    assert_near(&numbers(wdl_of(&output)), &expect("value.wdl"), 1e-5, "result");
    assert_eq!(network.position_sources(), ["policy (a weight for each move)"]);
}

#[test]
fn the_embedding_is_a_row_of_a_table() {
    let spec = tokens_68();
    let config = ChessformerConfig { layers: 1, ..tiny_encoder() };
    let (network, layout) = declare(&config, &none(), &spec);
    assert!(layout.find("embedding.bias").is_none());
    // Blocks without weights leave the stream as it is.
    let mut values = initialise(&layout, 1).values().expect("the CPU's values can be read");
    for param in layout.params() {
        let kept = param.name == "embedding.weight" || param.name.ends_with("gain");
        for (i, value) in values[param.elements()].iter_mut().enumerate() {
            *value = if kept { fraction((param.offset + i) as u64) } else { 0.0 };
        }
    }
    let arena = nn::Arena::from_values(layout.clone(), &values, tch::Device::Cpu).expect("memory");
    let rows = rows(&spec, 1);
    let trunk = numbers(&network.trunk(&arena.frozen_views(), &tensor(&rows)));
    let weights = Weights::of(&arena);
    let (table, gain) = (weights.rows("embedding.weight"), weights.vector("body.final_norm.gain"));
    let id = usize::from(rows[0][5]);
    let own: Vec<f64> = table.iter().map(|channel| channel[id]).collect();
    let rms = (own.iter().map(|x| x * x).sum::<f64>() / 16.0 + 1e-5).sqrt();
    let expected: Vec<f64> = own.iter().zip(gain).map(|(x, g)| x / rms * g).collect();
    assert_near(&trunk[16 * 6..16 * 7], &expected, 1e-5, "the sixth square stands behind start_pos");
}

#[test]
fn every_encoding_runs_on_tokens_68() {
    let spec = tokens_68();
    for stack in EncodingConfig::example_stacks() {
        let (network, layout) = declare(&tiny_encoder(), &stack, &spec);
        let arena = stirred(&layout);
        let (views, packed) = (arena.views(), packed(&spec, 3));
        let output = network.forward(&views, &packed);
        let [policy, result] = [policy_of(&output).select(1, 7), wdl_of(&output).select(1, 0)];
        // Heads read one token, for which parameters of pairs of squares do nothing in the last layer.
        let every_token = network.trunk(&views, &packed).sin();
        let loss = policy.mean(Kind::Float) + result.mean(Kind::Float) + every_token.mean(Kind::Float);
        assert_gradients(&layout, &arena, &loss, &stack);
    }
}

/// Without an encoding `start_pos` sees a set of tokens.
#[test]
fn without_an_encoding_squares_can_be_exchanged() {
    let spec = tokens_68();
    let rows = rows(&spec, 2);
    let mut exchanged = rows.clone();
    exchanged.iter_mut().for_each(|row| row[..squares()].reverse());
    assert_ne!(rows, exchanged);
    let difference = |stack: &[EncodingConfig]| {
        let (network, layout) = declare(&tiny_encoder(), stack, &spec);
        let views = stirred(&layout).frozen_views();
        let answer = |rows: &[Vec<u8>]| network.forward(&views, &tensor(rows))[HeadName::Policy].shallow_clone();
        largest_difference(&answer(&rows), &answer(&exchanged))
    };
    assert!(difference(&none()) < 1e-5);
    assert!(difference(&flat()) > 1e-3);
}

/// Numbers of the code's encoder: embedding of all its tokens, blocks, last norm, policy.
fn of_the_code(vocabulary: usize, d: usize, ff: usize) -> usize {
    let block = 4 * d * d + 3 * d * ff + 2 * d;
    vocabulary * d + 12 * block + d + (d + 1) * MOVES
}

/// The code's table has a row for each of its tokens, moves among them, of which an encoder sees 33 only: the others are
/// never read and never trained, and are not declared here.
#[test]
fn the_presets_have_the_codes_numbers_less_the_words_that_no_position_has() {
    for (preset, vocabulary, d, ff, in_code) in
        [("chess-encoder", 1_960, 768, 3_072, 116_250_244), ("chess-encoder-v2", 1_968, 1_024, 1_536, 110_967_684)]
    {
        assert_eq!(of_the_code(vocabulary, d, ff), in_code);
        let (network, layout) = declare_preset(preset, &flat(), &tokens_68());
        let unread = (vocabulary - VOCABULARY) * d;
        assert_eq!(layout.total(), in_code - unread, "{}", preset);
        assert_eq!(layout.count(Part::Encoding), 0);
        assert_eq!(layout.count(Part::Head), (d + 1) * MOVES);
        // Each weight of a block once a token, the table once a token, the policy once; attention's two products.
        let of_token = VOCABULARY * d + 12 * (4 * d * d + 3 * d * ff);
        let products = 12 * 2 * TOKENS * TOKENS * d;
        assert_eq!(network.macs().total() as usize, TOKENS * of_token + products + d * MOVES, "{}", preset);
    }
}
