//! Losses and metrics: a name, a unit, the better direction.

use super::row::Mask;

/// Which way a metric improves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    Lower,
    Higher,
    /// Neither: it describes, it does not judge.
    Neither,
}

/// The target that an example must have for a loss or a metric to count it. An example has one, or one for
/// each cell of a map or token of a board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// A move that is a policy target.
    Policy,
    /// A known result of the game.
    Outcome,
    /// Known points of the side to move.
    Points,
    /// Those of a game that was not drawn.
    DecidedPoints,
    /// A value of the position.
    Value,
    /// A value and a probability of a draw of the position.
    ValueShares,
    /// A value averaged over the plies to come.
    ShortTerm,
    /// A known end of the game.
    MovesLeft,
    /// Labelled cells of a map.
    MapCells,
    /// Those of any label but 0.
    MapCellsAboveZero,
    MapCellsOfZero,
    /// Tokens of a board that the decoder predicts.
    BoardTokens,
    /// Known rights after the move played.
    Rights,
}

/// Looks up the value of another metric by its name; `None` where it was not measured.
pub type Lookup<'a> = &'a dyn Fn(&str) -> Option<f64>;

/// How values of examples become a metric.
#[derive(Debug, Clone, Copy)]
pub enum Aggregation {
    /// The sum of the values that the head's evaluator gives for the metric, over how much of the target examples have.
    Mean(Target),
    /// How much of the target examples have.
    Count(Target),
    /// How many examples there are.
    Examples,
    /// A function of other metrics.
    Derived(fn(Lookup<'_>) -> Option<f64>),
    /// None: it describes steps of training, and no evaluation has it.
    OfSteps,
}

/// A metric over any set of positions, or of steps.
#[derive(Debug, Clone, Copy)]
pub struct Metric {
    /// Its name in `metrics.jsonl`, e.g. `policy_loss` or `policy_loss.opening`.
    pub name: &'static str,
    /// Its unit; empty for a plain number.
    pub unit: &'static str,
    pub direction: Direction,
    pub description: &'static str,
    pub aggregation: Aggregation,
    /// Whether it is about illegal moves: then it means nothing ("n/a") for a network that was trained with them masked out,
    /// whose logits for them were never trained.
    pub illegal_moves: bool,
    /// Whether it is taken over legal moves only where illegal ones are masked, and over all moves where they are not: then
    /// it is one of two metrics under one name, and rows with and without a mask have no common one.
    pub renormalised: bool,
}

/// Names are unique.
impl PartialEq for Metric {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Metric {}

impl Metric {
    pub(crate) const fn new(
        name: &'static str,
        unit: &'static str,
        direction: Direction,
        aggregation: Aggregation,
        description: &'static str,
    ) -> Self {
        Self { name, unit, direction, description, aggregation, illegal_moves: false, renormalised: false }
    }

    /// A mean over what examples have of a target.
    pub(crate) const fn mean(
        name: &'static str,
        unit: &'static str,
        direction: Direction,
        target: Target,
        description: &'static str,
    ) -> Self {
        Self::new(name, unit, direction, Aggregation::Mean(target), description)
    }

    /// A mean that is a share, of which more is better.
    pub(crate) const fn share(name: &'static str, target: Target, description: &'static str) -> Self {
        Self::mean(name, "share", Direction::Higher, target, description)
    }

    /// How much of a target examples have.
    pub(crate) const fn count(
        name: &'static str,
        unit: &'static str,
        target: Target,
        description: &'static str,
    ) -> Self {
        Self::new(name, unit, Direction::Neither, Aggregation::Count(target), description)
    }

    /// The same made of other metrics.
    pub(crate) const fn derived(self, of: fn(Lookup<'_>) -> Option<f64>) -> Self {
        Self { aggregation: Aggregation::Derived(of), ..self }
    }

    /// The same about illegal moves.
    pub(crate) const fn of_illegal_moves(self) -> Self {
        Self { illegal_moves: true, ..self }
    }

    /// The same over legal moves only where illegal ones are masked.
    pub(crate) const fn renormalised(self) -> Self {
        Self { renormalised: true, ..self }
    }

    /// Whether evaluations measure it, so that a verdict can be about it.
    pub const fn is_evaluated(&self) -> bool {
        !matches!(self.aggregation, Aggregation::OfSteps)
    }

    /// Whether it means something for a network trained with this mask; if not, lines leave it out and reports
    /// print "n/a".
    pub fn applies(&self, mask: Mask) -> bool {
        !(self.illegal_moves && mask == Mask::Train)
    }

    /// Whether it means the same for networks that are evaluated with these two masks.
    pub fn comparable(&self, one: Mask, other: Mask) -> bool {
        !self.renormalised || (one == Mask::None) == (other == Mask::None)
    }
}

/// One term of the loss: the mean of its metric's values, times a weight.
#[derive(Debug, Clone, Copy)]
pub struct Loss {
    pub(crate) name: &'static str,
    /// Its weight where an experiment names none.
    pub weight: f64,
    /// The weighted quantity, in a line.
    pub description: &'static str,
    /// The mean before it is weighted; an [`Aggregation::Mean`].
    pub metric: Metric,
    /// The name of the mean times the weight, in lines of training.
    pub weighted: &'static str,
    /// The target that examples must have.
    pub target: Target,
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

    /// The loss of a policy, which a mask makes another one.
    pub(crate) const fn renormalised(self) -> Self {
        Self { metric: self.metric.renormalised(), ..self }
    }
}

/// The losses and metrics of a head.
#[derive(Debug, Clone, Copy)]
pub struct Measures {
    /// Its losses, in the order in which they are added up.
    pub losses: &'static [Loss],
    pub metrics: &'static [Metric],
}

impl Measures {
    pub(crate) const NONE: Self = Self { losses: &[], metrics: &[] };

    /// The metrics of its losses, then the others.
    pub fn all(&self) -> impl Iterator<Item = &'static Metric> + use<> {
        self.losses.iter().map(|loss| &loss.metric).chain(self.metrics)
    }
}

/// A loss from its name, its weight and the words for it. Its metric is called `<name>_loss`.
macro_rules! loss {
    ($name:literal = $weight:literal, $unit:literal, $target:expr, $description:expr, $what:expr $(,)?) => {
        $crate::metric::Loss {
            name: $name,
            weight: $weight,
            description: $description,
            metric: $crate::metric::Metric::mean(
                concat!($name, "_loss"),
                $unit,
                $crate::metric::Direction::Lower,
                $target,
                $what,
            ),
            weighted: concat!($name, "_loss.weighted"),
            target: $target,
        }
    };
}

pub(crate) use loss;
