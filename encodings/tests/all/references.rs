//! Encodings against straight-line computations of their definitions in f64, and against numbers worked out by hand.

use crate::common::single::{Single, assert_near, numbers};
use crate::common::{DIMS, Network, input, largest_difference, normal_tensor, sequences};
use encodings::pairs::Share;
use encodings::rope::{self, Aux, Layout};
use encodings::rows::Table;
use encodings::{AttendInput, Configure, Dims, EncodingConfig, LayerContext, Queries, Tokens};
use encodings::{absolute, relative_bias, smolgen};
use games::{GameKind, Geometry};
use nn::{Arena, Views};
use tch::{Device, Kind, Tensor};

/// Each pair of channels as a complex number, times e^{iφ}.
#[test]
fn rotation_equals_a_complex_product() {
    for config in rope::Config::examples() {
        for tokens in sequences() {
            let single = Single::random(EncodingConfig::Rope(config.clone()), &tokens);
            let shape = [2, DIMS.heads as i64, tokens.len() as i64, DIMS.head_width() as i64];
            let [q, k] = ["q", "k"].map(|name| normal_tensor(5, name, &shape));
            let (found_q, found_k) = single.ask(|encoding, at| encoding.rotate(at, &q, &k)).expect("rotated");
            for (given, found) in [(q, found_q), (k, found_k)] {
                let what = format!("{config:?}, {} tokens", tokens.len());
                assert_near(&numbers(&found), &turned(&single, &config, &tokens, &numbers(&given)), &what);
            }
        }
    }
}

fn turned(single: &Single, config: &rope::Config, tokens: &Tokens, x: &[f64]) -> Vec<f64> {
    let (pairs, l, h) = (DIMS.head_width() / 2, tokens.len(), DIMS.heads);
    let turn = |(place, x): (usize, &[f64])| {
        let (pair, token, head) = (place % pairs, place / pairs % l, place / pairs / l % h);
        let (sin, cos) = angle(single, config, tokens, [head, token, pair]).sin_cos();
        [x[0] * cos - x[1] * sin, x[0] * sin + x[1] * cos]
    };
    x.chunks(2).enumerate().flat_map(turn).collect()
}

fn angle(single: &Single, config: &rope::Config, tokens: &Tokens, [head, token, pair]: [usize; 3]) -> f64 {
    let (k, pairs) = (DIMS.head_width() as f64, DIMS.head_width() / 2);
    let square = tokens.square(token);
    if square.is_none() && (config.layout != Layout::Flat1d || config.aux == Some(Aux::Unrotated)) {
        return 0.0;
    }
    let files = tokens.geometry().files();
    let (rank, file) = square.map_or((0.0, 0.0), |s| ((s / files) as f64, (s % files) as f64));
    match config.layout {
        Layout::Flat1d => token as f64 / config.theta.powf(2.0 * pair as f64 / k),
        Layout::Axial2d if pair < pairs / 2 => rank / config.theta.powf(4.0 * pair as f64 / k),
        Layout::Axial2d => file / config.theta.powf(4.0 * (pair - pairs / 2) as f64 / k),
        Layout::Mixed2d => {
            let frequency = single.parameter("rope.layer.1.frequencies");
            let along = |axis: usize| frequency[(axis * DIMS.heads + head) * pairs + pair];
            file * along(0) + rank * along(1)
        }
    }
}

