//! Whether the gap between two rows changes where something else differs: the difference of two differences.
//!
//! All four cells of a seed see the same batches, so each seed gives one number. Their mean is tested: the
//! interaction of a two-by-two design with seeds as blocks, `F(1, n − 1) = t²`, with the noise of test games added where
//! cells stored their positions. The interactions that a file defines are their own
//! family, as an analysis of variance keeps main effects and interactions apart.

use crate::comparison::{ALPHA, Corrected, Paired, difference, diverged, mean};
use crate::figures::{Figure, Styles};
use crate::no_verdict::{Missing, blocking_reason, left_out, reasons};
use crate::noise::{Noise, counted};
use crate::numbers::{
    fixed, interval, interval_decimals, or_absent, p_in_words, p_value, signed, two_cells, with_interval,
};
use crate::primary::PrimaryMetric;
use crate::run_folder::CellRecord;
use crate::sections::GameSource;
use crate::statistics::{Interval, MeanTest, PairedTest, holm};
use crate::table::Table;
use facts::row_name::readable;
use facts::{Interaction, distinct};
use figures::plot::Style;
use figures::plot::forest::{self, ForestPlot, ForestRow};

/// One interaction: a gap with one value, compared with the same gap with another value.
#[derive(Debug, Clone, PartialEq)]
pub struct InteractionReport {
    pub definition: Interaction,
    /// The gap with the first and with the second value, over the seeds of `differences`.
    pub gaps: [Option<Gap>; 2],
    /// The second gap less the first by seed.
    pub differences: Vec<(u64, f64)>,
    pub planned: usize,
    /// The test of their mean against 0 over seeds alone, from two seeds on.
    pub test: Option<PairedTest>,
    /// The test that decides: over seeds and test games, or the same as `test`.
    pub decisive: Option<MeanTest>,
    pub noise: Option<Noise>,
    pub interval: Option<Interval>,
    pub holm: Option<Corrected>,
    pub change: Change,
    /// Why there is no verdict, or which seeds were left out of it.
    pub missing: Vec<Missing>,
}

/// A gap: the second row less the first, paired by seed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gap {
    pub mean: f64,
    /// Its plain 95 % t-interval.
    pub interval: Interval,
}

games::named! {
    /// Its name is the verb that follows "the gap".
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Change {
        /// Both gaps exclude zero, and it is smaller with the second value.
        Shrinks = "shrinks",
        /// Both gaps exclude zero, and it is larger with the second value.
        Grows = "grows",
        /// Both gaps exclude zero, with different signs.
        Reverses = "reverses",
        /// It changes, but one of the gaps is not significant itself, so its size before or after is unknown.
        Changes = "changes",
        /// The corrected interval of the change contains zero.
        NotDistinguishable = "not distinguishable",
        Missing = "no verdict",
    }
}

impl Change {
    /// How a gap changes that does change. It shrinks, grows or reverses only if both gaps exclude zero.
    fn of(gaps: &[Option<Gap>; 2]) -> Self {
        let [Some(first), Some(second)] = gaps else { return Self::Missing };
        let both = first.interval.excludes_zero() && second.interval.excludes_zero();
        match second.mean.abs() < first.mean.abs() {
            _ if !both => Self::Changes,
            _ if first.mean.signum() != second.mean.signum() => Self::Reverses,
            true => Self::Shrinks,
            false => Self::Grows,
        }
    }
}

impl InteractionReport {
    /// The mean change of the gap. A single seed has one too, without a test.
    pub fn mean(&self) -> Option<f64> {
        mean(&self.differences)
    }

    /// `shaw less absolute (batch 64)`.
    pub fn name(&self) -> String {
        let Interaction { gap: [from, to], within, .. } = &self.definition;
        format!("{to} less {from}{}", in_brackets(within.as_deref()))
    }

    /// The same with the names of tables and figures: `Shaw less absolute (batch 64)`.
    pub(super) fn shown(&self) -> String {
        let [from, to] = self.definition.gap.each_ref().map(|label| readable(label));
        format!("{to} less {from}{}", self.within())
    }

    fn within(&self) -> String {
        in_brackets(self.definition.within.as_deref().map(readable).as_deref())
    }
}

fn in_brackets(text: Option<&str>) -> String {
    text.map_or_else(String::new, |text| format!(" ({text})"))
}

/// The interactions of a game, in the order of the file, without a correction; those of which the plan lacks a row are left out.
pub(crate) fn of(source: GameSource<'_>) -> Vec<InteractionReport> {
    let defined = source.folder.plan.interactions.iter().filter(|one| one.game == source.game);
    defined.filter_map(|one| interaction(source, one)).collect()
}

