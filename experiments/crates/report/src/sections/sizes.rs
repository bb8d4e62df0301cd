//! Size equivalents: how much larger the reference would have to be to match a row.
//!
//! Rows that differ from the reference in their network's size only are a ladder. Its means over seeds are fitted so that no
//! larger size is worse, and between its rungs the fit is linear in the logarithm of the size. A row's equivalent is the size
//! at which the fit has its mean metric, and the interval is that of the ends of the mean's interval. (Chessformer, §4.3, states gains as sizes in this way.)

use super::variants::{self, Variant};
use crate::files::{CellRecord, RunFolder};
use crate::numbers::fixed;
use crate::primary::PrimaryMetric;
use crate::statistics::{Interval, PairedTest, Summary};
use crate::table::{ABSENT, ROW, Table};
use facts::Role;
use facts::metrics::Direction;
use games::GameKind;
use std::collections::BTreeMap;
use std::fmt;
use std::iter::once;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SizeMeasure {
    Parameters,
    /// Operations of a forward pass.
    Flops,
    /// Seconds of a training step.
    Seconds,
}

impl SizeMeasure {
    const ALL: [Self; 3] = [Self::Parameters, Self::Flops, Self::Seconds];

    const fn name(self) -> &'static str {
        match self {
            Self::Parameters => "parameters",
            Self::Flops => "FLOPs",
            Self::Seconds => "step time",
        }
    }

    /// The size of a row's network, if it is known.
    fn of(self, variant: &Variant<'_>, folder: &RunFolder) -> Option<f64> {
        match self {
            Self::Parameters => Some(variant.row.network.parameters() as f64),
            Self::Flops => CellRecord::flops(variant.cells).map(|flops| flops as f64),
            Self::Seconds => Some(folder.step_times.as_ref()?.of(&variant.row.folder)?.median_s),
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Sizes {
    pub reference: String,
    /// How many sizes of the reference there are.
    pub rungs: usize,
    /// The rows of the reference's size with another encoding.
    pub rows: Vec<SizedRow>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct SizedRow {
    pub label: String,
    pub equivalents: [Option<Equivalent>; 3],
}

/// The reference's size that matches a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Equivalent {
    /// By the reference's own size: how much larger it would have to be.
    pub by_reference: Multiple,
    /// By the row's own size: above 1, the row is better than the reference of the same size.
    pub by_row: Multiple,
}

/// A factor with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Multiple {
    /// Of the mean over seeds.
    pub at: Place,
    /// Of the ends of the mean's interval, the smaller size first.
    pub ends: [Place; 2],
}

/// A size on a ladder, or a factor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Place {
    At(f64),
    /// The largest size of the ladder, this one, or a larger one.
    AtLeast(f64),
    /// The smallest size of the ladder, this one, or a smaller one.
    AtMost(f64),
}

impl Place {
    /// The same in another unit.
    fn over(self, unit: f64) -> Self {
        match self {
            Self::At(size) => Self::At(size / unit),
            Self::AtLeast(size) => Self::AtLeast(size / unit),
            Self::AtMost(size) => Self::AtMost(size / unit),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::At(size) => f.write_str(&fixed(size, 2)),
            Self::AtLeast(size) => write!(f, "≥ {}", fixed(size, 2)),
            Self::AtMost(size) => write!(f, "≤ {}", fixed(size, 2)),
        }
    }
}

/// The rungs that a ladder needs.
const RUNGS_NEEDED: usize = 3;

/// The equivalents of a game; none without a ladder of [`RUNGS_NEEDED`] sizes.
pub(crate) fn of(folder: &RunFolder, game: GameKind, primary: &PrimaryMetric) -> Option<Sizes> {
    let variants = variants::of(folder, game);
    let reference = variants.iter().find(|variant| variant.row.role == Role::Reference)?;
    let same = |places: &[&str]| {
        let wanted = reference.but(places);
        variants.iter().filter(move |variant| variant.but(places) == wanted).collect::<Vec<_>>()
    };
    let rungs = same(&["model"]);
    let others: Vec<_> = same(&["encoding"]).into_iter().filter(|v| v.row.folder != reference.row.folder).collect();
    if rungs.len() < RUNGS_NEEDED || others.is_empty() {
        return None;
    }
    let row = |variant: &&Variant<'_>| SizedRow {
        label: variant.row.shown().to_owned(),
        equivalents: SizeMeasure::ALL.map(|by| equivalent(folder, by, variant, reference, &rungs, primary)),
    };
    let label = reference.row.shown().to_owned();
    Some(Sizes { reference: label, rungs: rungs.len(), rows: others.iter().map(row).collect() })
}

