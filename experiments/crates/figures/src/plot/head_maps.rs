//! What single attention heads add to the logits, by the displacement from the query's square to the key's.

use super::Medium;
use super::labels::{LINE, fitted};
use crate::board::Shades;
use crate::{Anchor, Canvas};

#[derive(Debug, Clone, PartialEq)]
pub struct HeadMap {
    pub title: String,
    pub row: String,
    /// Which head of it: game, layer and number.
    pub head: String,
    /// Displacements across and down.
    pub size: (usize, usize),
    /// From the lower left, file by file; displacement (0, 0) is in the middle.
    pub values: Vec<f64>,
}

const WIDTH: f64 = 320.0;
const COLUMNS: usize = 2;
const GAP: f64 = 16.0;
const TITLE: f64 = 36.0 + LINE;

/// Draws the maps, two in a row; nothing without any.
pub fn draw(maps: &[HeadMap], title: &str, id: &str, medium: Medium) -> Option<String> {
    if maps.is_empty() {
        return None;
    }
    let width = medium.width(WIDTH);
    let side = (width - GAP) / COLUMNS as f64 - 2.0;
    let rows = maps.len().div_ceil(COLUMNS);
    let mut canvas = Canvas::new(width, rows as f64 * (TITLE + side + GAP));
    for (number, map) in maps.iter().enumerate() {
        let x = 1.0 + (number % COLUMNS) as f64 * (side + GAP);
        let y = (number / COLUMNS) as f64 * (TITLE + side + GAP) + TITLE;
        canvas.text("label", (x, y - 21.0 - LINE), Anchor::Start, &fitted(&map.title, side));
        canvas.text("tick", (x, y - 6.0 - LINE), Anchor::Start, &fitted(&map.row, side / 0.83));
        canvas.text("tick", (x, y - 6.0), Anchor::Start, &map.head);
        draw_map(map, &mut canvas, (x, y), side);
    }
    let names: Vec<String> = maps.iter().map(|map| format!("{} ({}, {})", map.title, map.row, map.head)).collect();
    Some(canvas.plot(medium, id, title, &format!("Weights by displacement: {}.", names.join("; "))))
}

fn draw_map(map: &HeadMap, canvas: &mut Canvas, (x, y): (f64, f64), side: f64) {
    let (files, ranks) = map.size;
    let (across, down) = (side / files as f64, side / ranks as f64);
    let shades = Shades::signed(&map.values);
    let corner = |place: usize| (x + (place % files) as f64 * across, y + (ranks - 1 - place / files) as f64 * down);
    for (place, &value) in map.values.iter().enumerate().take(files * ranks) {
        canvas.shade(corner(place), (across, down), shades.share(value), "");
    }
    canvas.rect("frame", (x, y), (side, side));
    canvas.rect("query", corner(files * ranks / 2), (across, down));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(row: &str, values: Vec<f64>) -> HeadMap {
        let [title, row, head] = ["rook", row, "chess, layer 0, head 2"].map(str::to_owned);
        HeadMap { title, row, head, size: (3, 3), values }
    }

    #[test]
    fn a_long_name_of_a_row_is_cut_and_the_head_is_named_whole() {
        for medium in [Medium::Page, Medium::Column] {
            let svg = draw(&[map("relative bias, encoding rate × 64", vec![0.0; 9])], "Heads", "heads", medium);
            let svg = svg.expect("a map");
            assert!(svg.contains("…</text>") && svg.contains(">chess, layer 0, head 2</text>"), "{svg}");
        }
    }

    #[test]
    fn the_largest_value_is_opaque_and_rank_0_is_at_the_bottom() {
        let mut values = vec![0.0; 9];
        values[1] = -3.0;
        let svg = draw(&[map("shaw", values)], "Heads", "heads", Medium::Page).expect("a map");
        let side = (WIDTH - GAP) / 2.0 - 2.0;
        let (x, y) = (1.0 + side / 3.0, TITLE + 2.0 * side / 3.0);
        let square = format!("<rect class=\"low\" fill-opacity=\"1.000\" x=\"{x:.1}\" y=\"{y:.1}\"");
        assert!(svg.contains(&square), "{svg}");
        assert_eq!(draw(&[], "Heads", "heads", Medium::Page), None);
    }
}
