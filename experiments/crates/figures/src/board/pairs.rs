//! Draws a map over pairs of squares as a board of boards, with names of files and ranks and a colour scale.

use super::colours::{self, Colour, GRID, INK, PAPER};
use super::glyphs;
use super::names::names;
use games::GameKind;

/// Pixels per square of a small board.
const CELL: usize = 7;
const GAP: usize = 2;
/// Pixels of the mark on the query square.
const MARK: usize = 3;
/// Pixels per pixel of a letter.
const PEN: usize = 2;
/// Pixels of the outer border.
const BORDER: usize = 6;
/// Width of the colour scale.
const BAR: usize = 12;

const LETTER: [usize; 2] = [PEN * glyphs::SIZE[0], PEN * glyphs::SIZE[1]];

/// The colour scale: white is 0, the ends are ±`limit` and beyond.
#[derive(Debug, Clone, PartialEq)]
pub struct Scale {
    /// The value at the red end; the blue end is its negative.
    pub limit: f64,
    /// The label at the blue end.
    pub low: String,
    /// The label in the middle.
    pub middle: String,
    /// The label at the red end.
    pub high: String,
}

impl Scale {
    fn colour(&self, value: f64) -> Colour {
        colours::of_share(if self.limit > 0.0 { value / self.limit } else { 0.0 })
    }
}

/// A picture of palette colours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Canvas {
    pub width: usize,
    pub height: usize,
    /// `[height × width]` colours, from the top.
    pub points: Vec<Colour>,
}

impl Canvas {
    fn new(width: usize, height: usize) -> Self {
        Self { width, height, points: vec![PAPER; width * height] }
    }

    fn fill(&mut self, [x, y]: [usize; 2], [width, height]: [usize; 2], colour: Colour) {
        for row in y..(y + height).min(self.height) {
            let row = row * self.width;
            self.points[row + x.min(self.width)..row + (x + width).min(self.width)].fill(colour);
        }
    }

    /// Writes from the upper left corner to the right.
    fn write(&mut self, [x, y]: [usize; 2], text: &str) {
        for (i, letter) in text.chars().enumerate() {
            let x = x + i * (LETTER[0] + PEN);
            let Some(rows) = glyphs::rows(letter) else { continue };
            for (row, points) in rows.iter().enumerate() {
                for (column, _) in points.iter().enumerate().filter(|&(_, &point)| point) {
                    self.fill([x + PEN * column, y + PEN * row], [PEN, PEN], INK);
                }
            }
        }
    }
}

/// The layout of a picture.
struct Plan {
    files: usize,
    ranks: usize,
}

impl Plan {
    /// The distance between small boards.
    fn pitch(&self) -> [usize; 2] {
        [CELL * self.files + GAP, CELL * self.ranks + GAP]
    }

    /// The upper left corner of the large board, with its frame.
    fn corner() -> [usize; 2] {
        [BORDER + LETTER[0] + PEN, BORDER]
    }

    /// The large board's size, with its frame.
    fn board(&self) -> [usize; 2] {
        let [x, y] = self.pitch();
        [GAP + x * self.files, GAP + y * self.ranks]
    }

    /// The upper left corner of the small board of a square: rank 0 is at the bottom.
    fn small_board(&self, square: usize) -> [usize; 2] {
        let ([x, y], [step_x, step_y]) = (Self::corner(), self.pitch());
        let [column, row] = self.place(square);
        [x + GAP + step_x * column, y + GAP + step_y * row]
    }

    /// The upper left corner of `key` on the small board of `query`.
    fn cell(&self, query: usize, key: usize) -> [usize; 2] {
        let ([x, y], [column, row]) = (self.small_board(query), self.place(key));
        [x + CELL * column, y + CELL * row]
    }

    /// Column and row, from the upper left.
    fn place(&self, square: usize) -> [usize; 2] {
        [square % self.files, self.ranks - 1 - square / self.files]
    }

    /// The upper left corner of the scale.
    fn bar(&self) -> [usize; 2] {
        let ([x, y], [width, _]) = (Self::corner(), self.board());
        [x + width + 2 * BORDER, y]
    }

    /// The size of the whole picture, with space for this many letters beside the scale.
    fn size(&self, letters: usize) -> [usize; 2] {
        let ([bar, y], [_, height]) = (self.bar(), self.board());
        [bar + BAR + PEN + letters * (LETTER[0] + PEN) + BORDER, y + height + PEN + LETTER[1] + BORDER]
    }
}

