//! The pictures of a cell, and the tensors that they show.

use super::analysis::Analysis;
use super::displacement::Displacements;
use super::layer::{HeadView, Parts};
use super::layer_figure::{Cells, Panel, draw};
use super::position::Shown;
use super::tables::named;
use figures::Canvas;
use figures::board::{Shades, View};
use games::GameKind;
use records::inspected::{HeadRecord, RelationRecord, Signal};
use tch::{Kind, Tensor};
use train::inference::tensors_file::Named;

/// A variance over positions that is this small a share of the signal's is rounding.
const ROUNDING: f64 = 1e-9;

#[derive(Debug, Clone)]
pub struct Picture {
    /// Its file's name without an ending.
    pub name: String,
    pub title: String,
    pub caption: String,
    pub map: Canvas,
}

#[derive(Debug)]
pub struct Maps<'a> {
    pub game: GameKind,
    pub analysis: &'a Analysis,
    /// The square whose keys are shown, in the side to move's view.
    pub square: usize,
    pub examples: &'a [Shown],
    /// The number of requested examples; they come first.
    pub asked: usize,
    pub in_examples: &'a [HeadView],
}

const DISPLACEMENTS: &str = "displacements";

impl Picture {
    pub fn is_by_displacement(&self) -> bool {
        self.name.ends_with(DISPLACEMENTS)
    }
}

impl Maps<'_> {
    pub fn pictures(&self) -> Vec<Picture> {
        self.analysis.layers().into_iter().flat_map(|layer| self.of_layer(layer)).collect()
    }

    fn of_layer(&self, layer: usize) -> Vec<Picture> {
        let heads: Vec<(&HeadView, &HeadRecord)> =
            self.analysis.heads.iter().zip(&self.analysis.records).filter(|(head, _)| head.layer == layer).collect();
        let board = Displacements::of(self.game.geometry());
        let displacements = Cells::Displacements(board.clone());
        let square = View::FIRST.name(self.game, self.square);
        let around = Cells::Board { view: View::FIRST, query: self.square, pieces: Vec::new() };
        let signal = heads.first().map_or(Signal::Position, |(head, _)| head.signal);
        let what = match signal {
            Signal::Position => "what encodings add to the logits",
            Signal::Logits => "the logits (no encoding acts on those of this layer)",
        };
        let sheet = |part: &str,
                     title: String,
                     caption: String,
                     cells: &Cells,
                     panel: &dyn Fn(&HeadView, &HeadRecord) -> Panel| {
            let panels: Vec<Panel> = heads.iter().map(|(head, record)| panel(head, record)).collect();
            let name = format!("layer-{layer:02}-{part}");
            Picture { name, title, caption, map: draw(self.game, cells, &panels, None) }
        };
        let over = |map: &[f64]| centred(&board, &board.profile(map).means);
        let mut pictures = vec![
            sheet(
                DISPLACEMENTS,
                format!("Layer {layer} by displacement"),
                format!(
                    "For each displacement from the query's square (framed) to the key's: {what}, the mean over pairs of \
                     squares and over positions, less the mean over all displacements."
                ),
                &displacements,
                &|head, record| Panel::signed(title(record), over(&head.mean)),
            ),
            sheet(
                &format!("square-{square}"),
                format!("Layer {layer} from {square}"),
                format!(
                    "For each key's square: {what} for the query on {square}, the mean over positions, less the mean over keys."
                ),
                &around,
                &|head, record| Panel::signed(title(record), row(&head.mean, self.square)),
            ),
            sheet(
                &format!("attention-{square}"),
                format!("Attention of layer {layer} from {square}"),
                format!(
                    "The attention of the query on {square}, the mean over positions, as a multiple of an even share among \
                     squares."
                ),
                &around,
                &|head, record| Panel::ratios(title(record), of_row(&head.attention, self.square)),
            ),
        ];
        if signal == Signal::Position {
            pictures.push(sheet(
                &format!("content-{square}"),
                format!("Content part of layer {layer} from {square}"),
                format!("q·k/√k without position for the query on {square}, the mean over positions, less the mean over keys."),
                &around,
                &|head, record| Panel::signed(title(record), row(&head.content, self.square)),
            ));
        }
        if heads.iter().any(|(head, _)| varies(head)) {
            pictures.push(sheet(
                "variation",
                format!("Variation of layer {layer} over positions"),
                "For each displacement: the standard deviation over positions of the same numbers, the mean over pairs.".to_owned(),
                &displacements,
                &|head, record| Panel::signed(title(record), deviations(&board, head)),
            ));
        }
        if heads.iter().any(|(head, _)| head.similarity.is_some()) {
            pictures.push(sheet(
                "rotation",
                format!("Rotation of layer {layer}"),
                "What the rotation leaves of q·k of equal vectors with equal channels, by displacement.".to_owned(),
                &displacements,
                &|head, record| {
                    let similarity = head.similarity.as_deref().unwrap_or(&head.mean);
                    Panel { title: title(record), values: board.profile(similarity).means, shades: Shades::unit() }
                },
            ));
        }
        pictures.extend((0..self.asked).map(|example| self.in_position(layer, example)));
        pictures
    }

    /// Content, position part and attention in a requested position.
    fn in_position(&self, layer: usize, example: usize) -> Picture {
        let shown = &self.examples[example];
        let heads: Vec<&HeadView> = self.in_examples.iter().filter(|head| head.layer == layer).collect();
        // A name belongs to a square of the real board.
        let query = shown.view.square(self.game, &View::FIRST.name(self.game, self.square)).unwrap_or(self.square);
        let square = shown.view.name(self.game, query);
        let panels = |head: &&HeadView| {
            let Parts { content, position, attention } = &head.each[example];
            let signed = |what: &str, map: &[f64]| Panel::signed(format!("head {} {what}", head.head), row(map, query));
            let ratios = Panel::ratios(format!("head {} attention", head.head), of_row(attention, query));
            let position = position.as_ref().map(|map| signed("position", map));
            [Some(signed("content", content)), position, Some(ratios)].into_iter().flatten().collect::<Vec<_>>()
        };
        let panels: Vec<Panel> = heads.iter().flat_map(panels).collect();
        let columns = panels.len() / heads.len().max(1);
        let cells = Cells::Board { view: shown.view, query, pieces: shown.pieces.clone() };
        let number = if example == 0 { String::new() } else { format!("-{}", example + 1) };
        Picture {
            name: format!("layer-{layer:02}-position{number}"),
            title: format!("Layer {layer} in the position, from {square}"),
            caption: format!(
                "{}. Content part and position part of the logits, less their means over keys, and attention as a multiple of an even share.",
                shown.text
            ),
            map: draw(self.game, &cells, &panels, Some(columns)),
        }
    }

    /// The maps as tensors: `<map>.layer.<n>`, `[heads, squares, squares]` or by displacement `[heads, ranks, files]`; and
    /// `example.<k>.<map>.layer.<n>`, f32 as the network computes.
    pub fn tensors(&self) -> Vec<Named> {
        let geometry = self.game.geometry();
        let (squares, (files, ranks)) = (geometry.squares() as i64, geometry.torus());
        let board = Displacements::of(geometry);
        let mut named = Vec::new();
        for layer in self.analysis.layers() {
            let heads: Vec<&HeadView> = self.analysis.heads.iter().filter(|head| head.layer == layer).collect();
            let mut add = |name: &str, shape: [i64; 2], values: Vec<f64>| {
                let shape = [heads.len() as i64, shape[0], shape[1]];
                named.push(Named::new(format!("{name}.layer.{layer}"), Tensor::from_slice(&values).view(shape)));
            };
            let all = |of: fn(&HeadView) -> &Vec<f64>| {
                heads.iter().flat_map(|head| of(head).iter().copied()).collect::<Vec<_>>()
            };
            let by_displacement = heads.iter().flat_map(|head| board.profile(&head.mean).means).collect();
            add("displacement", [ranks as i64, files as i64], by_displacement);
            add(heads.first().map_or("position", |head| head.signal.name()), [squares; 2], all(|head| &head.mean));
            add("variance", [squares; 2], all(|head| &head.variance));
            add("content", [squares; 2], all(|head| &head.content));
            add("attention", [squares; 2], all(|head| &head.attention));
            if heads.iter().all(|head| head.similarity.is_some()) {
                add(
                    "rotation",
                    [squares; 2],
                    heads.iter().flat_map(|head| head.similarity.clone().unwrap_or_default()).collect(),
                );
            }
            let heads: Vec<&HeadView> = self.in_examples.iter().filter(|head| head.layer == layer).collect();
            for example in 0..self.examples.len() {
                let mut add = |name: &str, maps: Vec<&Vec<f64>>| {
                    let values: Vec<f64> = maps.iter().flat_map(|map| map.iter().copied()).collect();
                    let tensor = Tensor::from_slice(&values).view([maps.len() as i64, squares, squares]);
                    named.push(Named::new(
                        format!("example.{example}.{name}.layer.{layer}"),
                        tensor.to_kind(Kind::Float),
                    ));
                };
                let parts = || heads.iter().map(|head| &head.each[example]);
                add("content", parts().map(|parts| &parts.content).collect());
                add("attention", parts().map(|parts| &parts.attention).collect());
                let position: Vec<&Vec<f64>> = parts().filter_map(|parts| parts.position.as_ref()).collect();
                if !position.is_empty() {
                    add("position", position);
                }
            }
        }
        named
    }
}

