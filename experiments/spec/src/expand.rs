//! From axes to rows: the product, with `zip`, `exclude` and `include` as GitHub Actions' matrices have them, and axes of
//! some rows only (`conditional`).

use super::axes::{AxisName, Point};
use super::file::ExperimentFile;
use super::source::{ConfigError, Source, YamlPath, at};
use std::collections::BTreeMap;

/// A row before it is a run: a value on every axis that the experiment speaks of, and where each was written.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Combination {
    pub(crate) point: Point,
    /// Where the value of an axis stands in the file.
    pub(crate) origins: BTreeMap<AxisName, YamlPath>,
}

impl Combination {
    /// One that says nothing.
    fn none() -> Self {
        Self { point: Point::default(), origins: BTreeMap::new() }
    }

    fn new(point: Point, path: impl Fn(AxisName) -> YamlPath) -> Self {
        let origins = point.axes().into_iter().map(|axis| (axis, path(axis))).collect();
        Self { point: point.normalised(), origins }
    }

    /// Both together; this one wins where both say something.
    fn over(&self, other: &Self) -> Self {
        let mut origins = other.origins.clone();
        origins.extend(self.origins.clone());
        Self { point: self.point.or(&other.point), origins }
    }
}

/// Every row, in the order of the file: the first axis of the file format varies slowest, rows of their own that
/// `include` adds come last.
pub(crate) fn combinations(file: &ExperimentFile, source: &Source) -> Result<Vec<Combination>, ConfigError> {
    let groups = groups(file, source)?;
    let mut varied: Vec<AxisName> = groups.iter().flatten().copied().collect();
    let base = base(file, &varied, source)?;
    let product =
        groups.iter().map(|group| advance_together(file, group)).fold(vec![Combination::none()], |rows, values| {
            rows.iter().flat_map(|row| values.iter().map(|value| value.over(row))).collect()
        });
    let product = conditional(file, product, &base, &mut varied, source)?;
    let kept = exclude(file, product, &base, source)?;
    Ok(include(file, kept, &varied).iter().map(|row| row.over(&base)).collect())
}

/// The axes that vary, each alone or with those that it is zipped with, in the order of [`AxisName::ALL`].
fn groups(file: &ExperimentFile, source: &Source) -> Result<Vec<Vec<AxisName>>, ConfigError> {
    let mut zipped = Vec::new();
    for (g, group) in file.zip.iter().enumerate() {
        for (i, &axis) in group.iter().enumerate() {
            let wrong = |message: String| Err(source.error_at(&at!["zip", g, i], message));
            if zipped.contains(&axis) || group[..i].contains(&axis) {
                return wrong(format!("`{axis}` is zipped twice")).map_err(|e| e.help("name each axis once"));
            }
            let Some(values) = file.axes.points(axis) else {
                return wrong(format!("`{axis}` is zipped but is no axis"))
                    .map_err(|e| e.help(format!("add `{axis}: […]` to `axes`, or take it out of `zip`")));
            };
            let first = file.axes.points(group[0]).map_or(0, |values| values.len());
            if values.len() != first {
                let (n, other) = (values.len(), group[0]);
                return wrong(format!("`{axis}` has {n} values but `{other}`, zipped with it, has {first}"))
                    .map_err(|e| e.help("zipped axes need equally many values"));
            }
        }
        zipped.extend(group);
    }
    for &axis in AxisName::ALL {
        if file.axes.points(axis).is_some_and(|values| values.is_empty()) {
            let error = source.error_at(&at!["axes", axis.name()], format!("the axis `{axis}` has no values"));
            return Err(error.help("list at least one, or leave the axis out"));
        }
    }
    let group_of = |axis: AxisName| {
        let zipped = file.zip.iter().find(|group| group.contains(&axis)).cloned();
        zipped.unwrap_or_else(|| vec![axis])
    };
    let mut groups: Vec<Vec<AxisName>> = Vec::new();
    for axis in AxisName::ALL.iter().copied().filter(|&axis| file.axes.points(axis).is_some()) {
        if !groups.iter().flatten().any(|&other| other == axis) {
            groups.push(group_of(axis));
        }
    }
    Ok(groups)
}

fn base(file: &ExperimentFile, varied: &[AxisName], source: &Source) -> Result<Combination, ConfigError> {
    let point = file.base.point();
    if let Some(axis) = point.axes().into_iter().find(|axis| varied.contains(axis)) {
        let error = source.error_at(&base_path(axis), format!("`{axis}` is fixed in `base` and varied in `axes`"));
        return Err(error.help("keep one of the two"));
    }
    Ok(Combination::new(point, base_path))
}

