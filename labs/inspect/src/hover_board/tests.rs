//! The board decodes to the maps.

use super::*;
use serde_json::Value;
use streams::{normal, stream};

const HEADS: usize = 3;
const LAYERS: usize = 2;

type Heads = Vec<Parts<Vec<f64>>>;

/// A cell with random maps, and the maps by position, layer and head; the first layer has no position part.
pub(crate) fn hover_board(game: GameKind, label: &str) -> (HoverBoard, Vec<Vec<Heads>>) {
    let squares = game.geometry().squares();
    let mut draws = stream(5, &["touch", label]);
    let mut map = |scale: f64| -> Vec<f64> { (0..squares * squares).map(|_| scale * normal(&mut draws)).collect() };
    let mut head = |layer: usize| {
        let weights: Vec<f64> = map(2.0).iter().map(|logit| logit.exp()).collect();
        let shares = |row: &[f64]| row.iter().map(|weight| weight / row.iter().sum::<f64>()).collect::<Vec<_>>();
        let attention = weights.chunks(squares).flat_map(shares).collect();
        Parts { content: map(1.0), position: (layer > 0).then(|| map(3.0)), attention }
    };
    let mut maps = Vec::new();
    for _ in 0..2 {
        let mut layers = Vec::new();
        for layer in 0..LAYERS {
            layers.push((0..HEADS).map(|_| head(layer)).collect::<Vec<_>>());
        }
        maps.push(layers);
    }
    let blocks =
        |heads: &Heads| quantised(&heads.iter().map(|head| head.map(|map| &map[..])).collect::<Vec<_>>(), squares);
    let place = |layers: &Vec<Heads>| PositionMaps {
        name: label.to_owned(),
        view: View::FIRST,
        pieces: "<path/>".to_owned(),
        blocks: layers.iter().map(blocks).collect(),
    };
    let layer = |number: usize| {
        let heads = (0..HEADS).map(|head| format!("head {head}: rook, {number} %")).collect();
        LayerHeads { number, heads, movement: number as f64 }
    };
    let cell = HoverBoard {
        game,
        row: label.to_owned(),
        label: label.to_owned(),
        layers: (0..LAYERS).map(layer).collect(),
        places: maps.iter().map(place).collect(),
        first: 1,
        square: View::FIRST.name(game, View::middle(game)),
    };
    (cell, maps)
}

/// The map of a head as the script reads it.
fn decoded(block: &[u8], squares: usize, head: usize, is_attention: bool) -> Vec<f64> {
    let rows = block.chunks_exact(squares + 8).skip(head * squares).take(squares);
    let values = rows.map(|row| {
        let end = |at: usize| f64::from(f32::from_le_bytes(row[at..at + 4].try_into().expect("four bytes")));
        let (low, range) = (end(0), end(4));
        let shares = row[8..].iter().map(|&code| f64::from(code) / 255.0);
        shares.map(|share| low + range * if is_attention { share * share } else { share }).collect::<Vec<_>>()
    });
    values.flatten().collect()
}

#[test]
fn the_page_has_every_head_with_its_maps_to_a_byte() {
    for game in GameKind::ALL {
        let squares = game.geometry().squares();
        let (cell, maps) = hover_board(game, "shaw");
        let page = html(&[&cell, &cell]);
        let data = page.split("id=\"touch-data\">").nth(1).and_then(|rest| rest.split("</script>").next());
        let data: Value = serde_json::from_str(data.expect("data")).expect("JSON");
        // The second cell is the first once more, so its blocks are too: three of a layer, two of the other.
        assert_eq!(data["blocks"].as_array().map(Vec::len), Some(2 * (2 + 3)));
        let of_cell = &data["cells"][1];
        assert_eq!((&of_cell["best"], &of_cell["places"][0]["pieces"]), (&Value::from(1), &Value::from(0)));
        for (place, of_place) in maps.iter().enumerate() {
            for (layer, heads) in of_place.iter().enumerate() {
                let blocks = &of_cell["places"][place]["maps"][layer];
                for (head, parts) in heads.iter().enumerate() {
                    let caption = &of_cell["layers"][layer]["heads"][head];
                    assert_eq!(caption, &Value::from(format!("head {head}: rook, {layer} %")));
                    for (part, map) in parts.list().into_iter().enumerate() {
                        let Some(map) = map else {
                            assert!(blocks[part].is_null());
                            continue;
                        };
                        let block = data["blocks"][blocks[part].as_u64().expect("a number") as usize].as_str();
                        let block = STANDARD.decode(block.expect("a text")).expect("base64");
                        let found = decoded(&block, squares, head, part == 2);
                        assert_eq!(found.len(), map.len());
                        let rows = found.chunks(squares).zip(map.chunks(squares));
                        rows.for_each(|(found, row)| compare(found, row, part == 2));
                    }
                }
            }
        }
    }
}

