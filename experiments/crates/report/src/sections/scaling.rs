//! Data scaling: how many positions a row saves the reference, and how its loss falls with positions.

use super::budgets::common;
use super::learnable::{self, Learnable};
use super::variants::{self, Variant};
use crate::comparison::ALPHA;
use crate::figures::Figure;
use crate::model::RowReport;
use crate::no_verdict::PAIRS_NEEDED;
use crate::numbers::{fixed, interval_decimals, of_test, or_absent, p_value, short_count};
use crate::primary::PrimaryMetric;
use crate::run_folder::{CellRecord, RunFolder};
use crate::sections::GameSource;
use crate::statistics::across::welch;
use crate::statistics::curve::{Measured, curve, multiplier};
use crate::statistics::ladder::{Bounded, Multiple};
use crate::statistics::power_law::{PowerLaw, Predicted};
use crate::statistics::{Interval, MeanTest, holm};
use crate::table::{ROW, Table};
use facts::metrics::Direction;
use facts::row_name::readable;
use facts::{ReadAt, Role, grouped, listed};
use figures::plot::curves::{self, CurvePlot, Point, Series};
use figures::plot::{Medium, Style};
use games::GameKind;
use records::plan::Row;
use std::array;
use std::iter::once;

/// A reference and the rows that are compared with it, each at several budgets of positions of which none is seen twice.
#[derive(Debug, Clone, PartialEq)]
pub struct Scaling {
    /// The positions of the reference's budgets.
    pub budgets: Vec<u64>,
    /// The least loss that a network can have, if it is known.
    pub floor: Option<f64>,
    /// The reference, then the rows that are compared with it.
    pub rows: Vec<ScalingRow>,
    /// The budget that is predicted from smaller ones.
    pub to: Option<u64>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ScalingRow {
    pub label: String,
    pub points: Vec<Measured>,
    /// For each of the reference's budgets, at the loss that the reference has there: the reference's positions divided by those
    /// of the row. Empty for the reference.
    pub multipliers: Vec<Option<Multiple>>,
    /// Operations of a forward pass and seconds of training, both of one position.
    pub costs: [Option<f64>; 2],
    /// The power laws with the known floor and with a fitted one.
    pub laws: [Option<PowerLaw>; 2],
    /// Their exponents less those of the reference, over the budgets that both fits use. None for the reference.
    pub steeper: [Option<MeanTest>; 2],
    /// Their p with Holm's correction over the rows of the grid.
    pub holm_p: [Option<f64>; 2],
    /// The predictions of both at [`Scaling::to`], from smaller budgets.
    pub predicted: [Option<Predicted>; 2],
    /// Logarithms of the measured loss less those of the predicted one (with a known floor of what is above it), and their p with
    /// Holm's correction over the rows of the grid. The measured mean has the variance of its own seeds.
    pub outcomes: [Option<MeanTest>; 2],
    pub outcomes_holm_p: [Option<f64>; 2],
    /// The cells that the predictions are made of, by their folders.
    pub predicted_from: Vec<String>,
}

/// The cells of a row with one number of positions.
struct Budget {
    positions: u64,
    losses: Vec<f64>,
    cells: Vec<String>,
}

/// The loss that no network goes below, if the experiment names none: 0 for maps, whose labels follow from the rules, and the
/// entropy of the targets for policies.
pub(crate) fn floor(primary: &PrimaryMetric, rows: &[RowReport]) -> Option<f64> {
    if primary.is_of("map_loss") {
        return Some(0.0);
    }
    let bucket = primary.name.strip_prefix("policy_loss").filter(|_| primary.is_of("policy_loss"))?;
    learnable::of(rows, bucket).map(|Learnable { floor, .. }| floor)
}

/// The curves of a game, one entry for each reference with two budgets or more. `to`: the positions of a budget to predict.
pub(crate) fn of(source: GameSource<'_>, floor: Option<f64>, to: Option<u64>) -> Vec<Scaling> {
    let GameSource { folder, game, primary, .. } = source;
    if primary.direction != Direction::Lower || primary.at != ReadAt::Last {
        return Vec::new();
    }
    let variants = variants::of(folder, game);
    let sets = variants::curves(folder, &variants);
    let is_reference = |set: &&Vec<&Variant<'_>>| set.iter().any(|variant| variant.row.role == Role::Reference);
    let (references, others): (Vec<_>, Vec<_>) = sets.iter().partition(is_reference);
    let of_reference = |reference: &&Vec<&Variant<'_>>| {
        let own = budgets(reference, primary)?;
        let of_set = |set: &[&Variant<'_>], budgets: &[Budget]| {
            let row = row(set, budgets, floor, to)?;
            Some(ScalingRow { costs: costs(set, folder), ..row })
        };
        let base = of_set(reference, &own)?;
        let is_compared =
            |set: &&Vec<&Variant<'_>>| reference.iter().any(|other| set[0].row.is_compared_with(other.row));
        let rows = others.iter().copied().filter(is_compared).filter_map(|set| {
            let row = of_set(set, &budgets(set, primary)?)?;
            let steeper = |law: usize| {
                let (own, other) = (row.laws[law].as_ref()?, base.laws[law].as_ref()?);
                welch(&own.on_budgets_of(other)?.exponent, &other.on_budgets_of(own)?.exponent)
            };
            Some(ScalingRow {
                multipliers: (0..own.len()).map(|budget| multiplier(&row.points, &base.points, budget)).collect(),
                steeper: array::from_fn(steeper),
                ..row
            })
        });
        let rows: Vec<ScalingRow> = once(base.clone()).chain(rows).collect();
        let budgets = own.iter().map(|budget| budget.positions).collect();
        Some(Scaling { budgets, floor, rows, to })
    };
    references.iter().filter_map(of_reference).filter(|scaling| scaling.rows.len() > 1).collect()
}

