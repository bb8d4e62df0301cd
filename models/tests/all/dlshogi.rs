//! dlshogi's networks: sizes by formula, the stem and the grouped projection against plain forms of them, where weights
//! start, encodings in a network with convolutions, and one batch learnt.

use crate::common::learning::memorise;
use crate::common::*;
use encodings::{EncodingConfig, InjectionPoints};
use games::{GameKind, InputName, MovesName};
use models::input::Expander;
use models::loss::{policy_entropy_rows, win_rate_entropy_rows, win_rate_rows};
use models::{GameSpec, HeadName, Network, Output};
use nn::{Layout, Part};
use std::sync::Arc;
use tch::Tensor;

fn declared(written: &str, stack: &[EncodingConfig], spec: &GameSpec) -> (Network, Arc<Layout>) {
    declare_model(&read(written), stack, spec)
}

fn dlshogi() -> GameSpec {
    spec_of(GameKind::Shogi, InputName::Dlshogi62_57, MovesName::Dlshogi2187)
}

/// Two boards, each with an input whose channels are not all a square's own.
fn boards() -> [GameSpec; 2] {
    [spec(GameKind::Chess, InputName::Lc0_112), dlshogi()]
}

/// `{blocks} × {channels}` with two attention layers and these options.
fn transformer(resnet: &str, rest: &str) -> String {
    format!(
        r#"{{"resnet_transformer": {{"resnet": {{"blocks": 1, "channels": 12, "value": {{"channels": 2, "hidden": 8}},
        {resnet} "stem": "parted", "policy": "planes", "outputs": {{"policy": {{}}, "win_rate": {{}}}}}}, {rest}}}}}"#
    )
}

const ATTENTION: &str = r#""attention": {"layers": 2, "heads": 3, "ff": 10}"#;

/// Channels that are a square's own, and those that are the same everywhere: counted from what the inputs are.
fn parts(spec: &GameSpec) -> [usize; 2] {
    match spec.input.name {
        // 8 × (12 pieces and repetition); castling, side, rule 50, zeros and ones. dlshogi's two sets of planes.
        InputName::Lc0_112 => [104, 8],
        _ => [62, 57],
    }
}

/// The parted stem relies on it, for every input whose tokens are the squares.
#[test]
fn channels_after_those_of_a_square_are_the_same_everywhere() {
    let inputs = specs().into_iter().filter(|spec| spec.input.tokens() == spec.input.geometry.squares());
    let mut checked = 0;
    for spec in inputs {
        let channels = Expander::new(spec.input).expand(&packed(&spec, 3));
        let own = (spec.input.board_channels() + spec.input.squares().count()) as i64;
        let differs = |from: i64, to: i64| {
            let part = channels.narrow(2, from, to - from);
            largest_difference(&part, &part.narrow(1, 0, 1).expand_as(&part))
        };
        let (all, name) = (channels.size()[2], spec.input.name.name());
        assert!(
            differs(0, own) > 0.0 && differs(own, all) == 0.0,
            "{name}: {own} of {all} channels are a square's own"
        );
        checked += usize::from(all > own);
    }
    assert!(checked >= 4, "only {checked} inputs have channels of all squares");
    for spec in boards() {
        let own = spec.input.board_channels() + spec.input.squares().count();
        assert_eq!([own, Expander::new(spec.input).channels() - own], parts(&spec));
    }
}

#[test]
fn dlshogis_networks_have_their_published_sizes() {
    let spec = dlshogi();
    for (name, blocks, c) in [("10x192", 10, 192), ("15x224", 15, 224), ("20x256", 20, 256)] {
        let (network, layout) = declare_preset(&format!("dlshogi-{name}"), &none(), &spec);
        let stem = 62 * c * 9 + 62 * c + 57 * c + 2 * c;
        let block = 2 * (c * c * 9 + 2 * c);
        assert_eq!(layout.count(Part::Trunk), stem + blocks * block, "{name}");
        let policy = c * 27 + 27 * 81;
        let value = c * 27 + 2 * 27 + 27 * 81 * 256 + 256 + 256 + 1;
        assert_eq!(layout.count(Part::Head), policy + value, "{name}");
        assert_eq!(layout.count(Part::Statistic), 2 * (c + 2 * blocks * c + 27));
        let macs = network.macs();
        assert_eq!(macs.embedding as usize, 81 * (62 * c * 10 + 57 * c));
        assert_eq!(macs.of_head("win_rate") as usize, 81 * c * 27 + 2187 * 256 + 256);
        assert_eq!(macs.of_head("policy") as usize, 81 * c * 27);
    }
}

