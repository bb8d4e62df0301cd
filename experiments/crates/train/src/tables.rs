//! Tables by displacement and parameters of formulas that move from one network to another: written by an export, read by
//! `train.start`; and whole trunks.
//!
//! The file holds the tables `[h, classes, …]` and the formulas' parameters of a network's encodings by name, f32, and `board`,
//! the files and ranks of its board, i64. The classes are those of [`encodings::pairs::PairClasses`]: on a larger board the displacements of a
//! smaller one are the inner ones; displacements that a board lacks are left out.

use super::checkpoint::from_little_endian;
use super::error::TrainError;
use super::setup::Setup;
use crate::inference::tensors_file::Named;
use config::start::{Start, TableOrder};
use dataset::bounded;
use encodings::displacements::Displacement;
use games::Geometry;
use models::Network;
use nn::{Arena, Layout, ParamSpec, Part};
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use tch::Tensor;

pub const TABLES_FILE: &str = "tables.safetensors";

const BOARD: &str = "board";

/// The most files or ranks of a board: the number of displacements stays small.
const LONGEST_SIDE: usize = 100;

/// Further classes of a table whose network has auxiliary tokens: they have no displacement.
const AUXILIARY: usize = 3;

/// The tables and the formulas' parameters of a network, and its board; `None` if its encodings have none.
pub fn of_network(network: &Network, arena: &Arena) -> Option<Vec<Named>> {
    let (encodings, board) = (network.encodings(), network.tokens().geometry());
    let tables = [encodings.displacement_tables(), encodings.formula_parameters()].concat();
    let views = arena.frozen_views();
    let named = tables.iter().map(|&id| Named::new(arena.layout().param(id).name.clone(), views[id].shallow_clone()));
    let size = Tensor::from_slice(&[board.files() as i64, board.ranks() as i64]);
    (!tables.is_empty()).then(|| named.chain([Named::new(BOARD, size)]).collect())
}

/// Writes the tables or the trunk that a run starts with over a network's first weights.
pub(super) fn write_over(start: &Start, setup: &Setup, weights: &mut [f32]) -> Result<(), TrainError> {
    let path = start.file();
    let bytes = bounded::read(path, bounded::RECORD).map_err(TrainError::io("read", path))?;
    let found = blake3::hash(&bytes).to_hex().to_string();
    let refused = |reason: String| TrainError::Config { path: path.to_owned(), reason };
    if found != start.blake3 {
        return Err(refused(format!("its BLAKE3 is {found}, the cell's is {}; restore the file", start.blake3)));
    }
    let file = SafeTensors::deserialize(&bytes).map_err(|error| refused(error.to_string()))?;
    let written = match start.is_network() {
        true => trunk_over(&file, &setup.layout, weights),
        false => tables_over(&file, start, setup, weights),
    };
    written.map_err(refused)?;
    match weights.iter().all(|weight| weight.is_finite()) {
        true => Ok(()),
        false => {
            Err(refused("it gives weights that are not finite; take another file, or a smaller `scale`".to_owned()))
        }
    }
}

/// Writes tables of another network, by displacement, and parameters of its formulas over those of this one.
fn tables_over(file: &SafeTensors<'_>, start: &Start, setup: &Setup, weights: &mut [f32]) -> Result<(), String> {
    let from = board(file).ok_or_else(|| format!("it has no board in `{BOARD}`; export the network again"))?;
    let to = setup.network.tokens().geometry();
    let encodings = setup.network.encodings();
    let (tables, formulas) = (encodings.displacement_tables(), encodings.formula_parameters());
    if tables.is_empty() && formulas.is_empty() {
        let remedy = "take relative_bias, shaw or a learned formula of the displacement, or leave `train.start` out";
        return Err(format!("the encodings of this row have no tables by displacement; {remedy}"));
    }
    if !formulas.is_empty() && (start.order != TableOrder::Kept || start.scale != 1.0) {
        return Err(
            "`order` and `scale` change tables by displacement, and a formula has none; leave them out".to_owned()
        );
    }
    for param in formulas.into_iter().map(|id| setup.layout.param(id)) {
        let values = of_shape(file, param).ok_or_else(|| {
            let wanted = format!("it has no {} of the shape {:?}", param.name, param.shape);
            format!("{wanted}; take a network with the same encoding, layers and heads")
        })?;
        weights[param.offset..param.offset + param.len()].copy_from_slice(&values);
    }
    let places = places(from, to, start.order, setup.config.seed);
    for id in tables {
        let param = setup.layout.param(id);
        let table = Table::of(file, param, from, to).ok_or_else(|| {
            let wanted =
                format!("{} of {} heads and {:?} a displacement", param.name, param.shape[0], &param.shape[2..]);
            format!("it has no table {wanted}; take a network with the same encoding, layers and heads")
        })?;
        table.write_over(&places, start.scale, &mut weights[param.offset..param.offset + param.len()]);
    }
    Ok(())
}

/// Writes trunk, encodings and running statistics of another network over those of this one. A statistic that the file lacks is of
/// a head.
fn trunk_over(file: &SafeTensors<'_>, layout: &Layout, weights: &mut [f32]) -> Result<(), String> {
    for param in layout.params().iter().filter(|param| param.part != Part::Head) {
        match of_shape(file, param) {
            Some(values) => weights[param.offset..param.offset + param.len()].copy_from_slice(&values),
            None if param.part == Part::Statistic => {}
            None => {
                let wanted = format!("it has no tensor {} of the shape {:?}", param.name, param.shape);
                return Err(format!("{wanted}; take a network with the same trunk and the same encodings"));
            }
        }
    }
    Ok(())
}

