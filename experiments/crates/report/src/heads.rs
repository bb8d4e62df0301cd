//! Which metrics a report shows: those of the heads that its networks have.

use super::model::{HeadReport, PrimaryMetric, RowReport};
use facts::metrics::{self, Direction, Metric};
use games::Phase;

/// Units of metrics that are values of a network and not counts of targets.
const UNITS_OF_VALUES: [&str; 3] = ["", "nats", "share"];

/// The heads of which a row has a metric, in the order of the registry.
pub(super) fn of(rows: &[RowReport], primary: &PrimaryMetric) -> Vec<HeadReport> {
    let applies = |row: &&RowReport, name: &str| !row.not_applicable.contains(&name);
    let measured = |name: &str| {
        let mut rows = rows.iter().filter(|row| applies(row, name));
        rows.find_map(|row| row.test.get(name)).map(|summary| summary.mean)
    };
    let mut heads: Vec<HeadReport> = Vec::new();
    for metric in metrics::all().iter().filter(|metric| metric.is_evaluated() && !metric.name.contains('.')) {
        let (Some(name), Some(value)) = (owner(metric), measured(metric.name)) else { continue };
        let place = heads.iter().position(|head| head.name == name).unwrap_or_else(|| {
            heads.push(HeadReport {
                name,
                metrics: Vec::new(),
                by_phase: Vec::new(),
                targets: None,
                phases: Vec::new(),
            });
            heads.len() - 1
        });
        let head = &mut heads[place];
        if metric.direction != Direction::Neither {
            head.metrics.push(metric);
        } else if head.targets.is_none() && !UNITS_OF_VALUES.contains(&metric.unit) {
            head.targets = Some((metric, value as u64));
        }
    }
    heads.retain(|head| !head.metrics.is_empty());
    for head in &mut heads {
        head.by_phase = loss_and_accuracy(&head.metrics, primary);
        let by_phase = &head.by_phase;
        let has_any = |phase: &&str| by_phase.iter().any(|metric| measured(&in_phase(metric, phase)).is_some());
        let targets = |phase: &str| Some(measured(&format!("{}.{phase}", head.targets?.0.name))? as u64);
        head.phases =
            Phase::ALL.map(Phase::name).into_iter().filter(has_any).map(|name| (name, targets(name))).collect();
    }
    heads
}

/// The head that a metric is of; the loss that several heads share, where it is of them all.
fn owner(metric: &Metric) -> Option<&'static str> {
    match metric.heads()[..] {
        [] => None,
        [head] => Some(head.name()),
        _ => {
            let shared = |other: &&Metric| other.heads() == metric.heads();
            metrics::all().iter().filter(shared).find_map(Metric::loss).map(|loss| loss.name())
        }
    }
}

/// The name of a metric on the positions of a phase.
pub(super) fn in_phase(metric: &Metric, phase: &str) -> String {
    format!("{}.{phase}", metric.name)
}

/// A head's first loss and its first accuracy, or the primary metric in place of one; empty for a head that has only
/// losses.
fn loss_and_accuracy(metrics: &[&'static Metric], primary: &PrimaryMetric) -> Vec<&'static Metric> {
    let of = |direction: Direction| {
        let candidates = || metrics.iter().copied().filter(move |metric| metric.direction == direction);
        candidates().find(|metric| primary.is_of(metric.name)).or_else(|| candidates().next())
    };
    match [of(Direction::Lower), of(Direction::Higher)] {
        [Some(loss), Some(accuracy)] => vec![loss, accuracy],
        _ => Vec::new(),
    }
}
