//! Entries of a table that find their places on a board of another size.

use crate::checkpoint::{from_little_endian, shape};
use config::start_weights::{Fit, TableOrder};
use encodings::Tokens;
use encodings::displacements::Displacement;
use games::Geometry;
use nn::ParamSpec;
use safetensors::tensor::{Dtype, SafeTensors};
use tch::{TchError, Tensor};

/// Two boards, and how the tables of the first one fit the second.
#[derive(Debug, Clone, Copy)]
pub(super) struct BoardTransfer {
    pub(super) from: Geometry,
    pub(super) to: Geometry,
    pub(super) fit: Fit,
    pub(super) order: TableOrder,
    pub(super) seed: u64,
}

/// What the entries of a table belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TableIndex {
    Displacement,
    Square,
}

impl BoardTransfer {
    /// The numbers of the file's table for a parameter, each with its place among the parameter's.
    pub(super) fn moved(
        &self,
        file: &SafeTensors<'_>,
        param: &ParamSpec,
        by: TableIndex,
        tokens: &Tokens,
    ) -> Result<Vec<(usize, f32)>, String> {
        let name = &param.name;
        if by == TableIndex::Square && self.fit == Fit::Displacement && self.from != self.to {
            let remedy = "write `fit: bicubic` or `fit: bilinear`, or take another encoding";
            return Err(format!("{name} has an entry for each square and none for a displacement; {remedy}"));
        }
        let table = match by {
            TableIndex::Displacement => TransferredTable::by_displacement(file, param, [self.from, self.to]),
            TableIndex::Square => TransferredTable::by_square(file, param, [self.from, self.to], tokens),
        };
        let table = table.ok_or_else(|| {
            let wanted = match by {
                TableIndex::Displacement => {
                    format!("{name} of {} heads or curves and {:?} a displacement", param.shape[0], &param.shape[2..])
                }
                TableIndex::Square => format!("{name} of {:?} a square", &param.shape[1..]),
            };
            format!("it has no table {wanted}; take a network with the same encoding, layers and heads")
        })?;
        if self.fit == Fit::Displacement && table.grids[0] != table.grids[1] {
            return Ok(table.numbers(&places(self.from, self.to, self.order, self.seed)));
        }
        let table = table.stretched(self.fit).map_err(|error| error.to_string())?;
        let same: Vec<usize> = (0..table.on_board(1)).collect();
        Ok(table.numbers(&ordered(same.clone(), same, self.order, self.seed)))
    }
}

/// The classes of both boards' displacements: where an entry is taken from, and where it goes.
fn places(from: Geometry, to: Geometry, order: TableOrder, seed: u64) -> Vec<(usize, usize)> {
    let all = Displacement::all(to);
    let both = all.iter().filter_map(|displacement| Some((displacement.class_on(from)?, displacement.class_on(to)?)));
    let (taken, given): (Vec<usize>, Vec<usize>) = both.unzip();
    ordered(taken, given, order, seed)
}

fn ordered(mut taken: Vec<usize>, given: Vec<usize>, order: TableOrder, seed: u64) -> Vec<(usize, usize)> {
    if order == TableOrder::Shuffled {
        streams::shuffle(&mut streams::stream(seed, &["tables"]), &mut taken);
    }
    taken.into_iter().zip(given).collect()
}

/// One table of the file, `[h, classes, …]`, and its sizes there and here. Of the classes those of the board come first, as a grid.
struct TransferredTable {
    values: Vec<f32>,
    heads: usize,
    classes: [usize; 2],
    /// Rows and columns of the grid.
    grids: [[usize; 2]; 2],
    entry: usize,
}

