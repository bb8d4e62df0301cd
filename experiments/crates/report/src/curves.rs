//! Every number of every `metrics.jsonl` of a run folder as one long table, for data frames: as CSV (RFC 4180) or as Parquet.
//!
//! The columns are described in `docs/metrics.md`.

use super::axes::Axes;
use super::csv::{text, writer};
use anyhow::Context as _;
use arrow_array::builder::{Float64Builder, StringBuilder, UInt64Builder};
use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use records::MetricLine;
use records::folder::METRICS_FILE;
use records::lines::{self, ReadError};
use records::plan::{Plan, Row};
use std::io::{self, Write};
use std::iter::repeat_n;
use std::path::Path;
use std::sync::Arc;

/// The columns that every table has. One for each varied axis follows, with its dotted name.
pub const COLUMNS: &[&str] = &["game", "row", "role", "seed", "step", "split", "weights", "metric", "value"];

/// Writes the table as CSV: a line for each metric of each line of each cell, rows and seeds in the order of the plan.
/// Cells may be running; cells that have not measured anything yet have no lines.
pub fn write(run_dir: &Path, to: &mut impl Write) -> anyhow::Result<()> {
    let source = Source::read(run_dir)?;
    let mut table = writer(to);
    table.write_record(source.columns().map(text)).map_err(not_written)?;
    source.each_cell(|row, seed, lines| {
        let (game, label, role) = (row.game.name(), text(row.shown()), row.role.name());
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
struct Source<'a> {
    run_dir: &'a Path,
    plan: Plan,
    axes: Axes,
}

impl<'a> Source<'a> {
    fn read(run_dir: &'a Path) -> anyhow::Result<Self> {
        let plan = Plan::read(run_dir)?;
        Ok(Self { axes: Axes::read(run_dir, &plan), run_dir, plan })
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

/// Writes the table as Parquet, compressed with zstd; a row group for each cell or more. Texts are dictionary-encoded, so a
/// study's table is small and loads at once.
pub fn write_parquet(run_dir: &Path, to: impl Write + Send) -> anyhow::Result<()> {
    let source = Source::read(run_dir)?;
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

fn schema(source: &Source<'_>) -> Schema {
    let kind = |name: &str| match name {
        "seed" | "step" => DataType::UInt64,
        "value" => DataType::Float64,
        _ => DataType::Utf8,
    };
    Schema::new(source.columns().map(|name| Field::new(name, kind(name), false)).collect::<Vec<_>>())
}

fn arrays(source: &Source<'_>, row: &Row, seed: u64, lines: &[MetricLine]) -> Vec<ArrayRef> {
    let (mut splits, mut weights, mut metrics) = (StringBuilder::new(), StringBuilder::new(), StringBuilder::new());
    let (mut seeds, mut steps, mut values) = (UInt64Builder::new(), UInt64Builder::new(), Float64Builder::new());
    let mut count = 0;
    for line in lines {
        for (metric, value) in line.metrics.iter() {
            seeds.append_value(seed);
            steps.append_value(line.step);
            splits.append_value(line.split.name());
            weights.append_value(line.weights.name());
            metrics.append_value(metric);
            values.append_value(value);
            count += 1;
        }
    }
    let same = |text: &str| -> ArrayRef { Arc::new(StringArray::from_iter_values(repeat_n(text, count))) };
    let mut columns: Vec<ArrayRef> = vec![
        same(row.game.name()),
        same(row.shown()),
        same(row.role.name()),
        Arc::new(seeds.finish()),
        Arc::new(steps.finish()),
        Arc::new(splits.finish()),
        Arc::new(weights.finish()),
        Arc::new(metrics.finish()),
        Arc::new(values.finish()),
    ];
    columns.extend(source.axes.values(row).iter().map(|value| same(value)));
    columns
}
