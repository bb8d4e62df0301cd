//! A row against its reference: which pairs of seeds count, the test that decides, and the verdict.

use super::no_verdict::{Missing, PAIRS_NEEDED};
use super::noise::{NoGameNoise, Noise, Positions};
use super::run_folder::{CellFacts, CellRecord};
use super::sections::GameSource;
use super::statistics::crossed::Crossed;
use super::statistics::{Holm, Interval, MeanTest, PairedTest, Summary, equivalence_interval, power, two_one_sided};
use facts::metrics::Direction;
use facts::{Numerics, Role};
use records::plan::Row;
use records::{CellState, FailureKind, device};

/// Two-sided level of every test.
pub const ALPHA: f64 = 0.05;

#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    pub reference: String,
    /// Seeds of which both cells are done and comparable.
    pub pairs: usize,
    pub planned: usize,
    /// Seeds of the row that diverged: a loss or a gradient was not finite. Such a row cannot be better.
    pub diverged: usize,
    /// Seeds of the reference that diverged. A row cannot be worse than such a reference.
    pub reference_diverged: usize,
    /// Row less reference by seed, as many as there are pairs.
    pub differences: Vec<(u64, f64)>,
    /// The paired test of row less reference over seeds alone, from two pairs on.
    pub test: Option<PairedTest>,
    /// The test that decides: over seeds and test games, or the same as `test`.
    pub decisive: Option<MeanTest>,
    /// The noise that the decisive test counts; none without a test.
    pub noise: Option<Noise>,
    /// The decisive test's plain 95 % interval of the mean difference.
    pub interval: Option<Interval>,
    /// Holm's correction over the grid; none for an A/A control, which is not a comparison of the grid.
    pub holm: Option<Corrected>,
    /// Its two one-sided tests; none without a margin, and where a seed diverged or no verdict is possible.
    pub equivalence: Option<Equivalence>,
    pub precision: Option<Precision>,
    pub verdict: Verdict,
    /// Why there is no verdict, or which seeds were left out of it.
    pub missing: Vec<Missing>,
}

/// The precision of a comparison. No verdict depends on it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Precision {
    /// The true difference that the present pairs and test games would detect with
    /// [`POWER`](power::POWER), at the strictest level of Holm's procedure.
    pub detectable: Option<f64>,
    /// The seeds needed, on the same test games, to detect a difference as large as the observed one; none above
    /// [`MOST_SEEDS`](power::MOST_SEEDS).
    pub seeds: Option<usize>,
    /// The same for a given difference.
    pub target: Option<TargetDifference>,
}

/// The power of a comparison for a given true difference, at the strictest level of Holm's procedure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TargetDifference {
    /// The share of grids in which the present pairs would detect it.
    pub power: f64,
    /// The seeds needed to detect it with [`POWER`](power::POWER); none above
    /// [`MOST_SEEDS`](power::MOST_SEEDS).
    pub seeds: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Corrected {
    pub holm: Holm,
    /// The t-interval at that level: it excludes zero exactly if the verdict is better or worse.
    pub interval: Interval,
}

/// Whether a difference is smaller than a margin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Equivalence {
    pub margin: f64,
    /// The larger p-value of the two one-sided tests.
    pub p: f64,
    /// Holm's correction over the equivalence tests of the comparisons in the grid's family.
    pub holm: Holm,
    /// The interval that lies within the margin exactly if the corrected p-value is below [`ALPHA`].
    pub interval: Interval,
}

games::named! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Verdict {
        /// The corrected interval excludes zero, on the better side.
        Better = "better",
        /// The corrected interval excludes zero, on the worse side.
        Worse = "worse",
        /// The corrected interval contains zero, and that of the equivalence tests lies within the margin.
        Equivalent = "equivalent",
        /// Neither is shown: no difference, and no equivalence within the margin, if there is one.
        Open = "open",
        /// The corrected interval excludes zero on the better side, but seeds of the row diverged: those that are left are a
        /// choice of the better ones.
        Diverged = "cannot be better",
        /// The same on the worse side, where seeds of the reference diverged.
        ReferenceDiverged = "cannot be worse",
        /// The corrected interval excludes zero, but a neighbouring choice of the tuned settings, of this row or of the
        /// reference, would give the difference on validation the other sign.
        DependsOnTuning = "depends on tuning",
        /// There is none, for a reason in [`Comparison::missing`].
        Missing = "no verdict",
    }
}