fn equivalent(
    folder: &RunFolder,
    by: SizeMeasure,
    row: &Variant<'_>,
    reference: &Variant<'_>,
    rungs: &[&Variant<'_>],
    primary: &PrimaryMetric,
) -> Option<Equivalent> {
    let sized: Option<Vec<(f64, BTreeMap<u64, f64>)>> =
        rungs.iter().map(|rung| Some((by.of(rung, folder)?, rung.test(primary)))).collect();
    let sized = sized?;
    let own = row.test(primary);
    let seeds: Vec<u64> =
        own.keys().copied().filter(|seed| sized.iter().all(|(_, metric)| metric.contains_key(seed))).collect();
    let mean = |values: &mut dyn Iterator<Item = f64>| Summary::of(&values.collect::<Vec<_>>()).map(|all| all.mean);
    let rungs: Option<Vec<(f64, f64)>> =
        sized.iter().map(|(size, metric)| Some((*size, mean(&mut seeds.iter().map(|seed| metric[seed]))?))).collect();
    let ladder = Ladder::of(&rungs?, primary.direction)?;
    // A seed's luck, which its rungs share, is taken off its row.
    let of_ladder = |seed: u64| mean(&mut sized.iter().map(|(_, metric)| metric[&seed]));
    let all = mean(&mut seeds.iter().filter_map(|&seed| of_ladder(seed)))?;
    let adjusted: Option<Vec<f64>> = seeds.iter().map(|seed| Some(own[seed] - (of_ladder(*seed)? - all))).collect();
    let test = PairedTest::of(&adjusted?)?;
    let multiple = |unit: f64| {
        let Interval { low, high } = test.interval(0.95);
        let [at, one, other] = [test.mean, low, high].map(|metric| ladder.place(metric).over(unit));
        let ends = if primary.direction == Direction::Lower { [other, one] } else { [one, other] };
        Multiple { at, ends }
    };
    let [base, own] = [by.of(reference, folder)?, by.of(row, folder)?];
    Some(Equivalent { by_reference: multiple(base), by_row: multiple(own) })
}

/// Sizes with a metric that never gets worse from one to the next.
#[derive(Debug, Clone, PartialEq)]
pub struct Ladder {
    /// Ascending sizes, each with its cost, which does not rise: the metric, or the metric with the other sign if higher is
    /// better.
    rungs: Vec<(f64, f64)>,
    sign: f64,
}

impl Ladder {
    /// Of sizes with their mean metric; where a larger size is worse, it and its neighbours get their common mean. None
    /// below two sizes or without a better side.
    pub fn of(rungs: &[(f64, f64)], direction: Direction) -> Option<Self> {
        let sign = match direction {
            Direction::Lower => 1.0,
            Direction::Higher => -1.0,
            Direction::Neither => return None,
        };
        let mut rungs: Vec<(f64, f64)> = rungs.iter().map(|&(size, metric)| (size, sign * metric)).collect();
        rungs.sort_by(|a, b| a.0.total_cmp(&b.0));
        let fitted = non_increasing(&rungs.iter().map(|rung| rung.1).collect::<Vec<_>>());
        rungs.iter_mut().zip(fitted).for_each(|(rung, fitted)| rung.1 = fitted);
        (rungs.len() >= 2).then_some(Self { rungs, sign })
    }

    /// The size that has this metric, on the line between two rungs, straight in the logarithm of the size. Between sizes
    /// that are equally good it is their geometric mean.
    pub fn place(&self, metric: f64) -> Place {
        let cost = self.sign * metric;
        let (first, last) = (self.rungs[0], self.rungs[self.rungs.len() - 1]);
        if cost < last.1 {
            return Place::AtLeast(last.0);
        }
        if cost > first.1 {
            return Place::AtMost(first.0);
        }
        let equal: Vec<f64> = self.rungs.iter().filter(|rung| rung.1 == cost).map(|rung| rung.0).collect();
        if let (Some(small), Some(large)) = (equal.first(), equal.last()) {
            return Place::At((small * large).sqrt());
        }
        let pair = self.rungs.windows(2).find(|pair| pair[0].1 > cost && cost > pair[1].1);
        pair.map_or(Place::AtLeast(last.0), |pair| {
            let ((small, at_small), (large, at_large)) = (pair[0], pair[1]);
            Place::At(small * (large / small).powf((at_small - cost) / (at_small - at_large)))
        })
    }
}

/// The non-increasing series with the least squared distance to `values`: neighbours that rise are replaced by their mean (pool
/// adjacent violators). Ayer, Brunk, Ewing, Reid & Silverman, "An empirical distribution function for sampling with incomplete
/// information", Annals of Mathematical Statistics 26 (1955); scikit-learn's `isotonic_regression`.
pub fn non_increasing(values: &[f64]) -> Vec<f64> {
    // Pools of neighbours: their mean and how many they are.
    let mut pools: Vec<(f64, usize)> = Vec::new();
    for &value in values {
        let mut own = (value, 1);
        while let Some(&(mean, count)) = pools.last().filter(|(mean, _)| *mean < own.0) {
            own = ((mean * count as f64 + own.0 * own.1 as f64) / (count + own.1) as f64, count + own.1);
            pools.pop();
        }
        pools.push(own);
    }
    pools.into_iter().flat_map(|(mean, count)| std::iter::repeat_n(mean, count)).collect()
}

/// The sizes that match the rows.
pub(crate) fn table(sizes: &Sizes) -> Table {
    let of_measure = |by: &SizeMeasure| [format!("{}: × reference", by.name()), "× own".to_owned()];
    let header = once(ROW.to_owned()).chain(SizeMeasure::ALL.iter().flat_map(of_measure));
    let rows = sizes.rows.iter().map(|row| {
        let cells = row.equivalents.iter().flat_map(|equivalent| match equivalent {
            Some(Equivalent { by_reference, by_row }) => [by_reference, by_row].map(multiple),
            None => [ABSENT, ABSENT].map(str::to_owned),
        });
        once(row.label.clone()).chain(cells).collect()
    });
    let notes = vec![format!(
        "on {} sizes of the reference, whose means over seeds are fitted so that no larger size is worse, linearly in the \
         logarithm of the size; in brackets the sizes at the ends of the row's 95 % t-interval; ≥ and ≤: at or beyond the \
         largest or the smallest size; × reference: the size that matches, divided by the reference's; × own: the same divided by the \
         row's own size, above 1 the row is better than the reference of the same size",
        sizes.rungs
    )];
    let title = format!("size equivalents: the size at which {} matches", sizes.reference);
    Table::new(header, &[0], rows).titled(&title).noted(notes)
}

fn multiple(Multiple { at, ends: [low, high] }: &Multiple) -> String {
    format!("{at} [{low}, {high}]")
}
