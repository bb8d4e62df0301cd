//! Whether encodings have the same order in one grid as in others: `posenc compare --orders`.

use super::model::{GameReport, Report};
use super::numbers::{fixed, interval, or_absent};
use super::side_by_side::labels;
use super::statistics::across::{DRAWS, RankCorrelation, agreement};
use super::table::Table;
use facts::metrics::Direction;
use facts::row_name::{is_called, readable};
use facts::{distinct, setting};
use serde_json::{Value, json};

/// The rows without which the orders are compared once more: does the agreement rest on them?
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Leaders {
    /// The best third in the first grid of the encodings that two grids share, rounded up.
    BestThird,
    Best(usize),
    /// Rows with these labels or names in the first grid.
    Named(Vec<String>),
}

impl Leaders {
    fn words(&self) -> String {
        match self {
            Self::BestThird => "the best third of the first grid's encodings that both have, rounded up".to_owned(),
            Self::Best(count) => format!("the best {count} of the first grid's encodings that both have"),
            Self::Named(labels) => format!("{} of the first grid, as asked for", listed(labels)),
        }
    }

    /// Whether an encoding is one of them, by its place in the first grid's order of `of` encodings.
    fn has(&self, place: usize, of: usize, label: &str) -> bool {
        match self {
            Self::BestThird => place < of.div_ceil(3),
            Self::Best(count) => place < *count,
            Self::Named(labels) => labels.iter().any(|own| is_called(label, own)),
        }
    }
}

/// An encoding with the mean of a grid's primary metric, which is lower where it is better.
struct Ranked<'a> {
    label: &'a str,
    encoding: String,
    mean: f64,
}

/// The encodings of a grid on a game, and the rows that are left out.
struct Ranking<'a> {
    ranked: Vec<Ranked<'a>>,
    /// Rows with an encoding that another row has too, beside matched controls.
    repeated: Vec<&'a str>,
    /// Rows without a manifest or without a value.
    unfinished: Vec<&'a str>,
}

/// The order of the first grid's encodings by its primary metric against that of every other grid by its own: a table for
/// each game.
pub fn tables(reports: &[Report], leaders: &Leaders) -> Vec<Table> {
    let Some((first, others)) = reports.split_first() else { return Vec::new() };
    let (names, tuned) = (labels(reports), tuned(reports));
    let of_game = |game: &GameReport| {
        let own = Ranking::of(first, game, &tuned);
        let note = "exploratory; τ: Kendall's τ_b of the means of the primary metrics over the encodings that both grids have, \
                    with the same options but for those that a grid tunes (1: the same order, 0: none, −1: reversed)";
        let intervals = format!(
            "intervals: the middle 95 % over {DRAWS} draws of the encodings with replacement; they do not count the noise of seeds"
        );
        let (mut rows, mut notes) = (Vec::new(), own.remarks(&names[0]));
        for (report, name) in others.iter().zip(&names[1..]) {
            let Some(same) = report.games.iter().find(|other| other.game == game.game) else { continue };
            let other = Ranking::of(report, same, &tuned);
            notes.extend(other.remarks(name));
            notes.extend(without_partner(&own, &other, [names[0].as_str(), name.as_str()]));
            rows.push(line(&own, &other, leaders, [name.as_str(), report.primary.name.as_str()]));
        }
        let header =
            ["grid", "metric", "encodings", "τ", "95 % interval", "τ without leaders", "its interval", "leaders"];
        let title = format!("{}: the order of encodings by {} of {}", game.game, first.primary.name, names[0]);
        let table = Table::new(header, &[0, 1, 7], rows).titled(&title);
        table.noted([note]).noted([intervals, format!("leaders: {}", leaders.words())]).noted(notes)
    };
    first.games.iter().map(of_game).filter(|table| !table.is_empty()).collect()
}

/// The settings that some grid tunes.
fn tuned(reports: &[Report]) -> Vec<Vec<String>> {
    let tuned = reports.iter().flat_map(|report| &report.games).filter_map(|game| game.tuning.as_ref());
    let trials = tuned.flat_map(|tuning| &tuning.rows).flat_map(|row| &row.trials);
    let names = distinct(trials.flat_map(|trial| &trial.values).map(|(name, _)| name.as_str()));
    names.into_iter().map(setting::keys).collect()
}

