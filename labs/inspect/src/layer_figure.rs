//! The heads of a layer side by side: each a map over displacements, or over the keys of one square.

use super::displacement::Displacements;
use super::relation::{Step, distance};
use figures::board::{Board, Piece, Shades, View, log2_ratios_to_uniform, short};
use figures::{Anchor, Canvas};
use games::GameKind;

/// Pixels of a panel without its title and its scale.
const PANEL: f64 = 210.0;
const GAP: f64 = 26.0;
const TITLE: f64 = 20.0;
/// Pixels of file names below a board, and of rank names beside it.
const NAMES: f64 = 16.0;
/// Pixels of a scale with its numbers.
const SCALE: f64 = 34.0;
const COLUMNS: usize = 4;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Panel {
    pub(super) title: String,
    /// The values: one for each displacement or each square.
    pub(super) values: Vec<f64>,
    pub(super) shades: Shades,
}

/// The meaning of the cells of a panel.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Cells {
    /// Displacements from the query's square, which is the middle.
    Displacements(Displacements),
    /// The board around one square.
    Board {
        view: View,
        /// The query's square, in the view of the side to move.
        query: usize,
        /// The pieces, by square; empty for none.
        pieces: Vec<Option<Piece>>,
    },
}

impl Panel {
    /// A panel whose scale ends at the largest value and its negative.
    pub(super) fn signed(title: String, values: Vec<f64>) -> Self {
        Self { title, shades: Shades::signed(&values), values }
    }

    /// A panel of ratios to an even share.
    pub(super) fn ratios(title: String, values: &[f64]) -> Self {
        Self { title, values: log2_ratios_to_uniform(values), shades: Shades::ratios() }
    }
}

/// Draws panels; `columns` are at most that many in a row.
pub(super) fn draw(game: GameKind, cells: &Cells, panels: &[Panel], columns: Option<usize>) -> Canvas {
    let columns = columns.unwrap_or(COLUMNS).min(panels.len()).max(1);
    let rows = panels.len().div_ceil(columns);
    let (across, down) = (NAMES + PANEL + GAP, TITLE + PANEL + NAMES + SCALE + GAP);
    let mut canvas = Canvas::new(GAP + across * columns as f64, GAP / 2.0 + down * rows as f64);
    for (number, panel) in panels.iter().enumerate() {
        let corner = (
            GAP / 2.0 + NAMES + across * (number % columns) as f64,
            GAP / 2.0 + TITLE + down * (number / columns) as f64,
        );
        canvas.text("title", (corner.0, corner.1 - 7.0), Anchor::Start, &panel.title);
        match cells {
            Cells::Displacements(board) => displacements(&mut canvas, corner, board, panel),
            Cells::Board { view, query, pieces } => {
                self::board(&mut canvas, corner, (game, *view), (*query, pieces), panel)
            }
        }
        panel.shades.draw(&mut canvas, (corner.0, corner.1 + PANEL + NAMES), PANEL);
    }
    canvas
}

fn displacements(canvas: &mut Canvas, (x, y): (f64, f64), board: &Displacements, panel: &Panel) {
    let (files, ranks) = board.geometry().torus();
    let size = (PANEL / files as f64, PANEL / ranks as f64);
    canvas.rect("cell", (x, y), (PANEL, PANEL));
    let corner = |(file, rank): Step| {
        let (right, ahead) = (file + files as isize / 2, rank + ranks as isize / 2);
        (x + right as f64 * size.0, y + (ranks as isize - 1 - ahead) as f64 * size.1)
    };
    for (&step, &value) in board.steps.iter().zip(&panel.values).filter(|(step, _)| distance(**step) > 0) {
        let tooltip = format!("{}: {}", displacement(step), short(value));
        canvas.shade(corner(step), size, panel.shades.share(value), &tooltip);
    }
    canvas.grid((x, y), (PANEL, PANEL), [files, ranks]);
    canvas.rect("mark", corner((0, 0)), size);
    canvas.text("soft", (x + PANEL / 2.0, y + PANEL + 12.0), Anchor::Middle, "← left · files · right →");
    canvas.text("soft", (x - 4.0, y + 10.0), Anchor::End, "↑");
    canvas.text("soft", (x - 4.0, y + PANEL - 2.0), Anchor::End, "↓");
}

fn board(
    canvas: &mut Canvas,
    corner: (f64, f64),
    (game, view): (GameKind, View),
    (query, placed): (usize, &[Option<Piece>]),
    panel: &Panel,
) {
    let geometry = game.geometry();
    let sides = [geometry.files(), geometry.ranks()];
    let size = (PANEL / sides[0] as f64, PANEL / sides[1] as f64);
    let board = Board { game, corner, square: size };
    canvas.rect("cell", corner, (PANEL, PANEL));
    for (square, &value) in panel.values.iter().enumerate() {
        let tooltip = format!("{}: {}", view.name(game, square), short(value));
        canvas.shade(board.at(square), size, panel.shades.share(value), &tooltip);
    }
    canvas.grid(corner, (PANEL, PANEL), sides);
    for (square, piece) in placed.iter().enumerate().filter_map(|(square, piece)| Some((square, (*piece)?))) {
        board.piece(canvas, square, piece);
    }
    canvas.rect("mark", board.at(query), size);
    board.names(canvas, view);
}

fn displacement((file, rank): Step) -> String {
    let across = match file {
        0 => String::new(),
        file if file < 0 => format!("{} left", -file),
        file => format!("{file} right"),
    };
    let along = match rank {
        0 => String::new(),
        rank if rank < 0 => format!("{} back", -rank),
        rank => format!("{rank} ahead"),
    };
    [along, across].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
}