/// The budgets of which enough seeds have finished, ascending; none below two, or if two have the same number of positions.
fn budgets(set: &[&Variant<'_>], primary: &PrimaryMetric) -> Option<Vec<Budget>> {
    let mut all: Vec<Budget> = set.iter().filter_map(|variant| budget(variant, primary)).collect();
    all.sort_by_key(|budget| budget.positions);
    let ascend = all.windows(2).all(|pair| pair[0].positions < pair[1].positions);
    (all.len() >= 2 && ascend).then_some(all)
}

fn budget(variant: &Variant<'_>, primary: &PrimaryMetric) -> Option<Budget> {
    let number = |place: &str| variant.at(place)?.as_u64();
    let positions = number("train.steps")?.checked_mul(number("train.batch")?)?;
    let mut results = variant.cells.iter().filter_map(|cell| cell.result.as_ref());
    let losses = variant.test(primary);
    let cells = losses.keys().map(|seed| format!("{}/seed-{seed}", variant.row.folder)).collect();
    let is_complete = losses.len() >= PAIRS_NEEDED && results.all(|result| result.test.epochs <= 1.0);
    is_complete.then(|| Budget { positions, losses: losses.into_values().collect(), cells })
}

/// A row without what compares it with its reference.
fn row(set: &[&Variant<'_>], all: &[Budget], floor: Option<f64>, to: Option<u64>) -> Option<ScalingRow> {
    let losses = |budgets: &[&Budget]| -> Vec<(f64, Vec<f64>)> {
        budgets.iter().map(|budget| (budget.positions as f64, budget.losses.clone())).collect()
    };
    let measured = all.iter().find(|budget| Some(budget.positions) == to);
    let smaller: Vec<&Budget> = all.iter().filter(|budget| to.is_some_and(|to| budget.positions < to)).collect();
    let fits = laws(&losses(&smaller), floor);
    let predicted = fits.each_ref().map(|law| law.as_ref()?.predict(to? as f64));
    let outcome = |law: usize| {
        let Budget { positions, losses, .. } = measured?;
        let above = if law == 0 { floor? } else { 0.0 };
        let own = Measured::of(*positions as f64, losses, above)?;
        welch(&own.test(), &fits[law].as_ref()?.log_at(*positions as f64)?)
    };
    let outcomes = array::from_fn(outcome);
    let all = losses(&all.iter().collect::<Vec<_>>());
    let is_predicted = predicted.iter().any(Option::is_some);
    Some(ScalingRow {
        label: common(&set.iter().map(|variant| variant.row.display_name()).collect::<Vec<_>>()),
        points: curve(&all, 0.0)?,
        multipliers: Vec::new(),
        costs: [None; 2],
        laws: laws(&all, floor),
        steeper: [None; 2],
        holm_p: [None; 2],
        predicted,
        outcomes,
        outcomes_holm_p: [None; 2],
        predicted_from: smaller.iter().filter(|_| is_predicted).flat_map(|budget| budget.cells.clone()).collect(),
    })
}

fn laws(losses: &[(f64, Vec<f64>)], floor: Option<f64>) -> [Option<PowerLaw>; 2] {
    let given = floor.and_then(|floor| PowerLaw::with_floor(&curve(losses, floor)?, floor));
    let fitted = curve(losses, 0.0).and_then(|curve| PowerLaw::fitted(&curve));
    [given, fitted]
}

fn costs(set: &[&Variant<'_>], folder: &RunFolder) -> [Option<f64>; 2] {
    let flops = |variant: &&Variant<'_>| CellRecord::flops(variant.cells).map(|flops| flops as f64);
    let seconds = |variant: &&Variant<'_>| {
        let time = folder.step_times.as_ref()?.of(&variant.row.folder)?;
        Some(time.median_s / time.batch as f64)
    };
    [set.iter().find_map(flops), set.iter().find_map(seconds)]
}

/// The curves of a game's plan that are compared with a reference at several budgets, and those references.
fn planned(folder: &RunFolder, game: GameKind) -> [usize; 2] {
    let curves = variants::planned_curves(folder, game);
    let is_reference = |curve: &&Vec<&Row>| curve.iter().any(|row| row.role == Role::Reference);
    let (references, others): (Vec<_>, Vec<_>) = curves.iter().partition(is_reference);
    let several: Vec<_> = references.into_iter().filter(|curve| curve.len() > 1).collect();
    let compared = |reference: &&Vec<&Row>| {
        let is_compared = |curve: &&&Vec<&Row>| reference.iter().any(|other| curve[0].is_compared_with(other));
        others.iter().filter(is_compared).count()
    };
    [several.iter().map(compared).sum(), several.len()]
}

/// Corrects the comparisons of exponents of a grid, and those of predictions with what was measured: those with the known floor
/// together, and those with fitted floors together. The planned ones count.
pub(crate) fn correct(folder: &RunFolder, curves: &mut [&mut Scaling]) {
    let of_games: Vec<[usize; 2]> = folder.plan.games().into_iter().map(|game| planned(folder, game)).collect();
    let compared: usize = of_games.iter().map(|[compared, _]| compared).sum();
    let references: usize = of_games.iter().map(|[_, references]| references).sum();
    let corrected = |tests: Vec<Option<MeanTest>>, planned: usize| {
        let mut p_values: Vec<Option<f64>> = tests.into_iter().map(|test| test.map(|test| test.p)).collect();
        p_values.resize(planned.max(p_values.len()), None);
        holm(&p_values, ALPHA)
    };
    let all = || curves.iter();
    let rows = || all().flat_map(|scaling| &scaling.rows);
    let exponents: [Vec<_>; 2] = array::from_fn(|law| {
        corrected(all().flat_map(|scaling| &scaling.rows[1..]).map(|row| row.steeper[law]).collect(), compared)
    });
    let outcomes: [Vec<_>; 2] =
        array::from_fn(|law| corrected(rows().map(|row| row.outcomes[law]).collect(), compared + references));
    for (place, row) in curves.iter_mut().flat_map(|scaling| &mut scaling.rows[1..]).enumerate() {
        row.holm_p = exponents.each_ref().map(|law| law[place].map(|holm| holm.p));
    }
    for (place, row) in curves.iter_mut().flat_map(|scaling| &mut scaling.rows).enumerate() {
        row.outcomes_holm_p = outcomes.each_ref().map(|law| law[place].map(|holm| holm.p));
    }
}

/// The multipliers, the power laws, and the predictions if there are some.
pub(crate) fn tables(scaling: &Scaling, primary: &PrimaryMetric) -> Vec<Table> {
    vec![multipliers(scaling), exponents(scaling), predictions(scaling, primary)]
}

fn multipliers(scaling: &Scaling) -> Table {
    let Some((reference, rows)) = scaling.rows.split_first() else { return Table::default() };
    let budgets = scaling.budgets.iter().map(|&positions| short_count(positions));
    let header = once(ROW.to_owned()).chain(budgets).chain(["FLOPs", "step time"].map(str::to_owned));
    let rows = rows.iter().map(|row| {
        let multipliers = row.multipliers.iter().map(|own| or_absent(own.as_ref(), factor));
        let costs = row.costs.iter().zip(reference.costs);
        let costs = costs.map(|(own, other)| or_absent(own.zip(other), |(own, other)| fixed(own / other, 2)));
        once(readable(&row.label)).chain(multipliers).chain(costs).collect()
    });
    let reference = readable(&reference.label);
    let note = format!(
        "columns: the positions at which {reference} has the loss that is compared; the row needs fewer for it by this factor; in \
         brackets 95 % intervals over seeds only, on these test positions; ≥ and ≤: the loss lies beyond the row's budgets; FLOPs and \
         step time: those of a position, divided by {reference}'s; a multiplier divided by them is one of computation"
    );
    Table::new(header, &[0], rows)
        .titled(&format!("data multipliers: how many times fewer positions than {reference}"))
        .noted([note])
        .without_empty_columns()
}

/// A factor with its interval; one beyond the budgets, interval included, is a bound alone.
pub fn factor(multiple: &Multiple) -> String {
    match multiple.at {
        at @ (Bounded::AtLeast(_) | Bounded::AtMost(_)) if multiple.ends == [at, at] => at.to_string(),
        _ => multiple.to_string(),
    }
}

fn exponents(scaling: &Scaling) -> Table {
    let known = scaling.floor.map(|floor| if floor == 0.0 { "0".to_owned() } else { fixed(floor, 3) });
    let known = known.unwrap_or_else(|| "unknown".to_owned());
    let (given, less, p) = (format!("α, E = {known}"), "less the reference's", "Holm p");
    let header = [ROW, "budgets", &given, less, p, "α, E fitted", less, p, "E"];
    let has_fit = |row: &&ScalingRow| row.laws.iter().any(Option::is_some);
    let rows = scaling.rows.iter().filter(has_fit).map(|row| {
        let used = match row.laws.each_ref().map(|law| law.as_ref().map(range)) {
            [Some(given), Some(fitted)] if given != fitted => format!("{given}; E fitted: {fitted}"),
            [given, fitted] => given.or(fitted).unwrap_or_default(),
        };
        let [given, free]: [[String; 3]; 2] = array::from_fn(|law| {
            let steeper = row.steeper[law].as_ref();
            [
                or_absent(row.laws[law].as_ref(), |law| estimate(law.exponent.mean, &law.exponent.interval(0.95))),
                or_absent(steeper, of_test),
                or_absent(row.holm_p[law], p_value),
            ]
        });
        let fitted = or_absent(row.laws[1].as_ref(), |law| fixed(law.floor, 3));
        [readable(&row.label), used].into_iter().chain(given).chain(free).chain([fitted]).collect()
    });
    let note = "L(D) = E + A · D^−α over D positions; 95 % t-intervals and p over seeds only, p with Holm's correction over the rows \
                of the grid: if the curve is no power law over these budgets, they cover too rarely; less the reference's: both fitted \
                to the budgets that both use; budgets: a first budget is left out while the curve is flatter there than after it (the \
                rule is in docs/statistics.md)";
    let without: Vec<String> =
        scaling.rows.iter().filter(|row| !has_fit(row)).map(|row| readable(&row.label)).collect();
    let unfitted = format!(
        "no fit: {} (too few budgets after a plateau, or their losses do not determine α and E)",
        listed(&without)
    );
    Table::new(header, &[0, 1], rows)
        .titled("power laws of the loss")
        .noted([note])
        .noted((!without.is_empty()).then_some(unfitted))
        .without_empty_columns()
}

/// The first and the last budget of a fit.
fn range(law: &PowerLaw) -> String {
    let ends = [law.points.first(), law.points.last()].map(|own| own.map_or(0.0, |own| own.at.exp()));
    ends.map(|positions| short_count(positions.round() as u64)).join(" to ")
}

/// `0.84 [0.71, 0.97]`: an estimate and its interval, without signs. The low end of an interval of logarithms is not shown as 0.
pub fn estimate(mean: f64, ends: &Interval) -> String {
    let of_low = if ends.low > 0.0 { (-ends.low.log10()).ceil().clamp(0.0, 7.0) as usize } else { 0 };
    let decimals = interval_decimals(ends).max(of_low);
    let [mean, low, high] = [mean, ends.low, ends.high].map(|value| fixed(value, decimals));
    format!("{mean} [{low}, {high}]")
}

fn predictions(scaling: &Scaling, primary: &PrimaryMetric) -> Table {
    let Some(to) = scaling.to else { return Table::default() };
    let known = scaling.floor.map_or_else(|| "unknown".to_owned(), |floor| fixed(floor, 3));
    let law = usize::from(scaling.floor.is_none());
    let header = [ROW, &format!("E = {known}"), "E fitted", "measured", "÷ predicted", "Holm p"].map(str::to_owned);
    let predicted = |row: &&ScalingRow| row.predicted.iter().any(Option::is_some);
    let rows = scaling.rows.iter().filter(predicted).map(|row| {
        let predicted =
            row.predicted.iter().map(|own| or_absent(own.as_ref(), |own| estimate(own.loss, &own.interval)));
        let measured = or_absent(row.measured(to), |(mean, ends)| estimate(mean, &ends));
        let ratio = or_absent(row.outcome(law), |(ratio, ends)| estimate(ratio, &ends));
        let p = or_absent(row.outcomes_holm_p[law], p_value);
        once(readable(&row.label)).chain(predicted).chain([measured, ratio, p]).collect()
    });
    let note = "from the budgets below it by the power laws; in brackets the 95 % interval of the mean over as many seeds, over \
                seeds only: it does not cover that the curve leaves its power law; means are of logarithms; ÷ predicted: the \
                measured mean, with the variance of its own seeds, divided by what the law with the known E (without one, with \
                the fitted E) predicts, both less a known E; p with Holm's correction over the rows of the grid";
    let title = format!("{} predicted for {} positions", primary.name, grouped(to));
    Table::new(header, &[0], rows).titled(&title).noted([note]).without_empty_columns()
}

impl ScalingRow {
    /// The measured loss divided by the predicted one, with its 95 % interval.
    pub fn outcome(&self, law: usize) -> Option<(f64, Interval)> {
        self.outcomes[law].map(of_logarithms)
    }

    /// The mean at a budget, of logarithms, with its 95 % interval.
    pub fn measured(&self, positions: u64) -> Option<(f64, Interval)> {
        let own = self.points.iter().find(|own| own.at.exp().round() as u64 == positions)?;
        Some(of_logarithms(own.test()))
    }
}

/// The number whose logarithm is tested, with its 95 % interval.
fn of_logarithms(test: MeanTest) -> (f64, Interval) {
    (test.mean.exp(), test.interval(0.95).map(f64::exp))
}

/// What a loss is drawn against.
struct Cost {
    id: &'static str,
    name: &'static str,
    label: &'static str,
    of: fn(&ScalingRow) -> Option<f64>,
}

/// The gradient of a pass costs about twice the pass.
static COSTS: [Cost; 3] = [
    Cost { id: "", name: "positions", label: "training positions, each seen once", of: |_| Some(1.0) },
    Cost {
        id: "-flops",
        name: "operations",
        label: "operations of training, three forward passes a position [TFLOP]",
        of: |row| row.costs[0].map(|flops| 3.0 * flops / 1e12),
    },
    Cost { id: "-time", name: "time", label: "time of the training steps [s]", of: |row| row.costs[1] },
];

/// For each reference the losses on logarithmic axes, with the fitted power laws: over positions, and over operations and time
/// where all rows have them.
pub(crate) fn figures(game: &str, curves: &[Scaling], primary: &PrimaryMetric, medium: Medium) -> Vec<Figure> {
    let all = curves.iter().enumerate();
    all.flat_map(|(number, scaling)| {
        let end = if number == 0 { String::new() } else { format!("-{}", number + 1) };
        let id = format!("{game}-scaling{end}");
        COSTS.iter().filter_map(move |cost| figure(game, &id, scaling, cost, primary, medium))
    })
    .collect()
}

fn figure(
    game: &str,
    id: &str,
    scaling: &Scaling,
    cost: &Cost,
    primary: &PrimaryMetric,
    medium: Medium,
) -> Option<Figure> {
    let series = scaling.rows.iter().enumerate().map(|(place, row)| {
        let unit = (cost.of)(row)?;
        let point = |own: &Measured| {
            let (y, Interval { low, high }) = of_logarithms(own.test());
            Point { x: own.at.exp() * unit, y, low, high }
        };
        let faint = row.laws.iter().flatten().next().map(line).unwrap_or_default();
        Some(Series {
            label: readable(&row.label),
            style: place.checked_sub(1).map_or(Style::Reference, Style::Row),
            points: row.points.iter().map(point).filter(|point| point.low > 0.0 && point.high.is_finite()).collect(),
            faint: faint.into_iter().map(|(positions, loss)| (positions * unit, loss)).collect(),
        })
    });
    let plot = CurvePlot {
        title: format!("Loss against {} on {game}.", cost.name),
        x_label: cost.label.to_owned(),
        x_name: cost.name,
        y_label: primary.with_unit(),
        of_sizes: true,
        series: series.collect::<Option<_>>()?,
        level: None,
    };
    let id = format!("{id}{}", cost.id);
    let svg = curves::draw(&plot, &id, medium)?;
    let caption = "Marked: means of logarithms over seeds with bands of 95 % t-intervals; thin: power laws, without the budgets of \
                   a plateau.";
    Some(Figure { id, svg, title: plot.title, caption: caption.to_owned() })
}

/// A power law from the first to the last of its budgets.
fn line(law: &PowerLaw) -> Vec<(f64, f64)> {
    const PARTS: usize = 16;
    let [Some(first), Some(last)] = [law.points.first(), law.points.last()] else { return Vec::new() };
    let budget = |part: usize| (first.at + (last.at - first.at) * part as f64 / PARTS as f64).exp();
    (0..=PARTS).filter_map(|part| Some((budget(part), law.predict(budget(part))?.loss))).collect()
}
