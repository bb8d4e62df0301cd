//! The board of the page on which a reader points at squares: a script, and the maps of every head as bytes.
//!
//! The maps of a layer in one position are a block. It has for each head and query two f32 (little endian), the lowest
//! value and the range of the row, and a byte b for each key: its value is `low + range · b/255`, that of attention
//! `range · (b/255)²`, which keeps small shares apart.

use super::layer::Parts;
use super::maps::{Maps, followed, title};
use super::position::Shown;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use facts::row_name::readable;
use figures::board::{Board, View};
use figures::{Canvas, escape};
use games::GameKind;
use records::inspected::{Inspected, Signal};
use serde::Serialize;
use std::collections::BTreeMap;

const PAGE: &str = include_str!("hover_board/hover_board.html");
const STYLE: &str = include_str!("hover_board/hover_board.css");
const SCRIPT: &str = include_str!("hover_board/hover_board.js");

/// The most bytes of maps on a page.
const MOST_BYTES: usize = 12_000_000;

/// The side of a square in the script's drawings.
const UNIT: f64 = 10.0;

/// The board and the maps of one cell.
#[derive(Debug, Clone)]
pub(super) struct HoverBoard {
    game: GameKind,
    row: String,
    label: String,
    layers: Vec<LayerHeads>,
    /// The mean over positions, then the examples.
    places: Vec<PositionMaps>,
    /// The place that is shown first, and the query's square.
    first: usize,
    square: String,
}

#[derive(Debug, Clone)]
struct LayerHeads {
    number: usize,
    heads: Vec<String>,
    /// How much of the heads' signals is a movement: the sum of their shares.
    movement: f64,
}

/// The maps of a position, or the mean over positions.
#[derive(Debug, Clone)]
struct PositionMaps {
    name: String,
    view: View,
    /// The drawing of its pieces; empty for the mean.
    pieces: String,
    blocks: Vec<Parts<Vec<u8>>>,
}

#[derive(Serialize)]
struct Data<'a> {
    square: &'a str,
    /// In base64.
    blocks: Vec<String>,
    cells: Vec<CellData<'a>>,
}

#[derive(Serialize)]
struct CellData<'a> {
    files: usize,
    ranks: usize,
    layers: Vec<LayerData<'a>>,
    /// The number of the layer whose heads follow movements most.
    best: usize,
    places: Vec<PositionData>,
}

#[derive(Serialize)]
struct LayerData<'a> {
    layer: usize,
    heads: &'a [String],
}

#[derive(Serialize)]
struct PositionData {
    /// Of files from the left and of ranks from the top.
    names: (Vec<String>, Vec<String>),
    /// The number of the drawing of its pieces.
    pieces: Option<usize>,
    /// Of each layer the numbers of its blocks: content part, position part, attention.
    maps: Vec<[Option<usize>; 3]>,
}

/// Numbers for different values, in the order of their first appearance.
#[derive(Default)]
struct Interned<'a> {
    numbers: BTreeMap<&'a [u8], usize>,
    values: Vec<&'a [u8]>,
}

impl<'a> Interned<'a> {
    fn number(&mut self, value: &'a [u8]) -> usize {
        let values = &mut self.values;
        *self.numbers.entry(value).or_insert_with(|| {
            values.push(value);
            values.len() - 1
        })
    }
}