impl Comparison {
    /// The parts of the variance, if test games are counted.
    pub fn crossed(&self) -> Option<&Crossed> {
        self.noise.as_ref()?.as_ref().ok()
    }

    /// Whether the difference is shown to be smaller than the margin.
    pub fn is_within_margin(&self) -> bool {
        self.equivalence.is_some_and(|tests| tests.holm.p < ALPHA)
    }

    /// Its verdict, and of a difference whether it is smaller than the margin: `better, within the margin`.
    pub fn judgement(&self) -> String {
        match self.verdict {
            Verdict::Better | Verdict::Worse | Verdict::DependsOnTuning if self.is_within_margin() => {
                format!("{}, within the margin", self.verdict.name())
            }
            verdict => verdict.name().to_owned(),
        }
    }

    /// The interval that its verdict follows from; the plain one without a verdict.
    pub(crate) fn judged_interval(&self) -> Option<Interval> {
        match (self.verdict, self.equivalence, self.holm) {
            (Verdict::Missing, ..) => self.interval,
            (Verdict::Equivalent, Some(tests), _) => Some(tests.interval),
            (_, _, Some(corrected)) => Some(corrected.interval),
            _ => self.interval,
        }
    }

    /// The mean difference. A single pair has one too, without a test.
    pub fn mean(&self) -> Option<f64> {
        mean(&self.differences)
    }

    /// Why there is no verdict although all seeds have ended and there is a difference.
    pub(crate) fn number_alone(&self) -> Option<&Missing> {
        let is_open = self.missing.iter().any(|reason| matches!(reason, Missing::NotFinished { .. }));
        if self.verdict != Verdict::Missing || is_open || self.mean().is_none() {
            return None;
        }
        self.missing.iter().find(|reason| reason.blocks_verdict())
    }

    /// `1 of 3 seeds diverged`; none if no seed of the row did.
    pub fn divergence(&self) -> Option<String> {
        (self.diverged > 0).then(|| format!("{} of {} seeds diverged", self.diverged, self.planned))
    }

    /// The same of the reference.
    pub(crate) fn divergence_of_reference(&self) -> Option<String> {
        let (diverged, planned) = (self.reference_diverged, self.planned);
        (diverged > 0).then(|| format!("{diverged} of {planned} seeds of the reference diverged"))
    }

    /// Its p-value for Holm's procedure; none if it cannot have a verdict. (It still counts in the family's size.)
    pub(crate) fn p(&self) -> Option<f64> {
        if self.missing.iter().any(Missing::blocks_verdict) { None } else { self.decisive.map(|test| test.p) }
    }

    /// Its p-value of equivalence for Holm's procedure; none if it cannot have a verdict, or if a seed of either row
    /// diverged: the seeds that are left are a choice.
    pub(crate) fn p_of_equivalence(&self, margin: f64) -> Option<f64> {
        self.p().filter(|_| self.diverged + self.reference_diverged == 0)?;
        self.decisive.map(|test| two_one_sided(&test, margin))
    }

    /// Adds the equivalence tests with Holm's correction. A difference that is not significant is then equivalent, or open.
    pub(crate) fn add_equivalence(&mut self, margin: f64, holm: Option<Holm>) {
        let (Some(holm), Some(test)) = (holm, self.decisive) else { return };
        let (p, interval) = (two_one_sided(&test, margin), equivalence_interval(&test, &holm));
        self.equivalence = Some(Equivalence { margin, p, holm, interval });
        if self.verdict == Verdict::Open && self.is_within_margin() {
            self.verdict = Verdict::Equivalent;
        }
    }

