//! Tables by displacement and parameters of formulas that move from one network to another: written by an export, read by
//! `train.start`; and whole trunks.
//!
//! The file holds the tables `[h, classes, …]`, curves `[rank, classes]` and the formulas' parameters of a network's encodings by
//! name, f32, and `board`, the files and ranks of its board, i64. The classes are those of [`nn::PairClasses`]: on a larger board the displacements of a
//! smaller one are the inner ones; displacements that a board lacks are left out. Weights of an export have all parameters and no
//! board.

mod board_transfer;

use super::checkpoint::of_shape;
use super::error::TrainError;
use super::setup::{Setup, declare, read_config};
use crate::inference::tensors_file::Named;
use board_transfer::{BoardTransfer, TableIndex};
use config::RunConfig;
use config::start_weights::{Fit, Start, TableOrder};
use dataset::bounded;
use games::{GameKind, Geometry};
use models::Network;
use nn::{Arena, Layout, ParamId, ParamSpec, Part};
use records::folder::{CHECKPOINTS, CONFIG_FILE};
use safetensors::tensor::{Dtype, SafeTensors};
use std::path::Path;
use tch::Tensor;

pub const TABLES_FILE: &str = "tables.safetensors";

const BOARD: &str = "board";

/// The scopes of all parameters but those of heads.
const TRUNK: [&str; 5] = ["body.", "embedding.", "encoding.", "refinement.", "registers."];

/// The most files or ranks of a board: the number of displacements stays small.
const LONGEST_SIDE: usize = 100;

/// The tables and the formulas' parameters of a network, and its board; `None` if its encodings have none.
pub fn of_network(network: &Network, arena: &Arena) -> Option<Vec<Named>> {
    let (encodings, board) = (network.encodings(), network.tokens().geometry());
    let tables = [encodings.displacement_tables(), encodings.formula_parameters()].concat();
    let views = arena.frozen_views();
    let named = tables.iter().map(|&id| Named::new(arena.layout().param(id).name.clone(), views[id].shallow_clone()));
    let size = Tensor::from_slice(&[board.files() as i64, board.ranks() as i64]);
    (!tables.is_empty()).then(|| named.chain([Named::new(BOARD, size)]).collect())
}

/// Whether a run's network can begin with what `train.start` names: reads the file, trains nothing.
pub fn check_start(run: &RunConfig) -> Result<(), TrainError> {
    let Some(start) = &run.train.start else { return Ok(()) };
    let (network, layout) = declare(run)?;
    let mut weights = vec![0.0; layout.len()];
    let heads = run.model.attention_heads();
    write_over(start, InitialNetwork { network: &network, layout: &layout, heads, seed: run.seed }, &mut weights)
}

/// The network whose first weights are written over.
#[derive(Debug, Clone, Copy)]
pub(super) struct InitialNetwork<'a> {
    network: &'a Network,
    layout: &'a Layout,
    heads: usize,
    seed: u64,
}

impl<'a> InitialNetwork<'a> {
    pub(super) fn of(setup: &'a Setup) -> Self {
        let heads = setup.config.model.attention_heads();
        Self { network: &setup.network, layout: &setup.layout, heads, seed: setup.config.seed }
    }
}

/// Writes the tables or the trunk that a run starts with over a network's first weights.
pub(super) fn write_over(start: &Start, initial: InitialNetwork<'_>, weights: &mut [f32]) -> Result<(), TrainError> {
    let path = start.file();
    let bytes = bounded::read(path, bounded::WEIGHTS).map_err(TrainError::io("read", path))?;
    let found = blake3::hash(&bytes).to_hex().to_string();
    let refused = |reason: String| TrainError::Config { path: path.to_owned(), reason };
    if found != start.blake3 {
        return Err(refused(format!("its BLAKE3 is {found}, the cell's is {}; restore the file", start.blake3)));
    }
    let file = SafeTensors::deserialize(&bytes).map_err(|error| refused(error.to_string()))?;
    let written = match start.is_network() {
        true => same_heads(path, initial.heads).and_then(|()| trunk_over(&file, start, initial, weights)),
        false => tables_over(&file, start, initial, weights),
    };
    written.map_err(refused)?;
    match weights.iter().all(|weight| weight.is_finite()) {
        true => Ok(()),
        false => {
            Err(refused("it gives weights that are not finite; take another file, or a smaller `scale`".to_owned()))
        }
    }
}

