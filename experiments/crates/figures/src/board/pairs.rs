//! A map over pairs of squares as a board of boards: at the place of each query's square, a small board of its keys.

use super::Board;
use super::shades::{Shades, colour};
use super::view::View;
use crate::Canvas;
use games::GameKind;
use std::collections::BTreeMap;

/// Sides of a square of a small board, and between small boards. Whole numbers give sharp edges.
const SQUARE: f64 = 7.0;
const GAP: f64 = 4.0;
const LEFT: f64 = 22.0;
const MARGIN: f64 = 10.0;
/// Below the board: names of files, and the scale with its labels.
const NAMES: f64 = 16.0;
const SCALE: f64 = 32.0;
/// Shades from the middle of the scale to an end. Squares of a shade are one path, which is drawn faster than squares one by
/// one.
const STEPS: f64 = 50.0;

/// Draws a map `[squares × squares]`, query by key, squares as in [`games::Geometry`]; each query's square is framed.
pub fn draw(game: GameKind, map: &[f64], shades: &Shades) -> Canvas {
    let squares = game.geometry().squares();
    let one = Board { game, corner: (0.0, 0.0), square: (SQUARE, SQUARE) };
    let (width, height) = one.size();
    let board = Board { game, corner: (LEFT, MARGIN), square: (width + GAP, height + GAP) };
    let small = |query: usize| {
        let (x, y) = board.at(query);
        Board { corner: (x + GAP / 2.0, y + GAP / 2.0), ..one }
    };
    let (across, down) = board.size();
    let mut canvas = Canvas::new(LEFT + across + MARGIN, MARGIN + down + NAMES + SCALE);
    let mut paths: BTreeMap<i64, String> = BTreeMap::new();
    for (query, values) in map.chunks(squares).enumerate() {
        let small = small(query);
        canvas.rect("cell", small.corner, (width, height));
        canvas.rect("grid", small.corner, (width, height));
        for (key, &value) in values.iter().enumerate() {
            let (x, y) = small.at(key);
            let path = paths.entry((shades.share(value) * STEPS).round() as i64).or_default();
            path.push_str(&format!("M{x} {y}h{SQUARE}v{SQUARE}h-{SQUARE}z"));
        }
    }
    for (step, path) in paths.into_iter().filter(|(step, _)| *step != 0) {
        let (class, opacity) = colour(step as f64 / STEPS);
        canvas.push(&format!(r#"<path class="{class}" fill-opacity="{opacity:.2}" d="{path}"/>"#));
    }
    (0..squares).for_each(|query| canvas.rect("mark", small(query).at(query), one.square));
    board.names(&mut canvas, View::FIRST);
    shades.draw(&mut canvas, (LEFT, MARGIN + down + NAMES), across);
    canvas
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Scheme;
    use crate::convert::png;
    use resvg::tiny_skia::Pixmap;

    const RED: [u8; 3] = [178, 24, 43];
    const NEUTRAL: [u8; 3] = [247; 3];

    fn drawn(game: GameKind, map: &[f64]) -> Pixmap {
        let svg = draw(game, map, &Shades::signed(map)).map(Scheme::Light, "map", "", "");
        Pixmap::decode_png(&png(&svg, 1.0).expect("drawn")).expect("a PNG")
    }

    fn colour(pixels: &Pixmap, (x, y): (u32, u32)) -> [u8; 3] {
        let pixel = pixels.pixel(x, y).expect("inside");
        [pixel.red(), pixel.green(), pixel.blue()]
    }

    /// The middle of a key's square, found by counting boards and squares from the upper left corner.
    fn place(game: GameKind, [file, rank]: [usize; 2], [key_file, key_rank]: [usize; 2]) -> (u32, u32) {
        let geometry = game.geometry();
        let [down, key_down] = [rank, key_rank].map(|rank| geometry.ranks() - 1 - rank);
        let x = 22 + file * (7 * geometry.files() + 4) + 2 + 7 * key_file + 3;
        let y = 10 + down * (7 * geometry.ranks() + 4) + 2 + 7 * key_down + 3;
        (x as u32, y as u32)
    }

    #[test]
    fn rank_0_is_at_the_bottom_and_file_0_on_the_left_of_large_and_small_boards() {
        for game in GameKind::ALL {
            let geometry = game.geometry();
            let (squares, files, ranks) = (geometry.squares(), geometry.files(), geometry.ranks());
            // Every query sees the square on the other side of its rank.
            let mut map = vec![0.0; squares * squares];
            let mirrored = |square| geometry.square(files - 1 - geometry.file_of(square), geometry.rank_of(square));
            (0..squares).for_each(|query| map[query * squares + mirrored(query)] = 2.0);
            let pixels = drawn(game, &map);
            let size = [22 + files * (7 * files + 4) + 10, 10 + ranks * (7 * ranks + 4) + 16 + 32];
            assert_eq!([pixels.width(), pixels.height()].map(|side| side as usize), size);
            for (query, red) in
                [([0, 0], [files - 1, 0]), ([0, ranks - 1], [files - 1, ranks - 1]), ([1, 2], [files - 2, 2])]
            {
                assert_eq!(colour(&pixels, place(game, query, red)), RED);
                assert_eq!(colour(&pixels, place(game, query, [red[0], (red[1] + 1) % ranks])), NEUTRAL);
            }
            let all: Vec<[u8; 3]> =
                pixels.pixels().iter().map(|pixel| [pixel.red(), pixel.green(), pixel.blue()]).collect();
            // A frame can cover the edges of a square, one of 7 pixels on each side.
            let red = all.iter().filter(|&&pixel| pixel == RED).count();
            assert!(red >= squares * 25, "{red}");
        }
    }

    #[test]
    fn a_map_of_zeros_is_neutral() {
        let squares = GameKind::Chess.geometry().squares();
        let pixels = drawn(GameKind::Chess, &vec![0.0; squares * squares]);
        assert_eq!(colour(&pixels, place(GameKind::Chess, [3, 3], [0, 0])), NEUTRAL);
    }
}