    /// Adds its precision in a family of this size, and its power for a given difference.
    pub(crate) fn add_precision(&mut self, family: usize, target: Option<f64>) {
        let (Some(of_seeds), Some(test)) = (self.test, self.decisive) else { return };
        let strictest = ALPHA / family.max(1) as f64;
        let error_of = |seeds: usize| match &self.noise {
            Some(Ok(crossed)) => crossed.with_seeds(seeds),
            _ => (of_seeds.sd / (seeds as f64).sqrt(), (seeds - 1) as f64),
        };
        let varies = test.error > 0.0;
        let seeds = |difference: f64| {
            let needed = if varies { power::seeds_needed(difference, strictest, error_of) } else { None };
            // With fewer there is no verdict.
            needed.map(|seeds| seeds.max(PAIRS_NEEDED))
        };
        self.precision = Some(Precision {
            detectable: power::detectable_difference(test.error, test.freedom, strictest),
            seeds: seeds(test.mean),
            target: target.filter(|_| varies).map(|difference| TargetDifference {
                power: power::power(difference / test.error, test.freedom, strictest),
                seeds: seeds(difference),
            }),
        });
    }

    /// Adds Holm's correction, and the verdict that follows from it.
    pub(crate) fn correct(&mut self, holm: Option<Holm>, direction: Direction) {
        let (Some(holm), Some(test)) = (holm, self.decisive) else { return };
        self.holm = Some(Corrected { holm, interval: test.interval(holm.level) });
        self.verdict = match Verdict::of(holm.p, test.mean, direction) {
            Verdict::Better if self.diverged > 0 => Verdict::Diverged,
            Verdict::Worse if self.reference_diverged > 0 => Verdict::ReferenceDiverged,
            verdict => verdict,
        };
    }
}

impl Verdict {
    /// The verdict of a corrected p-value and a mean difference.
    fn of(p: f64, mean: f64, direction: Direction) -> Self {
        match (p < ALPHA, mean < 0.0, direction) {
            (false, ..) => Self::Open,
            (true, true, Direction::Lower) | (true, false, Direction::Higher) => Self::Better,
            (true, ..) => Self::Worse,
        }
    }
}

pub(crate) type RowCells<'a> = (&'a Row, &'a [CellRecord]);

/// Sorts the rows of a game by groups: a reference, then the rows that are compared with it, in the order of the plan.
pub(crate) fn sort_by_group(lines: &mut [RowCells<'_>]) {
    let references: Vec<&Row> = lines.iter().map(|(row, _)| *row).filter(|row| row.role == Role::Reference).collect();
    let group = |row: &Row| references.iter().position(|other| row.is_compared_with(other));
    lines.sort_by_key(|(row, _)| (group(row), row.role != Role::Reference));
}

/// The other row that a row is compared with, among those of its game.
pub(crate) fn reference_of<'a>(lines: &[RowCells<'a>], row: &Row) -> Option<RowCells<'a>> {
    let reference = lines.iter().copied().find(|(other, _)| row.is_compared_with(other));
    reference.filter(|(other, _)| other.folder != row.folder)
}

/// How many cells failed because a number was not finite.
pub(crate) fn diverged(cells: &[CellRecord]) -> usize {
    let not_finite = |cell: &&CellRecord| matches!(&cell.state, CellState::Failed(failure) if failure.kind == FailureKind::NotFinite);
    cells.iter().filter(not_finite).count()
}

