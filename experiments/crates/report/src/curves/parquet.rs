//! The long table as Parquet: texts are dictionary-encoded, so a study's table is small and loads at once.

use super::Source;
use crate::error::CurvesError;
use arrow_array::builder::{Float64Builder, StringBuilder, UInt64Builder};
use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use records::MetricLine;
use records::plan::Row;
use std::io::Write;
use std::iter::repeat_n;
use std::path::Path;
use std::sync::Arc;

/// Writes the table as Parquet, compressed with zstd; a row group for each cell or more.
///
/// # Errors
/// If the folder has no plan, a cell's metrics cannot be read, or `to` cannot be written.
pub fn write_parquet(run_dir: &Path, to: impl Write + Send) -> Result<(), CurvesError> {
    let source = Source::read(run_dir)?;
    let schema = Arc::new(schema(&source));
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_created_by("posenc".to_owned())
        .build();
    let mut writer = ArrowWriter::try_new(to, Arc::clone(&schema), Some(properties))?;
    source.each_cell(|row, seed, lines| {
        let columns = columns(&source, row, seed, lines);
        Ok(writer.write(&RecordBatch::try_new(Arc::clone(&schema), columns)?)?)
    })?;
    writer.close()?;
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

fn columns(source: &Source<'_>, row: &Row, seed: u64, lines: &[MetricLine]) -> Vec<ArrayRef> {
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
        same(&row.label),
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
