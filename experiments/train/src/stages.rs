//! The stages of training: which steps take which games, with which weights of the losses and which learning rate.

use dataset::{Dataset, Split};
use models::Schedule;
use spec::{LossWeights, Phase, TrainConfig};
use std::sync::Arc;

/// Steps that take their batches from one dataset.
#[derive(Debug)]
pub(super) struct Course {
    pub(super) dataset: Arc<Dataset>,
    /// The first step's number, from 0, and the number behind the last.
    pub(super) begin: u64,
    pub(super) end: u64,
}

/// How the steps of a phase are taken.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Terms {
    /// The number behind its last step, from 0.
    end: u64,
    pub(super) loss: LossWeights,
    /// A factor of the learning rate.
    rate: f64,
}

/// What changes from phase to phase beside the games.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Timetable(Vec<Terms>);

impl Timetable {
    /// The same from the first step to the last.
    pub(super) fn constant(train: &TrainConfig) -> Self {
        Self(vec![Terms { end: u64::MAX, loss: train.loss.clone(), rate: 1.0 }])
    }

    /// What holds for a step, from 0.
    pub(super) fn at(&self, step: u64) -> Terms {
        let current = self.0.iter().find(|terms| step < terms.end).or(self.0.last());
        current.cloned().unwrap_or_else(|| Terms { end: u64::MAX, loss: LossWeights::default(), rate: 1.0 })
    }
}

impl Terms {
    /// The learning rate of a step, from 0. A factor of 1 changes no bit.
    pub(super) fn learning_rate(&self, schedule: &Schedule, step: u64) -> f64 {
        schedule.at(step) * self.rate
    }
}

/// What a run's phases, or all its steps together, take their batches from, and how.
pub(super) fn stages(dataset: &Arc<Dataset>, train: &TrainConfig) -> (Vec<Course>, Timetable) {
    if train.phases.is_empty() {
        let course = Course { dataset: Arc::clone(dataset), begin: 0, end: u64::MAX };
        return (vec![course], Timetable::constant(train));
    }
    let mut courses: Vec<Course> = Vec::new();
    let mut terms = Vec::new();
    let mut before: Option<&Phase> = None;
    for phase in &train.phases {
        let goes_on = before.is_some_and(|before| before.bucket == phase.bucket);
        let begin = courses.last().map_or(0, |course| course.end);
        if !goes_on {
            let dataset = match phase.bucket.is_empty() {
                true => Arc::clone(dataset),
                false => Arc::new(dataset.training_part(&phase.bucket)),
            };
            courses.push(Course { dataset, begin, end: begin });
        }
        if let Some(course) = courses.last_mut() {
            let steps = phase.steps(course.dataset.positions(Split::Train), train.batch);
            course.end = steps.map_or(u64::MAX, |steps| begin + steps);
            let rate = phase.learning_rate.unwrap_or(1.0);
            terms.push(Terms { end: course.end, loss: phase.weights(&train.loss), rate });
        }
        before = Some(phase);
    }
    (courses, Timetable(terms))
}
