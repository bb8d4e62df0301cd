//! Every number of every `metrics.jsonl` of a run folder as one long table, for data frames: as CSV (RFC 4180) or as
//! Parquet, or as a wide table for each cell, for experiment trackers.
//!
//! The columns are described in `docs/metrics.md`.

use super::csv::{text, writer};
use super::run_folder::{CellFacts, leaves};
use anyhow::Context as _;
use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray, UInt64Array};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use records::folder::METRICS_FILE;
use records::lines::{self, ReadError};
use records::plan::{Plan, Row};
use records::{Axes, MetricLine, atomic};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::iter::repeat_n;
use std::path::Path;
use std::sync::Arc;

/// The columns that every table has. One for each varied axis follows, with its dotted name.
pub const COLUMNS: &[&str] = &["game", "row", "role", "seed", "step", "split", "weights", "metric", "value"];

/// Writes the table as CSV: a line for each metric of each line of each cell, rows and seeds in the order of the plan.
/// Cells may be running; cells that have not measured anything yet have no lines.
pub fn write(run_dir: &Path, to: &mut impl Write) -> anyhow::Result<()> {
    let source = CurvesSource::read(run_dir)?;
    let mut table = writer(to);
    table.write_record(source.columns().map(text)).map_err(not_written)?;
    source.each_cell(|row, seed, lines| {
        let (game, label, role) = (row.game.name(), text(row.display_name()), row.role.name());
        let axes: Vec<String> = source.axes.values(row).iter().map(|value| text(value)).collect();
        for line in lines {
            let (split, weights) = (line.split.name(), line.weights.name());
            for (metric, value) in line.metrics.iter() {
                let (metric, value) = (text(metric), format!("{value:?}"));
                let line = (game, &label, role, seed, line.step, split, weights, metric, value, &axes);
                table.serialize(line).map_err(not_written)?;
            }
        }
        Ok(())
    })?;
    table.flush().context(NOT_WRITTEN)
}

const NOT_WRITTEN: &str = "cannot write the table of curves; check the disk or the program that reads it";

/// With the cause itself, so that the command line can recognise a closed pipe.
fn not_written(error: csv::Error) -> anyhow::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(cause) => anyhow::Error::new(cause).context(NOT_WRITTEN),
        other => anyhow::anyhow!("{NOT_WRITTEN}: {other:?}"),
    }
}

/// A run folder as far as the table needs it.
struct CurvesSource<'a> {
    run_dir: &'a Path,
    plan: Plan,
    axes: Axes,
}

impl<'a> CurvesSource<'a> {
    fn read(run_dir: &'a Path) -> anyhow::Result<Self> {
        let plan = Plan::read(run_dir)?;
        // A row has values once one of its cells has begun.
        let of_cell = |row: &Row, seed: u64| CellFacts::read(&Plan::cell_dir(run_dir, row, seed))?.compared_run();
        let run = |row: &Row| plan.seeds.iter().find_map(|&seed| of_cell(row, seed));
        let runs: Vec<Option<Value>> = plan.rows.iter().map(run).collect();
        let axes = Axes::of(plan.rows.iter().zip(&runs).filter_map(|(row, run)| Some((row, run.as_ref()?))));
        Ok(Self { axes, run_dir, plan })
    }

    fn columns(&self) -> impl Iterator<Item = &str> {
        COLUMNS.iter().copied().chain(self.axes.names().iter().map(String::as_str))
    }

    /// Calls `of_cell` with the lines of each cell that has some.
    fn each_cell(&self, mut of_cell: impl FnMut(&Row, u64, &[MetricLine]) -> anyhow::Result<()>) -> anyhow::Result<()> {
        for row in &self.plan.rows {
            for &seed in &self.plan.seeds {
                let path = Plan::cell_dir(self.run_dir, row, seed).join(METRICS_FILE);
                let lines = match lines::read(&path) {
                    Err(ReadError::Io { cause, .. }) if cause.kind() == io::ErrorKind::NotFound => continue,
                    lines => lines?,
                };
                of_cell(row, seed, &lines)?;
            }
        }
        Ok(())
    }
}

/// The files of [`write_wide`] in a folder for each cell.
pub const WIDE: [&str; 2] = ["metrics.csv", "settings.json"];

/// Writes for each cell that has lines `<row>/seed-<n>/metrics.csv`, a line per step and a column per metric, and
/// `settings.json`, its settings by dotted names. Returns the number of cells.
pub fn write_wide(run_dir: &Path, out: &Path) -> anyhow::Result<usize> {
    let source = CurvesSource::read(run_dir)?;
    let mut cells = 0;
    source.each_cell(|row, seed, lines| {
        let folder = Plan::cell_dir(out, row, seed);
        fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
        let settings = settings(&source, row, seed);
        let settings = format!("{:#}\n", Value::Object(settings)).into_bytes();
        for (name, bytes) in WIDE.into_iter().zip([wide(lines)?, settings]) {
            let path = folder.join(name);
            atomic::replace(&path, &bytes).with_context(|| format!("cannot write {}", path.display()))?;
        }
        cells += 1;
        Ok(())
    })?;
    Ok(cells)
}