fn interaction(source: GameSource<'_>, definition: &Interaction) -> Option<InteractionReport> {
    let GameSource { folder, primary, .. } = source;
    let cells = |name: &String| -> Option<&[CellRecord]> {
        let place = folder.plan.rows.iter().position(|row| row.folder == *name)?;
        Some(&folder.cells[place])
    };
    let [[a, b], [c, d]] = &definition.rows;
    let (first, second) = ([cells(a)?, cells(b)?], [cells(c)?, cells(d)?]);
    let seeds: Vec<[&CellRecord; 4]> = (0..folder.plan.seeds.len())
        .map(|seed| [&first[0][seed], &first[1][seed], &second[0][seed], &second[1][seed]])
        .collect();
    let of = |from: &CellRecord, to: &CellRecord| difference(to, from, &primary.name);
    let change = |[a, b, c, d]: &[&CellRecord; 4]| {
        // Both gaps must be from the same kind of machine.
        of(a, c)?;
        Ok(of(c, d)? - of(a, b)?)
    };
    let change_terms = [(&d[..], 1.0), (&c[..], -1.0), (&b[..], -1.0), (&a[..], 1.0)];
    let Paired { differences, test, decisive, noise, mut missing } = Paired::of(source, &seeds, change, &change_terms);
    // The gaps and their change are of the same seeds.
    let gap = |[from, to]: [&[CellRecord]; 2], [from_name, to_name]: [&String; 2]| {
        let pairs = from.iter().zip(to).map(|(from, to)| [from, to]);
        let pairs: Vec<[&CellRecord; 2]> =
            pairs.filter(|[from, _]| differences.iter().any(|(seed, _)| *seed == from.seed)).collect();
        let terms = [(&to_name[..], 1.0), (&from_name[..], -1.0)];
        let paired = Paired::of(source, &pairs, |[from, to]| of(from, to), &terms);
        paired.decisive.map(|test| Gap { mean: test.mean, interval: test.interval(1.0 - ALPHA) })
    };
    let gaps = [gap(first, [a, b]), gap(second, [c, d])];
    let lost: usize = [first, second].iter().flatten().map(|cells| diverged(cells)).sum();
    if lost > 0 {
        missing.insert(0, Missing::Diverged { cells: lost });
    }
    if folder.plan.smoke {
        missing.insert(0, Missing::Smoke);
    }
    Some(InteractionReport {
        definition: definition.clone(),
        gaps,
        planned: seeds.len(),
        differences,
        test,
        interval: decisive.map(|test| test.interval(1.0 - ALPHA)),
        decisive,
        noise,
        holm: None,
        change: Change::Missing,
        missing,
    })
}

/// Corrects all interactions of a grid together; returns how many there are.
pub(crate) fn correct<'a>(all: impl Iterator<Item = &'a mut InteractionReport>) -> usize {
    let mut family: Vec<&mut InteractionReport> = all.collect();
    let is_judged = |one: &InteractionReport| !one.missing.iter().any(Missing::blocks_verdict);
    let p_values: Vec<Option<f64>> =
        family.iter().map(|one| one.decisive.filter(|_| is_judged(one)).map(|test| test.p)).collect();
    for (one, holm) in family.iter_mut().zip(holm(&p_values, ALPHA)) {
        let (Some(holm), Some(test)) = (holm, one.decisive) else { continue };
        one.holm = Some(Corrected { holm, interval: test.interval(holm.level) });
        one.change = if holm.p < ALPHA { Change::of(&one.gaps) } else { Change::NotDistinguishable };
    }
    family.len()
}

pub(crate) fn table(all: &[InteractionReport]) -> Table {
    let header = ["gap", "first value", "second value", "change", "95 % interval", "Holm p", "the gap"];
    let rows = all.iter().map(|one| {
        let gap = |side: usize| {
            let gap = or_absent(one.gaps[side], |Gap { mean, interval }| with_interval(mean, &interval));
            format!("{}: {gap}", readable(&one.definition.by[side]))
        };
        let [change, ends] = two_cells(one.mean(), one.interval);
        let p = or_absent(one.holm, |corrected| p_value(corrected.holm.p));
        let verdict = blocking_reason(&one.missing).unwrap_or_else(|| one.change.name().to_owned());
        vec![one.shown(), gap(0), gap(1), change, ends, p, verdict]
    });
    let note = "a gap is the primary metric of the first name less that of the second, paired by seed, with its plain 95 % \
                interval; change: the second gap less the first, seed by seed; Holm's correction is over the interactions of \
                the grid and not over its comparisons; shrinks, grows or reverses: both gaps are significant themselves";
    Table::new(header, &[0, 1, 2, 6], rows).titled("interactions: does the gap change?").noted([note])
}