/// RoPE-ViT's start: magnitudes θ^(−4i/k), the second half of the pairs at a right angle to the first, another direction
/// for every head and layer.
#[test]
fn mixed_frequencies_start_as_turned_axes() {
    let tokens = Tokens::squares_then(GameKind::Chess.geometry(), &[]);
    let config = rope::Config { layout: Layout::Mixed2d, theta: 10.0, aux: None };
    let network = Network::small(&[EncodingConfig::Rope(config)], &tokens);
    let views = network.initial(6).frozen_views();
    let (pairs, mut directions) = (DIMS.head_width() / 2, Vec::new());
    for layer in 0..DIMS.layers {
        let id = network.layout.find(&format!("encoding.rope.layer.{layer}.frequencies")).expect("frequencies");
        let frequencies = numbers(&views[id]);
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

/// The index of Lc0's training code, read off at corners: 15·(rank_q − rank_k + 7) + (file_q − file_k + 7).
#[test]
fn relative_bias_sits_at_the_index_of_the_reference_code() {
    let chess = GameKind::Chess.geometry();
    let tokens = Tokens::squares_then(chess, &["hand"]);
    let config = EncodingConfig::RelativeBias(relative_bias::Config { share: Share::Displacement });
    let network = Network::small(&[config], &tokens);
    let id = network.layout.find("encoding.relative_bias.layer.1.bias").expect("a table");
    let param = network.layout.param(id);
    let mut values = vec![0f32; network.layout.len()];
    for (i, value) in values[param.offset..param.offset + param.len()].iter_mut().enumerate() {
        *value = i as f32;
    }
    let arena = Arena::from_values(network.layout.clone(), &values, Device::Cpu).expect("memory");
    let single = Single { network, arena };
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

#[test]
fn sines_are_those_of_their_definition() {
    let dims = Dims { width: 8, heads: 1, layers: 1 };
    let tokens = Tokens::squares_then(Geometry::new(4, 3), &["hand"]);
    let rows = |table| {
        let config = absolute::Config { table, ..absolute::Config::new(absolute::Place::Input) };
        let network = Network::declare(&[EncodingConfig::Absolute(config)], dims, &tokens).expect("an example");
        let views = network.initial(1).frozen_views();
        let x = Tensor::zeros([1, 13, 8], (Kind::Float, Device::Cpu));
        numbers(&network.stack.embed(LayerContext { views: &views, layer: 0, packed: &x }, x.shallow_clone()))
    };
    let (one, two) = (rows(Table::Sinusoidal1d), rows(Table::Sinusoidal2d));
    let sines = |p: f64, f: &[f64]| -> Vec<f64> {
        f.iter().map(|f| (p * f).sin()).chain(f.iter().map(|f| (p * f).cos())).collect()
    };
    // Square 6 is rank 1, file 2.
    assert_near(&one[6 * 8..7 * 8], &sines(6.0, &[1.0, 0.1, 0.01, 0.001]), "1-D");
    assert_near(&two[6 * 8..7 * 8], &[sines(1.0, &[1.0, 0.01]), sines(2.0, &[1.0, 0.01])].concat(), "2-D");
    assert_eq!((&one[12 * 8..], &two[12 * 8..]), (&[0.0; 8][..], &[0.0; 8][..]), "an auxiliary token has no sines");
}

#[test]
fn learned_and_factorised_rows_are_added_to_their_tokens() {
    for tokens in sequences() {
        for table in [Table::Learned, Table::Factorised] {
            let config = absolute::Config { table, ..absolute::Config::new(absolute::Place::Input) };
            let single = Single::random(EncodingConfig::Absolute(config), &tokens);
            let x = input(8, 1, &tokens, DIMS);
            let added = single.ask(|encoding, at| encoding.embed(at, x.shallow_clone())) - &x;
            let p = |name: &str| single.parameter(&format!("absolute.input.{name}"));
            let row = |table: &[f64], i: usize| table[i * DIMS.width..(i + 1) * DIMS.width].to_vec();
            let (mut wanted, mut aux) = (Vec::new(), 0);
            for token in 0..tokens.len() {
                wanted.extend(match (table, tokens.square(token)) {
                    (Table::Learned, _) => row(&p("table"), token),
                    (_, Some(square)) => {
                        let files = tokens.geometry().files();
                        let (rank, file) = (row(&p("rank"), square / files), row(&p("file"), square % files));
                        rank.iter().zip(file).map(|(r, f)| r + f).collect()
                    }
                    (_, None) => {
                        aux += 1;
                        row(&p("aux"), aux - 1)
                    }
                });
            }
            assert_near(&numbers(&added), &wanted, &format!("{table} with {} tokens", tokens.len()));
        }
    }
}

#[test]
fn the_gate_multiplies_where_it_is_open_and_adds() {
    let tokens = Tokens::squares_then(GameKind::Chess.geometry(), &[]);
    let single = Single::random(EncodingConfig::Absolute(absolute::Config::new(absolute::Place::Gate)), &tokens);
    let x = input(9, 1, &tokens, DIMS);
    let gated = single.ask(|encoding, at| encoding.embed(at, x.shallow_clone()));
    let (factor, summand) = (single.parameter("absolute.gate.factor"), single.parameter("absolute.gate.summand"));
    assert!(factor.iter().any(|m| *m < 0.0), "some gate must be closed");
    let wanted: Vec<_> =
        numbers(&x).iter().zip(factor.iter().zip(summand)).map(|(x, (m, a))| x * m.max(0.0) + a).collect();
    assert_near(&numbers(&gated), &wanted, "x·relu(m) + a");
}

/// Eq. 4 gives the table to queries and keys only, its code to values too: one tensor then serves a fused projection.
#[test]
fn values_see_the_table_only_where_asked() {
    let tokens = Tokens::squares_then(GameKind::Chess.geometry(), &[]);
    let x = input(10, 1, &tokens, DIMS);
    let attend = |values| -> AttendInput {
        let config = absolute::Config { values, ..absolute::Config::new(absolute::Place::EveryLayer) };
        let single = Single::random(EncodingConfig::Absolute(config), &tokens);
        let input = single.ask(|encoding, at| encoding.attend(at, &x)).expect("an input");
        let table = Tensor::from_slice(&single.parameter("absolute.every_layer.layer.1.table")).view(&x.size()[1..]);
        assert!(largest_difference(&input.qk_bld.to_kind(Kind::Double), &(&x.to_kind(Kind::Double) + table)) < 1e-5);
        input
    };
    assert!(attend(true).v_bld.is_none(), "the same tensor for values");
    assert_eq!(attend(false).v_bld, Some(x.shallow_clone()));
}

/// A stack adds terms, applies rotations and tables in order, and keeps values apart once they are apart.
#[test]
fn a_stack_is_its_encodings_one_after_the_other() {
    let tokens = Tokens::squares_then(GameKind::Chess.geometry(), &[]);
    let every_layer = |values| absolute::Config { values, ..absolute::Config::new(absolute::Place::EveryLayer) };
    let configs = [
        EncodingConfig::Absolute(every_layer(false)),
        EncodingConfig::RelativeBias(relative_bias::Config { share: Share::Displacement }),
        EncodingConfig::Smolgen(smolgen::Config { compress: 3, hidden: 5, gen_width: 6, ..Default::default() }),
        EncodingConfig::Rope(rope::Config { layout: Layout::Axial2d, theta: 10.0, aux: None }),
    ];
    let network = Network::small(&configs, &tokens);
    let views: Views = network.random(11, 0.5).frozen_views();
    let packed = Tensor::zeros([1, 1], (Kind::Uint8, Device::Cpu));
    let at = LayerContext { views: &views, layer: 1, packed: &packed };
    let x = input(12, 2, &tokens, DIMS);
    let [q, k] = ["q", "k"]
        .map(|n| normal_tensor(12, n, &[2, DIMS.heads as i64, tokens.len() as i64, DIMS.head_width() as i64]));
    let queries = Queries { x_bld: &x, q_bhlk: &q, k_bhlk: &k };
    let each: Vec<_> = network.stack.iter().collect();

    let attended = network.stack.attend(at, &x);
    assert_eq!(attended.v_bld, Some(x.shallow_clone()), "values stay as the first encoding left them");
    assert_eq!(attended.qk_bld, each[0].attend(at, &x).expect("a table").qk_bld);
    let sum = network.stack.logits(at, queries);
    let terms = [1, 2].map(|i| each[i].logits(at, queries).after_scale.expect("a term"));
    assert_eq!(sum.after_scale, Some(&terms[0] + &terms[1]));
    assert!(sum.before_scale.is_none() && network.stack.values(at, &q, &k).is_none());
    assert_eq!(network.stack.rotate(at, &q, &k), each[3].rotate(at, &q, &k).expect("rotated"));
    assert_eq!(network.stack.embed(at, x.shallow_clone()), x, "nothing touches the embedding");
}
