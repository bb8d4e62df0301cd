//! Size equivalents: how much larger the reference would have to be to match a row.
//!
//! Rows that differ from the reference in their network's size only are a ladder. Its means over seeds are fitted so that no
//! larger size is worse, and between its rungs the fit is linear in the logarithm of the size. A row's equivalent is the size
//! at which the fit has its mean metric, and the interval is that of the ends of the mean's interval. (Chessformer, §4.3, states gains as sizes in this way.)

use super::files::{CellRecord, RunFolder};
use super::model::PrimaryMetric;
use super::model::variants::{Equivalent, Multiple, Place, SizeMeasure, SizedRow, Sizes};
use super::statistics::isotonic::non_increasing;
use super::statistics::{Interval, PairedTest, Summary};
use super::variants::{self, Variant};
use facts::Role;
use facts::metrics::Direction;
use games::GameKind;
use std::collections::BTreeMap;

/// The rungs that a ladder needs.
const RUNGS_NEEDED: usize = 3;

/// The size of a row's network, if it is known.
fn size(by: SizeMeasure, variant: &Variant<'_>, folder: &RunFolder) -> Option<f64> {
    match by {
        SizeMeasure::Parameters => Some(variant.row.network.parameters() as f64),
        SizeMeasure::Flops => CellRecord::flops(variant.cells).map(|flops| flops as f64),
        SizeMeasure::Seconds => Some(folder.step_times.as_ref()?.of(&variant.row.folder)?.median_s),
    }
}

/// The equivalents of a game; none without a ladder of [`RUNGS_NEEDED`] sizes.
pub(super) fn of(folder: &RunFolder, game: GameKind, primary: &PrimaryMetric) -> Option<Sizes> {
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
        label: variant.row.label.clone(),
        equivalents: SizeMeasure::ALL.map(|by| equivalent(folder, by, variant, reference, &rungs, primary)),
    };
    let label = reference.row.label.clone();
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
        rungs.iter().map(|rung| Some((size(by, rung, folder)?, rung.test(primary)))).collect();
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
    let [base, own] = [size(by, reference, folder)?, size(by, row, folder)?];
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
