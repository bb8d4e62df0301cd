//! Whether the gap between two rows changes where something else differs: the difference of two differences.
//!
//! All four cells of a seed see the same batches, so each seed gives one number, and what is tested is their mean: the
//! interaction of a two-by-two design with seeds as blocks, `F(1, n − 1) = t²`, with the noise of test games added where
//! cells stored their positions. The interactions that a file defines are their own
//! family, as an analysis of variance keeps main effects and interactions apart.

use super::files::{CellRecord, RunFolder};
use super::model::comparison::{ALPHA, Corrected, Missing};
use super::model::interactions::{Change, Gap, InteractionReport};
use super::model::{GameReport, PrimaryMetric};
use super::pairs::{Paired, decisive, difference};
use super::positions::Positions;
use super::statistics::holm;
use facts::Interaction;
use games::GameKind;

/// The interactions of a game, in the order of the file, without a correction.
pub(super) fn of(
    folder: &RunFolder,
    game: GameKind,
    primary: &PrimaryMetric,
    positions: Option<&Positions>,
) -> Vec<InteractionReport> {
    let defined = folder.plan.interactions.iter().filter(|one| one.game == game);
    defined.filter_map(|one| interaction(folder, one, primary, positions)).collect()
}

/// None if the plan lacks one of the rows.
fn interaction(
    folder: &RunFolder,
    definition: &Interaction,
    primary: &PrimaryMetric,
    positions: Option<&Positions>,
) -> Option<InteractionReport> {
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
    let gap = |[from, to]: [&[CellRecord]; 2], [from_name, to_name]: [&String; 2]| {
        let pairs: Vec<[&CellRecord; 2]> = from.iter().zip(to).map(|(from, to)| [from, to]).collect();
        let paired = Paired::of(&pairs, |[from, to]| of(from, to), primary.direction);
        let terms = [(&to_name[..], 1.0), (&from_name[..], -1.0)];
        let (test, _) = decisive(paired.test, &paired.differences, &terms, positions)?;
        Some(Gap { mean: test.mean, interval: test.interval(1.0 - ALPHA) })
    };
    let Paired { differences, test, mut missing } = Paired::of(&seeds, change, primary.direction);
    let terms = [(&d[..], 1.0), (&c[..], -1.0), (&b[..], -1.0), (&a[..], 1.0)];
    let (decisive, noise) = decisive(test, &differences, &terms, positions).unzip();
    if folder.plan.smoke {
        missing.insert(0, Missing::Smoke);
    }
    Some(InteractionReport {
        definition: definition.clone(),
        gaps: [gap(first, [a, b]), gap(second, [c, d])],
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
pub(super) fn correct(games: &mut [GameReport]) -> usize {
    let mut family: Vec<&mut InteractionReport> = games.iter_mut().flat_map(|game| &mut game.interactions).collect();
    let p_values: Vec<Option<f64>> = family
        .iter()
        .map(|one| one.decisive.filter(|_| !one.missing.iter().any(Missing::rules_out_a_verdict)).map(|test| test.p))
        .collect();
    for (one, holm) in family.iter_mut().zip(holm(&p_values, ALPHA)) {
        let (Some(holm), Some(test)) = (holm, one.decisive) else { continue };
        one.holm = Some(Corrected { holm, interval: test.interval(holm.level) });
        one.change = if holm.p < ALPHA { change(&one.gaps) } else { Change::NotDistinguishable };
    }
    family.len()
}

/// How a gap changes that does change. It shrinks, grows or reverses only if both gaps exclude zero.
fn change(gaps: &[Option<Gap>; 2]) -> Change {
    let [Some(first), Some(second)] = gaps else { return Change::Missing };
    let both = first.interval.excludes_zero() && second.interval.excludes_zero();
    match second.mean.abs() < first.mean.abs() {
        _ if !both => Change::Changes,
        _ if first.mean.signum() != second.mean.signum() => Change::Reverses,
        true => Change::Shrinks,
        false => Change::Grows,
    }
}