/// How the interactions of a grid were tested.
pub(crate) fn method<'a>(all: impl Iterator<Item = &'a InteractionReport>, family: usize) -> String {
    let noise = counted(all.filter_map(|one| one.noise.as_ref()));
    format!(
        "differences of differences, paired t-tests over {noise}, Holm-corrected over the grid's {}, α = {ALPHA}",
        facts::counted(family as u64, "interaction")
    )
}

pub(crate) fn answers(game: &str, all: &[InteractionReport], primary: &PrimaryMetric) -> Vec<(Change, String)> {
    all.iter().map(|one| (one.change, format!("On {game}, {}.", answer(one, primary)))).collect()
}

fn answer(one: &InteractionReport, primary: &PrimaryMetric) -> String {
    let names = |labels: &[String; 2]| labels.each_ref().map(|label| readable(label));
    let ([from, to], [first, second]) = (names(&one.definition.gap), names(&one.definition.by));
    let gap = format!("the gap between {from} and {to}{}", one.within());
    let ([Some(at_first), Some(then)], Some(test), Some(Corrected { holm, interval: corrected })) =
        (&one.gaps, one.decisive, &one.holm)
    else {
        return format!("{gap} with {first} against that with {second} has no verdict: {}", reasons(&one.missing));
    };
    let decimals = interval_decimals(corrected);
    let (by, size) = (signed(test.mean, decimals), fixed(test.mean.abs(), decimals));
    let change = match one.change {
        Change::Shrinks => format!("it shrinks by {size}"),
        Change::Grows => format!("it grows by {size}"),
        Change::Reverses => format!("it reverses, changing by {by}"),
        Change::Changes => format!("it changes by {by}"),
        Change::NotDistinguishable | Change::Missing => format!("its change of {by} is not distinguishable from 0"),
    };
    format!(
        "{gap} in {} is {} with {first} and {} with {second}: {change}, Holm-corrected interval of the change {}, {}{}",
        primary.name,
        signed(at_first.mean, decimals),
        signed(then.mean, decimals),
        interval(corrected, decimals),
        p_in_words(holm.p),
        left_out(&one.missing)
    )
}

/// For each gap of a game: the gap with each value, and its changes.
pub(crate) fn figures(game: &str, all: &[InteractionReport], primary: &PrimaryMetric, styles: &Styles) -> Vec<Figure> {
    let names = distinct(all.iter().map(InteractionReport::shown));
    let figure = |(number, name): (usize, &String)| {
        let of_gap = all.iter().filter(|one| one.shown() == *name);
        let plot = ForestPlot {
            title: format!("The gap {name} on {game}, and its changes."),
            x_label: format!("difference in {}", primary.with_unit()),
            sides: None,
            rows: forest_rows(of_gap),
        };
        let id = format!("{game}-interactions-{number}");
        let svg = forest::draw(&plot, &id, styles.medium)?;
        let caption = "Means over seeds; thick: the plain 95 % interval, thin: Holm's over the interactions of the grid, \
                       which gives the verdict.";
        Some(Figure { id, svg, title: plot.title, caption: caption.to_owned() })
    };
    names.iter().enumerate().filter_map(figure).collect()
}

fn forest_rows<'a>(of_gap: impl Iterator<Item = &'a InteractionReport>) -> Vec<ForestRow> {
    let mut rows: Vec<ForestRow> = Vec::new();
    for (number, one) in of_gap.enumerate() {
        let [first, second] = one.definition.by.each_ref().map(|label| readable(label));
        for (by, gap) in [&first, &second].into_iter().zip(one.gaps) {
            // All interactions of an entry have the same first value.
            let (Some(gap), false) = (gap, rows.iter().any(|row| row.label == *by)) else { continue };
            rows.push(ForestRow {
                label: by.clone(),
                style: Style::Reference,
                mean: gap.mean,
                plain: gap.interval,
                corrected: None,
                verdict: String::new(),
            });
        }
        rows.extend(one.test.zip(one.interval).map(|(test, plain)| ForestRow {
            label: format!("{first} → {second}"),
            style: Style::Row(number),
            mean: test.mean,
            plain,
            corrected: one.holm.map(|corrected| corrected.interval),
            verdict: one.change.name().to_owned(),
        }));
    }
    rows
}