/// Writes tables of another network, by displacement or stretched, and parameters of its formulas over those of this one.
fn tables_over(
    file: &SafeTensors<'_>,
    start: &Start,
    initial: InitialNetwork<'_>,
    weights: &mut [f32],
) -> Result<(), String> {
    let transfer = transfer(board_of(file, start)?, start, initial);
    let encodings = initial.network.encodings();
    let (tables, formulas) = (encodings.displacement_tables(), encodings.formula_parameters());
    let squares = if start.fit == Fit::Displacement { Vec::new() } else { encodings.square_tables() };
    if tables.is_empty() && formulas.is_empty() && squares.is_empty() {
        let remedy = "take relative_bias, shaw, low_rank or a learned formula of the displacement, `fit: bicubic` for a learned table \
                      of absolute, or leave `train.start` out";
        return Err(format!("the encodings of this row have no tables by displacement; {remedy}"));
    }
    if !formulas.is_empty() && (start.order != TableOrder::Kept || start.is_scaled()) {
        return Err("`order`, `scale` and `rms` change tables by displacement, and a formula has none; leave them out"
            .to_owned());
    }
    for param in formulas.iter().map(|&id| initial.layout.param(id)) {
        let values = of_shape(file, param).ok_or_else(|| {
            let wanted = format!("it has no {} of the shape {:?}", param.name, param.shape);
            format!("{wanted}; take a network with the same encoding, layers and heads")
        })?;
        weights[param.offset..param.offset + param.len()].copy_from_slice(&values);
    }
    // The same parameter of a layer that this network lacks.
    let in_any_layer = |name: &str| name.split(|c: char| c.is_ascii_digit()).collect::<String>();
    let taken: Vec<String> = [&tables, &formulas, &squares]
        .into_iter()
        .flatten()
        .map(|&id| in_any_layer(&initial.layout.param(id).name))
        .collect();
    let is_left = |name: &str| initial.layout.find(name).is_none() && taken.contains(&in_any_layer(name));
    if let Some(name) = file.names().into_iter().find(|name| is_left(name)) {
        return Err(format!("this network has no {name}, which the file has; take a network with as many layers"));
    }
    let mut numbers = Vec::new();
    for (ids, by) in [(tables, TableIndex::Displacement), (squares, TableIndex::Square)] {
        for param in ids.into_iter().map(|id| initial.layout.param(id)) {
            let moved = transfer.moved(file, param, by, initial.network.tokens())?;
            numbers.extend(moved.into_iter().map(|(place, number)| (param.offset + place, number)));
        }
    }
    let factor = start.rms.map_or(start.scale, |rms| rms / root_mean_square(&numbers));
    for (place, number) in numbers {
        weights[place] = (f64::from(number) * factor) as f32;
    }
    Ok(())
}

fn transfer(from: Geometry, start: &Start, initial: InitialNetwork<'_>) -> BoardTransfer {
    let to = initial.network.tokens().geometry();
    BoardTransfer { from, to, fit: start.fit, order: start.order, seed: initial.seed }
}

fn root_mean_square(numbers: &[(usize, f32)]) -> f64 {
    let squares: f64 = numbers.iter().map(|&(_, number)| f64::from(number).powi(2)).sum();
    (squares / numbers.len() as f64).sqrt()
}

/// Refuses the network of an export or a cell with another number of attention heads, which no shape shows and its configuration
/// does. Of other files the number is not known.
fn same_heads(weights: &Path, heads: usize) -> Result<(), String> {
    let folder = weights.parent().unwrap_or(Path::new(""));
    let (config, place) = match folder.ends_with(CHECKPOINTS) {
        true => (folder.with_file_name(CONFIG_FILE), "of its cell"),
        false => (folder.join(CONFIG_FILE), "beside it"),
    };
    let Ok(run) = read_config(&config) else { return Ok(()) };
    match run.model.attention_heads() {
        same if same == heads => Ok(()),
        other => Err(format!(
            "its network has {other} attention heads ({CONFIG_FILE} {place}) and this one {heads}; take a network with as many"
        )),
    }
}

