//! Networks that cannot be: each is refused with the reason, and the option that is to blame, if one is.

use crate::common::*;
use encodings::EncodingConfig;
use games::InputName::{Dlshogi62_57, PieceTokens, PieceTokensAux, Tokens68};
use games::MovesName::{Chessdecoder1924, Dlshogi2187, FromTo, Shogi1496, Uci1968Dm};
use games::{GameKind, InputName, MovesName};
use models::{GameSpec, ModelConfig, ModelError};

const NONE: &str = r#"{"none": {}}"#;

fn chess(input: InputName, moves: MovesName) -> GameSpec {
    spec_of(GameKind::Chess, input, moves)
}

fn shogi(input: InputName, moves: MovesName) -> GameSpec {
    spec_of(GameKind::Shogi, input, moves)
}

/// A small network of an architecture with these options.
fn model(architecture: &str, options: &str) -> ModelConfig {
    let (name, sizes) = match architecture {
        "encoder" => ("chessformer", TINY_ENCODER),
        "chessformer" | "decoder" => (architecture, r#"{"layers": 1, "width": 16, "heads": 2, "ff": 8}"#),
        "resnet" => ("resnet", r#"{"blocks": 1, "channels": 12}"#),
        _ => (
            "resnet_transformer",
            r#"{"resnet": {"blocks": 1, "channels": 12}, "attention": {"layers": 2, "heads": 3, "ff": 10}}"#,
        ),
    };
    let mut written: Object = read(sizes);
    written.extend(read::<Object>(&format!("{{{options}}}")));
    serde_json::from_value(serde_json::json!({ name: written })).unwrap_or_else(|error| panic!("{options}: {error}"))
}

/// Checks what is said of networks: their options, the option to blame (empty for none), and a part of the message.
fn assert_refused(spec: &GameSpec, architecture: &str, cases: &[(&str, &str, &str)]) {
    for (options, at, said) in cases {
        let error = refused(&model(architecture, options), &[encoding(NONE)], spec);
        assert!(error.to_string().contains(said), "{options}: {error}");
        assert_eq!(error.option().unwrap_or_default(), *at, "{options}: {error}");
    }
}

#[test]
fn sizes_and_options_of_a_chessformer() {
    let spec = chess(PieceTokens, FromTo);
    let nearest = "model: heads: 7 do not divide width: 48; nearest that fit: heads: 6 or 8, or width: 42 or 49";
    let of_summed = "model: registers has no effect with edge: hidden or embedding: new: leave it out";
    let of_gated = "model: ff_activation has no effect with a gated ff_kind: leave it out";
    let of_dropout = "model: dropout is 1, it must be at least 0 and below 1; dlshogi's code has 0.1";
    let of_further = "outputs.further_policies has no effect with outputs that have neither policy nor soft_policy";
    assert_refused(
        &spec,
        "chessformer",
        &[
            (r#""width": 48, "heads": 7"#, "heads", nearest),
            (r#""width": 48, "heads": 100"#, "heads", "nearest that fit: heads: 48, or width: 100"),
            (r#""heads": 0"#, "heads", "model: heads is 0, it must be at least 1"),
            (r#""value": {"hidden": 0}"#, "value.hidden", "value.hidden is 0, it must be at least 1"),
            (r#""layers": 5000"#, "layers", "layers is 5000, it must be at most 4096"),
            (r#""ff": 99999999"#, "ff", "ff is 99999999, it must be at most"),
            (r#""loops": 0"#, "loops", "loops is 0, it must be at least 1"),
            (r#""registers": 17"#, "registers", "registers is 17, it must be at most 16"),
            (r#""registers": 1, "embedding": {"new": {"dense": 1}}"#, "registers", of_summed),
            (r#""embedding": {"new": {"dense": 0}}"#, "embedding.new.dense", "dense is 0, it must be at least 1"),
            (r#""embedding": {"new": {"dense": 1, "ff": 0}}"#, "embedding.new.ff", "ff is 0, it must be at least 1"),
            (r#""embedding": {"parts": {}}"#, "embedding", "piece_tokens has none"),
            (r#""edge": "hidden", "embedding": "reach""#, "edge", "refinement or another embedding than old"),
            (r#""ff_kind": "glu", "ff_activation": "relu2""#, "ff_activation", of_gated),
            (r#""dropout": 1"#, "dropout", of_dropout),
            (r#""norm": {"post_scaled": {"alpha": 1, "beta": -1}}"#, "norm", "beta is -1, it must be a number above 0"),
            (r#""policy": {"plane_bias": "per_class"}"#, "policy.plane_bias", "has no effect with the moves from_to"),
            (r#""value": {"pool": "token"}"#, "", "this input has none"),
            (r#""refinement": {"moves": 1}"#, "refinement", "refinement.moves is 1, it must be 2 to 5"),
            (r#""refinement": {"temperature": 0}"#, "refinement", "temperature is 0, it must be 0.01 to 100"),
            (r#""refinement": {}, "outputs": {"result": {}}"#, "refinement", "add `policy: {}`"),
            (r#""refinement": {}, "embedding": {"new": {"dense": 2}}"#, "refinement", "take old or parts"),
            (r#""outputs": {}"#, "outputs", "outputs names no head"),
            (r#""outputs": {"board": {}}"#, "outputs", "a chessformer has no head `board`"),
            (r#""outputs": {"result": {}, "further_policies": {"a": {}}}"#, "outputs.further_policies", of_further),
            (r#""outputs": {"rights": {"bits": 12}}"#, "outputs.rights.bits", "bits is 12, it must be 13 or 11"),
            (r#""outputs": {"per_square": {"classes": 1}}"#, "outputs.per_square.classes", "must be at least 2"),
        ],
    );
    // The probability of one of 100 equal moves to the power of 20 is too small for f32; 0 to the power of 1e-50 is 1 there.
    for temperature in ["0.05", "1e50"] {
        let soft = format!(r#""outputs": {{"soft_policy": {{"temperature": {temperature}}}}}"#);
        let (at, said) = ("outputs.soft_policy.temperature", "it must be 0.1 to 1000; the paper's is 4");
        assert_refused(&spec, "chessformer", &[(soft.as_str(), at, said)]);
    }
    for (head, options, at) in [
        ("q", r#"{"buckets": 9223372036854775807}"#, "outputs.q.buckets"),
        ("short_term", r#"{"buckets": 9223372036854775807}"#, "outputs.short_term.buckets"),
        ("per_square", r#"{"classes": 9223372036854775807}"#, "outputs.per_square.classes"),
        ("further_policies", r#"{"a": {"depth": 1}, "b": {"depth": 9223372036854775807}}"#, "outputs.further_policies"),
    ] {
        let outputs = format!(r#""outputs": {{"policy": {{}}, "{head}": {options}}}"#);
        let said = format!("{at} is 9223372036854775807, it must be at most");
        assert_refused(&spec, "chessformer", &[(outputs.as_str(), at, said.as_str())]);
    }
    let shown = "edge: hidden does not fit the input dlshogi_62_57";
    assert_refused(&shogi(Dlshogi62_57, FromTo), "chessformer", &[(r#""edge": "hidden""#, "edge", shown)]);
}

/// Options that mean something for pairs of squares only, and what a network reads and answers in two frames.
#[test]
fn a_chessformer_and_another_input_or_vocabulary() {
    let frames = "the input piece_tokens shows the board as the side to move sees it, and the moves chessdecoder_1924 are \
                  written as the first player sees them";
    assert_refused(&chess(PieceTokens, Chessdecoder1924), "encoder", &[("", "", frames)]);
    assert_refused(&chess(Tokens68, FromTo), "encoder", &[("", "", "tokens_68 with chessdecoder_1924")]);
    let map = "outputs.per_square has a label for each square as the side to move sees it, and the input tokens_68 shows \
               the board as White sees it";
    let words = chess(Tokens68, Chessdecoder1924);
    assert_refused(
        &words,
        "encoder",
        &[
            (r#""outputs": {"per_square": {"classes": 3}}"#, "", map),
            (r#""policy": {"depth": 8}"#, "policy.depth", "policy.depth has no effect"),
            (r#""value": {"pool": "token", "hidden": 7}"#, "value.hidden", "value.hidden has no effect"),
        ],
    );
    let of_list = "policy.depth has no effect with the moves uci_1968_dm";
    let of_planes = "model: policy.depth has no effect with the moves shogi_1496: leave it out";
    let soft = r#""outputs": {"policy": {}, "soft_policy": {"depth": 4}}"#;
    let list = chess(PieceTokens, Uci1968Dm);
    assert_refused(&list, "chessformer", &[(r#""policy": {"depth": 5}"#, "policy.depth", of_list)]);
    assert_refused(
        &shogi(PieceTokens, Shogi1496),
        "chessformer",
        &[
            (r#""policy": {"depth": 8}"#, "policy.depth", of_planes),
            (r#""policy": {"embedding": 8}"#, "policy.embedding", "has no effect"),
            (soft, "outputs.soft_policy.depth", "has no effect"),
        ],
    );
    let reach = "embedding.reach has no effect with the moves";
    let planes = shogi(PieceTokens, Dlshogi2187);
    assert_refused(&planes, "chessformer", &[(r#""embedding": "reach""#, "embedding.reach", reach)]);
}

#[test]
fn a_decoder() {
    let heads = "a decoder has no head `q`; it has policy, result, result_shares, value_result, value_shares, board";
    let words = chess(Tokens68, Chessdecoder1924);
    assert_refused(
        &words,
        "decoder",
        &[
            (r#""plies": 1"#, "plies", "write 2 or more"),
            (r#""plies": 300"#, "plies", "plies is 300, it must be at most"),
            (r#""outputs": {"policy": {}, "q": {}}"#, "outputs", heads),
        ],
    );
    let squares = "a decoder needs boards and moves as tokens, not piece_tokens with from_to";
    assert_refused(&chess(PieceTokens, FromTo), "decoder", &[("", "", squares)]);
}

#[test]
fn networks_with_convolutions() {
    let squares = shogi(PieceTokens, FromTo);
    let momentum = "batch_norm.momentum is 0, it must be above 0 and at most 1";
    let heads = "a resnet has no head `q`; it has policy, result, win_rate, moves_left";
    assert_refused(
        &squares,
        "resnet",
        &[
            (r#""blocks": 0"#, "blocks", "blocks is 0, it must be at least 1"),
            (r#""se": {"channels": 0}"#, "se.channels", "se.channels is 0, it must be at least 1"),
            (r#""batch_norm": {"momentum": 0}"#, "batch_norm.momentum", momentum),
            (r#""outputs": {"q": {}}"#, "outputs", heads),
        ],
    );
    let starts = r#""resnet": {"blocks": 1, "channels": 12, "init": "torch"},
        "attention": {"layers": 2, "heads": 3, "ff": 10, "norm": "post"}"#;
    let gated = r#""attention": {"layers": 2, "heads": 3, "ff": 10, "ff_kind": "glu", "activation": "relu"}"#;
    let fast = r#""resnet": {"blocks": 1, "channels": 12, "batch_norm": {"momentum": 2}}"#;
    let [of_5, of_0] =
        [5, 0].map(|n| format!(r#""attention": {{"layers": 2, "heads": 3, "ff": 10, "qkv_groups": {n}}}"#));
    assert_refused(
        &squares,
        "resnet_transformer",
        &[
            (of_5.as_str(), "attention", "qkv_groups: 5"),
            (of_0.as_str(), "attention", "qkv_groups is 0, it must be at least 1"),
            (starts, "attention", "norm: post says how wide weights start"),
            (gated, "attention", "model: activation has no effect with a gated ff_kind: leave it out"),
            (fast, "resnet", "batch_norm.momentum is 2, it must be above 0 and at most 1"),
        ],
    );
    for architecture in ["resnet", "resnet_transformer"] {
        let error = refused(&model(architecture, ""), &[encoding(NONE)], &shogi(PieceTokensAux, FromTo));
        assert_eq!(error, ModelError::TokensOnConvolutions);
    }
}

#[test]
fn encodings_that_do_not_fit() {
    let (words, squares) = (chess(Tokens68, Chessdecoder1924), chess(PieceTokens, FromTo));
    let rope = r#"{"rope": {"layout": "axial_2d", "theta": 100}}"#;
    let huge = r#"{"smolgen": {"hidden": 18446744073709551615}}"#;
    for (spec, architecture, options, stack, said) in [
        (words, "decoder", "", r#"{"smolgen": {}}"#, "`smolgen` looks at all tokens at once"),
        (words, "decoder", "", r#"{"dynamic_relative": {}}"#, "`dynamic_relative` looks at all tokens at once"),
        (squares, "resnet", "", r#"{"shaw": {}}"#, "`shaw` is one: write `encoding: none`"),
        (squares, "chessformer", r#""width": 6"#, rope, "head width (width / heads), 3, is not divisible"),
        (squares, "chessformer", "", huge, "hidden must be at most 16777216"),
    ] {
        let error = refused(&model(architecture, options), &[encoding(stack)], &spec);
        assert!(error.to_string().contains(said) && error.option().is_none(), "{architecture} with {stack}: {error}");
    }
    let hidden = model("chessformer", r#""edge": "hidden""#);
    for stack in [rope, r#"{"absolute": {"at": "gate"}}"#, r#"{"shaw": {"share": "pair"}}"#, r#"{"smolgen": {}}"#] {
        assert!(matches!(refused(&hidden, &[encoding(stack)], &squares), ModelError::Encoding(_)), "{stack}");
    }
    // Before any memory is asked for.
    for config in EncodingConfig::examples() {
        let wide = model("chessformer", r#""width": 1048576, "heads": 8, "ff": 1"#);
        let error = refused(&wide, &[config], &squares).to_string();
        assert!(error.contains("the network is too large") && error.contains("the limit is 256 GiB"), "{error}");
    }
}

#[test]
fn options_that_cannot_be_read() {
    let sizes = r#""layers": 1, "width": 8, "heads": 2, "ff": 4"#;
    let of = |architecture: &str, options: &str| format!(r#"{{"{architecture}": {{{sizes}, {options}}}}}"#);
    for (written, said) in [
        (r#"{"convnet": {}}"#.to_owned(), "chessformer"),
        (r#"{"chessformer": {"layers": 4, "width": 32, "ff": 48}}"#.to_owned(), "heads"),
        (of("chessformer", r#""depth": 1"#), "depth"),
        (of("chessformer", r#""norm": "deepnorm""#), "post_deepnet"),
        (of("chessformer", r#""ff_kind": "moe""#), "swiglu"),
        (of("chessformer", r#""embedding": {"new": {}}"#), "dense"),
        (of("chessformer", r#""norm": {"post_scaled": {"alpha": 1, "beta": 1, "gamma": 1}}"#), "gamma"),
        (of("decoder", r#""normalisation": "batch""#), "unknown variant `batch`, expected `rms` or `rms_1e-6`"),
    ] {
        let error = serde_json::from_str::<ModelConfig>(&written).expect_err(&written).to_string();
        assert!(error.contains(said), "{written}: {error}");
    }
}
