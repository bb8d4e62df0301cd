//! What happens when everything on the board moves by the same displacement.

use crate::common::{DIMS, Network, ensure, for_all, input, normal_tensor, normals, sequences};
use encodings::rope::{self, Aux, Layout};
use encodings::{Dims, EncodingConfig, LayerContext, Tokens};
use games::{GameKind, Geometry};
use tch::{Device, Kind, Tensor};

const ONE_LAYER: Dims = Dims { layers: 1, ..DIMS };

/// Files and ranks by which a board moves.
type Displacement = (isize, isize);

/// Short and long moves in all directions, up to the sign, since old and new places enter alike.
fn displacements(geometry: Geometry) -> Vec<Displacement> {
    let lengths = |length: usize| {
        let length = length as isize;
        [3 - length, -3, -1, 0, 1, 3, length - 3]
    };
    let all = lengths(geometry.ranks()).into_iter().flat_map(|rank| lengths(geometry.files()).map(|file| (file, rank)));
    all.filter(|&(file, rank)| (rank, file) > (0, 0)).collect()
}

/// Tokens that show the same before and after a move: those whose square stays on the board, each with its new place, and
/// auxiliary tokens, which stay.
fn followed(tokens: &Tokens, by: Displacement) -> Vec<(usize, usize)> {
    let token_of = |square: usize| (0..tokens.len()).find(|&t| tokens.square(t) == Some(square));
    let new_place = |token: usize| match tokens.square(token) {
        None => Some(token),
        Some(square) => tokens.geometry().stepped(square, by).and_then(token_of),
    };
    (0..tokens.len()).filter_map(|token| new_place(token).map(|new| (token, new))).collect()
}

/// Two boards: the followed tokens' contents at their old and at their new places; every other square shows one filler.
fn boards(tokens: &Tokens, followed: &[(usize, usize)]) -> (Tensor, Tensor) {
    let width = DIMS.width;
    let contents = normals(1, "contents", tokens.len() * width, 1.0);
    let filler = normals(1, "filler", width, 1.0);
    let board = |place_of: &dyn Fn(&(usize, usize)) -> usize| {
        let mut rows: Vec<_> = (0..tokens.len()).flat_map(|_| filler.clone()).collect();
        for pair in followed {
            let (content, place) = (pair.0 * width, place_of(pair) * width);
            rows[place..place + width].copy_from_slice(&contents[content..content + width]);
        }
        Tensor::from_slice(&rows).view([1, tokens.len() as i64, width as i64])
    };
    (board(&|pair| pair.0), board(&|pair| pair.1))
}

/// The largest change of any logit and any value term between followed tokens, over many displacements.
fn largest_change(network: &Network, tokens: &Tokens) -> f64 {
    let views = network.random(2, 0.5).frozen_views();
    let moves: Vec<_> = displacements(tokens.geometry()).into_iter().map(|by| followed(tokens, by)).collect();
    let (before, after): (Vec<_>, Vec<_>) = moves.iter().map(|followed| boards(tokens, followed)).unzip();
    let logits = |boards: &[Tensor]| network.forward(&views, &Tensor::cat(boards, 0)).logits.remove(0);
    let (before, after) = (logits(&before), logits(&after));
    let changes = moves.iter().enumerate().map(|(i, followed)| {
        let index = |tokens: Vec<usize>| Tensor::from_slice(&tokens.iter().map(|&t| t as i64).collect::<Vec<_>>());
        let old = index(followed.iter().map(|pair| pair.0).collect());
        let new = index(followed.iter().map(|pair| pair.1).collect());
        let of_pairs = |t: &Tensor, at: &Tensor| t.get(i as i64).index_select(1, at).index_select(2, at);
        let logits = (of_pairs(&before, &old) - of_pairs(&after, &new)).abs().max().double_value(&[]);
        logits.max(change_of_values(network, &views, tokens, &old, &new))
    });
    changes.fold(0.0, f64::max)
}

