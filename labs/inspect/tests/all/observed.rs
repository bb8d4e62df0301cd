//! Maps by head are what the network computes, whichever its encoding.

use encodings::{EncodingConfig, HeadMaps, HeadObserver, InjectionPoints, MapKind};
use games::{GameKind, InputName, MovesName};
use inspect::ablated::{self, Ablation, Change};
use models::{GameSpec, ModelConfig, Network};
use nn::{Arena, Layout, Views};
use std::sync::{Arc, Mutex};
use tch::{Device, Kind, Tensor};
use train::inference::positions;

const HEADS: i64 = 2;

/// An even board and an odd one.
const BOARDS: [GameKind; 2] = [GameKind::Chess, GameKind::Minishogi];

#[derive(Debug, Clone, Default)]
struct MapRecorder(Arc<Mutex<Vec<HeadMaps>>>);

impl HeadObserver for MapRecorder {
    fn layer(&mut self, maps: HeadMaps) {
        self.0.lock().expect("one thread").push(maps);
    }
}

fn declare(game: GameKind, encodings: &[EncodingConfig]) -> (Network, Layout) {
    let sizes = r#"{"chessformer": {"layers": 2, "width": 16, "heads": 2, "ff": 16}}"#;
    let model: ModelConfig = serde_json::from_str(sizes).expect("a model");
    let spec = GameSpec {
        input: game.offered(InputName::PieceTokens).expect("an input"),
        moves: game.moves(MovesName::FromTo),
    };
    Network::declare(&model, encodings, &spec).expect("a network")
}

fn views(layout: Layout) -> Views {
    let mut stream = streams::stream(3, &["observed"]);
    let values: Vec<f32> = (0..layout.len()).map(|_| (0.3 * streams::normal(&mut stream)) as f32).collect();
    Arena::from_values(Arc::new(layout), &values, Device::Cpu).expect("memory").frozen_views()
}

fn rows(game: GameKind) -> Tensor {
    let texts = match game {
        GameKind::Chess => ["startpos", "startpos moves e2e4", "startpos moves d2d4 d7d5"],
        GameKind::Minishogi => ["startpos", "startpos moves 3e4d", "startpos moves 3e4d 3a2b"],
        other => unreachable!("{other:?}"),
    };
    let row =
        |text| positions::read(text, "", game, InputName::PieceTokens, MovesName::FromTo).expect("a position").row;
    let rows: Vec<u8> = texts.iter().flat_map(|text| row(text)).collect();
    Tensor::from_slice(&rows).view([texts.len() as i64, -1])
}

fn close(a: &Tensor, b: &Tensor, what: &str) {
    let apart = (a.to_kind(Kind::Double) - b.to_kind(Kind::Double)).abs().max().double_value(&[]);
    assert!(apart < 2e-4, "{what}: {apart}");
}

fn trunk(network: &Network, views: &Views, rows: &Tensor) -> Tensor {
    tch::no_grad(|| network.trunk(views, rows))
}

#[test]
fn parts_sum_to_the_logits_and_average_to_the_watched_maps() {
    for game in BOARDS {
        for configs in EncodingConfig::example_stacks() {
            let rows = rows(game);
            let (network, layout) = declare(game, &configs);
            let views = views(layout);
            let expected = trunk(&network, &views, &rows);
            let (watched, watch) = network.watched();
            let _ = trunk(&watched, &views, &rows);
            let (network, _) = declare(game, &configs);
            let recorder = MapRecorder::default();
            let network = network.with_encodings(|stack| stack.observed(Box::new(recorder.clone())));
            close(&trunk(&network, &views, &rows), &expected, "observed");
            let layers = std::mem::take(&mut *recorder.0.lock().expect("one thread"));
            assert_eq!(layers.iter().map(|maps| maps.layer).collect::<Vec<_>>(), [0, 1]);
            let maps = watch.take();
            for seen in &layers {
                let of = |kind| maps.iter().find(|map| map.kind == kind && map.layer == Some(seen.layer));
                // Content and position part are all that the softmax sees.
                close(&seen.logits().softmax(-1, Kind::Float), &seen.weights, &format!("{configs:?} weights"));
                let mean = |map: &Tensor| map.mean_dim([0i64, 1].as_slice(), false, Kind::Float);
                close(&mean(&seen.weights), &of(MapKind::Attention).expect("always").map_ll, "attention");
                let term = of(MapKind::Logits).map(|map| &map.map_ll);
                assert_eq!(seen.term.is_some(), term.is_some(), "{configs:?}");
                seen.term.iter().zip(term).for_each(|(seen, watched)| close(&mean(seen), watched, "term"));
                let rotated = of(MapKind::Rotate).map(|map| &map.map_ll);
                assert_eq!(seen.rotation.is_some(), rotated.is_some(), "{configs:?}");
                let mean = |map: &Tensor| map.mean_dim([0i64].as_slice(), false, Kind::Float);
                seen.similarity.iter().zip(rotated).for_each(|(seen, watched)| close(&mean(seen), watched, "rotation"));
                assert_eq!(seen.content.size()[..2], [rows.size()[0], HEADS]);
            }
        }
    }
}

