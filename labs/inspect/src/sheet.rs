//! The heads of a layer side by side: each a map over displacements, or over the keys of one square.

use super::pieces::{self, Piece};
use super::svg::{Anchor, Svg};
use super::view::View;
use crate::displacement::Displacements;
use crate::relation::{Step, distance};
use games::GameKind;

/// Pixels of a panel without its title and its scale.
const PANEL: f64 = 210.0;
const GAP: f64 = 26.0;
/// Pixels of a panel's title.
const TITLE: f64 = 20.0;
/// Pixels of file names below a board, and of rank names beside it.
const NAMES: f64 = 16.0;
/// Pixels of a scale with its numbers.
const SCALE: f64 = 34.0;
const COLUMNS: usize = 4;
const SHADES: usize = 41;

/// A panel of a sheet.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    pub title: String,
    /// The values: one for each displacement or each square.
    pub values: Vec<f64>,
    /// The value at the ends of the scale.
    pub limit: f64,
    /// The labels at the low end, in the middle and at the high end.
    pub labels: [String; 3],
}

/// What the cells of a panel stand for.
#[derive(Debug, Clone, PartialEq)]
pub enum Cells {
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
    /// A panel whose scale ends at the largest value or its negative.
    pub fn signed(title: String, values: Vec<f64>) -> Self {
        let limit = values.iter().filter(|value| value.is_finite()).fold(0.0, |most: f64, value| most.max(value.abs()));
        let labels = [format!("−{}", short(limit)), "0".to_owned(), short(limit)];
        Self { title, values, limit, labels }
    }

    /// A panel of ratios to an even share, on a scale of powers of two that is the same everywhere.
    pub fn ratios(title: String, values: &[f64]) -> Self {
        const DOUBLINGS: f64 = 3.0;
        let even = values.iter().sum::<f64>() / values.len() as f64;
        let values = values.iter().map(|value| if even > 0.0 { (value / even).log2() } else { 0.0 }).collect();
        let most = DOUBLINGS.exp2();
        Self { title, values, limit: DOUBLINGS, labels: [format!("1/{most}"), "even".to_owned(), format!("{most}×")] }
    }
}

/// Draws panels; `columns` are at most that many in a row.
pub fn draw(game: GameKind, cells: &Cells, panels: &[Panel], columns: Option<usize>) -> Svg {
    let columns = columns.unwrap_or(COLUMNS).min(panels.len()).max(1);
    let rows = panels.len().div_ceil(columns);
    let (across, down) = (NAMES + PANEL + GAP, TITLE + PANEL + NAMES + SCALE + GAP);
    let mut svg = Svg::new(GAP + across * columns as f64, GAP / 2.0 + down * rows as f64);
    for (number, panel) in panels.iter().enumerate() {
        let corner = (
            GAP / 2.0 + NAMES + across * (number % columns) as f64,
            GAP / 2.0 + TITLE + down * (number / columns) as f64,
        );
        svg.text("title", (corner.0, corner.1 - 7.0), Anchor::Start, &panel.title);
        match cells {
            Cells::Displacements(board) => displacements(&mut svg, corner, board, panel),
            Cells::Board { view, query, pieces } => {
                self::board(&mut svg, corner, (game, *view), (*query, pieces), panel)
            }
        }
        scale(&mut svg, (corner.0, corner.1 + PANEL + NAMES), panel);
    }
    svg
}

fn share(panel: &Panel, value: f64) -> f64 {
    if panel.limit > 0.0 { value / panel.limit } else { 0.0 }
}

