//! Which pairs of seeds count, and the verdict of a comparison.

use super::files::{CellFacts, CellRecord};
use super::model::comparison::{
    ALPHA, Comparison, Corrected, Equivalence, Missing, PAIRS_NEEDED, Precision, TargetDifference, Verdict,
};
use super::model::noise::{Noise, SeedsOnly};
use super::positions::Positions;
use super::statistics::sign_flip::sign_flip;
use super::statistics::{Holm, MeanTest, PairedTest, equivalence, power};
use facts::metrics::Direction;
use facts::{Numerics, Role};
use records::device;
use records::plan::Row;
use records::{CellState, FailureKind};

/// A row of the plan with its cells.
pub(super) type Line<'a> = (&'a Row, &'a [CellRecord]);

/// Sorts the rows of a game by groups: a reference, then the rows that are compared with it, in the order of the plan.
pub(super) fn sort_by_group(lines: &mut [Line<'_>]) {
    let references: Vec<&Row> = lines.iter().map(|(row, _)| *row).filter(|row| row.role == Role::Reference).collect();
    let group = |row: &Row| references.iter().position(|other| row.is_compared_with(other));
    lines.sort_by_key(|(row, _)| (group(row), row.role != Role::Reference));
}

/// The row that a row is compared with, among those of its game.
pub(super) fn reference_of<'a>(lines: &[Line<'a>], row: &Row) -> Option<Line<'a>> {
    lines.iter().copied().find(|(other, _)| row.is_compared_with(other))
}

/// Compares a row with its reference, seed by seed, without any correction yet.
pub(super) fn compare(
    reference: Line<'_>,
    row: Line<'_>,
    metric: (&str, Direction),
    positions: Option<&Positions>,
) -> Comparison {
    let pairs: Vec<[&CellRecord; 2]> = row.1.iter().zip(reference.1).map(|(own, other)| [own, other]).collect();
    let Paired { differences, test, missing } =
        Paired::of(&pairs, |[own, other]| difference(own, other, metric.0), metric.1);
    let terms = [(&row.0.folder[..], 1.0), (&reference.0.folder[..], -1.0)];
    let (decisive, noise) = decisive(test, &differences, &terms, positions).unzip();
    Comparison {
        reference: reference.0.label.clone(),
        pairs: differences.len(),
        planned: row.1.len(),
        diverged: diverged(row.1),
        reference_diverged: diverged(reference.1),
        interval: decisive.map(|test| test.interval(1.0 - ALPHA)),
        test,
        decisive,
        noise,
        moderated: None,
        differences,
        holm: None,
        equivalence: None,
        precision: None,
        verdict: Verdict::Missing,
        missing,
    }
}

/// How many cells failed because a number was not finite.
pub(super) fn diverged(cells: &[CellRecord]) -> usize {
    let not_finite = |cell: &&CellRecord| matches!(&cell.state, CellState::Failed(failure) if failure.kind == FailureKind::NotFinite);
    cells.iter().filter(not_finite).count()
}

/// The test that decides about a sum of rows, each with its sign: over seeds and test games if all cells stored what they
/// measured on each position, otherwise over seeds alone. The mean is that of the metric; stored values are rounded.
pub(super) fn decisive(
    test: Option<PairedTest>,
    differences: &[(u64, f64)],
    terms: &[(&str, f64)],
    positions: Option<&Positions>,
) -> Option<(MeanTest, Noise)> {
    let of_seeds = test?;
    let seeds: Vec<u64> = differences.iter().map(|&(seed, _)| seed).collect();
    let crossed = positions.ok_or(SeedsOnly::NothingStored).and_then(|positions| positions.test(terms, &seeds));
    Some(match crossed {
        Ok(crossed) => {
            let test = MeanTest::new(of_seeds.mean, crossed.test.error, crossed.test.freedom);
            (test, Noise::SeedsAndGames(crossed))
        }
        Err(why) => (of_seeds.into(), Noise::SeedsOnly(why)),
    })
}

/// One number for each seed, and their uncorrected test.
pub(super) struct Paired {
    pub(super) differences: Vec<(u64, f64)>,
    pub(super) test: Option<PairedTest>,
    pub(super) missing: Vec<Missing>,
}

impl Paired {
    /// From the cells of each seed that give a number together.
    pub(super) fn of<const N: usize>(
        seeds: &[[&CellRecord; N]],
        number: impl Fn(&[&CellRecord; N]) -> Result<f64, Missing>,
        direction: Direction,
    ) -> Self {
        let (mut differences, mut missing) = (Vec::new(), Vec::new());
        for cells in seeds {
            match number(cells) {
                Ok(difference) => differences.push((cells[0].seed, difference)),
                Err(reason) => missing.push(reason),
            }
        }
        let test = PairedTest::of(&differences.iter().map(|&(_, difference)| difference).collect::<Vec<_>>());
        if direction == Direction::Neither {
            missing.insert(0, Missing::NoDirection);
        }
        let settled = |cell: &&CellRecord| matches!(cell.state, CellState::Done | CellState::Failed(_));
        if !seeds.iter().flatten().all(settled) {
            let done = seeds.iter().filter(|cells| cells.iter().all(|cell| cell.state == CellState::Done)).count();
            missing.insert(0, Missing::NotFinished { done, planned: seeds.len() });
        } else if differences.len() < PAIRS_NEEDED {
            missing.insert(0, Missing::Pairs { has: differences.len() });
        } else if test.is_some_and(|test| test.sd == 0.0) {
            missing.insert(0, Missing::NoSpread);
        }
        Self { differences, test, missing }
    }
}

