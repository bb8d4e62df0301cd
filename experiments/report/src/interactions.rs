//! Whether the gap between two rows is another one where something else differs: the difference of two differences.
//!
//! All four cells of a seed see the same batches, so each seed gives one number, and what is tested is their mean: the
//! interaction of a two-by-two design with seeds as blocks, `F(1, n − 1) = t²`. The interactions that a file asks for are a
//! family of their own, as an analysis of variance keeps main effects and interactions apart.

use super::files::{CellRecord, RunFolder};
use super::model::{ALPHA, Corrected, GameReport, Missing, PrimaryMetric};
use super::pairs::{Paired, difference};
use super::statistics::{Interval, PairedTest, holm};

use games::GameKind;

/// A gap with one value against the same gap with another.
#[derive(Debug, Clone, PartialEq)]
pub struct Interaction {
    /// What is compared, in words.
    pub asked: spec::Interaction,
    /// The gap with the first value and with the second, over the seeds that have it.
    pub gaps: [Option<Gap>; 2],
    /// The second gap less the first by seed.
    pub differences: Vec<(u64, f64)>,
    /// Seeds of the experiment.
    pub planned: usize,
    /// The test of their mean against 0, from two seeds on.
    pub test: Option<PairedTest>,
    /// Its plain 95 % t-interval.
    pub interval: Option<Interval>,
    /// Holm's correction over the interactions.
    pub holm: Option<Corrected>,
    /// What it comes to.
    pub change: Change,
    /// What is missing, or was left out.
    pub missing: Vec<Missing>,
}

/// A gap: the second row less the first, paired by seed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gap {
    /// Its mean.
    pub mean: f64,
    /// Its plain 95 % t-interval.
    pub interval: Interval,
}

/// What becomes of a gap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// It is smaller with the second value.
    Shrinks,
    /// It is larger.
    Grows,
    /// Both gaps are there, with different signs.
    TurnsRound,
    /// The corrected interval of the change holds zero.
    NotDistinguishable,
    /// There is no verdict.
    Missing,
}

impl Change {
    /// In words that follow "the gap".
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Shrinks => "shrinks",
            Self::Grows => "grows",
            Self::TurnsRound => "turns round",
            Self::NotDistinguishable => "not distinguishable",
            Self::Missing => "no verdict",
        }
    }
}

/// The interactions of a game, in the order of the file, without a correction.
pub(super) fn of(folder: &RunFolder, game: GameKind, primary: &PrimaryMetric) -> Vec<Interaction> {
    let asked = folder.plan.interactions.iter().filter(|asked| asked.game == game);
    asked.filter_map(|asked| interaction(folder, asked, primary)).collect()
}

/// None if the plan lacks one of the rows.
fn interaction(folder: &RunFolder, asked: &spec::Interaction, primary: &PrimaryMetric) -> Option<Interaction> {
    let cells = |name: &String| -> Option<&[CellRecord]> {
        let place = folder.plan.rows.iter().position(|row| row.folder == *name)?;
        Some(&folder.cells[place])
    };
    let [[a, b], [c, d]] = &asked.rows;
    let (first, second) = ([cells(a)?, cells(b)?], [cells(c)?, cells(d)?]);
    let seeds: Vec<[&CellRecord; 4]> = (0..folder.plan.seeds.len())
        .map(|seed| [&first[0][seed], &first[1][seed], &second[0][seed], &second[1][seed]])
        .collect();
    let of = |from: &CellRecord, to: &CellRecord| difference(to, from, &primary.name);
    let change = |[a, b, c, d]: &[&CellRecord; 4]| {
        // The gaps must be of one kind of machine too.
        of(a, c)?;
        Ok(of(c, d)? - of(a, b)?)
    };
    let gap = |[from, to]: [&[CellRecord]; 2]| {
        let pairs: Vec<[&CellRecord; 2]> = from.iter().zip(to).map(|(from, to)| [from, to]).collect();
        let paired = Paired::of(&pairs, |[from, to]| of(from, to), primary.direction);
        Some(Gap { mean: paired.test?.mean, interval: paired.interval? })
    };
    let Paired { differences, test, interval, mut missing } = Paired::of(&seeds, change, primary.direction);
    if folder.plan.smoke {
        missing.insert(0, Missing::Smoke);
    }
    Some(Interaction {
        asked: asked.clone(),
        gaps: [gap(first), gap(second)],
        planned: seeds.len(),
        differences,
        test,
        interval,
        holm: None,
        change: Change::Missing,
        missing,
    })
}

/// Corrects all interactions of a grid together; returns how many there are.
pub(super) fn correct(games: &mut [GameReport]) -> usize {
    let mut family: Vec<&mut Interaction> = games.iter_mut().flat_map(|game| &mut game.interactions).collect();
    let p_values: Vec<Option<f64>> = family
        .iter()
        .map(|one| one.test.filter(|_| !one.missing.iter().any(Missing::rules_out_a_verdict)).map(|test| test.p))
        .collect();
    for (one, holm) in family.iter_mut().zip(holm(&p_values, ALPHA)) {
        let (Some(holm), Some(test)) = (holm, one.test) else { continue };
        one.holm = Some(Corrected { holm, interval: test.interval(holm.level) });
        one.change = if holm.p < ALPHA { change(&one.gaps) } else { Change::NotDistinguishable };
    }
    family.len()
}

/// What a change that is there means. A gap turns round only where both are distinguishable from none.
fn change(gaps: &[Option<Gap>; 2]) -> Change {
    let [Some(first), Some(second)] = gaps else { return Change::Missing };
    let there = first.interval.excludes_zero() && second.interval.excludes_zero();
    match second.mean.abs() < first.mean.abs() {
        _ if there && first.mean.signum() != second.mean.signum() => Change::TurnsRound,
        true => Change::Shrinks,
        false => Change::Grows,
    }
}