impl HoverBoard {
    pub(super) fn of(maps: &Maps<'_>, inspected: &Inspected) -> Self {
        let squares = maps.game.geometry().squares();
        let layers = maps.analysis.layers();
        let of_layer = |number: usize| {
            let records = || maps.analysis.records.iter().filter(move |record| record.layer == number);
            let movement = records().filter_map(followed).map(|found| found.fit).sum();
            LayerHeads { number, heads: records().map(title).collect(), movement }
        };
        let means = |number: &usize| {
            let heads = maps.analysis.heads.iter().filter(|head| head.layer == *number).map(|head| {
                let position = (head.signal == Signal::Position).then_some(&head.mean[..]);
                Parts { content: &head.content[..], position, attention: &head.attention[..] }
            });
            quantised(&heads.collect::<Vec<_>>(), squares)
        };
        let mean = PositionMaps {
            name: format!("mean over {} validation positions", inspected.positions),
            view: View::FIRST,
            pieces: String::new(),
            blocks: layers.iter().map(means).collect(),
        };
        let example = |(place, shown): (usize, &Shown)| {
            let blocks = layers.iter().map(|number| {
                let heads = maps.in_examples.iter().filter(|head| head.layer == *number);
                let heads = heads.map(|head| head.each[place].map(|map| &map[..]));
                quantised(&heads.collect::<Vec<_>>(), squares)
            });
            let mut canvas = Canvas::default();
            let board = Board { game: maps.game, corner: (0.0, 0.0), square: (UNIT, UNIT) };
            for (square, piece) in shown.pieces.iter().enumerate().filter_map(|(at, piece)| Some((at, (*piece)?))) {
                board.piece(&mut canvas, square, piece);
            }
            let pieces = canvas.elements().to_owned();
            PositionMaps { name: shown.name.clone(), view: shown.view, pieces, blocks: blocks.collect() }
        };
        let examples = maps.examples.iter().enumerate().map(example);
        Self {
            game: maps.game,
            row: inspected.row.clone(),
            label: format!("{}, {}, seed {}", maps.game.name(), readable(&inspected.row), inspected.seed),
            places: [mean].into_iter().chain(examples).collect(),
            layers: layers.iter().map(|&number| of_layer(number)).collect(),
            first: usize::from(maps.asked > 0),
            square: View::FIRST.name(maps.game, maps.square),
        }
    }

    /// How much the heads of its best layer follow movements.
    fn movement(&self) -> f64 {
        self.layers.iter().map(|layer| layer.movement).fold(0.0, f64::max)
    }

    fn bytes(&self, places: usize, layers: usize) -> usize {
        let chosen = spread(self.layers.len(), layers);
        let of_layer = |parts: &Parts<Vec<u8>>| parts.list().into_iter().flatten().map(Vec::len).sum::<usize>();
        let of_place = |place: &PositionMaps| chosen.iter().map(|&layer| of_layer(&place.blocks[layer])).sum::<usize>();
        self.places.iter().take(places).map(of_place).sum()
    }
}

impl<T> Parts<T> {
    /// Content part, position part, attention.
    fn list(&self) -> [Option<&T>; 3] {
        [Some(&self.content), self.position.as_ref(), Some(&self.attention)]
    }
}

/// The blocks of a layer in one position, of the maps of its heads.
fn quantised(heads: &[Parts<&[f64]>], squares: usize) -> Parts<Vec<u8>> {
    let position: Option<Vec<&[f64]>> = heads.iter().map(|head| head.position).collect();
    Parts {
        content: heads.iter().flat_map(|head| linear(head.content, squares)).collect(),
        position: position.map(|maps| maps.into_iter().flat_map(|map| linear(map, squares)).collect()),
        attention: heads.iter().flat_map(|head| squared(head.attention, squares)).collect(),
    }
}

fn linear(map: &[f64], squares: usize) -> Vec<u8> {
    let of_row = |row: &[f64]| {
        let low = row.iter().copied().fold(f64::INFINITY, f64::min);
        let range = row.iter().copied().fold(f64::NEG_INFINITY, f64::max) - low;
        coded(low, range, row, |share| share)
    };
    map.chunks_exact(squares).flat_map(of_row).collect()
}

fn squared(map: &[f64], squares: usize) -> Vec<u8> {
    let of_row = |row: &[f64]| coded(0.0, row.iter().copied().fold(0.0, f64::max), row, f64::sqrt);
    map.chunks_exact(squares).flat_map(of_row).collect()
}