/// Writes trunk, encodings and running statistics of another network over those of this one, and with `heads` its heads. A
/// statistic that the file lacks is of a head; what else it has of trunk and encodings is refused. On another board, tables are
/// moved and every other parameter must have its shape.
fn trunk_over(
    file: &SafeTensors<'_>,
    start: &Start,
    initial: InitialNetwork<'_>,
    weights: &mut [f32],
) -> Result<(), String> {
    let (layout, encodings, tokens) = (initial.layout, initial.network.encodings(), initial.network.tokens());
    let transfer = transfer(start.board.map_or(tokens.geometry(), GameKind::geometry), start, initial);
    let (tables, squares) = (encodings.displacement_tables(), encodings.square_tables());
    let is_moved = |ids: &[ParamId], id| transfer.from != transfer.to && ids.contains(&id);
    for param in layout.params().iter().filter(|param| param.part != Part::Head || start.heads) {
        let id = layout.find(&param.name).expect("it is in the layout");
        let by = match (is_moved(&tables, id), is_moved(&squares, id)) {
            (true, _) => Some(TableIndex::Displacement),
            (_, true) => Some(TableIndex::Square),
            _ => None,
        };
        if let Some(by) = by {
            for (place, number) in transfer.moved(file, param, by, tokens)? {
                weights[param.offset + place] = number;
            }
            continue;
        }
        match of_shape(file, param) {
            Some(values) => weights[param.offset..param.offset + param.len()].copy_from_slice(&values),
            None if param.part == Part::Statistic => {}
            None => return Err(no_tensor(file, param, transfer)),
        }
    }
    let is_left = |name: &str| TRUNK.iter().any(|scope| name.starts_with(scope)) && layout.find(name).is_none();
    match file.names().into_iter().filter(|name| is_left(name)).min() {
        None => Ok(()),
        Some(name) => Err(format!(
            "this network has no {name}, which the file has; take a network with the same layers and the same encodings"
        )),
    }
}

fn no_tensor(file: &SafeTensors<'_>, param: &ParamSpec, transfer: BoardTransfer) -> String {
    let (name, wanted) = (&param.name, &param.shape);
    match file.tensor(name).ok().filter(|_| transfer.from != transfer.to) {
        Some(found) => {
            let board = |board: Geometry| format!("{}×{}", board.files(), board.ranks());
            format!(
                "{name} has the shape {:?} on {} and {wanted:?} on {}, and no source says how it moves; take another encoding \
                 or another network",
                found.shape(),
                board(transfer.from),
                board(transfer.to)
            )
        }
        None => {
            let remedy = match param.part {
                Part::Head => "take a network with the same heads, or leave `heads` out",
                _ => "take a network with the same trunk and the same encodings",
            };
            format!("it has no tensor {name} of the shape {wanted:?}; {remedy}")
        }
    }
}

fn board_of(file: &SafeTensors<'_>, start: &Start) -> Result<Geometry, String> {
    match (board(file), start.board) {
        (Some(found), Some(named)) if found != named.geometry() => {
            let (files, ranks, named) = (found.files(), found.ranks(), named.name());
            Err(format!("its tables are of a board of {files}×{ranks}, not of {named}; leave `board` out"))
        }
        (found, named) => found.or(named.map(GameKind::geometry)).ok_or_else(|| {
            format!("it has no board in `{BOARD}`; export the network again, or write `board: GAME` for weights of an export")
        }),
    }
}

fn board(file: &SafeTensors<'_>) -> Option<Geometry> {
    let view = file.tensor(BOARD).ok().filter(|view| view.dtype() == Dtype::I64 && view.shape() == [2])?;
    let fits = |size: &usize| (1..=LONGEST_SIDE).contains(size);
    let size = |bytes: &[u8]| usize::try_from(i64::from_le_bytes(bytes.try_into().ok()?)).ok().filter(fits);
    let (files, ranks) = view.data().split_at(view.data().len() / 2);
    Some(Geometry::new(size(files)?, size(ranks)?))
}