/// A panel's title: the head, and its movement with its share.
pub(super) fn title(record: &HeadRecord) -> String {
    let movement = named(record).map(|(movement, found)| {
        let sign = if movement.favours { "" } else { "not " };
        format!(": {sign}{}, {:.0} %", movement.relation, 100.0 * found.fit)
    });
    format!("head {}{}", record.head, movement.unwrap_or_default())
}

/// The movement that a head follows, if it follows one: one that it avoids does not count.
pub(super) fn followed(record: &HeadRecord) -> Option<&RelationRecord> {
    named(record).filter(|(movement, _)| movement.favours).map(|(_, found)| found)
}

fn of_row(map: &[f64], query: usize) -> &[f64] {
    // The map is square.
    let squares = map.len().isqrt();
    &map[query * squares..][..squares]
}

/// The keys of a query, less their mean, which the softmax does not see.
fn row(map: &[f64], query: usize) -> Vec<f64> {
    let row = of_row(map, query);
    let mean = row.iter().sum::<f64>() / row.len() as f64;
    row.iter().map(|value| value - mean).collect()
}

/// A map over displacements less its mean over all but zero.
fn centred(board: &Displacements, means: &[f64]) -> Vec<f64> {
    let moves: Vec<usize> = board.moves().collect();
    let mean = moves.iter().map(|&place| means[place]).sum::<f64>() / moves.len() as f64;
    means.iter().map(|value| value - mean).collect()
}

fn deviations(board: &Displacements, head: &HeadView) -> Vec<f64> {
    let deviations: Vec<f64> = head.variance.iter().map(|variance| variance.sqrt()).collect();
    board.profile(&deviations).means
}

fn varies(head: &HeadView) -> bool {
    let size: f64 = head.mean.iter().map(|value| value * value).sum();
    head.variance.iter().sum::<f64>() > ROUNDING * size
}
