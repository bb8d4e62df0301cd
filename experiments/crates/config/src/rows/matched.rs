//! Matched controls: a row beside another whose network was made as large, as expensive or as slow as a third one's, so
//! that "Shaw is better" cannot mean "Shaw is larger".
//!
//! A control is an ordinary row: its cells' configurations hold the sizes that were found and nothing about how, so the
//! same network written by hand is the same cell. [`Matched`] records for tables what it was matched to.
//!
//! Parameters and operations are counted from declared shapes; sizes are searched for every game, because the
//! size of tables depends on the board. Step time depends on the hardware, not on the file: its sizes are given, and
//! measured.

pub mod entry;
pub(crate) mod rows;
mod search;
mod sizes;

pub use super::row::{ChangedSize, Matched};
pub use facts::TOLERANCE;

use super::expand::{Combination, Matrix};
use super::identity;
use super::resolve;
use super::row::Row;
use crate::settings::run::RunConfig;
use crate::yaml::source::{ConfigError, YamlPath, at};
use crate::yaml::tree::Node;
use entry::{Match, RowName, Size, SizeSource};
use facts::{Quantity, Role, grouped};
use models::ModelError;
use search::{Candidate, Outcome, amount, search};

/// The controls that an experiment asks for, in the order of its file; `combinations` are those of `rows`.
pub(crate) fn controls(
    matrix: Matrix<'_>,
    rows: &[Row],
    combinations: &[Combination],
) -> Result<Vec<Row>, ConfigError> {
    let document = matrix.document;
    let mut controls: Vec<Row> = Vec::new();
    for (i, entry) in matrix.file.controls.iter().enumerate() {
        let place = at!["controls", i];
        let all = rows::ExperimentRows { rows, combinations, matrix };
        let (quantity, goal) = goal(&entry.matching, &place, document)?;
        for own in all.named(&entry.row, &below(&place, &["row"]))? {
            let other = all.goal_of(own, goal, &below(&place, &["match", quantity.name()]))?;
            let (goal, combination) = (&rows[other], &combinations[own]);
            let task = Task { own: &rows[own], combination, goal, quantity, place: &place, document };
            let control = task.control(&entry.matching.by)?;
            if let Some(same) = rows.iter().chain(&controls).find(|row| row.hash == control.hash) {
                let message = format!("the control {} is the same run as the row {}", control.label, same.label);
                return Err(document.error_at(&place, message).help("take one of the two out"));
            }
            controls.push(control);
        }
    }
    Ok(controls)
}

fn below(place: &YamlPath, keys: &[&str]) -> YamlPath {
    place.iter().cloned().chain(keys.iter().map(|&key| key.into())).collect()
}

fn goal<'a>(matching: &'a Match, place: &YamlPath, document: &Node) -> Result<(Quantity, &'a RowName), ConfigError> {
    let written = [
        (Quantity::Params, &matching.params),
        (Quantity::Flops, &matching.flops),
        (Quantity::StepTime, &matching.step_time),
    ];
    let written: Vec<_> = written.into_iter().filter_map(|(quantity, row)| Some((quantity, row.as_ref()?))).collect();
    match written[..] {
        [one] => Ok(one),
        _ => {
            let message = format!("`match` names {} quantities; a control is matched in one", written.len());
            let error = document.error_at(&below(place, &["match"]), message).valid(["params", "flops", "step_time"]);
            Err(error.help("write one, like match: {params: shaw, by: ffn}; another control can match another"))
        }
    }
}

struct Task<'a> {
    own: &'a Row,
    combination: &'a Combination,
    goal: &'a Row,
    quantity: Quantity,
    place: &'a YamlPath,
    document: &'a Node,
}