/// Half of a step apart at most.
fn compare(found: &[f64], row: &[f64], is_attention: bool) {
    let scale = |value: f64| if is_attention { value.sqrt() } else { value };
    let low = if is_attention { 0.0 } else { row.iter().copied().fold(f64::INFINITY, f64::min) };
    let range = row.iter().copied().fold(f64::NEG_INFINITY, f64::max) - low;
    let most = scale(range) / 510.0 + 1e-5;
    for (&found, &value) in found.iter().zip(row) {
        assert!((scale(found) - scale(value)).abs() <= most, "{found} is {value}");
    }
}

#[test]
fn a_page_too_large_shows_fewer_positions_then_fewer_layers_then_fewer_cells() {
    let (cell, _) = hover_board(GameKind::Chess, "shaw");
    let whole = cell.bytes(2, LAYERS);
    let extent = |cells: usize, most: usize| {
        let Extent { cells, places, layers, bytes } = Extent::within(&vec![&cell; cells], most);
        assert!(bytes <= most);
        [cells, places, layers]
    };
    assert_eq!(extent(1, whole), [1, 2, 2]);
    assert_eq!(extent(1, whole - 1), [1, 1, 2]);
    assert_eq!(extent(2, whole), [2, 1, 2]);
    assert_eq!(extent(1, cell.bytes(1, 1)), [1, 1, 1]);
    assert_eq!(extent(2, cell.bytes(1, 1)), [1, 1, 1]);
    let text = Extent { cells: 2, places: 1, layers: 2, bytes: 1_250_000 }.text(&[&cell, &cell]);
    assert!(text.starts_with("Maps: 1.2 MB") && text.contains("shows 1 of 2 positions"), "{text}");
    assert_eq!([spread(15, 4), spread(3, 5), spread(4, 1)], [vec![0, 4, 9, 14], vec![0, 1, 2], vec![0]]);
}

#[test]
fn the_page_opens_with_two_rows_whose_heads_follow_movements_most() {
    let cell = |game: GameKind, row: &str, movement: f64| {
        let (mut cell, _) = hover_board(game, row);
        cell.layers[1].movement = movement;
        cell
    };
    let cells = [
        cell(GameKind::Chess, "none", 0.1),
        cell(GameKind::Chess, "shaw", 0.9),
        cell(GameKind::Chess, "shaw", 1.2),
        cell(GameKind::Chess, "rope", 0.4),
        cell(GameKind::Shogi, "smolgen", 3.0),
    ];
    let all: Vec<&HoverBoard> = cells.iter().collect();
    assert_eq!(first_two(&all), (2, Some(3)));
    assert_eq!(first_two(&all[1..3]), (1, None));
    let page = html(&all);
    let selected: Vec<&str> = page.split(" selected>").skip(1).filter_map(|rest| rest.split('<').next()).collect();
    assert_eq!(selected[..2], ["shaw", "rope"]);
}

#[test]
fn equal_values_and_no_values_have_codes() {
    let codes = |row: &[f64]| coded(row[0], 0.0, row, |share| share)[8..].to_vec();
    assert_eq!(codes(&[0.5, 0.5]), [0, 0]);
    assert_eq!(linear(&[1.0, 3.0, 2.0], 3)[8..], [0, 255, 128]);
    assert_eq!(squared(&[0.0, 0.25, 1.0], 3)[8..], [0, 128, 255]);
}
