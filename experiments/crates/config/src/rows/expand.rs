//! From axes to rows: the product, with `zip`, `exclude` and `include` as in GitHub Actions' matrices, and axes of some rows
//! only (`conditional`).
//!
//! A row *has* a value if writing it there changes nothing. So values can be written with or without their defaults, and a
//! part of a value (`model.chessformer.layers`) is a value like any other.

use crate::settings::base::{read_row, wrong_in_row};
use crate::settings::file::ExperimentFile;
use crate::settings::preset;
use crate::settings::run::BaseConfig;
use crate::settings::setting::{Point, Setting};
use crate::yaml::source::{ConfigError, Step, at};
use crate::yaml::tree::{Content, Node};
use facts::plan::MOST_CELLS;
use facts::setting::remove;
use serde_json::Value;

/// A row before its dataset is known: its tree, and the content of the tree.
#[derive(Debug, Clone)]
pub(crate) struct Combination {
    /// Its value on every axis that varies.
    pub(crate) point: Point,
    /// `base` with these values, then with the settings of the command line.
    pub(crate) tree: Node,
    pub(crate) run: BaseConfig,
    /// The same as JSON, with every value in one spelling.
    pub(crate) json: Value,
}

impl Combination {
    /// Its value of a setting, in one spelling.
    pub(crate) fn value(&self, setting: &Setting) -> Option<&Value> {
        setting.of(&self.json)
    }

    /// Its run in one spelling, less some settings.
    pub(crate) fn without<'a>(&self, settings: impl IntoIterator<Item = &'a Setting>) -> Value {
        without(self.json.clone(), settings)
    }

    /// Its run with other values, in one spelling.
    pub(crate) fn with<'a>(
        &self,
        values: impl IntoIterator<Item = (&'a Setting, &'a Node)>,
    ) -> Result<Value, ConfigError> {
        read_row(&changed(&self.tree, values)?).map(|run| json(&run))
    }

    /// The node of a setting, or the innermost one on its path.
    pub(crate) fn node(&self, key_path: &[&str]) -> &Node {
        self.tree.nearest(key_path)
    }

    /// An error about a setting of the row.
    pub(crate) fn refused(&self, key_path: &[&str], reason: impl std::fmt::Display) -> ConfigError {
        let origin = &self.node(key_path).origin;
        match origin.source.is_option {
            true => origin.error(format!("`{}`: {reason}", key_path.join("."))),
            false => origin.refused(reason),
        }
    }
}

/// A tree with values at the places of their settings.
fn changed<'a>(tree: &Node, values: impl IntoIterator<Item = (&'a Setting, &'a Node)>) -> Result<Node, ConfigError> {
    let mut tree = tree.clone();
    for (setting, value) in values {
        preset::put(&mut tree, setting.key_path(), value.clone())?;
    }
    Ok(tree)
}

fn json(run: &BaseConfig) -> Value {
    serde_json::to_value(run).expect("a run has string keys only")
}

/// A run as JSON, less some settings.
pub(crate) fn without<'a>(mut json: Value, settings: impl IntoIterator<Item = &'a Setting>) -> Value {
    for setting in settings {
        remove(&mut json, setting.key_path());
    }
    json
}

/// After this number of invalid rows the others are not read.
const MOST_WRONG_ROWS: usize = 100;

#[derive(Clone, Copy)]
pub(crate) struct Matrix<'a> {
    pub(crate) file: &'a ExperimentFile,
    pub(crate) overrides: &'a Point,
    /// The whole file as it is written.
    pub(crate) document: &'a Node,
}