impl Task<'_> {
    fn control(&self, by: &SizeSource) -> Result<Row, ConfigError> {
        let sizes: Vec<Size> = match by {
            SizeSource::Found(sizes) => sizes.clone(),
            SizeSource::Given(given) => given.iter().map(|(size, _)| *size).collect(),
        };
        for size in sizes {
            size.of(&self.own.run).map_err(|reason| self.no_such_size(size, &reason))?;
        }
        let goal = self.goal.cost.amount(self.quantity);
        let Some((goal, own)) = goal.zip(self.own.cost.amount(self.quantity)) else { return self.timed(by) };
        if (own as f64 / goal as f64 - 1.0).abs() <= TOLERANCE {
            return Err(self.already_equal(own, goal));
        }
        let found = match by {
            SizeSource::Found(by) => search(&self.own.run, by, self.quantity, goal),
            SizeSource::Given(given) => {
                self.with_sizes(given).map(|candidate| match candidate.off(goal) <= TOLERANCE {
                    true => Outcome::Found(Box::new(candidate)),
                    false => Outcome::Nearest(vec![candidate]),
                })
            }
        };
        match found.map_err(|error| self.impossible(&error))? {
            Outcome::Found(candidate) => self.row(*candidate, Some(goal)),
            Outcome::Nearest(candidates) => Err(self.out_of_reach(by, &candidates, goal)),
        }
    }

    /// A control whose step time is somebody's measurement.
    fn timed(&self, by: &SizeSource) -> Result<Row, ConfigError> {
        let SizeSource::Given(given) = by else {
            let message = "how long a step takes is not known from the file, so no size can be found for it";
            let size = Size::Ffn.of(&self.own.run).unwrap_or_default();
            let error = self.document.error_at(&below(self.place, &["match", "by"]), message);
            return Err(error.help(format!(
                "give the size, e.g. by: {{ffn: {}}}; `posenc check --measure` times both rows on this machine and says \
                 which size would do, and the report says how well it did",
                size + size / 2
            )));
        };
        let candidate = self.with_sizes(given).map_err(|error| self.impossible(&error))?;
        self.row(candidate, None)
    }

    fn with_sizes(&self, given: &[(Size, usize)]) -> Result<Candidate, ModelError> {
        let run = given.iter().fold(self.own.run.clone(), |run, &(size, to)| size.set(&run, to));
        let count = amount(&run, self.quantity)?;
        Ok(Candidate { run, sizes: given.to_vec(), quantity: self.quantity, count })
    }

    fn row(&self, candidate: Candidate, goal: Option<u64>) -> Result<Row, ConfigError> {
        let Candidate { run, sizes, count, .. } = candidate;
        let cost = resolve::cost(self.combination, &run)?;
        let sizes: Vec<ChangedSize> =
            sizes.iter().map(|&(size, to)| self.changed(size, to)).filter(|size| size.from != size.to).collect();
        let hash = identity::hash(&run, &self.own.data.content());
        let matched = Matched {
            source: self.own.label.clone(),
            quantity: self.quantity,
            goal: self.goal.name.clone(),
            goal_folder: self.goal.folder(),
            sizes,
            counts: goal.map(|goal| [count, goal]),
        };
        let name = |own: &str, matched: &Matched| format!("{own} [= {matched}]");
        let named = Matched { goal: self.goal.display_name().to_owned(), ..matched.clone() };
        let is_named = self.own.custom_name.is_some() || self.goal.custom_name.is_some();
        Ok(Row {
            label: format!("{}{}", self.own.label, matched.folder_words()),
            name: name(&self.own.name, &matched),
            custom_name: is_named.then(|| name(self.own.display_name(), &named)),
            hash,
            run,
            cost,
            role: Role::Compared,
            matched: Some(matched),
            ..self.own.clone()
        })
    }

    fn changed(&self, size: Size, to: usize) -> ChangedSize {
        let run: &RunConfig = &self.own.run;
        ChangedSize { name: size.shown(run), from: size.of(run).unwrap_or_default(), to }
    }

    fn no_such_size(&self, size: Size, reason: &str) -> ConfigError {
        let message = format!("{} cannot be matched by {}: {reason}", self.own.label, size.name());
        let error = self.document.error_at(&below(self.place, &["match", "by"]), message);
        let there = Size::ALL.into_iter().filter(|size| size.of(&self.own.run).is_ok());
        error.valid(there.map(Size::name)).help("change another size of its network")
    }

    fn already_equal(&self, own: u64, goal: u64) -> ConfigError {
        let (label, other) = (&self.own.label, &self.goal.label);
        let message = format!(
            "{label} has the {} of {other} within 1 % as it is: {} of {} ({:.4})",
            self.quantity.words(),
            grouped(own),
            grouped(goal),
            own as f64 / goal as f64
        );
        self.document.error_at(&below(self.place, &["row"]), message).help(format!(
            "it is its own control: take the entry out, or name the rows that need one, like row: {label} or row: \
             {{game: …, encoding: …}}"
        ))
    }

    fn impossible(&self, error: &ModelError) -> ConfigError {
        let message = format!("no control can be made of {}: {error}", self.own.label);
        self.document.error_at(&below(self.place, &["match", "by"]), message).help("change another size of its network")
    }

    fn out_of_reach(&self, by: &SizeSource, candidates: &[Candidate], goal: u64) -> ConfigError {
        let (label, other, words) = (&self.own.label, &self.goal.label, self.quantity.words());
        let near = |candidate: &Candidate| {
            let sizes: Vec<String> =
                candidate.sizes.iter().map(|&(size, to)| format!("{} {to}", size.shown(&candidate.run))).collect();
            let ratio = candidate.count as f64 / goal as f64;
            format!("{} gives {} ({ratio:.4})", sizes.join(" and "), grouped(candidate.count))
        };
        let near: Vec<String> = candidates.iter().map(near).collect();
        let message =
            format!("{label} does not get the {words} of {other} ({}) within 1 %: {}", grouped(goal), near.join(", "));
        let remedy = match by {
            SizeSource::Given(sizes) => {
                format!("let it be found: by: {}", list(sizes.iter().map(|(size, _)| *size).collect()))
            }
            SizeSource::Found(by) => self.remedy(by),
        };
        self.document.error_at(&below(self.place, &["match", "by"]), message).help(remedy)
    }

    /// Another size to change with those that did not do.
    fn remedy(&self, by: &[Size]) -> String {
        let free = |size: &Size| !by.contains(size) && size.of(&self.own.run).is_ok();
        let Some(another) = [Size::Ffn, Size::Depth, Size::Width].into_iter().find(free) else {
            return "no other size is left to change: match another quantity, or another row".to_owned();
        };
        let coarse_first = [Size::Depth, Size::Width, Size::Encoding, Size::Ffn];
        let sizes = coarse_first.into_iter().filter(|size| *size == another || by.contains(size)).collect();
        match another {
            Size::Ffn => format!("let the feed-forward layer take up the rest: by: {}", list(sizes)),
            _ => format!("change more sizes, the coarse ones first: by: {}", list(sizes)),
        }
    }
}

/// `[depth, ffn]`, or the name alone.
fn list(sizes: Vec<Size>) -> String {
    let names: Vec<&str> = sizes.into_iter().map(Size::name).collect();
    if let [one] = names[..] { one.to_owned() } else { format!("[{}]", names.join(", ")) }
}