/// The same for the value terms, with attention among the followed tokens only.
fn change_of_values(network: &Network, views: &nn::Views, tokens: &Tokens, old: &Tensor, new: &Tensor) -> f64 {
    let (l, heads, head_width) = (tokens.len() as i64, DIMS.heads as i64, DIMS.head_width() as i64);
    let packed = Tensor::zeros([1, 1], (Kind::Uint8, Device::Cpu));
    let at = LayerContext { views, layer: 0, packed: &packed };
    let among = normal_tensor(3, "weights", &[heads, l, l]).narrow(1, 0, old.size()[0]).narrow(2, 0, old.size()[0]);
    let terms = |places: &Tensor| {
        let rows = Tensor::zeros([heads, old.size()[0], l], (Kind::Float, Device::Cpu)).index_copy(2, places, &among);
        let all = Tensor::zeros([heads, l, l], (Kind::Float, Device::Cpu)).index_copy(1, places, &rows);
        let v = Tensor::zeros([1, heads, l, head_width], (Kind::Float, Device::Cpu));
        network.stack.values(at, Some(&all.unsqueeze(0)), &v).map(|term| term.index_select(2, places))
    };
    match (terms(old), terms(new)) {
        (Some(old), Some(new)) => (old - new).abs().max().double_value(&[]),
        _ => 0.0,
    }
}

/// Encodings that guarantee invariance have it; all others break it.
#[test]
fn attention_is_translation_invariant_exactly_where_promised() {
    for_all(|configs, tokens| {
        let network = Network::declare(configs, ONE_LAYER, tokens).expect("an example");
        let (promised, change) = (network.stack.guarantees().translation_invariant, largest_change(&network, tokens));
        ensure(promised == (change < 1e-4), || format!("promises {promised}, changes by {change}"))
    });
}

/// Under RoPE, attention between squares depends on the displacement only, also where auxiliary tokens break the guarantee.
#[test]
fn rotation_is_invariant_between_squares_whatever_else_is_there() {
    for tokens in sequences() {
        for config in rope_examples() {
            let network = Network::declare(&[config], ONE_LAYER, &tokens).expect("an example");
            let seen = distinct_attention(&network, &tokens);
            assert!(seen.within_class < 1e-4, "{tokens:?}: one displacement, logits {} apart", seen.within_class);
        }
    }
}

fn rope_examples() -> Vec<EncodingConfig> {
    EncodingConfig::examples().into_iter().filter(|config| config.info().name == "rope").collect()
}

/// What attention between squares distinguishes when all squares have the same content.
struct Distinct {
    /// The number of groups of displacements that it distinguishes.
    groups: usize,
    /// How far logits of pairs with one displacement differ.
    within_class: f64,
    /// One logit per head and batch entry, by displacement class.
    signatures: Vec<Vec<f64>>,
}

impl Distinct {
    fn same(&self, geometry: Geometry, a: Displacement, b: Displacement) -> bool {
        let signature = |by| &self.signatures[class_of(geometry, by)];
        apart(signature(a), signature(b)) < 1e-4
    }
}

fn class_of(geometry: Geometry, (file, rank): Displacement) -> usize {
    let from = geometry
        .square(if file < 0 { geometry.files() - 1 } else { 0 }, if rank < 0 { geometry.ranks() - 1 } else { 0 });
    geometry.displacement_class(geometry.stepped(from, (file, rank)).expect("a displacement of the board"), from)
}

