//! The table of interactions.

use super::cells::ruled_out;
use crate::model::GameReport;
use crate::model::interactions::{Gap, InteractionReport};
use crate::numbers::{alone, interval, interval_decimals, or_absent, p_value, signed, with_interval};
use crate::table::{ABSENT, Table};

/// A line for each interaction of a game.
pub(super) fn interactions(game: &GameReport) -> Table {
    let header = ["gap", "first value", "second value", "change", "95 % interval", "Holm p", "the gap"];
    let rows = game.interactions.iter().map(|one| {
        let [first, second] =
            [0, 1].map(|side| format!("{}: {}", one.definition.by[side], gap(one.gaps[side].as_ref())));
        let [change, ends] = match (one.test, one.interval) {
            (Some(test), Some(plain)) => {
                let decimals = interval_decimals(&plain);
                [signed(test.mean, decimals), interval(&plain, decimals)]
            }
            _ => [or_absent(one.mean(), alone), ABSENT.to_owned()],
        };
        let p = or_absent(one.holm, |corrected| p_value(corrected.holm.p));
        vec![one.name(), first, second, change, ends, p, verdict(one)]
    });
    let notes = vec![
        "a gap is the primary metric of the first name less that of the second, paired by seed, with its plain 95 % \
         interval; change: the second gap less the first, seed by seed; Holm's correction is over the interactions of \
         the grid and not over its comparisons; shrinks, grows or reverses: both gaps are significant themselves"
            .to_owned(),
    ];
    Table::new(header, &[0, 1, 2, 6], rows).titled("interactions: does the gap change?").noted(notes)
}

fn gap(gap: Option<&Gap>) -> String {
    or_absent(gap, |Gap { mean, interval }| with_interval(*mean, interval))
}

fn verdict(one: &InteractionReport) -> String {
    ruled_out(&one.missing).unwrap_or_else(|| one.change.name().to_owned())
}
