//! The primary metric on parts of the test positions, paired position by position.

use crate::figures::{Figure, Styles, slug, slugs};
use crate::model::RowReport;
use crate::noise::Positions;
use crate::numbers::{decimals, fixed, of_test, or_absent};
use crate::run_folder::RunFolder;
use crate::statistics::MeanTest;
use crate::statistics::crossed::{Differences, test};
use crate::table::Table;
use dataset::MOVE_TYPES;
use facts::row_name::readable;
use facts::{Role, grouped};
use figures::plot::dots::{self, Dot, DotGroup, DotPlot};
use games::{GameKind, Phase, with_game};
use rayon::prelude::*;
use records::plan::Row;
use records::positions::PositionRow;
use std::collections::BTreeMap;

#[derive(Debug, Clone, PartialEq)]
pub struct SliceReport {
    pub measure: &'static str,
    pub reference: String,
    /// The compared rows, in the order of the tables.
    pub rows: Vec<String>,
    /// Ways to slice, all positions first.
    pub dimensions: Vec<Dimension>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Dimension {
    pub name: &'static str,
    /// Its slices that have enough positions.
    pub slices: Vec<Slice>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Slice {
    pub name: String,
    /// How many positions have the metric.
    pub positions: usize,
    /// The reference's mean over seeds and positions.
    pub reference: f64,
    /// Row less reference for each row of [`SliceReport::rows`]; none if seeds are missing.
    pub differences: Vec<Option<MeanTest>>,
}

/// Slices with fewer positions are not reported.
const POSITIONS_NEEDED: usize = 50;

/// A slice's name and the places of its positions.
type Group = (String, Vec<usize>);

/// The measurements of one row's cells, by seed.
type Measurements<'a> = BTreeMap<u64, &'a [Option<f32>]>;

/// The slices of a game for each reference; none if no slice has enough positions.
pub(crate) fn of(folder: &RunFolder, kind: GameKind, rows: &[RowReport], table: &Positions) -> Vec<SliceReport> {
    let measurements = |role: Role, label: &str| -> Measurements<'_> {
        let of_row = |row: &Row| -> Measurements<'_> {
            folder.plan.seeds.iter().filter_map(|&seed| Some((seed, table.values(&row.folder, seed)?))).collect()
        };
        let mut planned = folder.plan.rows.iter().filter(|row| row.game == kind);
        planned.find(|row| row.role == role && row.display_name() == label).map(of_row).unwrap_or_default()
    };
    let ways = groups(table, kind);
    let against = |reference: &RowReport| -> Option<SliceReport> {
        let is_against = |row: &&RowReport| {
            let comparison = row.comparison.as_ref().filter(|_| row.role == Role::Compared);
            comparison.is_some_and(|comparison| comparison.reference == reference.label)
        };
        let labels: Vec<String> = rows.iter().filter(is_against).map(|row| row.label.clone()).collect();
        let compared: Vec<Measurements<'_>> = labels.iter().map(|label| measurements(Role::Compared, label)).collect();
        let own = measurements(Role::Reference, &reference.label);
        let dimension = |(name, slices): &(&'static str, Vec<Group>)| {
            let slices =
                slices.par_iter().filter_map(|(slice, places)| of_slice(table, slice, places, &own, &compared));
            Dimension { name, slices: slices.collect() }
        };
        let mut dimensions: Vec<Dimension> = ways.iter().map(dimension).collect();
        dimensions.retain(|dimension| !dimension.slices.is_empty());
        let (measure, reference) = (table.measure, reference.label.clone());
        (!dimensions.is_empty()).then_some(SliceReport { measure, reference, rows: labels, dimensions })
    };
    rows.iter().filter(|row| row.role == Role::Reference).filter_map(against).collect()
}

/// Every way to slice: the names of the slices in their order, and the places of their positions.
fn groups(table: &Positions, kind: GameKind) -> Vec<(&'static str, Vec<Group>)> {
    let by = |names: &[&str], is: &dyn Fn(&PositionRow, &str) -> bool| -> Vec<Group> {
        let places = |name: &str| (0..table.rows.len()).filter(|&i| is(&table.rows[i], name)).collect();
        names.iter().map(|&name| (name.to_owned(), places(name))).collect()
    };
    let target = |place: usize| {
        move |row: &PositionRow, name: &str| row.target.as_ref().is_some_and(|target| target[place] == name)
    };
    let pieces = with_game!(kind, G => G::PIECES);
    vec![
        ("all", by(&["all positions"], &|_, _| true)),
        ("phase", by(&Phase::ALL.map(Phase::name), &|row, name| row.phase == name)),
        ("move type", by(&MOVE_TYPES, &target(0))),
        ("from- and to-square", by(&["rank", "file", "diagonal", "knight", "drop", "other"], &target(2))),
        ("distance", by(&DISTANCES.map(|(name, ..)| name), &distance)),
        ("piece", by(pieces, &target(1))),
    ]
}

/// Distances in king's moves: a name, the least and the greatest.
const DISTANCES: [(&str, u8, u8); 5] =
    [("1 square", 1, 1), ("2 squares", 2, 2), ("3 squares", 3, 3), ("4 or 5", 4, 5), ("6 or more", 6, u8::MAX)];