/// The numbers of the tensor with a parameter's name and shape.
fn of_shape(file: &SafeTensors<'_>, param: &ParamSpec) -> Option<Vec<f32>> {
    let shape: Vec<usize> = param.shape.iter().map(|&size| size as usize).collect();
    let view = file.tensor(&param.name).ok().filter(|view| view.dtype() == Dtype::F32 && view.shape() == shape)?;
    Some(from_little_endian(view.data()))
}

fn board(file: &SafeTensors<'_>) -> Option<Geometry> {
    let view = file.tensor(BOARD).ok().filter(|view| view.dtype() == Dtype::I64 && view.shape() == [2])?;
    let fits = |size: &usize| (1..=LONGEST_SIDE).contains(size);
    let size = |bytes: &[u8]| usize::try_from(i64::from_le_bytes(bytes.try_into().ok()?)).ok().filter(fits);
    let (files, ranks) = view.data().split_at(view.data().len() / 2);
    Some(Geometry::new(size(files)?, size(ranks)?))
}

/// The classes of both boards' displacements: where an entry is taken from, and where it goes.
fn places(from: Geometry, to: Geometry, order: TableOrder, seed: u64) -> Vec<(usize, usize)> {
    let all = Displacement::all(to);
    let both = all.iter().filter_map(|displacement| Some((displacement.class_on(from)?, displacement.class_on(to)?)));
    let (mut taken, given): (Vec<usize>, Vec<usize>) = both.unzip();
    if order == TableOrder::Shuffled {
        streams::shuffle(&mut streams::stream(seed, &["tables"]), &mut taken);
    }
    taken.into_iter().zip(given).collect()
}

/// One table of the file, and its sizes there and here.
struct Table {
    values: Vec<f32>,
    heads: usize,
    /// Classes in the file and in the network.
    classes: [usize; 2],
    on_board: [usize; 2],
    entry: usize,
}

impl Table {
    /// `None` if the file has no table of this name that fits.
    fn of(file: &SafeTensors<'_>, param: &ParamSpec, from: Geometry, to: Geometry) -> Option<Self> {
        let view: TensorView<'_> = file.tensor(&param.name).ok().filter(|view| view.dtype() == Dtype::F32)?;
        let shape: Vec<usize> = param.shape.iter().map(|&size| size as usize).collect();
        let found = view.shape();
        let on_board = [from.displacement_classes(), to.displacement_classes()];
        let classes = [*found.get(1)?, shape[1]];
        let known = |classes: usize, on_board: usize| [on_board, on_board + AUXILIARY].contains(&classes);
        let fits = found.len() == shape.len() && found[0] == shape[0] && found[2..] == shape[2..];
        (fits && known(classes[0], on_board[0])).then(|| Self {
            values: from_little_endian(view.data()),
            heads: shape[0],
            classes,
            on_board,
            entry: shape[2..].iter().product(),
        })
    }

    fn write_over(&self, places: &[(usize, usize)], scale: f64, to: &mut [f32]) {
        let with_auxiliary = (0..2).all(|i| self.classes[i] > self.on_board[i]);
        let auxiliary =
            (0..if with_auxiliary { AUXILIARY } else { 0 }).map(|i| (self.on_board[0] + i, self.on_board[1] + i));
        let places: Vec<(usize, usize)> = places.iter().copied().chain(auxiliary).collect();
        for head in 0..self.heads {
            for &(source, target) in &places {
                let source = (head * self.classes[0] + source) * self.entry;
                let target = (head * self.classes[1] + target) * self.entry;
                let entries = to[target..target + self.entry].iter_mut().zip(&self.values[source..source + self.entry]);
                entries.for_each(|(to, from)| *to = (f64::from(*from) * scale) as f32);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use games::GameKind;

    #[test]
    fn a_displacement_has_its_own_entry_or_that_of_another_one() {
        let [chess, shogi] = [GameKind::Chess, GameKind::Shogi].map(GameKind::geometry);
        for (from, to) in [(chess, shogi), (shogi, chess), (chess, chess)] {
            let kept = places(from, to, TableOrder::Kept, 0);
            let both = from.displacement_classes().min(to.displacement_classes());
            assert_eq!(kept.len(), both);
            let (from, to) = (Displacement::all(from), Displacement::all(to));
            assert!(kept.iter().all(|&(source, target)| from[source] == to[target]));
        }
        let sorted = |mut all: Vec<(usize, usize)>| {
            all.sort_unstable();
            all
        };
        let [kept, shuffled, other] = [(TableOrder::Kept, 0), (TableOrder::Shuffled, 0), (TableOrder::Shuffled, 1)]
            .map(|(order, seed)| places(chess, shogi, order, seed));
        let split = |all: &[(usize, usize)]| -> (Vec<usize>, Vec<usize>) { all.iter().copied().unzip() };
        assert_eq!(split(&kept).1, split(&shuffled).1, "the same entries are written");
        let taken = |all: &[(usize, usize)]| sorted(split(all).0.into_iter().map(|class| (class, 0)).collect());
        assert_eq!(taken(&kept), taken(&shuffled), "and the same ones are taken");
        assert!(kept != shuffled && shuffled != other);
        let unmoved = kept.iter().filter(|place| shuffled.contains(place)).count();
        assert!(unmoved < 10, "{unmoved} of {} entries are in their place", kept.len());
    }
}
