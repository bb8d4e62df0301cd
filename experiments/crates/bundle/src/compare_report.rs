//! Compares the numbers that a bundle's `report.csv` states with what its cells give.
//!
//! Bytes are not compared: another version of posenc may draw other columns and words. Nor are intervals and p-values, which
//! depend on a version's statistics.

use super::error::{cannot, no_report};
use csv::{ReaderBuilder, StringRecord};
use records::files;
use report::{Report, csv as table};
use std::collections::{HashMap, VecDeque};
use std::path::Path;

pub const FILE: &str = "report.csv";

/// The columns that name a line.
const NAMES: [&str; 4] = ["game", "row", "role", "metric"];

/// The roles of lines that depend on a version's statistics.
const FITTED: [&str; 4] = ["multiplier", "exponent", "floor", "prediction"];

/// The columns that follow from what cells store, whatever the statistics.
const NUMBERS: [&str; 10] =
    ["n", "mean", "sd", "difference", "seeds_done", "seeds", "parameters", "flops", "step_s", "step_ratio"];

/// The largest relative difference of two numbers that count as equal: sums on other processors differ in the last digits.
const TOLERANCE: f64 = 1e-6;

#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct NumberComparison {
    pub compared: usize,
    /// How many lines were not compared, because their role is that of a fitted curve.
    pub skipped: usize,
    /// What differs, one text for each number or line.
    pub differences: Vec<String>,
}

/// Compares the `report.csv` of an unpacked bundle with its cells; none if it has none.
pub fn compare(run_dir: &Path) -> anyhow::Result<Option<NumberComparison>> {
    let path = run_dir.join(FILE);
    if !path.exists() {
        return Ok(None);
    }
    let stated = files::read(&path).map_err(cannot("read", &path))?;
    let report = Report::of(run_dir).map_err(no_report)?;
    Ok(Some(between(&String::from_utf8_lossy(&stated), &table::draw(&report))))
}

/// The numbers of one table that differ from those of another. Lines that only the other one has are new metrics.
fn between(stated: &str, given: &str) -> NumberComparison {
    let (stated, given) = (lines_of(stated), lines_of(given));
    let mut lines: HashMap<Vec<&str>, VecDeque<&ComparedFields>> = HashMap::new();
    for line in &given {
        lines.entry(name(line)).or_default().push_back(line);
    }
    let mut result = NumberComparison::default();
    for line in &stated {
        let name = name(line);
        if FITTED.contains(&name[2]) {
            result.skipped += 1;
            continue;
        }
        let Some(other) = lines.get_mut(&name).and_then(VecDeque::pop_front) else {
            result.differences.push(format!("{}: the cells do not have it", name.join(", ")));
            continue;
        };
        for column in NUMBERS {
            let (Some(own), Some(other)) = (line.get(column), other.get(column)) else { continue };
            if own.is_empty() {
                continue;
            }
            result.compared += 1;
            let numbers = own.parse::<f64>().ok().zip(other.parse::<f64>().ok());
            if own != other && !numbers.is_some_and(|(own, other)| is_close(own, other, TOLERANCE)) {
                let found = if other.is_empty() { "nothing" } else { other.as_str() };
                result.differences.push(format!("{}: {column} is {own}, the cells give {found}", name.join(", ")));
            }
        }
    }
    result
}

/// Whether two numbers are finite and differ by at most this share of the larger one.
pub(super) fn is_close(own: f64, other: f64, tolerance: f64) -> bool {
    own.is_finite() && other.is_finite() && (own - other).abs() <= tolerance * own.abs().max(other.abs())
}

/// The compared fields of a line, by column.
type ComparedFields = HashMap<&'static str, String>;

/// The lines of a table with a header; others may have written it. Of two columns with one name the first counts.
fn lines_of(text: &str) -> Vec<ComparedFields> {
    let mut reader = ReaderBuilder::new().flexible(true).from_reader(text.as_bytes());
    let header = reader.headers().cloned().unwrap_or_default();
    let place = |column: &'static str| Some((column, header.iter().position(|name| name == column)?));
    let columns: Vec<(&str, usize)> = NAMES.into_iter().chain(NUMBERS).filter_map(place).collect();
    let line = |fields: StringRecord| -> ComparedFields {
        columns.iter().filter_map(|&(column, at)| Some((column, fields.get(at)?.to_owned()))).collect()
    };
    reader.records().filter_map(Result::ok).map(line).collect()
}

fn name(line: &ComparedFields) -> Vec<&str> {
    NAMES.iter().map(|column| line.get(*column).map_or("", String::as_str)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIVEN: &str = "experiment,game,row,role,metric,n,mean,sd,low\r\n\
                         x,chess,\"shaw, \"\"q\"\"\",compared,loss,3,2.5,,0.1\r\nx,chess,none,reference,loss,3,2.75,0.5,\r\n";

    #[test]
    fn numbers_are_compared_and_words_and_statistics_are_not() {
        let same = NumberComparison { compared: 5, ..NumberComparison::default() };
        assert_eq!(between(GIVEN, GIVEN), same);
        let other_words =
            GIVEN.replace("experiment,", "study,").replace("0.1\r", "0.2\r").replace("2.5,", "2.5000000001,");
        assert_eq!(between(&other_words, GIVEN), same);
        let lies = between(&GIVEN.replace("2.75", "2.25").replace("none", "rope"), GIVEN);
        assert_eq!(lies.differences, ["chess, rope, reference, loss: the cells do not have it"]);
        let lies = between(&GIVEN.replace("2.75,0.5", "2.25,0.5").replace(",2.5,,", ",2.5,0.25,"), GIVEN);
        assert_eq!(lies.compared, 6);
        assert_eq!(
            lies.differences,
            [
                "chess, shaw, \"q\", compared, loss: sd is 0.25, the cells give nothing",
                "chess, none, reference, loss: mean is 2.25, the cells give 2.75",
            ]
        );
        let fitted = format!("{GIVEN}x,chess,shaw,multiplier,positions@64,,2.5,,\r\n");
        assert_eq!(between(&fitted, GIVEN), NumberComparison { skipped: 1, ..same });
        let twice = GIVEN.replace("sd,low", "sd,mean").replace("2.5,,0.1", "2.25,,2.5");
        assert_eq!(
            between(&twice, GIVEN).differences,
            ["chess, shaw, \"q\", compared, loss: mean is 2.25, the cells give 2.5"]
        );
        let older = "game,row,role,metric,mean\nchess,none,reference,loss,2.75\n";
        assert_eq!(between(older, GIVEN), NumberComparison { compared: 1, ..NumberComparison::default() });
    }

    #[test]
    fn a_field_that_is_no_finite_number_is_a_difference() {
        for lie in ["inf", "-inf", "NaN", "2.75*", "0.1 (better)", "1e999"] {
            let lies = between(&GIVEN.replace("2.75", lie), GIVEN);
            let expected = format!("chess, none, reference, loss: mean is {lie}, the cells give 2.75");
            assert_eq!((lies.compared, lies.differences), (5, vec![expected]));
        }
        let unknown = GIVEN.replace("2.75", "NaN");
        assert_eq!(between(&unknown, &unknown), NumberComparison { compared: 5, ..NumberComparison::default() });
    }
}
