//! Size equivalents: how much larger the reference would have to be to match a row.
//!
//! Rows that differ from the reference in their network's size only are a ladder. Its means over seeds are fitted so that no
//! larger size is worse, and between its rungs the fit is linear in the logarithm of the size. A row's equivalent is the size
//! at which the fit has its mean metric, and the interval is that of the ends of the mean's interval. (Chessformer, §4.3, states gains as sizes in this way.)

use super::variants::{self, Variant};
use crate::run_folder::{CellRecord, RunFolder};
use crate::sections::GameSource;
use crate::statistics::ladder::{Ladder, Multiple};
use crate::statistics::{Interval, PairedTest, Summary};
use crate::table::{ABSENT, ROW, Table};
use facts::Role;
use facts::metrics::Direction;
use facts::row_name::readable;
use std::collections::BTreeMap;
use std::iter::once;

games::named! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    enum SizeMeasure {
        Parameters = "parameters",
        Flops = "FLOPs",
        Seconds = "step time",
    }
}

impl SizeMeasure {
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
pub struct EquivalentSizes {
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

const RUNGS_NEEDED: usize = 3;

/// The equivalents of a game; none without a ladder of [`RUNGS_NEEDED`] sizes.
pub(crate) fn of(source: GameSource<'_>) -> Option<EquivalentSizes> {
    let variants = variants::of(source.folder, source.game);
    let reference = variants.iter().find(|variant| variant.row.role == Role::Reference)?;
    let same = |places: &[&str]| {
        let wanted = reference.run_without(places);
        variants.iter().filter(move |variant| variant.run_without(places) == wanted).collect::<Vec<_>>()
    };
    let rungs = same(&["model"]);
    let others: Vec<_> = same(&["encoding"]).into_iter().filter(|v| v.row.folder != reference.row.folder).collect();
    if rungs.len() < RUNGS_NEEDED || others.is_empty() {
        return None;
    }
    let row = |variant: &&Variant<'_>| SizedRow {
        label: variant.row.display_name().to_owned(),
        equivalents: SizeMeasure::ALL.map(|by| equivalent(source, by, variant, reference, &rungs)),
    };
    let label = reference.row.display_name().to_owned();
    Some(EquivalentSizes { reference: label, rungs: rungs.len(), rows: others.iter().map(row).collect() })
}

fn equivalent(
    GameSource { folder, primary, .. }: GameSource<'_>,
    by: SizeMeasure,
    row: &Variant<'_>,
    reference: &Variant<'_>,
    rungs: &[&Variant<'_>],
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
    // Remove the seed effect: the deviation of the ladder's mean at this seed from its mean over seeds.
    let of_ladder = |seed: u64| mean(&mut sized.iter().map(|(_, metric)| metric[&seed]));
    let all = mean(&mut seeds.iter().filter_map(|&seed| of_ladder(seed)))?;
    let adjusted: Option<Vec<f64>> = seeds.iter().map(|seed| Some(own[seed] - (of_ladder(*seed)? - all))).collect();
    let test = PairedTest::of(&adjusted?)?;
    let multiple = |unit: f64| {
        let Interval { low, high } = test.interval(0.95);
        let [at, one, other] = [test.mean, low, high].map(|metric| ladder.size_at(metric).over(unit));
        let ends = if primary.direction == Direction::Lower { [other, one] } else { [one, other] };
        Multiple { at, ends }
    };
    let [base, own] = [by.of(reference, folder)?, by.of(row, folder)?];
    Some(Equivalent { by_reference: multiple(base), by_row: multiple(own) })
}

pub(crate) fn table(sizes: &EquivalentSizes) -> Table {
    let of_measure = |by: &SizeMeasure| [format!("{}: × reference", by.name()), "× own".to_owned()];
    let header = once(ROW.to_owned()).chain(SizeMeasure::ALL.iter().flat_map(of_measure));
    let rows = sizes.rows.iter().map(|row| {
        let cells = row.equivalents.iter().flat_map(|equivalent| match equivalent {
            Some(Equivalent { by_reference, by_row }) => [by_reference, by_row].map(ToString::to_string),
            None => [ABSENT, ABSENT].map(str::to_owned),
        });
        once(readable(&row.label)).chain(cells).collect()
    });
    let notes = vec![format!(
        "on {} sizes of the reference, whose means over seeds are fitted so that no larger size is worse, linearly in the \
         logarithm of the size; in brackets the sizes at the ends of the row's 95 % t-interval; ≥ and ≤: at or beyond the \
         largest or the smallest size; × reference: the size that matches, divided by the reference's; × own: the same divided by the \
         row's own size, above 1 the row is better than the reference of the same size",
        sizes.rungs
    )];
    let title = format!("size equivalents: the size at which {} matches", readable(&sizes.reference));
    Table::new(header, &[0], rows).titled(&title).noted(notes)
}