impl Matrix<'_> {
    /// Every row, in the order of the file: the first axis varies slowest (settings with a short name before others),
    /// rows of their own that `include` adds come last.
    pub(crate) fn combinations(self) -> Result<Vec<Combination>, ConfigError> {
        let groups = self.groups()?;
        let mut varied: Vec<Setting> = groups.iter().flatten().cloned().collect();
        self.fixed_and_varied(&varied)?;
        let product = groups.iter().try_fold(vec![Point::default()], |rows, group| {
            self.multiplied(&rows, &advance_together(&self.file.axes, group))
        })?;
        let product = self.conditional(product, &mut varied)?;
        let product = self.exclude(product)?;
        let of_axes = product.len();
        let rows = self.include(product, &varied)?;
        self.check_size(rows.len(), self.file.seeds.len(), &at!["seeds"])?;
        let (mut combinations, mut errors) = (Vec::new(), Vec::new());
        for (place, point) in rows.into_iter().enumerate() {
            // What `include` adds may have been meant for one of the invalid rows.
            if place == of_axes && !varied.is_empty() && !errors.is_empty() {
                break;
            }
            match self.combination(point.clone()) {
                Ok(combination) => combinations.push(combination),
                // An error of `base` is in every row, so one of them shows all errors.
                Err(error) => {
                    let is_new = errors.iter().all(|known: &ConfigError| known.problem() != error.problem());
                    let all = if is_new { wrong_in_row(&self.tree(&point)?) } else { None };
                    errors.push(all.unwrap_or(error));
                }
            }
            if errors.len() == MOST_WRONG_ROWS {
                break;
            }
        }
        ConfigError::all(errors).map_or(Ok(combinations), Err)
    }

    /// Refuses more combinations than memory holds, of rows or of a row's trials. `exclude` and a search may leave fewer.
    pub(crate) fn limited(self, combinations: usize, of: &'static str) -> Result<(), ConfigError> {
        const MOST: usize = 10 * MOST_CELLS;
        if combinations <= MOST {
            return Ok(());
        }
        let error = self.document.error_at(&at![of], format!("its axes give more than {MOST} combinations"));
        Err(error.help("give fewer values"))
    }

    /// Refuses a grid with more cells than one may have; the list of its seeds is at `place`.
    pub(crate) fn check_size(self, rows: usize, seeds: usize, place: &[Step]) -> Result<(), ConfigError> {
        if rows.saturating_mul(seeds) <= MOST_CELLS {
            return Ok(());
        }
        let error = self.document.error_at(place, format!("{rows} rows with {seeds} seeds are too many cells"));
        Err(error.help(format!("a grid may have {MOST_CELLS}; vary less, or divide it into several files")))
    }

    /// Each row with each of the values.
    fn multiplied(self, rows: &[Point], values: &[Point]) -> Result<Vec<Point>, ConfigError> {
        self.limited(rows.len().saturating_mul(values.len()), "axes")?;
        Ok(rows.iter().flat_map(|row| values.iter().map(|value| value.over(row))).collect())
    }

    pub(crate) fn combination(self, point: Point) -> Result<Combination, ConfigError> {
        let tree = self.tree(&point)?;
        let run = read_row(&tree)?;
        let json = json(&run);
        Ok(Combination { point, tree, run, json })
    }

    /// `base` with the values of a row. Of two that overlap, the narrower one holds; settings of the command line always do.
    pub(crate) fn tree(self, point: &Point) -> Result<Node, ConfigError> {
        let mut values: Vec<(&Setting, &Node)> = point.values().collect();
        values.sort_by_key(|(setting, _)| setting.key_path().len());
        changed(&self.file.base, values.into_iter().chain(self.overrides.values()))
    }

    /// Whether a row has all values of another point. Values that cannot be read are an error; a row that is not complete
    /// yet has only what it says in the same words.
    fn has(self, row: &Point, wanted: &Point) -> Result<bool, ConfigError> {
        let tree = self.tree(row)?;
        let changed = changed(&tree, wanted.values())?;
        if changed == tree {
            return Ok(true);
        }
        match (read_row(&tree), read_row(&changed)) {
            (Ok(own), Ok(changed)) => Ok(own == changed),
            (Ok(_), Err(error)) => Err(error),
            (Err(_), _) => Ok(false),
        }
    }

    /// The rows that have all values of a point, as numbers. Settings of the command line hold in the point too.
    pub(crate) fn matching(self, rows: &[Combination], wanted: &Point) -> Result<Vec<usize>, ConfigError> {
        let mut refusal = None;
        let mut found = Vec::new();
        for (i, row) in rows.iter().enumerate() {
            match row.with(wanted.values().chain(self.overrides.values())) {
                Ok(json) if json == row.json => found.push(i),
                Ok(_) => {}
                Err(error) => refusal = refusal.or(Some(error)),
            }
        }
        match refusal {
            Some(error) if found.is_empty() => Err(error),
            _ => Ok(found),
        }
    }

    /// The axes that vary, each alone or with those that it is zipped with.
    fn groups(self) -> Result<Vec<Vec<Setting>>, ConfigError> {
        let axes = &self.file.axes;
        for (setting, values) in &axes.0 {
            check_axis(setting, values)?;
        }
        let length = |setting: &Setting| axes.get(setting).map(|values| values.elements().len());
        let mut zipped: Vec<&Setting> = Vec::new();
        for (g, group) in self.file.zip.iter().enumerate() {
            for (i, axis) in group.iter().enumerate() {
                let wrong =
                    |message: String, help: String| Err(self.document.error_at(&at!["zip", g, i], message).help(help));
                if zipped.contains(&axis) || group[..i].contains(axis) {
                    return wrong(format!("`{axis}` is zipped twice"), "name each axis once".to_owned());
                }
                let Some(n) = length(axis) else {
                    let help = format!("add `{axis}: […]` to `axes`, or take it out of `zip`");
                    return wrong(format!("`{axis}` is in `zip` but not in `axes`"), help);
                };
                let (other, first) = (&group[0], length(&group[0]).unwrap_or(0));
                if n != first {
                    let message = format!("`{axis}` has {n} values but `{other}`, zipped with it, has {first}");
                    return wrong(message, "zipped axes need equally many values".to_owned());
                }
            }
            zipped.extend(group);
        }
        let mut order: Vec<&Setting> = axes.settings().collect();
        order.sort_by_key(|setting| setting.rank());
        let mut groups: Vec<Vec<Setting>> = Vec::new();
        for axis in order {
            if !groups.iter().flatten().any(|other| other == axis) {
                let group = self.file.zip.iter().find(|group| group.contains(axis));
                groups.push(group.cloned().unwrap_or_else(|| vec![axis.clone()]));
            }
        }
        Ok(groups)
    }

    /// What is wrong with the axes, whatever their values are.
    pub(crate) fn wrong_axes(self) -> Option<ConfigError> {
        self.groups().and_then(|groups| self.fixed_and_varied(&groups.concat())).err()
    }

    fn fixed_and_varied(self, varied: &[Setting]) -> Result<(), ConfigError> {
        let fixed = |axis: &&Setting| self.file.base.get(axis.key_path());
        let Some((axis, node)) = varied.iter().find_map(|axis| Some((axis, fixed(&axis)?))) else { return Ok(()) };
        Err(node.origin.error(format!("`{axis}` is fixed in `base` and varied in `axes`")).help("keep one of the two"))
    }

    /// Rows that fit to a condition are combined with its axes, and take their place; the others stay as they are. Adds
    /// these axes to those that vary.
    fn conditional(self, mut rows: Vec<Point>, varied: &mut Vec<Setting>) -> Result<Vec<Point>, ConfigError> {
        for (c, condition) in self.file.conditional.iter().enumerate() {
            for (axis, values) in &condition.axes.0 {
                if self.file.axes.has(axis) || condition.when.has(axis) {
                    let message = format!("`{axis}` varies in all rows, or decides which rows these are");
                    let error = values.origin.error(message);
                    return Err(error.help("take it out of `conditional`, or out of the other place"));
                }
                check_axis(axis, values)?;
            }
            let fits = self.fitting(&rows, &condition.when)?;
            if condition.axes.0.is_empty() || !fits.contains(&true) {
                if self.is_overridden(&condition.when) {
                    continue;
                }
                let error =
                    self.document.error_at(&at!["conditional", c], "this entry of `conditional` changes no row");
                return Err(
                    error.help("`when` needs values as written in `axes`, options included, and `axes` some values")
                );
            }
            let values = condition.axes.0.iter().try_fold(vec![Point::default()], |before, (axis, values)| {
                let value = |value: &Node| Point(vec![(axis.clone(), value.clone())]);
                self.multiplied(&before, &values.elements().iter().map(value).collect::<Vec<_>>())
            })?;
            let mut widened = Vec::with_capacity(rows.len());
            for (row, fits) in rows.into_iter().zip(fits) {
                self.limited(widened.len() + values.len(), "conditional")?;
                widened.extend(if fits { self.multiplied(&[row], &values)? } else { vec![row] });
            }
            rows = widened;
            varied.extend(condition.axes.settings().cloned());
        }
        Ok(rows)
    }

    /// Which rows have all values of a point; none if it is empty.
    fn fitting(self, rows: &[Point], wanted: &Point) -> Result<Vec<bool>, ConfigError> {
        let tried: Vec<Result<bool, ConfigError>> = rows.iter().map(|row| self.has(row, wanted)).collect();
        let any = tried.iter().any(|fits| matches!(fits, Ok(true)));
        // A value may fit to some networks only; one that fits to none is wrong.
        let fits = tried.into_iter().map(|fits| if any { Ok(fits.unwrap_or(false)) } else { fits });
        Ok(fits.collect::<Result<Vec<bool>, _>>()?.into_iter().map(|fits| fits && !wanted.0.is_empty()).collect())
    }

    /// Whether the command line sets something that a point is about: then it may match no row.
    pub(crate) fn is_overridden(self, point: &Point) -> bool {
        self.overrides.settings().any(|set| point.settings().any(|setting| setting.overlaps(set)))
    }

    fn exclude(self, mut rows: Vec<Point>) -> Result<Vec<Point>, ConfigError> {
        for (i, unwanted) in self.file.exclude.iter().enumerate() {
            let fits = self.fitting(&rows, unwanted)?;
            if !fits.contains(&true) && !self.is_overridden(unwanted) {
                let error = self.document.error_at(&at!["exclude", i], "no row matches this entry of `exclude`");
                let error = error.help("its values must be written as in `axes`; or take it out");
                let mut left = rows;
                for later in &self.file.exclude[i + 1..] {
                    let mut fits = self.fitting(&left, later)?.into_iter();
                    left.retain(|_| !fits.next().unwrap_or(false));
                }
                return Err(self.wrong_in_rows(&left).unwrap_or(error));
            }
            let mut fits = fits.into_iter();
            rows.retain(|_| !fits.next().unwrap_or(false));
        }
        Ok(rows)
    }

    /// What is wrong with rows that nothing is added to: for that reason an entry may match none of them.
    fn wrong_in_rows(self, rows: &[Point]) -> Option<ConfigError> {
        let read = if self.file.include.is_empty() { rows } else { &[] };
        ConfigError::all(read.iter().take(MOST_WRONG_ROWS).filter_map(|row| wrong_in_row(&self.tree(row).ok()?)))
    }

    /// An entry is added to every row of the product whose varied values it does not contradict (a value that an earlier
    /// entry added may be overwritten); one that fits to none becomes a row of its own.
    fn include(self, product: Vec<Point>, varied: &[Setting]) -> Result<Vec<Point>, ConfigError> {
        // Without axes there is no product, only the entries themselves.
        let mut rows = if varied.is_empty() && !self.file.include.is_empty() { Vec::new() } else { product };
        let originals = rows.clone();
        for extra in &self.file.include {
            if let Some((setting, value)) = extra.0.iter().find(|(setting, _)| setting.fixed().is_some()) {
                return Err(same_in_all(setting, value));
            }
            let is_on_axis = |(setting, _): &(Setting, Node)| varied.iter().any(|axis| axis.overlaps(setting));
            let (on_axes, further): (Vec<_>, Vec<_>) = extra.0.iter().cloned().partition(is_on_axis);
            let (on_axes, further) = (Point(on_axes), Point(further));
            let fits = |row: &Point| on_axes.0.is_empty() || self.has(row, &on_axes).unwrap_or(false);
            let mut fitting = false;
            for (row, _) in rows.iter_mut().zip(&originals).filter(|(_, original)| fits(original)) {
                *row = further.over(row);
                fitting = true;
            }
            if !fitting {
                rows.push(extra.clone());
            }
        }
        Ok(rows)
    }
}

