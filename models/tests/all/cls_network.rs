//! The CLS transformer: parameters of the published network, both boards, and one batch learnt.

use crate::common::learning::{constant, minimise, nadam, one_move_each};
use crate::common::sums::{Sum, policy_cross_entropy};
use crate::common::*;
use games::chess::ChessPosition;
use games::{Frame, GameKind, InputName, MovesName, Position};
use models::loss::{self, PolicyTargets, Targets};
use models::{ChessformerConfig, GameSpec, HeadName};
use tch::Tensor;

const SMALL: &str = r#""layers": 2, "width": 16, "heads": 2, "ff": 16, "norm": "pre", "normalisation": "layer""#;

fn chess(input: InputName, moves: MovesName) -> GameSpec {
    spec_of(GameKind::Chess, input, moves)
}

fn config(sizes: &str, rest: &str) -> ChessformerConfig {
    read(&format!("{{{sizes}, {rest}}}"))
}

/// 6,839,671 numbers are those that Sid3024/Chess-AI's code counts at 78 tokens (blocks.py: its head for a refinement pass is
/// never used; its summary token is not registered and so not counted; it has places for squares only).
#[test]
fn the_published_network_has_its_published_number_of_parameters() {
    let sizes = r#""layers": 12, "width": 256, "heads": 8, "ff": 256, "norm": "pre", "normalisation": "layer",
        "activation": "gelu", "qkv_bias": true"#;
    let published = r#""embedding": {"parts": {"turn": false, "flags": "raw", "repetition": false, "half_move": "none",
        "full_move": "none"}}, "outputs": {"policy": {}}"#;
    let spec = chess(InputName::ClsTokens, MovesName::Uci1968Sid);
    let stack = [encoding(r#"{"absolute": {"at": "input"}}"#), encoding(r#"{"cls_map": {"tokens": "all"}}"#)];
    let (network, layout) = declare(&config(sizes, published), &stack, &spec);
    let (second_head, cls, other_places) = (256 * 3 + 3, 256, 14 * 256);
    assert_eq!(layout.total(), 6_839_671 - second_head + cls + other_places);
    assert_eq!(network.tokens().len(), 78);
    // Per token four matrices of attention and two of the feed-forward layer; the head reads one token.
    let (tokens, d) = (78, 256);
    let macs = network.macs();
    assert_eq!(macs.weights, 12 * 6 * d * d * tokens + d * 1968);
    assert_eq!(macs.trunk, 12 * (6 * d * d * tokens + 2 * tokens * tokens * d));
    assert_eq!(macs.encoding, 12 * d * tokens * tokens, "one map, made anew in each layer");
}

/// The text's network: all parts, a feed-forward layer of four times the width, 13 rights, and the refinement pass.
#[test]
fn the_texts_network_has_as_many_parameters_as_its_formula_says() {
    let sizes = r#""layers": 12, "width": 256, "heads": 8, "ff": 1024, "norm": "pre", "normalisation": "layer",
        "activation": "gelu", "qkv_bias": true"#;
    let rest = r#""embedding": {"parts": {}}, "outputs": {"policy": {}, "rights": {}}, "refinement": {}"#;
    let spec = chess(InputName::ClsTokensWhite, MovesName::Uci1968Dm);
    let (network, layout) = declare(&config(sizes, rest), &none(), &spec);
    let d = 256;
    let block = 4 * (d * d + d) + 2 * 4 * d * d + 4 * d + d + 4 * d;
    let embedding = d * (13 + 1 + 28 + 4 + 1) + 9 + 16 + 16 * d;
    let refinement = d * (1969 + 1 + 3) + 3 * d + 3;
    let heads = 1968 * (d + 1) + 13 * (d + 1);
    assert_eq!(layout.total(), 12 * block + 2 * d + embedding + heads + refinement);
    assert_eq!(network.tokens().len(), 82 + 3);
    assert!(network.refines());
}

/// A square by its name, on the board with its ranks mirrored.
fn mirrored(uci: &str) -> String {
    let rank = |c: char| if c.is_ascii_digit() { char::from(b'1' + b'8' - c as u8) } else { c };
    uci.chars().map(rank).collect()
}

/// The same position with the colours exchanged.
pub(crate) const PAIRS: [[&str; 2]; 3] = [
    ["r3k2r/1P6/8/3pP3/8/8/8/R3K2R w KQkq d6 12 40", "r3k2r/8/8/8/3Pp3/8/1p6/R3K2R b KQkq d3 12 40"],
    [
        "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2",
        "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 2",
    ],
    ["4k3/8/8/8/8/5n2/8/R3K3 w Q - 49 77", "r3k3/8/5N2/8/8/8/8/4K3 b q - 49 77"],
];

pub(crate) fn packed_position(fen: &str, spec: &GameSpec) -> (ChessPosition, Tensor) {
    let position = ChessPosition::parse(fen).unwrap_or_else(|error| panic!("{error}"));
    let mut row = vec![0; spec.input.row_bytes()];
    position.pack(spec.input.name, 0, &mut row);
    (position, tensor(&[row]))
}

#[test]
fn a_flipped_position_has_the_flipped_policy() {
    let rest = |turn: bool| {
        format!(r#""embedding": {{"parts": {{"turn": {turn}}}}}, "outputs": {{"policy": {{}}, "result": {{}}}}"#)
    };
    for moves in [MovesName::Uci1968Dm, MovesName::Uci1968Sid] {
        for (input, turn, same) in [
            (InputName::ClsTokens, false, true),
            // A network that is told who moves, or sees another board, may say something else.
            (InputName::ClsTokens, true, false),
            (InputName::ClsTokensWhite, false, false),
        ] {
            let spec = chess(input, moves);
            let (network, layout) = declare(&config(SMALL, &rest(turn)), &[encoding(r#"{"shaw": {}}"#)], &spec);
            let arena = stirred(&layout);
            for [white, black] in PAIRS {
                let ask = |fen| {
                    let (position, row) = packed_position(fen, &spec);
                    (position, network.forward(&arena.frozen_views(), &row))
                };
                let ((white, of_white), (black, of_black)) = (ask(white), ask(black));
                let mut legal = Vec::new();
                white.legal_moves(&mut legal);
                assert!(!legal.is_empty());
                let logit = |output: &models::Output, index: u16| policy_of(output).double_value(&[0, index.into()]);
                let equal = legal.iter().all(|&mv| {
                    let there = black.parse_move(&mirrored(&white.move_text(mv))).expect("the mirrored move is legal");
                    let own = white.label(mv, moves, input.frame());
                    let other = black.label(there, moves, input.frame());
                    assert_eq!(own == other, input.frame() == Frame::SideToMove);
                    logit(&of_white, own).to_bits() == logit(&of_black, other).to_bits()
                });
                assert_eq!(equal, same, "{} {turn} {}", input.name(), moves.name());
                if same {
                    assert_same_bits(wdl_of(&of_white), wdl_of(&of_black), "the result");
                }
            }
        }
    }
}

#[test]
fn every_encoding_and_policy_serves_every_choice_of_tokens() {
    let stacks = [
        r#"{"absolute": {"at": "every_layer", "table": "factorised"}}"#,
        r#"{"rope": {"layout": "axial_2d", "theta": 100}}"#,
        r#"{"relative_bias": {"share": "displacement"}}"#,
        r#"{"shaw": {}}"#,
        r#"{"smolgen": {}}"#,
        r#"{"dynamic_relative": {}}"#,
        r#"{"cls_map": {}}"#,
    ];
    for parts in ["{}", r#"{"pieces": "apart"}"#, r#"{"pieces": "nine", "turn": false, "half_move": "digits"}"#] {
        let rest = format!(r#""embedding": {{"parts": {parts}}}, "outputs": {{"policy": {{}}, "result": {{}}}}"#);
        for moves in [MovesName::Uci1968Dm, MovesName::FromTo] {
            let spec = chess(InputName::ClsTokens, moves);
            for stack in stacks {
                let (network, layout) = declare(&config(SMALL, &rest), &[encoding(stack)], &spec);
                let output = network.forward(&stirred(&layout).frozen_views(), &packed(&spec, 3));
                assert_eq!(policy_of(&output).size(), [3, spec.moves.len() as i64]);
                assert!(numbers(policy_of(&output)).into_iter().all(f64::is_finite));
            }
        }
    }
}

#[test]
fn convolutions_make_planes_of_a_list() {
    let spec = chess(InputName::PieceTokens, MovesName::Uci1968Dm);
    let resnet = read(r#"{"resnet": {"blocks": 1, "channels": 4}}"#);
    let (network, layout) = declare_model(&resnet, &none(), &spec);
    let output = network.forward(&stirred(&layout).frozen_views(), &packed(&spec, 3));
    assert_eq!(policy_of(&output).size(), [3, 1968]);
}

#[test]
fn policy_and_rights_of_one_batch_are_learnt() {
    const BATCH: usize = 5;
    for bits in [13, 11] {
        let outputs =
            format!(r#""embedding": {{"parts": {{}}}}, "outputs": {{"policy": {{}}, "rights": {{"bits": {bits}}}}}"#);
        let spec = chess(InputName::ClsTokens, MovesName::Uci1968Dm);
        let config = config(SMALL, &outputs);
        let (network, layout) = declare(&config, &[encoding("{\"shaw\": {}}")], &spec);
        let mut arena = initialise(&layout, 1);
        let (rows, [index, prob]) = (packed(&spec, BATCH), one_move_each(spec.moves.len(), BATCH));
        let targets = PolicyTargets { index_bk: &index, prob_bk: &prob };
        let columns = config.outputs.rights.and_then(models::RightsOptions::columns).expect("a choice that there is");
        assert_eq!(columns.len(), bits);
        // The last row's move is unknown.
        let rights = Tensor::from_slice(&[0b1_0000_0001_1111_i64, 0b0101, 0, 0b1_1111_0000_1010, -1]);
        let rights = Targets::rights(&rights, &columns);
        let last = minimise(&mut arena, nadam(), Some(10.0), 200, &constant(5e-3), |views| {
            let output = network.forward(views, &rows);
            let of_rights = loss::rights_rows(&output[HeadName::Rights], &rights);
            let policy = policy_cross_entropy(policy_of(&output), None, targets).mean();
            vec![policy, Sum::of(&of_rights, &rights.present).mean()]
        });
        assert!(last.iter().all(|&loss| loss < 0.02), "{last:?}");
        let output = network.forward(&arena.frozen_views(), &rows);
        let hits = loss::rights_hit_rows(&output[HeadName::Rights], &rights);
        assert_eq!(numbers(&hits), [1.0, 1.0, 1.0, 1.0, 0.0]);
    }
}

#[test]
fn the_loss_of_rights_is_the_mean_over_them() {
    let rights = Tensor::from_slice(&[0b0_0000_0001_0001_i64, -1]);
    let targets = Targets::rights(&rights, &[0, 1, 4]);
    assert_eq!(numbers(&targets.values), [1.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
    let logits = Tensor::from_slice(&[1.0f32, -2.0, 0.0, 5.0, 5.0, 5.0]).view([2, 3]);
    let softplus = |x: f64| x.exp().ln_1p();
    let expected = (softplus(-1.0) + softplus(-2.0) + softplus(0.0)) / 3.0;
    assert_near(&numbers(&loss::rights_rows(&logits, &targets)), &[expected, 0.0], 1e-6, "rights");
    assert_eq!(numbers(&loss::rights_hit_rows(&logits, &targets)), [0.0, 0.0], "a logit of 0 says no");
}
