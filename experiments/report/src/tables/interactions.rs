//! The table of gaps that are compared over something else.

use super::NOT_YET;
use crate::interactions::{Gap, Interaction};
use crate::model::{GameReport, Missing};
use crate::numbers::{interval, interval_decimals, p_value, signed};
use crate::sheet::Sheet;

/// A line for each interaction of a game.
pub(super) fn interactions(game: &GameReport) -> Sheet {
    let header = ["gap", "at first", "then", "change", "95 % interval", "Holm p", "the gap"];
    let rows = game.interactions.iter().map(|one| {
        let [first, second] = [0, 1].map(|side| format!("{}: {}", one.asked.by[side], gap(one.gaps[side].as_ref())));
        let [change, ends] = match (one.test, one.interval) {
            (Some(test), Some(plain)) => {
                let decimals = interval_decimals(&plain);
                [signed(test.mean, decimals), interval(&plain, decimals)]
            }
            _ => [NOT_YET, NOT_YET].map(str::to_owned),
        };
        let p = one.holm.map_or_else(|| NOT_YET.to_owned(), |corrected| p_value(corrected.holm.p));
        vec![name(one), first, second, change, ends, p, verdict(one)]
    });
    let sheet = Sheet::new(header, &[0, 1, 2, 6], rows).titled("interactions: is the gap another one?");
    let notes = vec![
        "a gap is the primary metric of the first name less that of the second, paired by seed, with its plain 95 % \
         interval; change: the second gap less the first, seed by seed; Holm's correction is over the interactions of the \
         grid, apart from its comparisons"
            .to_owned(),
    ];
    Sheet { notes, ..sheet }
}

/// `shaw less absolute (batch64)`.
pub(crate) fn name(one: &Interaction) -> String {
    let [from, to] = &one.asked.gap;
    let within = one.asked.within.as_ref().map_or_else(String::new, |label| format!(" ({label})"));
    format!("{to} less {from}{within}")
}

fn gap(gap: Option<&Gap>) -> String {
    gap.map_or_else(
        || NOT_YET.to_owned(),
        |Gap { mean, interval: ends }| {
            let decimals = interval_decimals(ends);
            format!("{} {}", signed(*mean, decimals), interval(ends, decimals))
        },
    )
}

fn verdict(one: &Interaction) -> String {
    let ruled_out = one.missing.iter().find(|missing| missing.rules_out_a_verdict()).map(Missing::to_string);
    ruled_out.unwrap_or_else(|| one.change.words().to_owned())
}
