//! Size equivalents: how much larger the reference would have to be to match a row.
//!
//! Rows that differ from the reference in their network's size only are a ladder. Between its rungs the metric is
//! interpolated linearly in the logarithm of the size, for each seed, and a row's equivalent is the size at which the line
//! has its metric. (Chessformer, §4.3, states gains as sizes in this way.)

use super::files::{CellRecord, RunFolder};
use super::model::PrimaryMetric;
use super::model::variants::{Equivalent, Multiple, SizeMeasure, SizedRow, Sizes};
use super::statistics::{Interval, PairedTest};
use super::variants::{self, Variant};
use games::GameKind;
use spec::Role;
use std::collections::BTreeMap;

/// The rungs that a ladder needs.
const RUNGS_NEEDED: usize = 3;

/// The size of a row's network, if it is known.
fn size(by: SizeMeasure, variant: &Variant<'_>, folder: &RunFolder) -> Option<f64> {
    match by {
        SizeMeasure::Parameters => {
            let network = &variant.row.network;
            Some((network.trunk + network.heads + network.encoding) as f64)
        }
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
    let base = size(by, reference, folder)?;
    let ladder_of = |seed: &u64| -> Option<Vec<(f64, f64)>> {
        sized.iter().map(|(size, metric)| Some((*size, *metric.get(seed)?))).collect()
    };
    let places: Vec<Place> =
        row.test(primary).iter().filter_map(|(seed, metric)| place_on(&ladder_of(seed)?, base, *metric)).collect();
    Some(Equivalent { by_reference: multiple(&places, base)?, by_row: multiple(&places, size(by, row, folder)?)? })
}

/// The position of a metric on a ladder.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Place {
    /// At this size.
    At(f64),
    /// Beyond the largest size, this one.
    Above(f64),
    /// Below the smallest size, this one.
    Below(f64),
}

/// The size at which a ladder of (size, metric) has this metric: of the crossings of the line through its rungs, straight
/// in the logarithm of the size, the one nearest to `base`. Without a crossing it lies beyond the end whose metric is
/// nearer. None below two rungs.
#[must_use]
pub fn place_on(ladder: &[(f64, f64)], base: f64, metric: f64) -> Option<Place> {
    let mut rungs = ladder.to_vec();
    rungs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let crossings = rungs.windows(2).filter_map(|pair| {
        let ((small, at_small), (large, at_large)) = (pair[0], pair[1]);
        let inside = (metric - at_small) * (metric - at_large) <= 0.0;
        let share = if at_large == at_small { 0.0 } else { (metric - at_small) / (at_large - at_small) };
        inside.then(|| small * (large / small).powf(share))
    });
    let distance = |size: f64| (size / base).ln().abs();
    if let Some(size) = crossings.min_by(|a, b| distance(*a).total_cmp(&distance(*b))) {
        return Some(Place::At(size));
    }
    let (first, last) = (rungs.first()?, rungs.last()?);
    match (metric - first.1).abs() < (metric - last.1).abs() {
        _ if rungs.len() < 2 => None,
        true => Some(Place::Below(first.0)),
        false => Some(Place::Above(last.0)),
    }
}

fn multiple(places: &[Place], unit: f64) -> Option<Multiple> {
    let first_beyond = places.iter().find(|place| !matches!(place, Place::At(_)));
    match first_beyond {
        Some(Place::Above(size)) => return Some(Multiple::Above(size / unit)),
        Some(Place::Below(size)) => return Some(Multiple::Below(size / unit)),
        _ => {}
    }
    let logarithms: Vec<f64> = places
        .iter()
        .filter_map(|place| match place {
            Place::At(size) => Some((size / unit).ln()),
            _ => None,
        })
        .collect();
    let test = PairedTest::of(&logarithms)?;
    let Interval { low, high } = test.interval(0.95);
    Some(Multiple::Of(test.mean.exp(), Interval { low: low.exp(), high: high.exp() }))
}