/// Draws a map `[squares × squares]`, query by key, squares as in [`games::Geometry`].
pub fn draw(kind: GameKind, map: &[f64], scale: &Scale) -> Canvas {
    let geometry = kind.geometry();
    let plan = Plan { files: geometry.files(), ranks: geometry.ranks() };
    let letters = [&scale.low, &scale.middle, &scale.high].map(|text| text.chars().count());
    let [width, height] = plan.size(letters.into_iter().max().unwrap_or(0));
    let mut canvas = Canvas::new(width, height);
    canvas.fill(Plan::corner(), plan.board(), GRID);
    for (query, values) in map.chunks(geometry.squares()).enumerate() {
        for (key, &value) in values.iter().enumerate() {
            canvas.fill(plan.cell(query, key), [CELL, CELL], scale.colour(value));
        }
        let inset = (CELL - MARK) / 2;
        canvas.fill(plan.cell(query, query).map(|corner| corner + inset), [MARK, MARK], INK);
    }
    write_names(&mut canvas, &plan, kind);
    draw_scale(&mut canvas, &plan, scale);
    canvas
}

fn write_names(canvas: &mut Canvas, plan: &Plan, kind: GameKind) {
    let (files, ranks) = names(kind);
    let ([left, top], [step_x, step_y], [_, height]) = (Plan::corner(), plan.pitch(), plan.board());
    for (i, name) in files.iter().enumerate() {
        canvas.write([left + step_x * i + (step_x - LETTER[0]) / 2, top + height + PEN], name);
    }
    for (i, name) in ranks.iter().enumerate() {
        canvas.write([BORDER, top + step_y * i + (step_y - LETTER[1]) / 2], name);
    }
}

fn draw_scale(canvas: &mut Canvas, plan: &Plan, scale: &Scale) {
    let ([x, y], [_, height]) = (plan.bar(), plan.board());
    for row in 0..height {
        let share = 1.0 - 2.0 * row as f64 / (height - 1) as f64;
        canvas.fill([x, y + row], [BAR, 1], colours::of_share(share));
    }
    let texts = [(&scale.high, 0), (&scale.middle, (height - LETTER[1]) / 2), (&scale.low, height - LETTER[1])];
    for (text, down) in texts {
        canvas.write([x + BAR + PEN, y + down], text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every query sees one square: `key(query)`.
    fn drawn(kind: GameKind, key: impl Fn(usize) -> usize) -> Canvas {
        let squares = kind.geometry().squares();
        let mut map = vec![0.0; squares * squares];
        (0..squares).for_each(|query| map[query * squares + key(query)] = 2.0);
        let text = || "1".to_owned();
        draw(kind, &map, &Scale { limit: 2.0, low: text(), middle: text(), high: text() })
    }

    /// The colour at a square's corner, found by counting small boards and squares from the lower left.
    fn colour(kind: GameKind, canvas: &Canvas, [file, rank]: [usize; 2], [key_file, key_rank]: [usize; 2]) -> Colour {
        let geometry = kind.geometry();
        let top_of_names = BORDER + 5 * 2 + 2;
        let x = BORDER + 3 * 2 + 2 + GAP + file * (CELL * geometry.files() + GAP) + key_file * CELL;
        let from_below = top_of_names + GAP + rank * (CELL * geometry.ranks() + GAP) + key_rank * CELL;
        canvas.points[(canvas.height - 1 - from_below) * canvas.width + x]
    }

    #[test]
    fn rank_0_is_at_the_bottom_and_file_0_at_the_left_of_large_and_small_boards() {
        for kind in GameKind::ALL {
            let geometry = kind.geometry();
            let [last_file, last_rank] = [geometry.files() - 1, geometry.ranks() - 1];
            let canvas = drawn(kind, |query| geometry.mirror_files(query));
            assert_eq!(colour(kind, &canvas, [0, 0], [last_file, 0]), colours::of_share(1.0));
            assert_eq!(colour(kind, &canvas, [0, 0], [0, 0]), colours::of_share(0.0));
            assert_eq!(colour(kind, &canvas, [0, last_rank], [last_file, last_rank]), colours::of_share(1.0));
            assert_eq!(colour(kind, &canvas, [0, last_rank], [last_file, 0]), colours::of_share(0.0));
            assert_eq!(colour(kind, &canvas, [1, 2], [last_file - 1, 2]), colours::of_share(1.0));
            let red = canvas.points.iter().filter(|&&point| point == colours::of_share(1.0)).count();
            let of_marks = if geometry.files() % 2 == 1 { geometry.ranks() * MARK * MARK } else { 0 };
            assert!(red >= geometry.squares() * CELL * CELL - of_marks, "{red}");
        }
    }

    #[test]
    fn a_scale_of_nothing_is_white() {
        let squares = GameKind::Chess.geometry().squares();
        let text = || "0".to_owned();
        let scale = Scale { limit: 0.0, low: text(), middle: text(), high: text() };
        let canvas = draw(GameKind::Chess, &vec![0.0; squares * squares], &scale);
        assert_eq!(colour(GameKind::Chess, &canvas, [3, 3], [0, 0]), colours::of_share(0.0));
        assert_eq!(canvas.points.len(), canvas.width * canvas.height);
    }
}