fn distance(row: &PositionRow, name: &str) -> bool {
    let band = DISTANCES.iter().find(|(known, ..)| *known == name);
    band.zip(row.distance).is_some_and(|((_, least, most), distance)| (*least..=*most).contains(&distance))
}

fn of_slice(
    table: &Positions,
    name: &str,
    places: &[usize],
    reference: &Measurements<'_>,
    rows: &[Measurements<'_>],
) -> Option<Slice> {
    let first = reference.values().next()?;
    let places: Vec<usize> = places.iter().copied().filter(|&i| first[i].is_some()).collect();
    if places.len() < POSITIONS_NEEDED {
        return None;
    }
    // As in the mean that decides verdicts, a position counts with its labelled squares or pairs.
    let weight = |i: usize| table.rows[i].weight(table.metric_index);
    let mut positions = vec![0; table.count];
    places.iter().for_each(|&i| positions[table.games[i]] += weight(i) as u32);
    let all: f64 = places.iter().map(|&i| weight(i)).sum();
    let mean = |values: &&[Option<f32>]| {
        places.iter().map(|&i| weight(i) * f64::from(values[i].unwrap_or_default())).sum::<f64>() / all
    };
    let against = |row: &Measurements<'_>| {
        let pairs = row.iter().filter_map(|(seed, values)| Some((values, reference.get(seed)?)));
        let sums: Vec<Vec<f64>> = pairs
            .map(|(own, other)| {
                let mut sums = vec![0.0; table.count];
                for &i in &places {
                    let difference = f64::from(own[i].unwrap_or_default()) - f64::from(other[i].unwrap_or_default());
                    sums[table.games[i]] += weight(i) * difference;
                }
                sums
            })
            .collect();
        Some(test(Differences { sums: &sums, positions: &positions })?.test)
    };
    Some(Slice {
        positions: places.len(),
        reference: reference.values().map(mean).sum::<f64>() / reference.len() as f64,
        differences: rows.iter().map(against).collect(),
        name: name.to_owned(),
    })
}

/// The most rows of a report that one table compares.
const SIDE_BY_SIDE: usize = 3;

/// Differences to each reference by slice; several tables if there are many rows.
pub(crate) fn tables(slices: &[SliceReport]) -> Vec<Table> {
    let of_reference = |report: &SliceReport| -> Vec<Table> {
        let places: Vec<usize> = (0..report.rows.len()).collect();
        places.chunks(SIDE_BY_SIDE).map(|places| of_rows(report, places)).collect()
    };
    slices.iter().flat_map(of_reference).collect()
}

fn of_rows(report: &SliceReport, places: &[usize]) -> Table {
    let mut header = vec!["slice".to_owned(), "positions".to_owned(), readable(&report.reference)];
    header.extend(places.iter().map(|&place| readable(&report.rows[place])));
    let slices = report.dimensions.iter().flat_map(|dimension| dimension.slices.iter().map(move |s| (dimension, s)));
    let rows = slices.map(|(dimension, slice)| {
        let name =
            if dimension.name == "all" { slice.name.clone() } else { format!("{}: {}", dimension.name, slice.name) };
        let level = fixed(slice.reference, decimals(slice.reference.abs() / 100.0));
        let mut cells = vec![name, grouped(slice.positions as u64), level];
        cells.extend(places.iter().map(|&place| or_absent(slice.differences[place].as_ref(), of_test)));
        cells
    });
    let title = format!("{} by slice: the reference, and differences to it", report.measure);
    let note = "paired by position; 95 % intervals over seeds and games, uncorrected: some of these slices exclude 0 by chance";
    Table::new(header, &[0], rows).titled(&title).noted([note])
}

/// Differences by slice, for each reference.
pub(crate) fn figures(game: &str, slices: &[SliceReport], styles: &Styles) -> Vec<Figure> {
    let others = slugs(slices.iter().skip(1).map(|report| &report.reference)).into_iter();
    let groups = std::iter::once(String::new()).chain(others.map(|name| format!("-{name}")));
    slices.iter().zip(groups).flat_map(|(report, group)| figures_of(game, report, &group, styles)).collect()
}

/// `group` ends the names of the figures.
fn figures_of(game: &str, report: &SliceReport, group: &str, styles: &Styles) -> Vec<Figure> {
    let figure = |dimension: &Dimension| {
        let groups = dimension.slices.iter().map(|slice| {
            let dots = report.rows.iter().zip(&slice.differences).filter_map(|(label, test)| {
                let (mean, interval) = ((*test)?.mean, (*test)?.interval(0.95));
                Some(Dot { label: readable(label), style: styles.label(label), mean, interval })
            });
            DotGroup { label: format!("{} ({})", slice.name, grouped(slice.positions as u64)), dots: dots.collect() }
        });
        let plot = DotPlot {
            title: format!("By {} on {game}.", dimension.name),
            x_label: format!("difference in {} to {}", report.measure, readable(&report.reference)),
            groups: groups.collect(),
        };
        let id = format!("{game}-slice-{}{group}", slug(dimension.name));
        let svg = dots::draw(&plot, &id, styles.medium)?;
        let caption = "Row less reference, paired by position; 95 % intervals over seeds and games, uncorrected; in \
                       parentheses: positions.";
        Some(Figure { id, svg, title: plot.title, caption: caption.to_owned() })
    };
    // The first dimension, all positions, is in the table.
    report.dimensions.iter().skip(1).filter_map(figure).collect()
}
