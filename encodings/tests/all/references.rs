//! Encodings against numbers worked out by hand, first values, and stacks against their encodings.

use crate::common::single::{Single, numbers};
use crate::common::{DIMS, Network, board, input, largest_difference, normal_tensor, parsed};
use encodings::{Dims, LayerContext, Queries, Tokens};
use games::GameKind;
use nn::Views;
use tch::Tensor;

/// The first values of a parameter, by its name below `encoding`, on a chess board.
fn first_values(yaml: &str, dims: Dims, name: &str) -> Vec<f64> {
    let network = Network::declare(&[parsed(yaml)], dims, &board(GameKind::Chess)).expect("it fits");
    let id = network.layout.find(&format!("encoding.{name}")).unwrap_or_else(|| panic!("no {name}"));
    numbers(&network.initial(6).frozen_views()[id])
}

/// Random queries and keys of two positions.
fn queries_and_keys(seed: u64, tokens: &Tokens) -> [Tensor; 2] {
    let shape = [2, DIMS.heads as i64, tokens.len() as i64, DIMS.head_width() as i64];
    ["q", "k"].map(|name| normal_tensor(seed, name, &shape))
}

/// RoPE-ViT's start: magnitudes θ^(−4i/k), the second half of the pairs at a right angle to the first, another direction
/// for every head and layer.
#[test]
fn mixed_frequencies_start_as_rotated_axes() {
    let (pairs, mut directions) = (DIMS.head_width() / 2, Vec::new());
    for layer in 0..DIMS.layers {
        let name = format!("rope.layer.{layer}.frequencies");
        let frequencies = first_values("rope: {layout: mixed_2d, theta: 10}", DIMS, &name);
        for head in 0..DIMS.heads {
            let vector = |pair: usize| [0, 1].map(|axis| frequencies[(axis * DIMS.heads + head) * pairs + pair]);
            for i in 0..pairs / 2 {
                let ([ax, ay], [bx, by]) = (vector(i), vector(i + pairs / 2));
                let magnitude = 10f64.powf(-4.0 * i as f64 / DIMS.head_width() as f64);
                assert!((ax.hypot(ay) - magnitude).abs() < 1e-6 && (bx.hypot(by) - magnitude).abs() < 1e-6);
                assert!((ax * bx + ay * by).abs() < 1e-6, "not at a right angle");
            }
            directions.push(vector(0)[1].atan2(vector(0)[0]));
        }
    }
    directions.sort_by(f64::total_cmp);
    assert!(directions.windows(2).all(|pair| pair[1] - pair[0] > 1e-3), "directions repeat: {directions:?}");
}

/// KataGo's start: magnitudes between 1/50 and 1 whose logarithms are spread evenly, with random signs.
#[test]
fn log_uniform_frequencies_fill_their_range_with_either_sign() {
    let dims = Dims { width: 256, heads: 8, layers: 2 };
    let of_layer = |layer: usize| {
        let name = format!("rope.layer.{layer}.frequencies");
        first_values("rope: {layout: mixed_2d, theta: 50, start: log_uniform}", dims, &name)
    };
    assert_ne!(of_layer(0), of_layer(1));
    let all = [of_layer(0), of_layer(1)].concat();
    let share = |of: &dyn Fn(f64) -> bool| all.iter().filter(|x| of(**x)).count() as f64 / all.len() as f64;
    assert!(all.iter().all(|x| (0.02..=1.0).contains(&x.abs())), "{all:?}");
    for (what, share) in [
        ("negative", share(&|x| x < 0.0)),
        ("below the geometric mean of the range", share(&|x| x.abs() < 0.02f64.sqrt())),
    ] {
        assert!((share - 0.5).abs() < 0.07, "{share} of the frequencies are {what}");
    }
}

/// LieRE's generators start between 0 and 2π, learned spherical frequencies between 0 and 1, and each fills its range.
#[test]
fn learned_rotations_start_as_in_their_sources() {
    let dims = Dims { width: 256, heads: 8, layers: 2 };
    let cases = [
        ("liere", "liere.layer.1.generators", std::f64::consts::TAU),
        ("spherical: {frequencies: learned}", "spherical.layer.1.frequencies", 1.0),
    ];
    for (yaml, name, bound) in cases {
        let values = first_values(yaml, dims, name);
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        assert!(values.iter().all(|value| (0.0..=bound * (1.0 + 1e-6)).contains(value)), "{yaml}");
        assert!((mean / bound - 0.5).abs() < 0.1, "{yaml}: {mean}");
    }
}

/// KataGo's templates start with frequencies from 1 to 1/50 radians a square in equal ratios.
#[test]
fn templates_start_with_frequencies_in_equal_ratios() {
    let frequencies = first_values("gab_templates", DIMS, "gab_templates.templates.frequencies");
    assert_eq!((frequencies.len(), frequencies[0]), (16, 1.0));
    assert!((frequencies[15] - 0.02).abs() < 1e-7);
    let ratio = 0.02f64.powf(1.0 / 15.0);
    assert!(frequencies.windows(2).all(|pair| (pair[1] / pair[0] - ratio).abs() < 1e-6), "{frequencies:?}");
}

