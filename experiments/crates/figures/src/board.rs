//! Maps on boards: squares in the colours of values, with names, pieces and a scale.

pub mod pairs;
mod pieces;
mod scheme;
mod shades;
mod view;

pub use pieces::Piece;
pub use scheme::Scheme;
pub use shades::{Shades, log2_ratios_to_uniform, short};
pub use view::View;

use crate::{Anchor, Canvas};
use games::GameKind;

/// A board on a canvas, rank 0 at the bottom and file 0 on the left.
#[derive(Debug, Clone, Copy)]
pub struct Board {
    pub game: GameKind,
    pub corner: (f64, f64),
    pub square: (f64, f64),
}

impl Board {
    fn sides(&self) -> (usize, usize) {
        let geometry = self.game.geometry();
        (geometry.files(), geometry.ranks())
    }

    pub fn size(&self) -> (f64, f64) {
        let (files, ranks) = self.sides();
        (files as f64 * self.square.0, ranks as f64 * self.square.1)
    }

    /// The upper left corner of a square.
    pub fn at(&self, square: usize) -> (f64, f64) {
        let geometry = self.game.geometry();
        let down = geometry.ranks() - 1 - geometry.rank_of(square);
        (self.corner.0 + geometry.file_of(square) as f64 * self.square.0, self.corner.1 + down as f64 * self.square.1)
    }

    pub fn piece(&self, canvas: &mut Canvas, square: usize, piece: Piece) {
        canvas.push(&pieces::element(self.game, piece, self.at(square), self.square.0));
    }

    /// Names of files below, and of ranks on the left.
    pub fn names(&self, canvas: &mut Canvas, view: View) {
        let ((x, y), (width, height)) = (self.corner, self.square);
        let below = y + self.size().1 + 12.0;
        let (files, ranks) = view.names(self.game);
        for (column, name) in files.iter().enumerate() {
            canvas.text("label", (x + (column as f64 + 0.5) * width, below), Anchor::Middle, name);
        }
        for (row, name) in ranks.iter().enumerate() {
            canvas.text("label", (x - 4.0, y + (row as f64 + 0.5) * height + 4.0), Anchor::End, name);
        }
    }
}

impl Canvas {
    pub fn grid(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), [columns, rows]: [usize; 2]) {
        for column in 0..columns {
            let left = x + column as f64 * width / columns as f64;
            self.rect("grid", (left, y), (width / columns as f64, height));
        }
        for row in 0..rows {
            self.rect("grid", (x, y + row as f64 * height / rows as f64), (width, height / rows as f64));
        }
    }
}
