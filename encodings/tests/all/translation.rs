//! What happens when everything on the board moves by the same displacement.

use crate::common::{DIMS, Network, ensure, for_all, normal_tensor, normals};
use encodings::{Dims, LayerContext, Tokens};
use games::Geometry;
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