/// Row less reference at one seed, or why the pair does not count.
pub(crate) fn difference(row: &CellRecord, reference: &CellRecord, metric: &str) -> Result<f64, Missing> {
    let seed = row.seed;
    for cell in [row, reference] {
        match cell.state {
            CellState::Failed(_) => return Err(Missing::Failed { seed }),
            CellState::Done => {}
            _ => return Err(Missing::Unfinished { seed }),
        }
    }
    let (Some(own), Some(other)) = (&row.facts, &reference.facts) else { return Err(Missing::NoManifest { seed }) };
    if row.hash_differs || reference.hash_differs {
        return Err(Missing::OtherHash { seed });
    }
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

/// The mean of one number for each seed. A single seed has one too, without a test.
pub(crate) fn mean(differences: &[(u64, f64)]) -> Option<f64> {
    let differences: Vec<f64> = differences.iter().map(|&(_, difference)| difference).collect();
    Summary::of(&differences).map(|summary| summary.mean)
}

/// Compares a row with its reference, seed by seed, without any correction yet.
pub(crate) fn compare(source: GameSource<'_>, reference: RowCells<'_>, row: RowCells<'_>) -> Comparison {
    let Paired { differences, test, decisive, noise, missing } = Paired::of_rows(source, row, reference);
    Comparison {
        reference: reference.0.display_name().to_owned(),
        pairs: differences.len(),
        planned: row.1.len(),
        diverged: diverged(row.1),
        reference_diverged: diverged(reference.1),
        interval: decisive.map(|test| test.interval(1.0 - ALPHA)),
        test,
        decisive,
        noise,
        differences,
        holm: None,
        equivalence: None,
        precision: None,
        verdict: Verdict::Missing,
        missing,
    }
}

/// One number for each seed, and their uncorrected tests.
pub(crate) struct Paired {
    pub(crate) differences: Vec<(u64, f64)>,
    /// Over seeds alone.
    pub(crate) test: Option<PairedTest>,
    pub(crate) decisive: Option<MeanTest>,
    pub(crate) noise: Option<Noise>,
    pub(crate) missing: Vec<Missing>,
}

impl Paired {
    /// A row less another one, seed by seed.
    pub(crate) fn of_rows(source: GameSource<'_>, row: RowCells<'_>, other: RowCells<'_>) -> Self {
        let pairs: Vec<[&CellRecord; 2]> = row.1.iter().zip(other.1).map(|(own, other)| [own, other]).collect();
        let terms = [(&row.0.folder[..], 1.0), (&other.0.folder[..], -1.0)];
        let number = |[own, other]: &[&CellRecord; 2]| difference(own, other, &source.primary.name);
        Self::of(source, &pairs, number, &terms)
    }

    /// From the cells of each seed that give a number together, which is a sum of rows: `terms` are their folders with signs.
    pub(crate) fn of<const N: usize>(
        source: GameSource<'_>,
        seeds: &[[&CellRecord; N]],
        number: impl Fn(&[&CellRecord; N]) -> Result<f64, Missing>,
        terms: &[(&str, f64)],
    ) -> Self {
        let (mut differences, mut missing) = (Vec::new(), Vec::new());
        for cells in seeds {
            match number(cells) {
                Ok(difference) => differences.push((cells[0].seed, difference)),
                Err(reason) => missing.push(reason),
            }
        }
        let test = PairedTest::of(&differences.iter().map(|&(_, difference)| difference).collect::<Vec<_>>());
        if source.primary.direction == Direction::Neither {
            missing.insert(0, Missing::NoDirection);
        }
        let settled = |cell: &&CellRecord| cell.state.has_ended();
        // The mean of equal numbers is rounded, so their deviation need not be 0.
        let are_equal = differences.windows(2).all(|pair| pair[0].1 == pair[1].1);
        if !seeds.iter().flatten().all(settled) {
            let done = seeds.iter().filter(|cells| cells.iter().all(|cell| cell.state == CellState::Done)).count();
            missing.insert(0, Missing::NotFinished { done, planned: seeds.len() });
        } else if differences.len() < PAIRS_NEEDED {
            missing.insert(0, Missing::Pairs { has: differences.len() });
        } else if are_equal || test.is_some_and(|test| test.sd == 0.0) {
            missing.insert(0, Missing::NoSpread);
        }
        let (decisive, noise) = test.map(|test| decisive(test, &differences, terms, source.positions)).unzip();
        Self { differences, test, decisive, noise, missing }
    }
}

/// The test that decides: over seeds and test games if all cells stored what they measured on each position, otherwise over
/// seeds alone. The mean is that of the metric; stored values are rounded.
fn decisive(
    of_seeds: PairedTest,
    differences: &[(u64, f64)],
    terms: &[(&str, f64)],
    positions: Option<&Positions>,
) -> (MeanTest, Noise) {
    let seeds: Vec<u64> = differences.iter().map(|&(seed, _)| seed).collect();
    let noise = positions.ok_or(NoGameNoise::NothingStored).and_then(|positions| positions.test(terms, &seeds));
    let test = match &noise {
        Ok(Crossed { test, .. }) => MeanTest::new(of_seeds.mean, test.error, test.freedom),
        Err(_) => of_seeds.into(),
    };
    (test, noise)
}