impl<'a> Ranking<'a> {
    fn of(report: &Report, game: &'a GameReport, tuned: &[Vec<String>]) -> Self {
        let sign = if report.primary.direction == Direction::Higher { -1.0 } else { 1.0 };
        let (mut ranked, mut unfinished) = (Vec::new(), Vec::new());
        // A matched control has another network for the same encoding.
        for row in game.rows.iter().filter(|row| row.matched.is_none()) {
            match (&row.encodings, row.primary) {
                (Some(encodings), Some(primary)) => {
                    let encoding = without(encodings, tuned);
                    ranked.push(Ranked { label: &row.label, encoding, mean: sign * primary.mean });
                }
                _ => unfinished.push(row.label.as_str()),
            }
        }
        let count = |encoding: &str| ranked.iter().filter(|one| one.encoding == encoding).count();
        let repeated: Vec<&str> = ranked.iter().filter(|one| count(&one.encoding) > 1).map(|one| one.label).collect();
        ranked.retain(|one| !repeated.contains(&one.label));
        ranked.sort_by(|a, b| a.mean.total_cmp(&b.mean));
        Self { ranked, repeated, unfinished }
    }

    /// Which of its rows are compared with no other grid, and why.
    fn remarks(&self, name: &str) -> Vec<String> {
        let repeated =
            named(&self.repeated, &format!("several rows of {name} have one encoding, so they are left out"));
        repeated.into_iter().chain(named(&self.unfinished, &format!("without a value in {name}"))).collect()
    }

    fn get(&self, encoding: &str) -> Option<&Ranked<'a>> {
        self.ranked.iter().find(|one| one.encoding == encoding)
    }
}

fn listed(labels: &[impl AsRef<str>]) -> String {
    labels.iter().map(|label| readable(label.as_ref())).collect::<Vec<_>>().join("; ")
}

fn named(labels: &[&str], what: &str) -> Option<String> {
    (!labels.is_empty()).then(|| format!("{what}: {}", listed(labels)))
}

/// The encodings of a row as text, without the settings that a grid tunes.
fn without(encodings: &Value, tuned: &[Vec<String>]) -> String {
    let mut run = json!({ "encoding": encodings });
    for keys in tuned {
        setting::remove(&mut run, keys);
    }
    run.to_string()
}

/// The encodings that only one of two grids has.
fn without_partner(own: &Ranking<'_>, other: &Ranking<'_>, [name, other_name]: [&str; 2]) -> Vec<String> {
    let only = |these: &Ranking<'_>, those: &Ranking<'_>, name: &str, absent: &str| {
        let alone = these.ranked.iter().filter(|one| those.get(&one.encoding).is_none());
        named(&alone.map(|one| one.label).collect::<Vec<_>>(), &format!("in {name} and not in {absent}"))
    };
    only(own, other, name, other_name).into_iter().chain(only(other, own, other_name, name)).collect()
}

fn line(own: &Ranking<'_>, other: &Ranking<'_>, leaders: &Leaders, [name, metric]: [&str; 2]) -> Vec<String> {
    let shared: Vec<(&str, f64, f64)> =
        own.ranked.iter().filter_map(|one| Some((one.label, one.mean, other.get(&one.encoding)?.mean))).collect();
    let is_leader = |place: usize| leaders.has(place, shared.len(), shared[place].0);
    let (ahead, rest): (Vec<usize>, Vec<usize>) = (0..shared.len()).partition(|&place| is_leader(place));
    let agree = |places: &[usize]| {
        let (a, b): (Vec<f64>, Vec<f64>) = places.iter().map(|&place| (shared[place].1, shared[place].2)).unzip();
        agreement(&a, &b)
    };
    let cells = |found: Option<RankCorrelation>| {
        let tau = or_absent(found, |found| fixed(found.tau, 2));
        [tau, or_absent(found, |found| interval(&found.interval, 2))]
    };
    let all: Vec<usize> = (0..shared.len()).collect();
    let mut line = vec![name.to_owned(), metric.to_owned(), shared.len().to_string()];
    line.extend(cells(agree(&all)));
    line.extend(cells(agree(&rest)));
    line.push(listed(&ahead.iter().map(|&place| shared[place].0).collect::<Vec<_>>()));
    line
}
