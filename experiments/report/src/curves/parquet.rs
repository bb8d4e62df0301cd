//! The long table as Parquet: texts are dictionary-encoded, so a study's table is small and loads at once.

use super::{COLUMNS, each_cell};
use crate::error::CurvesError;
use arrow_array::builder::{Float64Builder, StringBuilder, UInt64Builder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use records::MetricLine;
use records::plan::Row;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

/// Writes the table as Parquet, compressed with zstd; a row group for each cell or more.
///
/// # Errors
/// If the folder has no plan, a cell's metrics cannot be read, or `to` cannot be written.
pub fn write_parquet(run_dir: &Path, to: impl Write + Send) -> Result<(), CurvesError> {
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_created_by("posenc".to_owned())
        .build();
    let mut writer = ArrowWriter::try_new(to, Arc::new(schema()), Some(properties))?;
    each_cell(run_dir, |row, seed, lines| Ok(writer.write(&batch(row, seed, lines)?)?))?;
    writer.close()?;
    Ok(())
}

fn schema() -> Schema {
    let kind = |name: &str| match name {
        "seed" | "step" => DataType::UInt64,
        "value" => DataType::Float64,
        _ => DataType::Utf8,
    };
    Schema::new(COLUMNS.iter().map(|&name| Field::new(name, kind(name), false)).collect::<Vec<_>>())
}

fn batch(row: &Row, seed: u64, lines: &[MetricLine]) -> Result<RecordBatch, CurvesError> {
    let (mut games, mut rows, mut splits) = (StringBuilder::new(), StringBuilder::new(), StringBuilder::new());
    let (mut weights, mut metrics) = (StringBuilder::new(), StringBuilder::new());
    let (mut seeds, mut steps, mut values) = (UInt64Builder::new(), UInt64Builder::new(), Float64Builder::new());
    for line in lines {
        for (metric, value) in line.metrics.iter() {
            games.append_value(row.game.name());
            rows.append_value(&row.label);
            seeds.append_value(seed);
            steps.append_value(line.step);
            splits.append_value(line.split.name());
            weights.append_value(line.weights.name());
            metrics.append_value(metric);
            values.append_value(value);
        }
    }
    let columns: Vec<ArrayRef> = vec![
        Arc::new(games.finish()),
        Arc::new(rows.finish()),
        Arc::new(seeds.finish()),
        Arc::new(steps.finish()),
        Arc::new(splits.finish()),
        Arc::new(weights.finish()),
        Arc::new(metrics.finish()),
        Arc::new(values.finish()),
    ];
    Ok(RecordBatch::try_new(Arc::new(schema()), columns)?)
}