/// The steps of a cell, each with its values by `<split>/<metric>`, for averaged weights `<split>_averaged/<metric>`.
fn wide(lines: &[MetricLine]) -> anyhow::Result<Vec<u8>> {
    let mut columns: Vec<String> = Vec::new();
    let mut steps: BTreeMap<u64, BTreeMap<String, f64>> = BTreeMap::new();
    for line in lines {
        for (metric, value) in line.metrics.iter() {
            let column = text(&line.tag(metric));
            if !columns.contains(&column) {
                columns.push(column.clone());
            }
            steps.entry(line.step).or_default().insert(column, value);
        }
    }
    let mut table = writer(Vec::new());
    table.write_record(std::iter::once("step").chain(columns.iter().map(String::as_str))).map_err(not_written)?;
    for (step, values) in &steps {
        let shown =
            columns.iter().map(|column| values.get(column).map_or_else(String::new, |value| format!("{value:?}")));
        table.write_record(std::iter::once(step.to_string()).chain(shown)).map_err(not_written)?;
    }
    table.into_inner().map_err(|error| anyhow::Error::new(error.into_error()).context(NOT_WRITTEN))
}

/// The settings of a cell by dotted names: its row, the varied axes as texts, and its resolved run.
fn settings(source: &CurvesSource<'_>, row: &Row, seed: u64) -> Map<String, Value> {
    let mut flat = Map::new();
    let known = [("experiment", &source.plan.experiment[..]), ("row", row.display_name()), ("role", row.role.name())];
    flat.extend(known.map(|(name, value)| (name.to_owned(), json!(value))));
    flat.insert("game".to_owned(), json!(row.game.name()));
    flat.insert("seed".to_owned(), json!(seed));
    let facts = CellFacts::read(&Plan::cell_dir(source.run_dir, row, seed));
    flat.extend(facts.as_ref().and_then(CellFacts::run).into_iter().flat_map(|run| leaves("", run, true)));
    for (axis, value) in source.axes.names().iter().zip(source.axes.values(row)) {
        flat.entry(axis.as_str()).or_insert_with(|| json!(value));
    }
    flat
}

/// Writes the table as Parquet, compressed with zstd; a row group for each cell or more. Texts are dictionary-encoded, so a
/// study's table is small and loads at once.
pub fn write_parquet(run_dir: &Path, to: impl Write + Send) -> anyhow::Result<()> {
    let source = CurvesSource::read(run_dir)?;
    let schema = Arc::new(schema(&source));
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_created_by("posenc".to_owned())
        .build();
    let mut writer = ArrowWriter::try_new(to, Arc::clone(&schema), Some(properties)).context(NOT_WRITTEN)?;
    source.each_cell(|row, seed, lines| {
        let columns = arrays(&source, row, seed, lines);
        let columns = RecordBatch::try_new(Arc::clone(&schema), columns).context("please report this as a defect")?;
        writer.write(&columns).context(NOT_WRITTEN)
    })?;
    writer.close().context(NOT_WRITTEN)?;
    Ok(())
}

fn schema(source: &CurvesSource<'_>) -> Schema {
    let kind = |name: &str| match name {
        "seed" | "step" => DataType::UInt64,
        "value" => DataType::Float64,
        _ => DataType::Utf8,
    };
    Schema::new(source.columns().map(|name| Field::new(name, kind(name), false)).collect::<Vec<_>>())
}

fn arrays(source: &CurvesSource<'_>, row: &Row, seed: u64, lines: &[MetricLine]) -> Vec<ArrayRef> {
    let all = || lines.iter().flat_map(|line| line.metrics.iter().map(move |(metric, value)| (line, metric, value)));
    let count = all().count();
    let same = |text: &str| -> ArrayRef { Arc::new(StringArray::from_iter_values(repeat_n(text, count))) };
    let mut columns: Vec<ArrayRef> = vec![
        same(row.game.name()),
        same(row.display_name()),
        same(row.role.name()),
        Arc::new(UInt64Array::from_iter_values(repeat_n(seed, count))),
        Arc::new(UInt64Array::from_iter_values(all().map(|(line, ..)| line.step))),
        Arc::new(StringArray::from_iter_values(all().map(|(line, ..)| line.split.name()))),
        Arc::new(StringArray::from_iter_values(all().map(|(line, ..)| line.weights.name()))),
        Arc::new(StringArray::from_iter_values(all().map(|(_, metric, _)| metric))),
        Arc::new(Float64Array::from_iter_values(all().map(|(.., value)| value))),
    ];
    columns.extend(source.axes.values(row).iter().map(|value| same(value)));
    columns
}