/// Row less reference at one seed, or why the pair does not count.
pub(super) fn difference(row: &CellRecord, reference: &CellRecord, metric: &str) -> Result<f64, Missing> {
    let seed = row.seed;
    for cell in [row, reference] {
        match cell.state {
            CellState::Failed(_) => return Err(Missing::Failed { seed }),
            CellState::Done => {}
            _ => return Err(Missing::Unfinished { seed }),
        }
    }
    let (Some(own), Some(other)) = (&row.facts, &reference.facts) else { return Err(Missing::NoManifest { seed }) };
    if let Some((what, row, reference)) = unfair(own, other) {
        return Err(Missing::Differs { seed, what, row, reference });
    }
    let value = |cell: &CellRecord| cell.result.as_ref()?.primary.metrics.get(metric).filter(|value| value.is_finite());
    match (value(row), value(reference)) {
        (Some(row), Some(reference)) => Ok(row - reference),
        _ => Err(Missing::NoValue { seed }),
    }
}

/// The first condition in which two cells differ that must agree for their difference to mean anything: versions of the
/// arithmetic that both use, device kind, model of the GPU, dtype. (Threads and instruction set change the last bits only;
/// they are shown, not refused.)
fn unfair(row: &CellFacts, reference: &CellFacts) -> Option<(&'static str, String, String)> {
    let (own, other) = (&row.identity.numerics, &reference.identity.numerics);
    if own != other {
        let parts = [row, reference].map(CellFacts::components);
        if !Numerics::agree((own, parts[0].as_ref()), (other, parts[1].as_ref())) {
            return Some(("numerics version", own.to_string(), other.to_string()));
        }
    }
    let decisive = |facts: &CellFacts| {
        [
            ("device", device::kind(&facts.identity.device).to_owned()),
            ("GPU", facts.gpu_model().unwrap_or("unknown").to_owned()),
            ("dtype", facts.identity.dtype.clone()),
        ]
    };
    let pairs = decisive(row).into_iter().zip(decisive(reference));
    pairs.map(|((what, row), (_, reference))| (what, row, reference)).find(|(_, row, reference)| row != reference)
}

impl Comparison {
    /// Its p-value for Holm's procedure; none if it cannot have a verdict. (It still counts in the family's size.)
    pub(super) fn p(&self) -> Option<f64> {
        if self.missing.iter().any(Missing::rules_out_a_verdict) { None } else { self.decisive.map(|test| test.p) }
    }

    /// Its p-value of equivalence for Holm's procedure; none if it cannot have a verdict, or if a seed of either row
    /// diverged: the seeds that are left are a choice.
    pub(super) fn p_of_equivalence(&self, margin: f64) -> Option<f64> {
        self.p().filter(|_| self.diverged + self.reference_diverged == 0)?;
        self.decisive.map(|test| equivalence::two_one_sided(&test, margin))
    }

    /// Adds the equivalence tests with Holm's correction. A difference that is not significant is then equivalent, or open.
    pub(super) fn add_equivalence(&mut self, margin: f64, holm: Option<Holm>) {
        let (Some(holm), Some(test)) = (holm, self.decisive) else { return };
        let (p, interval) = (equivalence::two_one_sided(&test, margin), equivalence::interval(&test, &holm));
        self.equivalence = Some(Equivalence { margin, p, holm, interval });
        if self.verdict == Verdict::Open && self.is_within_margin() {
            self.verdict = Verdict::Equivalent;
        }
    }

    /// The same comparison with one more reason, which comes first.
    pub(super) fn lacking(mut self, what: Missing) -> Self {
        self.missing.insert(0, what);
        self
    }

    /// Adds its precision in a family of this size, and its power for a given difference.
    pub(super) fn add_precision(&mut self, family: usize, target: Option<f64>) {
        let differences: Vec<f64> = self.differences.iter().map(|&(_, difference)| difference).collect();
        let (Some(of_seeds), Some(test), Some(sign_flip)) = (self.test, self.decisive, sign_flip(&differences)) else {
            return;
        };
        let strictest = ALPHA / family.max(1) as f64;
        let error_of = |seeds: usize| match &self.noise {
            Some(Noise::SeedsAndGames(crossed)) => crossed.with_seeds(seeds),
            _ => (of_seeds.sd / (seeds as f64).sqrt(), (seeds - 1) as f64),
        };
        let varies = test.error > 0.0;
        let seeds = |difference: f64| {
            if varies { power::seeds_needed_by(difference, strictest, error_of) } else { None }
        };
        self.precision = Some(Precision {
            sign_flip,
            detectable: power::visible_by(test.error, test.freedom, strictest),
            seeds: seeds(test.mean),
            target: target.filter(|_| varies).map(|difference| TargetDifference {
                difference,
                power: power::power_of_errors(difference / test.error, test.freedom, strictest),
                seeds: seeds(difference),
            }),
        });
    }

    /// Adds Holm's correction, and the verdict that follows from it.
    pub(super) fn correct(&mut self, holm: Option<Holm>, direction: Direction) {
        let (Some(holm), Some(test)) = (holm, self.decisive) else { return };
        self.holm = Some(Corrected { holm, interval: test.interval(holm.level) });
        self.verdict = match Verdict::of(holm.p, test.mean, direction) {
            Verdict::Better if self.diverged > 0 => Verdict::Diverged,
            verdict => verdict,
        };
    }
}
