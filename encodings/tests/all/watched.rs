//! A watched stack answers as the stack does, and its maps are the numbers of the definitions.

use crate::common::single::{assert_near, numbers};
use crate::common::{DIMS, Network, input, parsed, sequences};
use encodings::{AttentionMap, EncodingConfig, InjectionPoints, MapKind, Tokens};
use games::GameKind;
use nn::Arena;
use tch::{Kind, Tensor};

const BATCH: i64 = 3;

fn tokens() -> Tokens {
    Tokens::squares_then(GameKind::Shogi.geometry(), &["hand"])
}

/// The maps of one forward pass of random parameters, and the parameters.
fn maps(yaml: &str) -> (Network, Arena, Vec<AttentionMap>) {
    let (network, watch) = Network::small(&[parsed(yaml)], &tokens()).watched();
    let arena = network.random(1, 0.5);
    network.forward(&arena.frozen_views(), &input(5, BATCH, &tokens(), DIMS));
    (network, arena, watch.take())
}

fn map(maps: &[AttentionMap], kind: MapKind, layer: Option<usize>) -> Vec<f64> {
    let mut found = maps.iter().filter(|map| map.kind == kind && map.layer == layer);
    let map = numbers(&found.next().unwrap_or_else(|| panic!("no {kind:?} of {layer:?}")).map_ll);
    assert!(found.next().is_none(), "{kind:?} of {layer:?} twice");
    map
}

fn parameter(network: &Network, arena: &Arena, name: &str) -> Vec<f64> {
    numbers(&arena.frozen_views()[network.layout.find(name).unwrap_or_else(|| panic!("no {name}"))])
}

#[test]
fn a_watched_stack_answers_as_the_stack_and_shows_every_injection_point() {
    for configs in EncodingConfig::example_stacks() {
        for tokens in sequences().into_iter().filter(|tokens| tokens.geometry() != GameKind::Shogi.geometry()) {
            let x = input(5, BATCH, &tokens, DIMS);
            let plain = Network::small(&configs, &tokens);
            let arena = plain.random(1, 0.5);
            let expected = plain.forward(&arena.frozen_views(), &x);
            let points = plain.stack.injection_points();
            let (network, watch) = plain.watched();
            assert_eq!(
                (network.stack.injection_points(), network.stack.macs()),
                (points, Network::small(&configs, &tokens).stack.macs())
            );
            let found = network.forward(&arena.frozen_views(), &x);
            assert_eq!(numbers(&found.output), numbers(&expected.output), "{configs:?}");
            let maps = watch.take();
            let layers = |kind| maps.iter().filter(|map| map.kind == kind).map(|map| map.layer).collect::<Vec<_>>();
            let every: Vec<_> = (0..DIMS.layers).map(Some).collect();
            let wanted = |point: InjectionPoints, layers: Vec<_>| if points.contains(point) { layers } else { vec![] };
            assert_eq!(layers(MapKind::Embed), wanted(InjectionPoints::EMBED, vec![None]));
            assert_eq!(layers(MapKind::Attend), wanted(InjectionPoints::ATTEND, every.clone()));
            assert_eq!(layers(MapKind::Rotate), wanted(InjectionPoints::ROTATE, every.clone()));
            assert_eq!(layers(MapKind::Logits), wanted(InjectionPoints::LOGITS, every.clone()));
            assert_eq!(layers(MapKind::Attention), every);
            let size = [tokens.len() as i64; 2];
            assert!(maps.iter().all(|map| map.map_ll.size() == size && map.map_ll.kind() == Kind::Float));
            assert!(watch.take().is_empty());
        }
    }
}