/// The matrix is the identity at the start, so that only the rotation is left.
#[test]
fn string_starts_as_rope() {
    let tokens = Tokens::squares_then(GameKind::Chess.geometry(), &["hand"]);
    let [q, k] = queries_and_keys(13, &tokens);
    let rotated = |name: &str| {
        let network = Network::small(&[parsed(&format!("{name}: {{layout: axial_2d, theta: 100}}"))], &tokens);
        let (arena, x) = (network.initial(6), input(13, 2, &tokens, DIMS));
        Single { network, arena }.ask(&x, |encoding, at| encoding.rotate(at, &q, &k)).expect("rotated")
    };
    let (string, rope) = (rotated("string"), rotated("rope"));
    assert!(largest_difference(&string.0, &rope.0) < 1e-6 && largest_difference(&string.1, &rope.1) < 1e-6);
}

/// The index of Lc0's training code, read off at corners: 15·(rank_q − rank_k + 7) + (file_q − file_k + 7).
#[test]
fn relative_bias_sits_at_the_index_of_the_reference_code() {
    let chess = GameKind::Chess.geometry();
    let tokens = Tokens::squares_then(chess, &["hand"]);
    let config = parsed("relative_bias: {share: displacement}");
    let single = Single::filled(config, &tokens, "relative_bias.layer.1.bias", |place| place as f32);
    let bias = single.logits(&input(7, 1, &tokens, DIMS)).after_scale.expect("a bias");
    let (a1, h1, h8, hand) = (chess.square(0, 0), chess.square(7, 0), chess.square(7, 7), chess.squares());
    let cases = [
        (a1, a1, 15 * 7 + 7),
        (a1, h8, 0),
        (h8, a1, 15 * 14 + 14),
        (h1, a1, 15 * 7 + 14),
        (h8, h1, 15 * 14 + 7),
        (a1, hand, 15 * 15),
        (hand, a1, 15 * 15 + 1),
        (hand, hand, 15 * 15 + 2),
    ];
    for (q, k, class) in cases {
        assert_eq!(bias.double_value(&[0, q as i64, k as i64]), f64::from(class), "query {q}, key {k}");
    }
}

/// ALiBi's slopes for 8 heads: 1/2, 1/4, …, 1/256.
#[test]
fn slopes_halve_from_head_to_head() {
    let dims = Dims { heads: 8, ..DIMS };
    let slopes = first_values("alibi: {distance: l1, slopes: learned}", dims, "alibi.layer.1.slope");
    let halves: Vec<f64> = (1..=8).map(|head| 0.5f64.powi(head)).collect();
    assert_eq!(slopes, halves);
}

/// Swin V2 starts near the same bias for every pair and at a temperature of 10; posenc's auxiliary pairs at that bias.
#[test]
fn continuous_biases_start_like_swins() {
    let tokens = Tokens::squares_then(GameKind::Shogi.geometry(), &["hand"]);
    let network = Network::small(&[parsed("continuous_bias: {attention: cosine}")], &tokens);
    let arena = network.initial(2);
    let single = Single { network, arena };
    let bias = numbers(&single.logits(&input(1, 1, &tokens, DIMS)).after_scale.expect("a bias"));
    assert!(bias.iter().all(|bias| bias.abs() < 0.5), "{bias:?}");
    let l = tokens.len();
    assert_eq!((bias[l - 1], bias[l * l - 2]), (0.0, 0.0), "a square and the hand");
    let x = normal_tensor(1, "q", &[1, DIMS.heads as i64, l as i64, DIMS.head_width() as i64]);
    let (q, k) = single.ask(&input(1, 1, &tokens, DIMS), |encoding, at| encoding.rotate(at, &x, &x)).expect("rotated");
    let logits = numbers(&(q.matmul(&k.transpose(2, 3)) / (DIMS.head_width() as f64).sqrt()));
    for (place, logit) in logits.iter().enumerate() {
        let wanted = if place / l % l == place % l { 9.9999..10.0001 } else { -10.0001..10.0001 };
        assert!(wanted.contains(logit), "{logit}");
    }
}

/// KERPLE's first values, back from what is learned: their kernel and name, the upper bound, and how to go back.
#[test]
fn kernels_start_uniform() {
    let exponent = |s: f64| 2.0 / (1.0 + (-s).exp());
    type Back = fn(f64) -> f64;
    let cases = [
        ("log", "first", 2.0, f64::exp as Back),
        ("log", "second", 1.0, f64::exp),
        ("power", "first", 1.0, f64::exp),
        ("power", "second", 2.0, exponent),
    ];
    let dims = Dims { width: 400, heads: 400, layers: 1 };
    for (kernel, name, bound, back) in cases {
        let yaml = format!("kerple: {{kernel: {kernel}, distance: l1}}");
        let values = first_values(&yaml, dims, &format!("kerple.layer.0.{name}"));
        let values: Vec<f64> = values.into_iter().map(back).collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        assert!(values.iter().all(|value| (0.0099..=bound + 1e-5).contains(value)), "{kernel}, {name}");
        assert!((mean / bound - 0.5).abs() < 0.06, "{kernel}, {name}: {mean}");
    }
}