fn apart(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

fn distinct_attention(network: &Network, tokens: &Tokens) -> Distinct {
    let batch = 8;
    let one_square = input(4, batch, &Tokens::squares_then(Geometry::new(1, 1), &[]), DIMS);
    let x = one_square.expand([batch, tokens.len() as i64, DIMS.width as i64], false).contiguous();
    let logits = network.forward(&network.random(5, 0.7).frozen_views(), &x).logits.remove(0);
    let of_pair = |q: usize, k: usize| -> Vec<f64> {
        let all = logits.select(2, q as i64).select(2, k as i64).flatten(0, 1).to_kind(Kind::Double);
        Vec::try_from(all).expect("numbers")
    };
    let mut signatures = vec![None::<Vec<f64>>; tokens.geometry().displacement_classes()];
    let mut within_class = 0f64;
    for (q, query) in tokens.squares() {
        for (k, key) in tokens.squares() {
            let signature = of_pair(q, k);
            match &mut signatures[tokens.geometry().displacement_class(query, key)] {
                Some(first) => within_class = within_class.max(apart(first, &signature)),
                empty => *empty = Some(signature),
            }
        }
    }
    let signatures: Vec<_> = signatures.into_iter().flatten().collect();
    let mut groups: Vec<&Vec<f64>> = Vec::new();
    for signature in &signatures {
        if groups.iter().all(|group| apart(group, signature) > 1e-4) {
            groups.push(signature);
        }
    }
    Distinct { groups: groups.len(), within_class, signatures }
}

fn rope_on(geometry: Geometry, layout: Layout, theta: f64, aux: Option<Aux>) -> Distinct {
    let tokens = Tokens::squares_then(geometry, &[]);
    let config = EncodingConfig::Rope(rope::Config { aux, ..rope::Config::new(layout, theta) });
    distinct_attention(&Network::declare(&[config], ONE_LAYER, &tokens).expect("an example"), &tokens)
}

/// On the flat sequence one step along the rank is the same as one rank up and all files but one back: of the
/// displacements of a board only 2·squares − 1 remain.
#[test]
fn flat_rotation_wraps_around_the_edge_and_planar_rotation_does_not() {
    for geometry in GameKind::ALL.map(GameKind::geometry) {
        let one_file = (1, 0);
        let around_the_edge = (1 - geometry.files() as isize, 1);
        let all = geometry.displacement_classes();

        let flat = rope_on(geometry, Layout::Flat1d, 10_000.0, None);
        assert!(flat.same(geometry, one_file, around_the_edge), "{geometry:?}: the flat layout wraps");
        assert_eq!(flat.groups, 2 * geometry.squares() - 1, "{geometry:?}");

        for (layout, theta) in [(Layout::Axial2d, 100.0), (Layout::Mixed2d, 10.0)] {
            let planar = rope_on(geometry, layout, theta, None);
            assert!(!planar.same(geometry, one_file, around_the_edge), "{geometry:?}: {layout:?} wraps");
            assert_eq!(planar.groups, all, "{geometry:?}: {layout:?}");
        }
    }
}

/// A relative table distinguishes all displacements, buckets and distances fewer; the control none.
#[test]
fn tables_tell_all_displacements_apart_and_the_control_none() {
    for geometry in GameKind::ALL.map(GameKind::geometry) {
        let tokens = Tokens::squares_then(geometry, &[]);
        let groups = |config: &EncodingConfig| {
            let network = Network::declare(std::slice::from_ref(config), ONE_LAYER, &tokens).expect("an example");
            distinct_attention(&network, &tokens).groups
        };
        let expected = |config: &EncodingConfig| match config.label().as_str() {
            "none" => Some(1),
            "relative_bias(displacement)"
            | "shaw(q)"
            | "shaw(k)"
            | "shaw(q,k,v)"
            | "log_buckets(buckets=16,exact=16)" => Some(geometry.displacement_classes()),
            "log_buckets" => Some((2 * 5 - 1) * (2 * 5 - 1)),
            "alibi(chebyshev)" => Some(geometry.ranks()),
            _ => None,
        };
        let checked =
            EncodingConfig::examples().into_iter().filter_map(|config| expected(&config).map(|n| (config, n)));
        let results: Vec<_> = checked.map(|(config, expected)| (config.label(), groups(&config), expected)).collect();
        assert_eq!(results.len(), 8, "the labels above name examples");
        assert!(results.iter().all(|(_, found, expected)| found == expected), "{geometry:?}: {results:?}");
    }
}