fn ablation(points: InjectionPoints, layer: Option<usize>, head: Option<usize>, change: Change) -> Ablation {
    Ablation { points, layer, head, change }
}

fn ablated(game: GameKind, configs: &[EncodingConfig], views: &Views, rows: &Tensor, parts: &[Ablation]) -> Tensor {
    let (network, _) = declare(game, configs);
    let tokens = network.tokens().clone();
    let network = parts
        .iter()
        .fold(network, |network, &part| network.with_encodings(|stack| ablated::ablated(stack, part, &tokens)));
    trunk(&network, views, rows)
}

#[test]
fn ablating_nothing_changes_nothing() {
    for game in BOARDS {
        for configs in EncodingConfig::example_stacks() {
            let (network, layout) = declare(game, &configs);
            let (views, rows) = (views(layout), rows(game));
            let expected = trunk(&network, &views, &rows);
            let none = ablation(InjectionPoints::NONE, None, None, Change::Removed);
            let elsewhere = ablation(network.injection_points(), Some(2), Some(0), Change::Transposed);
            close(&ablated(game, &configs, &views, &rows, &[none, elsewhere]), &expected, "nothing");
            // The transpose of the transpose is the encoding.
            let turned = ablation(network.injection_points(), None, None, Change::Transposed);
            close(&ablated(game, &configs, &views, &rows, &[turned, turned]), &expected, &format!("{configs:?} twice"));
        }
    }
}

/// All but the encoding treats squares alike: transposing it is transposing the board before and after.
#[test]
fn what_is_transposed_sees_the_transposed_board() {
    let (game, board) = (GameKind::Chess, GameKind::Chess.geometry());
    let of_heads = InjectionPoints::ROTATE | InjectionPoints::LOGITS | InjectionPoints::VALUES;
    let exchanged = |square: usize| board.square(board.rank_of(square), board.file_of(square)) as i64;
    let exchanged: Vec<i64> = (0..board.squares()).map(exchanged).collect();
    let (exchanged, squares) = (Tensor::from_slice(&exchanged), board.squares() as i64);
    // The gate of relations reads the packed row.
    for config in EncodingConfig::examples().into_iter().filter(|config| config.info().name != "relations") {
        let configs = [config];
        let (network, layout) = declare(game, &configs);
        let points = network.injection_points();
        if of_heads.contains(points) {
            let (views, rows) = (views(layout), rows(game));
            let whole = ablation(points, None, None, Change::Transposed);
            let features = rows.narrow(1, squares, rows.size()[1] - squares);
            let turned = Tensor::cat(&[rows.narrow(1, 0, squares).index_select(1, &exchanged), features], 1);
            let expected = trunk(&network, &views, &turned).index_select(1, &exchanged);
            close(&ablated(game, &configs, &views, &rows, &[whole]), &expected, &format!("{configs:?}"));
        }
    }
}

#[test]
fn without_all_its_parts_an_encoding_is_none() {
    for game in BOARDS {
        for config in EncodingConfig::examples() {
            let configs = [config];
            let (network, layout) = declare(game, &configs);
            let points = network.injection_points();
            let rows = rows(game);
            // The same shared parameters in a network without an encoding.
            let (plain, plain_layout) = declare(game, &[]);
            let find = |views: &Views, layout: &Layout| {
                let mut values = vec![0f32; plain_layout.len()];
                for param in plain_layout.params() {
                    let id = layout.find(&param.name).expect("shared");
                    let own = Vec::<f32>::try_from(views[id].contiguous().view([-1])).expect("numbers");
                    values[param.offset..][..own.len()].copy_from_slice(&own);
                }
                values
            };
            let (_, same) = declare(game, &configs);
            let views = views(layout);
            let shared = find(&views, &same);
            let plain_views =
                Arena::from_values(Arc::new(plain_layout), &shared, Device::Cpu).expect("memory").frozen_views();
            let expected = trunk(&plain, &plain_views, &rows);
            let whole = ablation(points, None, None, Change::Removed);
            close(&ablated(game, &configs, &views, &rows, &[whole]), &expected, &format!("{configs:?}"));
            let of_heads = [InjectionPoints::ROTATE, InjectionPoints::LOGITS, InjectionPoints::VALUES];
            if of_heads.iter().fold(InjectionPoints::NONE, |all, &point| all | point).contains(points) {
                let heads = (0..2).flat_map(|layer| {
                    (0..HEADS as usize).map(move |head| ablation(points, Some(layer), Some(head), Change::Removed))
                });
                let heads: Vec<Ablation> = heads.collect();
                close(&ablated(game, &configs, &views, &rows, &heads), &expected, &format!("{configs:?} by heads"));
                if points != InjectionPoints::NONE {
                    let one = ablated(game, &configs, &views, &rows, &heads[..1]);
                    let apart = (one - trunk(&network, &views, &rows)).abs().max().double_value(&[]);
                    assert!(apart > 1e-5, "{configs:?}: a head's part does nothing, {apart}");
                }
            }
        }
    }
}