/// A rook on a1 and a pawn on a3: the file behind the pawn is blocked, in either direction, and the rank is free.
#[test]
fn a_piece_blocks_the_squares_beyond_it() {
    let chess = GameKind::Chess.geometry();
    let tokens = board(GameKind::Chess);
    let single =
        Single::filled(parsed("relations"), &tokens, "relations.layer.1.blocked", |place| (place % 4 + 1) as f32);
    // A piece stands where the first channel is positive.
    let mut x = vec![-1f32; chess.squares() * DIMS.width];
    let [a1, a2, a3, a4, a8] = [0, 1, 2, 3, 7].map(|rank| chess.square(0, rank));
    let [b1, h1, b2, c3, d4, d1] = [(1, 0), (7, 0), (1, 1), (2, 2), (3, 3), (3, 0)].map(|(f, r)| chess.square(f, r));
    [a1, a3, c3].into_iter().for_each(|square| x[square * DIMS.width] = 1.0);
    let x = Tensor::from_slice(&x).view([1, chess.squares() as i64, DIMS.width as i64]);
    let logits = single.logits(&x).after_scale.expect("logits");
    let of = |query: usize, key: usize| logits.double_value(&[0, 0, query as i64, key as i64]);
    let free = [(a1, a1), (a1, a2), (a1, a3), (a1, h1), (b1, h1), (a1, b2), (a1, c3), (a8, a3), (d1, a4), (h1, c3)];
    assert_eq!(free.map(|(query, key)| of(query, key)), [0.0; 10]);
    let blocked = [(a1, a4), (a4, a1), (a8, a1), (a2, a4), (a1, d4), (d4, b2)];
    assert_eq!(blocked.map(|(query, key)| of(query, key)), [2.0, 2.0, 2.0, 2.0, 3.0, 3.0]);
    assert_eq!(of(chess.square(1, 2), chess.square(3, 2)), 1.0, "c3 on its rank");
    assert_eq!(of(chess.square(3, 1), chess.square(1, 3)), 4.0, "c3 on its antidiagonal");
}

/// A stack adds terms, applies rotations and tables in order, and keeps values apart once they are apart.
#[test]
fn a_stack_is_its_encodings_one_after_the_other() {
    let tokens = board(GameKind::Chess);
    let configs = [
        "absolute: {at: every_layer, values: false}",
        "relative_bias: {share: displacement}",
        "smolgen: {compress: 3, hidden: 5, gen: 6}",
        "rope: {layout: axial_2d, theta: 10}",
    ];
    let network = Network::small(&configs.map(parsed), &tokens);
    let views: Views = network.random(11, 0.5).frozen_views();
    let x = input(12, 2, &tokens, DIMS);
    let packed = network.packed(&x);
    let at = LayerContext { views: &views, layer: 1, packed: &packed };
    let [q, k] = queries_and_keys(12, &tokens);
    let queries = Queries { x_bld: &x, q_bhlk: &q, k_bhlk: &k };
    let each: Vec<_> = network.stack.iter().collect();

    let attended = network.stack.attend(at, &x);
    assert_eq!(attended.v_bld, Some(x.shallow_clone()), "values stay as the first encoding left them");
    assert_eq!(attended.qk_bld, each[0].attend(at, &x).expect("a table").qk_bld);
    let sum = network.stack.logits(at, queries);
    let terms = [1, 2].map(|i| each[i].logits(at, queries).after_scale.expect("a term"));
    assert_eq!(sum.after_scale, Some(&terms[0] + &terms[1]));
    assert!(sum.before_scale.is_none() && network.stack.values(at, Some(&q), &k).is_none());
    assert_eq!(network.stack.rotate(at, &q, &k), each[3].rotate(at, &q, &k).expect("rotated"));
    assert_eq!(network.stack.embed(at, x.shallow_clone()), x, "nothing touches the embedding");
}

/// Steps of 0, 1, 2 and 3, and 4 and more have a bucket each, as the source's function gives them for 1.9, 3.8 and 15.2.
#[test]
fn near_steps_have_buckets_of_their_own_and_far_ones_share() {
    let (tokens, files) = (board(GameKind::Shogi), GameKind::Shogi.geometry().files() as i64);
    let config = parsed("irpe: {terms: [bias], method: cross}");
    let single = Single::filled(config, &tokens, "irpe.layer.1.bias.files", |bucket| bucket as f32 - 3.0);
    let bias = single.logits(&input(2, 1, &tokens, DIMS)).after_scale.expect("a bias");
    let along_a_rank = numbers(&bias.get(0).select(1, 0).narrow(0, 0, files));
    assert_eq!(along_a_rank, [0.0, 1.0, 2.0, 2.0, 3.0, 3.0, 3.0, 3.0, 3.0]);
    let backwards = numbers(&bias.get(0).get(0).narrow(0, 0, files));
    assert_eq!(backwards, along_a_rank.iter().map(|bucket| -bucket).collect::<Vec<_>>());
}