/// Where `base` has the value of an axis.
pub(crate) fn base_path(axis: AxisName) -> YamlPath {
    match axis {
        AxisName::Game | AxisName::Encoding | AxisName::Model | AxisName::Input | AxisName::Moves => {
            at!["base", axis.name()]
        }
        AxisName::Mask
        | AxisName::Optimizer
        | AxisName::LearningRate
        | AxisName::Batch
        | AxisName::Steps
        | AxisName::Phases => {
            at!["base", "train", axis.name()]
        }
    }
}

/// The values of a group: the i-th of every axis in it.
fn advance_together(file: &ExperimentFile, group: &[AxisName]) -> Vec<Combination> {
    let columns: Vec<Vec<Point>> = group.iter().filter_map(|&axis| file.axes.points(axis)).collect();
    let length = columns.iter().map(Vec::len).min().unwrap_or(0);
    (0..length)
        .map(|i| {
            let point = columns.iter().fold(Point::default(), |point, column| point.or(&column[i]));
            Combination::new(point, |axis| at!["axes", axis.name(), i])
        })
        .collect()
}

/// Rows that fit to a condition are combined with its axes, and take their place; the others stay as they are. Adds
/// these axes to those that vary.
fn conditional(
    file: &ExperimentFile,
    mut rows: Vec<Combination>,
    base: &Combination,
    varied: &mut Vec<AxisName>,
    source: &Source,
) -> Result<Vec<Combination>, ConfigError> {
    for (c, condition) in file.conditional.iter().enumerate() {
        let axes = AxisName::ALL.iter().filter_map(|&axis| Some((axis, condition.axes.points(axis)?)));
        let axes: Vec<(AxisName, Vec<Point>)> = axes.collect();
        for (axis, values) in &axes {
            let wrong = |message: String| source.error_at(&at!["conditional", c, "axes", axis.name()], message);
            if file.axes.points(*axis).is_some() || condition.when.axes().contains(axis) {
                let error = wrong(format!("`{axis}` varies in all rows, or decides which rows these are"));
                return Err(error.help("take it out of `conditional`, or out of the other place"));
            }
            if values.is_empty() {
                return Err(wrong(format!("the axis `{axis}` has no values")).help("list at least one"));
            }
        }
        let when = condition.when.clone().normalised();
        let fits = |row: &Combination| when.matches(&row.over(base).point);
        if axes.is_empty() || when.axes().is_empty() || !rows.iter().any(fits) {
            let error = source.error_at(&at!["conditional", c], "this entry of `conditional` changes no row");
            return Err(
                error.help("`when` needs values as written in `axes`, options included, and `axes` some values")
            );
        }
        let values = axes.iter().fold(vec![Combination::none()], |before, (axis, points)| {
            let value =
                |v: usize| Combination::new(points[v].clone(), |_| at!["conditional", c, "axes", axis.name(), v]);
            before.iter().flat_map(|row| (0..points.len()).map(move |v| value(v).over(row))).collect()
        });
        let widened = |row: Combination| match fits(&row) {
            true => values.iter().map(|value| value.over(&row)).collect(),
            false => vec![row],
        };
        rows = rows.into_iter().flat_map(widened).collect();
        varied.extend(axes.iter().map(|(axis, _)| *axis));
    }
    Ok(rows)
}

fn exclude(
    file: &ExperimentFile,
    mut rows: Vec<Combination>,
    base: &Combination,
    source: &Source,
) -> Result<Vec<Combination>, ConfigError> {
    for (i, unwanted) in file.exclude.iter().enumerate() {
        let unwanted = unwanted.clone().normalised();
        let before = rows.len();
        rows.retain(|row| !unwanted.matches(&row.over(base).point));
        if unwanted.axes().is_empty() || rows.len() == before {
            let error = source.error_at(&at!["exclude", i], "no row matches this entry of `exclude`");
            return Err(error.help("its values must be written as in `axes`; or take it out"));
        }
    }
    Ok(rows)
}

/// An entry is added to every row of the product whose varied values it does not contradict (a value that an earlier
/// entry added may be overwritten); one that fits to none becomes a row of its own.
fn include(file: &ExperimentFile, product: Vec<Combination>, varied: &[AxisName]) -> Vec<Combination> {
    // Without axes there is no product, only the entries themselves.
    let mut rows = if varied.is_empty() && !file.include.is_empty() { Vec::new() } else { product };
    let originals: Vec<Point> = rows.iter().map(|row| row.point.clone()).collect();
    for (i, extra) in file.include.iter().enumerate() {
        let extra = Combination::new(extra.clone(), |axis| at!["include", i, axis.name()]);
        let fits = |original: &Point| {
            let contradicts = |axis: &AxisName| varied.contains(axis) && !extra.point.same(original, *axis);
            !extra.point.axes().iter().any(contradicts)
        };
        let fitting: Vec<usize> = (0..originals.len()).filter(|&row| fits(&originals[row])).collect();
        for &row in &fitting {
            rows[row] = extra.over(&rows[row]);
        }
        if fitting.is_empty() {
            rows.push(extra);
        }
    }
    rows
}