#[test]
fn dlshogis_transformer_has_its_published_size() {
    let spec = dlshogi();
    let stack = [encoding(r#"{"absolute": {"at": "input"}}"#), encoding(r#"{"dynamic_relative": {}}"#)];
    let (_, layout) = declare_preset("dlshogi-transformer", &stack, &spec);
    let resnet = 62 * 256 * 10 + 57 * 256 + 512 + 12 * 2 * (256 * 256 * 9 + 512);
    let attention = 8 * (3 * 256 * 256 + 256 * 256 + 2 * 256 * 256 + 2 * 512);
    assert_eq!(layout.count(Part::Trunk), resnet + attention);
    // facts of the committed code: 1,347,840 numbers a layer for the relative term, 256 · 81 for the absolute one.
    assert_eq!(layout.count(Part::Encoding), 256 * 81 + 8 * 1_347_840);
}

#[test]
fn sizes_are_the_formulas_on_both_boards() {
    for spec in boards() {
        let squares = spec.input.geometry.squares();
        let kinds = if spec.input.geometry.squares() == 64 { 73 } else { 27 };
        let (c, ff, [own, everywhere]) = (12, 10, parts(&spec));
        for (options, groups, gated) in
            [("", 1, false), (r#", "qkv_groups": 4"#, 4, false), (r#", "ff_kind": "swiglu""#, 1, true)]
        {
            let attention = format!(r#""attention": {{"layers": 2, "heads": 3, "ff": {ff}{options}}}"#);
            let (network, layout) = declared(&transformer("", &attention), &none(), &spec);
            let stem = own * c * 10 + everywhere * c + 2 * c;
            let first = if gated { 2 * ff } else { ff };
            let products = 3 * c * c / groups + c * c + c * first + ff * c;
            let block = 2 * (c * c * 9 + 2 * c);
            assert_eq!(layout.count(Part::Trunk), stem + block + 2 * (products + 4 * c), "{options}");
            let heads = c * kinds + spec.moves.len() + c * 2 + 4 + 2 * squares * 8 + 8 + 8 + 1;
            assert_eq!(layout.count(Part::Head), heads);
            let all = squares * (own * c * 10 + everywhere * c + 2 * c * c * 9 + 2 * products);
            assert_eq!(network.macs().trunk as usize, all + 2 * 2 * squares * squares * c);
            let macs = network.macs();
            assert_eq!(macs.weights + (2 * 2 * squares * squares * c) as u64, macs.total());
        }
    }
}

#[test]
fn the_parted_stem_is_one_convolution_with_zeros_in_it() {
    for spec in boards() {
        let options = |stem: &str| {
            format!(
                r#"{{"resnet": {{"blocks": 1, "channels": 6, "stem": "{stem}", "value": {{"channels": 2, "hidden": 4}}}}}}"#
            )
        };
        let (parted, layout) = declared(&options("parted"), &none(), &spec);
        let arena = stirred(&layout);
        let (single, whole) = declared(&options("single"), &none(), &spec);
        let views = arena.frozen_views();
        let weight = |name: &str| views[layout.find(&format!("embedding.{name}.weight")).expect(name)].shallow_clone();
        let centred = |kernel: Tensor| kernel.constant_pad_nd([1, 1, 1, 1]);
        let kernel = || {
            let own = weight("around") + centred(weight("own"));
            Tensor::cat(&[own, centred(weight("everywhere"))], 1)
        };
        let assembled = copied(&whole, &arena, |name| (name == "embedding.weight").then(kernel));
        let rows = packed(&spec, 3);
        let difference =
            largest_difference(&parted.trunk(&views, &rows), &single.trunk(&assembled.frozen_views(), &rows));
        assert!(difference < 1e-4, "{difference}");
    }
}

#[test]
fn groups_are_a_product_with_zeros_between_them() {
    let (spec, groups, d) = (dlshogi(), 4, 12);
    let stack = [encoding(r#"{"absolute": {"at": "every_layer", "values": false, "init_std": 1.0}}"#)];
    let grouped =
        transformer("", r#""attention": {"layers": 2, "heads": 3, "ff": 10, "qkv_groups": 4, "qkv_bias": true}"#);
    let (network, layout) = declared(&grouped, &stack, &spec);
    let arena = stirred(&layout);
    let (whole, full) = declared(&grouped.replace(r#""qkv_groups": 4, "#, ""), &stack, &spec);
    // Rows of a part, 3d/g of them, read the same part of the channels.
    let expanded = |name: &str| {
        let id = layout.find(name).expect("the same name");
        let rows = numbers(&arena.frozen_views()[id]);
        let width = d / groups;
        let mut out = vec![0.0f32; 3 * d * d];
        for row in 0..3 * d {
            let part = row / (3 * width);
            for i in 0..width {
                out[row * d + part * width + i] = rows[row * width + i] as f32;
            }
        }
        Tensor::from_slice(&out)
    };
    let assembled = copied(&full, &arena, |name| name.ends_with("qkv.weight").then(|| expanded(name)));
    let rows = packed(&spec, 3);
    let (found, wanted) = (network.trunk(&arena.frozen_views(), &rows), whole.trunk(&assembled.frozen_views(), &rows));
    assert!(largest_difference(&found, &wanted) < 1e-4);
}

#[test]
fn weights_start_where_pytorchs_do() {
    let spec = dlshogi();
    let deepnet = r#""attention": {"layers": 2, "heads": 3, "ff": 10, "norm": "post_deepnet", "qkv_groups": 2}"#;
    let attention_only = deepnet.replace("post_deepnet", "post_deepnet_attention");
    for (attention, scaled) in
        [(ATTENTION, None), (deepnet, Some("")), (attention_only.as_str(), Some(".attention.out."))]
    {
        let (_, layout) = declared(&transformer(r#""init": "torch","#, attention), &none(), &spec);
        let views = initialise(&layout, 2).frozen_views();
        for param in layout.params().iter().filter(|param| param.name.ends_with("weight")) {
            let fan_in: i64 = param.shape[1..].iter().product();
            let values = numbers(&views[layout.find(&param.name).expect("its name")]);
            let bound = (fan_in as f64).sqrt().recip();
            let spread = (values.iter().map(|x| x * x).sum::<f64>() / values.len() as f64).sqrt();
            let wanted = match &param.name {
                // Glorot's, (8·2)^(-1/4) = 1/2 times as wide, where dlshogi's trial of DeepNet has it.
                name if name.starts_with("body.attention")
                    && !name.contains("qkv")
                    && scaled.is_some_and(|part| name.contains(part)) =>
                {
                    (2.0 / (param.shape[0] + fan_in) as f64).sqrt() / 2.0
                }
                _ => bound / 3f64.sqrt(),
            };
            let tolerance = 3.0 / (values.len() as f64).sqrt();
            assert!((spread / wanted - 1.0).abs() < tolerance, "{}: {spread} instead of {wanted}", param.name);
            assert!(scaled.is_some() || values.iter().all(|x| x.abs() <= bound), "{}", param.name);
        }
    }
}

#[test]
fn every_encoding_acts_behind_the_convolutions() {
    for spec in boards() {
        for (turn, embed) in ["attention", "stem"].into_iter().enumerate() {
            let written = transformer("", &format!(r#"{ATTENTION}, "embed": "{embed}""#)).replace("12", "24");
            let (plain, without) = declared(&written, &none(), &spec);
            let rows = packed(&spec, 2);
            // On the larger board the places take turns.
            let tried =
                |(place, _): &(usize, Vec<EncodingConfig>)| spec.input.name == InputName::Lc0_112 || place % 2 == turn;
            for (_, stack) in EncodingConfig::example_stacks().into_iter().enumerate().filter(tried) {
                let (network, layout) = declared(&written, &stack, &spec);
                let guarantees = network.encodings().guarantees();
                let start = initialise(&layout, 4);
                let same = copied(&without, &start, |_| None);
                let [found, control] =
                    [network.trunk(&start.frozen_views(), &rows), plain.trunk(&same.frozen_views(), &rows)];
                let difference = largest_difference(&found, &control);
                assert!(!guarantees.identity_at_start || difference < 1e-4, "{stack:?} at {embed}: {difference}");
                if network.injection_points() != InjectionPoints::NONE {
                    let moved = stirred(&layout);
                    let control = plain.trunk(&copied(&without, &moved, |_| None).frozen_views(), &rows);
                    let moved = network.trunk(&moved.frozen_views(), &rows);
                    assert!(largest_difference(&moved, &control) > 1e-6, "{stack:?} at {embed} does nothing");
                }
            }
        }
    }
}

#[test]
fn the_place_of_what_acts_once_can_be_chosen() {
    let stack = [encoding(r#"{"absolute": {"at": "input", "init_std": 1.0}}"#)];
    let trunk = |embed: &str| {
        let written = transformer("", &format!(r#"{ATTENTION}, "embed": "{embed}""#));
        let (network, layout) = declared(&written, &stack, &dlshogi());
        network.trunk(&initialise(&layout, 1).frozen_views(), &packed(&dlshogi(), 2))
    };
    assert!(largest_difference(&trunk("attention"), &trunk("stem")) > 1e-3);
}

#[test]
fn the_win_rates_loss_is_the_formula() {
    let logit = Tensor::from_slice(&[0.7f32, -1.2, 3.0, 0.1]);
    let points = Tensor::from_slice(&[1.0f32, 0.5, 0.25, f32::NAN]);
    let sigma = |x: f64| 1.0 / (1.0 + (-x).exp());
    let entropy = |x: f64, p: f64| -p * sigma(x).ln() - (1.0 - p) * (1.0 - sigma(x)).ln();
    let wanted = [entropy(0.7, 1.0), entropy(-1.2, 0.5), entropy(3.0, 0.25), 0.0];
    assert_near(&numbers(&win_rate_rows(&logit, &points)), &wanted, 1e-6, "binary cross-entropy");
    let own: Vec<f64> = [0.7, -1.2, 3.0, 0.1].map(|x| entropy(x, sigma(x))).to_vec();
    assert_near(&numbers(&win_rate_entropy_rows(&logit)), &own, 1e-6, "entropy");
    // A policy of 1/2, 1/4, 1/4 has 1.5 bits.
    let policy = Tensor::from_slice(&[0.5f32, 0.25, 0.25]).log().view([1, 3]);
    assert_near(&numbers(&policy_entropy_rows(&policy)), &[1.5 * 2f64.ln()], 1e-6, "policy");
}

#[test]
fn one_batch_is_learnt_by_heart_with_attention_behind_the_convolutions() {
    let stack = [encoding(r#"{"absolute": {"at": "input"}}"#), encoding(r#"{"dynamic_relative": {"bottleneck": 4}}"#)];
    let points = Tensor::from_slice(&[1.0f32, 0.0, 1.0, 1.0, 0.0, f32::NAN]);
    for spec in boards() {
        let small = r#""attention": {"layers": 1, "heads": 2, "ff": 8}"#;
        let grouped = r#""attention": {"layers": 1, "heads": 2, "ff": 8, "qkv_groups": 4}"#;
        for attention in [small, grouped] {
            let (network, layout) = declared(&transformer(r#""init": "torch","#, attention), &stack, &spec);
            let win_rate = |output: &Output| win_rate_rows(&output[HeadName::WinRate], &points);
            let [training, outside] = memorise(&network, &layout, &spec, 160, win_rate);
            assert!(training.iter().all(|loss| *loss < 0.02), "{attention}: {training:?}");
            assert!(outside.iter().all(|loss| *loss < 0.1), "{attention}: {outside:?}");
        }
    }
}
