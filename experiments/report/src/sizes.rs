//! How much larger the reference would have to be to match a row: the yardstick of the field.
//!
//! Rows that differ from the reference in their network's size only are a ladder. Between its rungs the metric is taken
//! as a straight line in the logarithm of the size, for each seed by itself, and a row's equivalent is where its own metric
//! lies on that line. (Chessformer, §4.3, states gains as sizes in this way.)

use super::build::flops;
use super::files::RunFolder;
use super::model::PrimaryMetric;
use super::statistics::{Interval, PairedTest};
use super::variants::{self, Variant};
use games::GameKind;
use records::plan::Role;
use std::collections::BTreeMap;

/// A ladder needs so many rungs.
const RUNGS_NEEDED: usize = 3;

/// What sizes are counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Yardstick {
    /// Trained numbers.
    Parameters,
    /// Operations of a forward pass.
    Flops,
    /// Seconds of a training step.
    Seconds,
}

impl Yardstick {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Parameters, Self::Flops, Self::Seconds];

    /// In words.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Parameters => "parameters",
            Self::Flops => "FLOPs",
            Self::Seconds => "step time",
        }
    }

    fn of(self, variant: &Variant<'_>, folder: &RunFolder) -> Option<f64> {
        match self {
            Self::Parameters => {
                let network = &variant.row.network;
                Some((network.trunk + network.heads + network.encoding) as f64)
            }
            Self::Flops => flops(variant.cells).map(|flops| flops as f64),
            Self::Seconds => Some(folder.step_times.as_ref()?.of(&variant.row.folder)?.median_s),
        }
    }
}

/// A game's equivalents.
#[derive(Debug, Clone, PartialEq)]
pub struct Sizes {
    /// The reference's label.
    pub reference: String,
    /// How many sizes of the reference there are.
    pub rungs: usize,
    /// The rows of the reference's size with another encoding.
    pub rows: Vec<SizedRow>,
}

/// One row.
#[derive(Debug, Clone, PartialEq)]
pub struct SizedRow {
    /// Its label.
    pub label: String,
    /// For each of [`Yardstick::ALL`].
    pub equivalents: [Option<Equivalent>; 3],
}

/// The reference's size that matches a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Equivalent {
    /// By the reference's own size: how much larger it would have to be.
    pub by_reference: Multiple,
    /// By the row's own size: above 1, the row does more with as much.
    pub by_row: Multiple,
}

/// A factor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Multiple {
    /// The geometric mean over seeds, and its 95 % interval (Student's t of the logarithms).
    Of(f64, Interval),
    /// Some seed's metric is beyond the largest rung; this is that rung.
    Above(f64),
    /// Some seed's metric is below the smallest rung.
    Below(f64),
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
        equivalents: Yardstick::ALL.map(|by| equivalent(folder, by, variant, reference, &rungs, primary)),
    };
    let label = reference.row.label.clone();
    Some(Sizes { reference: label, rungs: rungs.len(), rows: others.iter().map(row).collect() })
}

fn equivalent(
    folder: &RunFolder,
    by: Yardstick,
    row: &Variant<'_>,
    reference: &Variant<'_>,
    rungs: &[&Variant<'_>],
    primary: &PrimaryMetric,
) -> Option<Equivalent> {
    let sized: Option<Vec<(f64, BTreeMap<u64, f64>)>> =
        rungs.iter().map(|rung| Some((by.of(rung, folder)?, rung.test(primary)))).collect();
    let sized = sized?;
    let base = by.of(reference, folder)?;
    let ladder_of = |seed: &u64| -> Option<Vec<(f64, f64)>> {
        sized.iter().map(|(size, metric)| Some((*size, *metric.get(seed)?))).collect()
    };
    let places: Vec<Place> =
        row.test(primary).iter().filter_map(|(seed, metric)| place_on(&ladder_of(seed)?, base, *metric)).collect();
    Some(Equivalent { by_reference: multiple(&places, base)?, by_row: multiple(&places, by.of(row, folder)?)? })
}

/// Where a metric lies on a ladder.
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
