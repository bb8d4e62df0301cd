//! Statistics of every head over some positions, in f64: sums over the batch, while the network computes.

use super::displacement::Displacements;
use super::layer::{HeadSums, LayerSums, Parts};
use super::relation::distance;
use super::signal_by_piece::Occupants;
use encodings::{HeadMaps, HeadObserver};
use models::Network;
use nn::Views;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tch::{Device, Kind, TchError, Tensor};
use train::validation_sample::first_board;

/// Positions that go through the network at once: `[b,h,l,l]` must fit into memory several times.
const AT_ONCE: i64 = 16;

/// A small number whose logarithm is finite.
const TINY: f64 = 1e-30;

/// State that the observer shares with the loop over positions.
#[derive(Debug, Clone)]
struct Shared(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    /// The pieces of the positions that are going through the network; none if sums by piece are not asked for.
    occupants: Option<Occupants>,
    /// The number of positions that went through the network before those.
    before: usize,
    layers: Vec<LayerSums>,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Adds up the maps of the board's squares.
#[derive(Debug)]
struct Adder {
    squares: Tensor,
    /// King's moves between squares, `[n,n]`, f64.
    distances: Tensor,
    /// Whether the maps of each position are kept.
    keeps: bool,
    shared: Shared,
}

/// Runs a network on packed rows `[b,row]`, and returns what its layers did, in order; empty without attention. `pieces`: also
/// sums by piece, of this number of pieces. `keeps`: also the maps of each position. If a network passes its layers several
/// times, sums are over all passes, and the maps of a position are those of the first.
pub(super) fn observe(
    network: Network,
    views: &Views,
    packed: &Tensor,
    plies: usize,
    pieces: Option<usize>,
    keeps: bool,
) -> Result<Vec<LayerSums>, TchError> {
    let shared = Shared(Arc::default());
    let board = Displacements::of(network.tokens().geometry());
    let squares = Tensor::f_from_slice(&first_board(network.tokens()))?.f_to_device(packed.device())?;
    let count = board.geometry().squares() as i64;
    // King's moves between all pairs of squares.
    let distances: Vec<f64> = board.places().map(|place| distance(board.steps[place]) as f64).collect();
    let distances = Tensor::f_from_slice(&distances)?.f_view([count, count])?.f_to_device(packed.device())?;
    let adder = Adder { squares, distances, keeps, shared: shared.clone() };
    let network = network.with_encodings(|stack| stack.observed(Box::new(adder)));
    let rows = packed.size()[0];
    // A sequence stays whole.
    let step = (AT_ONCE / plies as i64).max(1) * plies as i64;
    for start in (0..rows).step_by(step as usize) {
        let part = packed.f_narrow(0, start, step.min(rows - start))?;
        shared.state().before = start as usize / plies;
        if let Some(pieces) = pieces {
            // Maps are of the first board of a sequence.
            let first = part.f_slice(0, 0, None, plies as i64)?;
            shared.state().occupants = Some(Occupants::of(&board, &first, pieces)?);
        }
        let _ = tch::no_grad(|| network.trunk(views, &part));
    }
    Ok(std::mem::take(&mut shared.state().layers))
}

impl Adder {
    /// The pairs of squares of `[b,h,l,l]`, f64.
    fn of_squares(&self, map: &Tensor) -> Tensor {
        map.index_select(-2, &self.squares).index_select(-1, &self.squares).to_kind(Kind::Double)
    }
}

impl HeadObserver for Adder {
    fn layer(&mut self, maps: HeadMaps) {
        let content = self.of_squares(&maps.content);
        let position = maps.position().map(|position| self.of_squares(&position));
        let from_squares = maps.weights.index_select(-2, &self.squares).to_kind(Kind::Double);
        let weights = self.of_squares(&maps.weights);
        let [batch, heads] = [content.size()[0], content.size()[1]];
        let entropy = -(&from_squares * from_squares.clamp_min(TINY).log()).sum_dim_intlist(-1, false, Kind::Double);
        let to_squares = weights.sum_dim_intlist(-1, true, Kind::Double).clamp_min(TINY);
        let reached = (&weights / to_squares * &self.distances).sum_dim_intlist(-1, false, Kind::Double);
        let logits = position.as_ref().map_or_else(|| content.shallow_clone(), |position| &content + position);
        let parts = HeadSums {
            entropy: of_heads(&entropy.mean_dim(-1, false, Kind::Double)),
            distance: of_heads(&reached.mean_dim(-1, false, Kind::Double)),
            logits: of_heads(&covariance(&logits, &logits)),
            content: of_heads(&covariance(&content, &content)),
            position: position.as_ref().map(|position| of_heads(&covariance(position, position))),
            shared: position.as_ref().map(|position| of_heads(&covariance(position, &logits))),
        };
        let of_position = |place: i64| Parts {
            content: content.select(0, place),
            position: position.as_ref().map(|position| position.select(0, place)),
            attention: weights.select(0, place),
        };
        let sum = |tensor: &Tensor| tensor.sum_dim_intlist(0, false, Kind::Double);
        let similarity = maps.similarity.map(|map| self.of_squares(&map).expand([heads, -1, -1], false));
        let mut state = self.shared.state();
        let signal = position.as_ref().unwrap_or(&content);
        let before = state.before;
        let mut layer = LayerSums {
            layer: maps.layer,
            occupants: state.occupants.as_ref().map(|occupants| occupants.sums(signal)),
            positions: batch as usize,
            tokens: from_squares.size()[3] as usize,
            each: (0..if self.keeps { batch } else { 0 }).map(of_position).collect(),
            content: sum(&content),
            squares: sum(&signal.square()),
            position: position.as_ref().map(sum),
            weights: sum(&weights),
            similarity,
            parts,
        };
        match state.layers.iter_mut().find(|other| other.layer == layer.layer) {
            Some(earlier) => {
                if earlier.each.len() > before {
                    layer.each.clear();
                }
                earlier.add(layer);
            }
            None => state.layers.push(layer),
        }
    }
}

/// The covariance over keys of two maps `[b,h,n,n]`, the mean over queries: what a query's softmax does not see, the mean
/// over its keys, is not counted.
fn covariance(a: &Tensor, b: &Tensor) -> Tensor {
    let off = |map: &Tensor| map - map.mean_dim(-1, true, Kind::Double);
    (off(a) * off(b)).mean_dim([-1i64, -2].as_slice(), false, Kind::Double)
}

/// `[b,h]` summed over the batch.
fn of_heads(of_each: &Tensor) -> Vec<f64> {
    let summed = of_each.sum_dim_intlist(0, false, Kind::Double).to_device(Device::Cpu);
    Vec::try_from(summed).expect("a vector of f64 on the CPU")
}

#[cfg(test)]
mod tests {
    use super::*;
    use games::{GameKind, InputName, MovesName};
    use models::{GameSpec, ModelConfig};
    use nn::Arena;
    use train::inference::positions;

    #[test]
    fn every_position_has_its_own_maps_in_a_network_that_passes_its_layers_twice() {
        let (game, input, moves) = (GameKind::Chess, InputName::PieceTokens, MovesName::FromTo);
        let sizes = r#"{"chessformer": {"layers": 1, "loops": 2, "width": 16, "heads": 2, "ff": 16}}"#;
        let model: ModelConfig = serde_json::from_str(sizes).expect("a model");
        let spec = GameSpec { input: game.offered(input).expect("an input"), moves: game.moves(moves) };
        let attention = |texts: &[&str]| {
            let (network, layout) = Network::declare(&model, &[], &spec).expect("a network");
            let mut stream = streams::stream(3, &["observed"]);
            let values: Vec<f32> = (0..layout.len()).map(|_| (0.3 * streams::normal(&mut stream)) as f32).collect();
            let arena = Arena::from_values(Arc::new(layout), &values, Device::Cpu).expect("memory");
            let read = |text: &&str| positions::read(text, "", game, input, moves).expect("a position").row;
            let rows: Vec<u8> = texts.iter().flat_map(read).collect();
            let packed = Tensor::from_slice(&rows).view([texts.len() as i64, -1]);
            let layers = observe(network, &arena.frozen_views(), &packed, 1, None, true).expect("maps");
            assert_eq!((layers.len(), layers[0].positions), (1, 2 * texts.len()));
            layers[0].each.iter().map(|maps| maps.attention.shallow_clone()).collect::<Vec<_>>()
        };
        let mut texts = vec!["startpos"; AT_ONCE as usize];
        texts.push("startpos moves e2e4");
        let (all, last) = (attention(&texts), attention(&texts[AT_ONCE as usize..]));
        assert_eq!((all.len(), last.len()), (texts.len(), 1));
        let apart = (&all[texts.len() - 1] - &last[0]).abs().max().double_value(&[]);
        assert!(apart < 1e-6, "{apart}");
    }
}