fn coded(low: f64, range: f64, row: &[f64], code: fn(f64) -> f64) -> Vec<u8> {
    // A row of equal values has no range; its codes are 0.
    let byte = |value: &f64| (255.0 * code((value - low) / range)).round() as u8;
    let ends = [low, range].into_iter().flat_map(|end| (end as f32).to_le_bytes());
    ends.chain(row.iter().map(byte)).collect()
}

/// `wanted` of `all` numbers from 0, the first and the last among them.
fn spread(all: usize, wanted: usize) -> Vec<usize> {
    let wanted = wanted.min(all);
    (0..wanted).map(|place| place * (all - 1) / (wanted - 1).max(1)).collect()
}

/// How much of all cells a page shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Extent {
    cells: usize,
    places: usize,
    layers: usize,
    bytes: usize,
}

impl Extent {
    /// As many cells as possible with the mean and one layer, then as many layers, then as many positions.
    fn within(cells: &[&HoverBoard], most: usize) -> Self {
        let bytes = |number: usize, places, layers| -> usize {
            cells.iter().take(number).map(|cell| cell.bytes(places, layers)).sum()
        };
        let largest = |all: usize, bytes: &dyn Fn(usize) -> usize| {
            (1..=all).rev().find(|&number| bytes(number) <= most).unwrap_or(1)
        };
        let all = |of: fn(&HoverBoard) -> usize| cells.iter().map(|cell| of(cell)).max().unwrap_or(1);
        let number = largest(cells.len(), &|number| bytes(number, 1, 1));
        let layers = largest(all(|cell| cell.layers.len()), &|layers| bytes(number, 1, layers));
        let places = largest(all(|cell| cell.places.len()), &|places| bytes(number, places, layers));
        Self { cells: number, places, layers, bytes: bytes(number, places, layers) }
    }

    /// The parts that the page leaves out, and the size of its maps.
    fn text(self, cells: &[&HoverBoard]) -> String {
        let size = self.bytes as f64 / 1e6;
        let most = |of: fn(&HoverBoard) -> usize| cells.iter().map(|cell| of(cell)).max().unwrap_or_default();
        let parts = [
            (self.cells, cells.len(), "cells"),
            (self.layers, most(|cell| cell.layers.len()), "layers"),
            (self.places, most(|cell| cell.places.len()), "positions, the mean included"),
        ];
        let left_out = parts.into_iter().filter(|(shown, all, _)| shown < all);
        let left_out: Vec<String> = left_out.map(|(shown, all, what)| format!("{shown} of {all} {what}")).collect();
        let shown = match &left_out[..] {
            [] => String::new(),
            some => format!(
                " The page shows {}, so that its maps stay below {:.0} MB; maps.safetensors has all.",
                some.join(", "),
                MOST_BYTES as f64 / 1e6
            ),
        };
        format!("Maps: {size:.1} MB, a byte for each value.{shown}")
    }
}