impl TransferredTable {
    /// `None` if the file has no table of this name that fits.
    fn by_displacement(file: &SafeTensors<'_>, param: &ParamSpec, boards: [Geometry; 2]) -> Option<Self> {
        let (values, found) = tensor(file, &param.name)?;
        let shape = shape(param);
        let fits = found.len() == shape.len() && found[0] == shape[0] && found[2..] == shape[2..];
        let grids = boards.map(|board| [board.torus().1, board.torus().0]);
        let (classes, entry) = ([*found.get(1)?, shape[1]], shape[2..].iter().product());
        let table = Self { values, heads: shape[0], classes, grids, entry };
        // Further classes of a table whose network has auxiliary tokens have no displacement.
        (fits && [0, 3].contains(&classes[0].checked_sub(table.on_board(0))?)).then_some(table)
    }

    /// The same of a table with a row for each token, squares first, in their order.
    fn by_square(file: &SafeTensors<'_>, param: &ParamSpec, boards: [Geometry; 2], tokens: &Tokens) -> Option<Self> {
        let (values, found) = tensor(file, &param.name)?;
        let shape = shape(param);
        let in_order = (0..boards[1].squares()).all(|square| tokens.square(square) == Some(square));
        let fits = in_order && found.len() == shape.len() && shape[0] == tokens.len() && found[1..] == shape[1..];
        let grids = boards.map(|board| [board.ranks(), board.files()]);
        let (classes, entry) = ([*found.first()?, shape[0]], shape[1..].iter().product());
        let table = Self { values, heads: 1, classes, grids, entry };
        (fits && table.auxiliary(0)? == table.auxiliary(1)?).then_some(table)
    }

    fn on_board(&self, side: usize) -> usize {
        self.grids[side].iter().product()
    }

    /// How many classes are not of the board.
    fn auxiliary(&self, side: usize) -> Option<usize> {
        self.classes[side].checked_sub(self.on_board(side))
    }

    /// The table stretched to the grid that it has here.
    fn stretched(self, fit: Fit) -> Result<Self, TchError> {
        let [from, to] = self.grids;
        if from == to {
            return Ok(self);
        }
        let mut values = Vec::new();
        for head in self.values.chunks(self.classes[0] * self.entry) {
            let (on_board, others) = head.split_at(self.on_board(0) * self.entry);
            values.extend(stretched(on_board, from, to, fit)?);
            values.extend(others);
        }
        let classes = [self.classes[0] - self.on_board(0) + self.on_board(1), self.classes[1]];
        Ok(Self { values, classes, grids: [to, to], ..self })
    }

    /// The numbers that move, with their places here. Classes that are not of the board stay if both networks have them.
    fn numbers(&self, places: &[(usize, usize)]) -> Vec<(usize, f32)> {
        let both = if self.auxiliary(0) == self.auxiliary(1) { self.auxiliary(0).unwrap_or(0) } else { 0 };
        let others = (0..both).map(|i| (self.on_board(0) + i, self.on_board(1) + i));
        let places: Vec<(usize, usize)> = places.iter().copied().chain(others).collect();
        let mut numbers = Vec::with_capacity(self.heads * places.len() * self.entry);
        for head in 0..self.heads {
            for &(source, target) in &places {
                let source = (head * self.classes[0] + source) * self.entry;
                let target = (head * self.classes[1] + target) * self.entry;
                numbers.extend((target..).zip(self.values[source..source + self.entry].iter().copied()));
            }
        }
        numbers
    }
}

/// The numbers and the shape of a tensor.
fn tensor(file: &SafeTensors<'_>, name: &str) -> Option<(Vec<f32>, Vec<usize>)> {
    let view = file.tensor(name).ok().filter(|view| view.dtype() == Dtype::F32)?;
    Some((from_little_endian(view.data()), view.shape().to_vec()))
}