fn check_axis(setting: &Setting, values: &Node) -> Result<(), ConfigError> {
    if setting.fixed().is_some() {
        return Err(same_in_all(setting, values));
    }
    if values.elements().is_empty() {
        let is_list = matches!(values.content, Content::List(_));
        let found = if is_list { "no values".to_owned() } else { format!("no list of values but {}", values.kind()) };
        let error = values.origin.error(format!("the axis `{setting}` has {found}"));
        return Err(error.help(format!("list at least one, as in {setting}: […], or leave the axis out")));
    }
    Ok(())
}

fn same_in_all(setting: &Setting, value: &Node) -> ConfigError {
    let reason = setting.fixed().unwrap_or_default();
    let error = value.origin.key_error(format!("`{setting}` must be the same in all rows: {reason}"));
    error.help(format!("write it in `base`, or try other values with `posenc run --set {setting}=…`"))
}

/// The values of a group: the i-th of every axis in it.
fn advance_together(axes: &Point, group: &[Setting]) -> Vec<Point> {
    let column = |axis: &Setting| axes.get(axis).map_or(&[][..], Node::elements);
    let length = group.iter().map(|axis| column(axis).len()).min().unwrap_or(0);
    (0..length).map(|i| Point(group.iter().map(|axis| (axis.clone(), column(axis)[i].clone())).collect())).collect()
}