/// The HTML of the board for these cells, at least one.
pub(super) fn html(cells: &[&HoverBoard]) -> String {
    let extent = Extent::within(cells, MOST_BYTES);
    let text = extent.text(cells);
    let cells = &cells[..extent.cells];
    let (mut blocks, mut drawings) = (Interned::default(), Interned::default());
    let data: Vec<CellData<'_>> =
        cells.iter().map(|cell| cell_data(cell, extent, &mut blocks, &mut drawings)).collect();
    let (first, beside) = first_two(cells);
    let data = Data {
        square: &cells[first].square,
        blocks: blocks.values.iter().map(|block| STANDARD.encode(block)).collect(),
        cells: data,
    };
    let data = serde_json::to_string(&data).expect("strings and numbers have a JSON text");
    let options = |selected: Option<usize>| -> String {
        let option = |(number, cell): (usize, &&HoverBoard)| {
            let mark = if selected == Some(number) { " selected" } else { "" };
            let game = cell.game.name();
            format!("<option value=\"{number}\" data-game=\"{game}\"{mark}>{}</option>", escape(&cell.label))
        };
        cells.iter().enumerate().map(option).collect()
    };
    let drawings: Vec<String> =
        drawings.values.iter().map(|drawing| String::from_utf8_lossy(drawing).into_owned()).collect();
    let drawings =
        drawings.iter().enumerate().map(|(number, pieces)| format!("<g id=\"touch-pieces-{number}\">\n{pieces}</g>\n"));
    let parts = [
        ("{css}", STYLE.to_owned()),
        ("{pieces}", drawings.collect()),
        ("{cells}", options(Some(first))),
        ("{besides}", format!("<option value=\"\">none</option>{}", options(beside))),
        ("{places}", places(cells, extent.places)),
        ("{size}", text),
        // No text of the data can end the script.
        ("{data}", data.replace('<', "\\u003c")),
        ("{js}", SCRIPT.to_owned()),
    ];
    filled(PAGE, &parts)
}

/// The cells that the page opens with: of the first game the one whose heads follow movements most, and that of another row, if
/// there is one.
fn first_two(cells: &[&HoverBoard]) -> (usize, Option<usize>) {
    let mut of_game: Vec<usize> = (0..cells.len()).filter(|&cell| cells[cell].game == cells[0].game).collect();
    of_game.sort_by(|&a, &b| cells[b].movement().total_cmp(&cells[a].movement()));
    let first = of_game[0];
    (first, of_game.into_iter().find(|&cell| cells[cell].row != cells[first].row))
}

/// The options of positions: cells of a game have the same.
fn places(cells: &[&HoverBoard], most: usize) -> String {
    let mut text = String::new();
    for game in GameKind::ALL {
        let Some(cell) = cells.iter().find(|cell| cell.game == game) else { continue };
        let name = game.name();
        for (number, place) in cell.places.iter().take(most).enumerate() {
            let mark = if number == cell.first { " selected" } else { "" };
            let label = escape(&place.name);
            text += &format!("<option value=\"{name}-{number}\" data-game=\"{name}\"{mark}>{label}</option>");
        }
    }
    text
}

fn cell_data<'a>(
    cell: &'a HoverBoard,
    extent: Extent,
    blocks: &mut Interned<'a>,
    drawings: &mut Interned<'a>,
) -> CellData<'a> {
    let geometry = cell.game.geometry();
    let chosen = spread(cell.layers.len(), extent.layers);
    let layers: Vec<&'a LayerHeads> = chosen.iter().map(|&layer| &cell.layers[layer]).collect();
    let best = layers.iter().max_by(|a, b| a.movement.total_cmp(&b.movement)).map_or(0, |layer| layer.number);
    let of_place = |place: &'a PositionMaps| PositionData {
        names: place.view.names(cell.game),
        pieces: (!place.pieces.is_empty()).then(|| drawings.number(place.pieces.as_bytes())),
        maps: chosen
            .iter()
            .map(|&layer| place.blocks[layer].list().map(|block| block.map(|block| blocks.number(block))))
            .collect(),
    };
    CellData {
        files: geometry.files(),
        ranks: geometry.ranks(),
        best,
        layers: layers.iter().map(|layer| LayerData { layer: layer.number, heads: &layer.heads }).collect(),
        places: cell.places.iter().take(extent.places).map(of_place).collect(),
    }
}

/// A template with its parts, in their order there, so that no part is searched for the names of others.
fn filled(template: &str, parts: &[(&str, String)]) -> String {
    let (mut text, mut rest) = (String::new(), template);
    for (name, part) in parts {
        let (before, after) = rest.split_once(name).expect("the template names its parts in this order");
        text += before;
        text += part;
        rest = after;
    }
    text + rest
}

#[cfg(test)]
pub(super) mod tests;
