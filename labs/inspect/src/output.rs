//! The files of an inspection.

use super::InspectionError;
use super::ablation::Costs;
use super::hover_board::HoverBoard;
use super::layer::Statistics;
use super::maps::{Maps, Picture};
use super::page::{self, PageCell};
use figures::board::Scheme;
use figures::convert;
use records::atomic;
use records::inspected::{FILE, FORMAT, Inspected};
use serde::Serialize;
use std::fs;
use std::path::Path;
use train::inference::tensors_file;
use train::pictures;
use train::sinks::tensorboard;

pub const TABLE_FILE: &str = "heads.md";
pub const LAYERS_FILE: &str = "layers.json";
/// The ablations of parts of the encodings.
pub const ABLATION_FILE: &str = "ablation.json";
pub const TENSORS_FILE: &str = "maps.safetensors";
pub const MAPS_DIR: &str = "maps";
pub const PAGE_FILE: &str = "inspect.html";

const PICTURE: &str = "layer-";
/// Pixels of a PNG for one of the SVG.
const ZOOM: f32 = 1.5;

pub(super) struct CellFindings<'a> {
    pub(super) inspected: &'a Inspected,
    pub(super) maps: &'a Maps<'a>,
    pub(super) costs: Option<&'a Costs>,
    pub(super) step: u64,
}

#[derive(Serialize)]
struct LayersRecord<'a> {
    format: u32,
    cell: &'a str,
    positions: usize,
    /// The texts of the examples, by their numbers in the file of maps.
    examples: Vec<&'a str>,
    heads: &'a [Statistics],
    layers: Vec<LayerMeans>,
}

/// The means over the heads of a layer.
#[derive(Serialize)]
struct LayerMeans {
    layer: usize,
    entropy_nats: f64,
    entropy_share: f64,
    distance: f64,
    effective_rank: Option<f64>,
    position_share: Option<f64>,
    fixed_share: f64,
}

/// Writes the files of a cell into a folder, which it creates, and returns the cell's part of the page.
pub(super) fn write_cell(dir: &Path, found: &CellFindings<'_>) -> Result<PageCell, InspectionError> {
    let pictures = found.maps.pictures();
    let pngs = write_pictures(&dir.join(MAPS_DIR), &pictures)?;
    let shown = pictures.iter().zip(pngs);
    let shown = shown.map(|(picture, png)| pictures::Picture { map: picture.name.clone(), step: found.step, png });
    tensorboard::show_pictures(dir, &shown.collect::<Vec<_>>())
        .map_err(InspectionError::io("write event files in", dir))?;
    let tensors = dir.join(TENSORS_FILE);
    tensors_file::write(&tensors, &found.maps.tensors())?;
    let analysis = found.maps.analysis;
    let statistics: Vec<Statistics> = analysis.heads.iter().map(|head| head.statistics.clone()).collect();
    let layers = LayersRecord {
        format: FORMAT,
        cell: &found.inspected.cell,
        positions: found.inspected.positions,
        examples: found.maps.examples.iter().map(|shown| &shown.text[..]).collect(),
        layers: layer_means(analysis.layers(), &statistics),
        heads: &statistics,
    };
    write_json(&dir.join(LAYERS_FILE), &layers)?;
    if let Some(costs) = found.costs {
        write_json(&dir.join(ABLATION_FILE), costs)?;
    }
    let texts = page::Texts { inspected: found.inspected, statistics: &statistics, costs: found.costs };
    write(&dir.join(TABLE_FILE), texts.markdown().as_bytes())?;
    let hover_board = HoverBoard::of(found.maps, found.inspected);
    let cell = PageCell { inspected: found.inspected.clone(), hover_board, pictures };
    write(&dir.join(PAGE_FILE), page::of_cell(&texts, &cell).as_bytes())?;
    found.inspected.write(dir).map_err(InspectionError::io("write", &dir.join(FILE)))?;
    Ok(cell)
}

/// Writes the page of several cells, `shown`, with tables over all of them.
pub(super) fn write_page(
    dir: &Path,
    title: &str,
    cells: &[Inspected],
    shown: &[PageCell],
) -> Result<(), InspectionError> {
    fs::create_dir_all(dir).map_err(InspectionError::io("create", dir))?;
    write(&dir.join(PAGE_FILE), page::of_cells(title, cells, shown).as_bytes())
}

/// Writes the tables over the seeds of a run folder.
pub(super) fn write_tables(dir: &Path, experiment: &str, cells: &[Inspected]) -> Result<(), InspectionError> {
    write(&dir.join(TABLE_FILE), page::cells_markdown(experiment, cells).as_bytes())?;
    write_json(&dir.join(FILE), &cells)
}

/// The PNG files of pictures, which are written with their SVG.
fn write_pictures(dir: &Path, pictures: &[Picture]) -> Result<Vec<Vec<u8>>, InspectionError> {
    fs::create_dir_all(dir).map_err(InspectionError::io("create", dir))?;
    // Pictures of an earlier inspection may show other squares.
    for entry in fs::read_dir(dir).map_err(InspectionError::io("read", dir))?.flatten() {
        let is_picture = entry.file_name().to_string_lossy().starts_with(PICTURE);
        if is_picture {
            fs::remove_file(entry.path()).map_err(InspectionError::io("remove", &entry.path()))?;
        }
    }
    let write_picture = |picture: &Picture| {
        let file = |scheme| picture.map.map(scheme, &picture.name, &picture.title, &picture.caption);
        let path = dir.join(&picture.name);
        write(&path.with_extension("svg"), file(Scheme::Reader).as_bytes())?;
        let png = convert::png(&file(Scheme::Light), ZOOM);
        let png = png.map_err(|reason| InspectionError::Picture { name: picture.name.clone(), reason })?;
        write(&path.with_extension("png"), &png)?;
        Ok(png)
    };
    pictures.iter().map(write_picture).collect()
}

fn layer_means(layers: Vec<usize>, heads: &[Statistics]) -> Vec<LayerMeans> {
    let of_layer = |layer: usize| {
        let heads: Vec<&Statistics> = heads.iter().filter(|head| head.layer == layer).collect();
        let mean = |of: fn(&Statistics) -> f64| heads.iter().map(|head| of(head)).sum::<f64>() / heads.len() as f64;
        let some = |of: fn(&Statistics) -> Option<f64>| {
            let values: Option<Vec<f64>> = heads.iter().map(|head| of(head)).collect();
            values.map(|values| values.iter().sum::<f64>() / values.len() as f64)
        };
        LayerMeans {
            layer,
            entropy_nats: mean(|head| head.entropy_nats),
            entropy_share: mean(|head| head.entropy_share),
            distance: mean(|head| head.distance),
            effective_rank: some(|head| head.effective_rank),
            position_share: some(|head| head.position_share),
            fixed_share: mean(|head| head.fixed_share),
        }
    };
    layers.into_iter().map(of_layer).collect()
}

fn write_json(path: &Path, value: &impl Serialize) -> Result<(), InspectionError> {
    let mut text = serde_json::to_vec_pretty(value)
        .map_err(|error| InspectionError::io("write", path)(std::io::Error::other(error)))?;
    text.push(b'\n');
    write(path, &text)
}

fn write(path: &Path, content: &[u8]) -> Result<(), InspectionError> {
    atomic::replace(path, content).map_err(InspectionError::io("write", path))
}
