//! What is minimised and what is measured: a name, a unit, which way is better.

use super::examples::Target;
use crate::config::Outputs;

/// Which way a metric improves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Lower is better.
    Lower,
    /// Higher is better.
    Higher,
    /// Neither: it describes, it does not judge.
    Neither,
}

/// Looks up the value of another metric by its name; `None` where it was not measured.
pub type Lookup<'a> = &'a dyn Fn(&str) -> Option<f64>;

/// How values of examples become a metric.
#[derive(Debug, Clone, Copy)]
pub enum Quantity {
    /// The sum of the values that the head's evaluator gives for the metric, over how much of the target examples have.
    Mean(Target),
    /// How much of the target examples have.
    Count(Target),
    /// A function of other metrics.
    Derived(fn(Lookup<'_>) -> Option<f64>),
}

/// A metric of a head, over any set of positions.
#[derive(Debug, Clone, Copy)]
pub struct Metric {
    /// Its name in lines of metrics.
    pub name: &'static str,
    /// Its unit; empty for a plain number.
    pub unit: &'static str,
    /// Which way it improves.
    pub direction: Direction,
    /// What it measures.
    pub description: &'static str,
    /// How it is made.
    pub quantity: Quantity,
    /// Whether it speaks of illegal moves: it means nothing for a network that was trained with them masked out.
    pub illegal_moves: bool,
    /// Whether it is taken over legal moves where illegal ones are masked, and over all moves where they are not: two metrics
    /// under one name.
    pub renormalised: bool,
}

impl Metric {
    /// A mean over what examples have of a target.
    pub(crate) const fn mean(
        name: &'static str,
        unit: &'static str,
        direction: Direction,
        target: Target,
        description: &'static str,
    ) -> Self {
        let quantity = Quantity::Mean(target);
        Self { name, unit, direction, description, quantity, illegal_moves: false, renormalised: false }
    }

    /// How much of a target examples have.
    pub(crate) const fn count(
        name: &'static str,
        unit: &'static str,
        target: Target,
        description: &'static str,
    ) -> Self {
        let direction = Direction::Neither;
        Self { quantity: Quantity::Count(target), ..Self::mean(name, unit, direction, target, description) }
    }

    /// The same made of other metrics.
    pub(crate) const fn derived(self, of: fn(Lookup<'_>) -> Option<f64>) -> Self {
        Self { quantity: Quantity::Derived(of), ..self }
    }

    /// The same about illegal moves.
    pub(crate) const fn of_illegal_moves(self) -> Self {
        Self { illegal_moves: true, ..self }
    }

    /// The same over legal moves only where illegal ones are masked.
    pub(crate) const fn renormalised(self) -> Self {
        Self { renormalised: true, ..self }
    }
}

/// One term of what a step minimises: the mean of its metric's values, times a weight.
#[derive(Debug, Clone, Copy)]
pub struct Loss {
    pub(crate) name: &'static str,
    /// Its weight where an experiment names none.
    pub weight: f64,
    /// What gets that weight, in a line.
    pub description: &'static str,
    /// The mean before it is weighted; a [`Quantity::Mean`].
    pub metric: Metric,
    /// The name of the mean times the weight, in lines of training.
    pub weighted: &'static str,
    /// What examples must have.
    pub target: Target,
    /// Whether a network with these heads, the loss's own among them, has it.
    pub(crate) asked: fn(&Outputs) -> bool,
}

impl PartialEq for Loss {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Loss {}

impl Loss {
    /// Its name below `loss` in experiments.
    pub const fn name(&self) -> &'static str {
        self.name
    }
}

/// A loss from its name, its weight and the words for it. Its metric is called `<name>_loss`.
macro_rules! loss {
    ($name:literal = $weight:literal, $unit:literal, $target:expr, $description:expr, $what:expr $(,)?) => {
        $crate::loss::metric::Loss {
            name: $name,
            weight: $weight,
            description: $description,
            metric: $crate::loss::metric::Metric::mean(
                concat!($name, "_loss"),
                $unit,
                $crate::loss::metric::Direction::Lower,
                $target,
                $what,
            ),
            weighted: concat!($name, "_loss.weighted"),
            target: $target,
            asked: |_| true,
        }
    };
}

pub(crate) use loss;