fn displacements(svg: &mut Svg, (x, y): (f64, f64), board: &Displacements, panel: &Panel) {
    let (files, ranks) = board.geometry().torus();
    let size = (PANEL / files as f64, PANEL / ranks as f64);
    svg.rect("cell", (x, y), (PANEL, PANEL));
    let corner = |(file, rank): Step| {
        let (right, ahead) = (file + files as isize / 2, rank + ranks as isize / 2);
        (x + right as f64 * size.0, y + (ranks as isize - 1 - ahead) as f64 * size.1)
    };
    for (&step, &value) in board.steps.iter().zip(&panel.values).filter(|(step, _)| distance(**step) > 0) {
        svg.value(corner(step), size, share(panel, value), &format!("{}: {}", spoken(step), short(value)));
    }
    grid(svg, (x, y), [files, ranks]);
    svg.rect("mark", corner((0, 0)), size);
    svg.text("soft", (x + PANEL / 2.0, y + PANEL + 12.0), Anchor::Middle, "← left · files · right →");
    svg.text("soft", (x - 4.0, y + 10.0), Anchor::End, "↑");
    svg.text("soft", (x - 4.0, y + PANEL - 2.0), Anchor::End, "↓");
}

fn board(
    svg: &mut Svg,
    (x, y): (f64, f64),
    (game, view): (GameKind, View),
    (query, placed): (usize, &[Option<Piece>]),
    panel: &Panel,
) {
    let geometry = game.geometry();
    let [files, ranks] = [geometry.files(), geometry.ranks()];
    let size = (PANEL / files as f64, PANEL / ranks as f64);
    svg.rect("cell", (x, y), (PANEL, PANEL));
    let corner = |square: usize| {
        let down = ranks - 1 - geometry.rank_of(square);
        (x + geometry.file_of(square) as f64 * size.0, y + down as f64 * size.1)
    };
    for (square, &value) in panel.values.iter().enumerate() {
        let tooltip = format!("{}: {}", view.name(game, square), short(value));
        svg.value(corner(square), size, share(panel, value), &tooltip);
    }
    grid(svg, (x, y), [files, ranks]);
    for (square, piece) in placed.iter().enumerate().filter_map(|(square, piece)| Some((square, (*piece)?))) {
        let turned = pieces::is_turned(game, piece);
        svg.boxed(corner(square), size.0, turned, &pieces::elements(game, piece));
    }
    svg.rect("mark", corner(query), size);
    let (file_names, rank_names) = view.names(game);
    for (column, name) in file_names.iter().enumerate() {
        svg.text("label", (x + (column as f64 + 0.5) * size.0, y + PANEL + 12.0), Anchor::Middle, name);
    }
    for (row, name) in rank_names.iter().enumerate() {
        svg.text("label", (x - 4.0, y + (row as f64 + 0.5) * size.1 + 4.0), Anchor::End, name);
    }
}

fn grid(svg: &mut Svg, (x, y): (f64, f64), [columns, rows]: [usize; 2]) {
    for column in 0..columns {
        svg.rect("grid", (x + column as f64 * PANEL / columns as f64, y), (PANEL / columns as f64, PANEL));
    }
    for row in 0..rows {
        svg.rect("grid", (x, y + row as f64 * PANEL / rows as f64), (PANEL, PANEL / rows as f64));
    }
}

fn scale(svg: &mut Svg, (x, y): (f64, f64), panel: &Panel) {
    let [top, height] = [y + 6.0, 9.0];
    svg.rect("cell", (x, top), (PANEL, height));
    let width = PANEL / SHADES as f64;
    for shade in 0..SHADES {
        let value = 2.0 * shade as f64 / (SHADES - 1) as f64 - 1.0;
        svg.value((x + shade as f64 * width, top), (width, height), value, "");
    }
    let [low, middle, high] = &panel.labels;
    let below = top + height + 11.0;
    svg.text("label", (x, below), Anchor::Start, low);
    svg.text("label", (x + PANEL / 2.0, below), Anchor::Middle, middle);
    svg.text("label", (x + PANEL, below), Anchor::End, high);
}

fn spoken((file, rank): Step) -> String {
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

/// A number with two or three significant digits.
pub fn short(value: f64) -> String {
    let size = value.abs();
    match value {
        _ if size == 0.0 || !value.is_finite() => "0".to_owned(),
        _ if !(0.001..1e4).contains(&size) => format!("{value:.1e}"),
        _ => format!("{value:.*}", usize::from(size < 100.0) + usize::from(size < 10.0) + usize::from(size < 0.1)),
    }
}