#[test]
fn attention_is_the_mean_of_the_weights() {
    let tokens = tokens();
    let (network, watch) = Network::small(&[parsed("smolgen: {compress: 3, hidden: 5, gen: 6}")], &tokens).watched();
    let arena = network.random(1, 0.5);
    let trace = network.forward(&arena.frozen_views(), &input(5, BATCH, &tokens, DIMS));
    let maps = watch.take();
    for (layer, logits) in trace.logits.iter().enumerate() {
        let (logits, l) = (numbers(logits), tokens.len());
        let mut mean = vec![0.0; l * l];
        for (row, logits) in logits.chunks(l).enumerate() {
            let sum: f64 = logits.iter().map(|logit| logit.exp()).sum();
            for (key, logit) in logits.iter().enumerate() {
                mean[row % l * l + key] += logit.exp() / sum / (BATCH as f64 * DIMS.heads as f64);
            }
        }
        assert_near(&map(&maps, MapKind::Attention, Some(layer)), &mean, "weights");
    }
}

#[test]
fn a_bias_by_displacement_is_shown_as_its_table() {
    let (network, arena, maps) = maps("relative_bias: {share: displacement}");
    let (tokens, geometry) = (tokens(), GameKind::Shogi.geometry());
    for layer in 0..DIMS.layers {
        let table = parameter(&network, &arena, &format!("encoding.relative_bias.layer.{layer}.bias"));
        let classes = table.len() / DIMS.heads;
        let shown = map(&maps, MapKind::Logits, Some(layer));
        for (query, key) in [(0, 0), (3, 70), (80, 1), (40, 41)] {
            let class = geometry.displacement_class(query, key);
            let mean = (0..DIMS.heads).map(|head| table[head * classes + class]).sum::<f64>() / DIMS.heads as f64;
            assert_near(&[shown[query * tokens.len() + key]], &[mean], "bias");
        }
    }
}

#[test]
fn a_rotation_is_shown_as_the_mean_cosine_of_its_angles() {
    let (_, _, maps) = maps("rope: {layout: axial_2d, theta: 100}");
    let (tokens, geometry, width) = (tokens(), GameKind::Shogi.geometry(), DIMS.head_width());
    let shown = map(&maps, MapKind::Rotate, Some(1));
    for (query, key) in [(0, 0), (3, 70), (80, 1), (40, 41)] {
        let along = |of: fn(&games::Geometry, usize) -> usize| of(&geometry, query) as f64 - of(&geometry, key) as f64;
        let displacements = [along(games::Geometry::rank_of), along(games::Geometry::file_of)];
        let frequencies = (0..width / 4).map(|i| 100f64.powf(-4.0 * i as f64 / width as f64));
        let cosines = frequencies.flat_map(|f| displacements.map(|d| (d * f).cos()));
        assert_near(&[shown[query * tokens.len() + key]], &[cosines.sum::<f64>() / (width / 2) as f64], "cosine");
    }
}

#[test]
fn vectors_of_squares_are_shown_by_their_cosines() {
    let cosine = |table: &[f64], a: usize, b: usize| {
        let [a, b] = [a, b].map(|token| &table[token * DIMS.width..][..DIMS.width]);
        let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
        dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
    };
    let length = tokens().len();
    let places = [("input", MapKind::Embed, None, "table"), ("every_layer", MapKind::Attend, Some(1), "layer.1.table")];
    for (place, kind, layer, name) in places {
        let (network, arena, maps) = maps(&format!("absolute: {{at: {place}}}"));
        let table = parameter(&network, &arena, &format!("encoding.absolute.{place}.{name}"));
        let shown = map(&maps, kind, layer);
        for (a, b) in [(0, 0), (3, 70), (80, 1)] {
            assert!((shown[a * length + b] - cosine(&table, a, b)).abs() < 1e-4, "{place}");
        }
    }
}

#[test]
fn where_nothing_is_added_there_is_no_cosine() {
    let (network, watch) = Network::small(&[parsed("absolute: {at: input}")], &tokens()).watched();
    network.forward(&network.initial(1).frozen_views(), &input(5, BATCH, &tokens(), DIMS));
    let shown: Tensor = watch.take().remove(0).map_ll;
    assert_eq!(shown.abs().max().double_value(&[]), 0.0);
}