/// A grid `[rows, columns, …]` at another size, as [`Fit`] describes it.
fn stretched(grid: &[f32], from: [usize; 2], to: [usize; 2], fit: Fit) -> Result<Vec<f32>, TchError> {
    let [rows, columns] = from.map(|size| size as i64);
    let grid = Tensor::f_from_slice(grid)?.f_view([1, rows, columns, -1])?.f_permute([0, 3, 1, 2])?.f_contiguous()?;
    let to = to.map(|size| size as i64);
    let grid = match fit {
        Fit::Bilinear => grid.f_upsample_bilinear2d(to, true, None::<f64>, None::<f64>)?,
        Fit::Bicubic | Fit::Displacement => grid.f_upsample_bicubic2d(to, false, None::<f64>, None::<f64>)?,
    };
    Vec::try_from(grid.f_permute([0, 2, 3, 1])?.f_contiguous()?.f_view([-1])?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use games::GameKind;

    #[test]
    fn a_control_has_few_entries_in_their_places_and_each_seed_its_own() {
        let [chess, shogi] = [GameKind::Chess, GameKind::Shogi].map(GameKind::geometry);
        let [kept, shuffled, other] = [(TableOrder::Kept, 0), (TableOrder::Shuffled, 0), (TableOrder::Shuffled, 1)]
            .map(|(order, seed)| places(chess, shogi, order, seed));
        assert_ne!(shuffled, other);
        let unmoved = kept.iter().filter(|place| shuffled.contains(place)).count();
        assert!(unmoved < 10, "{unmoved} of {} entries are in their place", kept.len());
    }

    /// The weights of the source's entries for an entry along one side: those of two neighbours with the corners in their places, or
    /// those of four neighbours by Keys' cubic convolution (1981) with a = −0.75, entries as areas and the edge repeated.
    fn weights(from: usize, to: usize, entry: usize, fit: Fit) -> Vec<f64> {
        let mut weights = vec![0.0; from];
        let last = from as isize - 1;
        let place = match fit {
            Fit::Bilinear => entry as f64 * last as f64 / (to - 1) as f64,
            _ => (entry as f64 + 0.5) * from as f64 / to as f64 - 0.5,
        };
        let cubic = |distance: f64| match distance.abs() {
            d if d < 1.0 => 1.25 * d.powi(3) - 2.25 * d.powi(2) + 1.0,
            d if d < 2.0 => -0.75 * (d.powi(3) - 5.0 * d.powi(2) + 8.0 * d - 4.0),
            _ => 0.0,
        };
        for near in place.floor() as isize - 1..=place.floor() as isize + 2 {
            let distance = place - near as f64;
            let weight = if fit == Fit::Bilinear { (1.0 - distance.abs()).max(0.0) } else { cubic(distance) };
            weights[near.clamp(0, last) as usize] += weight;
        }
        weights
    }

    #[test]
    fn grids_are_stretched_as_their_sources_do() {
        let (from, channels) = ([5, 6], 3);
        let number =
            |row: usize, column: usize, channel: usize| ((7 * row + 3 * column + 5 * channel) % 11) as f32 - 4.0;
        let each =
            |[rows, columns]: [usize; 2]| (0..rows).flat_map(move |row| (0..columns).map(move |column| (row, column)));
        let grid: Vec<f32> = each(from)
            .flat_map(|(row, column)| (0..channels).map(move |channel| number(row, column, channel)))
            .collect();
        for to in [[8, 8], [11, 9], [5, 7], [4, 3]] {
            for fit in [Fit::Bilinear, Fit::Bicubic] {
                let found = stretched(&grid, from, to, fit).expect("memory");
                assert_eq!(found.len(), to[0] * to[1] * channels);
                for (place, (row, column)) in each(to).enumerate() {
                    let of_rows = weights(from[0], to[0], row, fit);
                    let of_columns = weights(from[1], to[1], column, fit);
                    assert!((of_rows.iter().sum::<f64>() - 1.0).abs() < 1e-9);
                    for channel in 0..channels {
                        let expected: f64 = each(from)
                            .map(|(r, c)| of_rows[r] * of_columns[c] * f64::from(number(r, c, channel)))
                            .sum();
                        let apart = (f64::from(found[place * channels + channel]) - expected).abs();
                        assert!(apart < 1e-4, "{to:?} {fit:?} {row} {column}: {apart}");
                    }
                }
            }
        }
    }
}
