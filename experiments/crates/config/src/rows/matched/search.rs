//! The search for whole sizes: counts grow with every size, so halving finds the two around a goal.

use super::super::network_cost::NetworkCost;
use super::entry::Size;
use crate::settings::run::RunConfig;
use facts::{Quantity, TOLERANCE};
use models::ModelError;

/// No network is searched beyond this size: a count that grows so slowly never gets there.
const LARGEST: usize = 1 << 20;

/// A run with changed sizes, and how much it has of a quantity.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Candidate {
    pub(super) run: RunConfig,
    pub(super) sizes: Vec<(Size, usize)>,
    pub(super) quantity: Quantity,
    pub(super) count: u64,
}

impl Candidate {
    fn with(&self, size: Size, to: usize) -> Result<Self, ModelError> {
        let run = size.set(&self.run, to);
        let count = amount(&run, self.quantity)?;
        let others = self.sizes.iter().copied().filter(|(other, _)| *other != size);
        Ok(Self { run, sizes: others.chain([(size, to)]).collect(), quantity: self.quantity, count })
    }

    /// How far from the goal, as a share of it.
    pub(super) fn off(&self, goal: u64) -> f64 {
        (self.count as f64 / goal as f64 - 1.0).abs()
    }
}

/// How much of a quantity a run's network has, counted from its declaration; nothing is allocated. 0 for step times, which
/// are measured.
pub(super) fn amount(run: &RunConfig, quantity: Quantity) -> Result<u64, ModelError> {
    NetworkCost::of(run).map(|cost| cost.amount(quantity).unwrap_or_default())
}

#[derive(Debug)]
pub(super) enum Outcome {
    Found(Box<Candidate>),
    /// There are none; the nearest ones, the smaller first.
    Nearest(Vec<Candidate>),
}

/// Sizes with which a run has as much of a quantity as the goal. All but the last come as near as they can without
/// crossing it; the last takes up the rest.
pub(super) fn search(run: &RunConfig, by: &[Size], quantity: Quantity, goal: u64) -> Result<Outcome, ModelError> {
    let count = amount(run, quantity)?;
    let mut at = Candidate { run: run.clone(), sizes: Vec::new(), quantity, count };
    let Some((&last, first)) = by.split_last() else { return Ok(Outcome::Nearest(vec![at])) };
    for &size in first {
        let there = size.of(&at.run).unwrap_or_default();
        let here = at.with(size, there)?;
        at = without_crossing(here, neighbours_at_first_valid_step(&at, size, goal)?, goal);
    }
    closest(&at, last, goal)
}

/// Of a place and two others around the goal, the nearest on the same side of it.
fn without_crossing(here: Candidate, around: Vec<Candidate>, goal: u64) -> Candidate {
    let below = here.count <= goal;
    let same_side = |other: &Candidate| if below { other.count <= goal } else { other.count >= goal };
    around
        .into_iter()
        .filter(same_side)
        .fold(here, |best, other| if other.off(goal) < best.off(goal) { other } else { best })
}

/// The first step that comes within the tolerance decides; otherwise report the closest size found.
fn closest(at: &Candidate, size: Size, goal: u64) -> Result<Outcome, ModelError> {
    let off = |around: &[Candidate]| around.iter().map(|one| one.off(goal)).fold(f64::INFINITY, f64::min);
    let mut nearest: Result<Vec<Candidate>, ModelError> = Ok(Vec::new());
    for step in size.steps(&at.run) {
        let around = match neighbours(at, size, step, goal) {
            Ok(around) => around,
            Err(error) => {
                nearest = nearest.and_then(|known| if known.is_empty() { Err(error) } else { Ok(known) });
                continue;
            }
        };
        if off(&around) <= TOLERANCE {
            let best = around.into_iter().min_by(|a, b| a.off(goal).total_cmp(&b.off(goal)));
            return Ok(best.map_or_else(|| Outcome::Nearest(Vec::new()), |best| Outcome::Found(Box::new(best))));
        }
        if nearest.as_ref().map_or(true, |known| off(&around) < off(known)) {
            nearest = Ok(around);
        }
    }
    nearest.map(Outcome::Nearest)
}

fn neighbours_at_first_valid_step(at: &Candidate, size: Size, goal: u64) -> Result<Vec<Candidate>, ModelError> {
    let mut result = Ok(Vec::new());
    for step in size.steps(&at.run) {
        result = neighbours(at, size, step, goal);
        if result.is_ok() {
            break;
        }
    }
    result
}

/// The largest multiple of a step that does not go beyond the goal, and the next one: fewer at the ends.
fn neighbours(at: &Candidate, size: Size, step: usize, goal: u64) -> Result<Vec<Candidate>, ModelError> {
    let try_at = |n: usize| at.with(size, n * step);
    let mut low = try_at(1)?;
    if low.count >= goal {
        return Ok(vec![low]);
    }
    let (mut below, mut above) = (1, 2);
    let mut high = try_at(above)?;
    while high.count < goal {
        if above * step >= LARGEST {
            return Ok(vec![high]);
        }
        (below, low) = (above, high);
        above *= 2;
        high = try_at(above)?;
    }
    while above - below > 1 {
        let middle = below.midpoint(above);
        let tried = try_at(middle)?;
        if tried.count < goal {
            (below, low) = (middle, tried);
        } else {
            (above, high) = (middle, tried);
        }
    }
    Ok(vec![low, high])
}
