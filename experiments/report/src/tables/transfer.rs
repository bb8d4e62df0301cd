//! The tables of games side by side.

use crate::model::Report;
use crate::numbers::{fixed, interval, interval_decimals, p_value, signed};
use crate::sheet::Sheet;
use crate::statistics::across::RankCorrelation;
use crate::transfer::{Effect, Interaction, Transfer};

/// Games side by side, a table for each pair of games.
pub(crate) fn transfer(report: &Report) -> Vec<Sheet> {
    report.transfer.iter().map(of_transfer).collect()
}

fn of_transfer(transfer: &Transfer) -> Sheet {
    let [first, second] = &transfer.games;
    let difference = |effect: &Effect| {
        let decimals = interval_decimals(&effect.interval);
        format!("{} {}", signed(effect.difference, decimals), interval(&effect.interval, decimals))
    };
    let header = [
        "encoding".to_owned(),
        format!("{first}: difference"),
        format!("{second}: difference"),
        format!("{first}: effect"),
        format!("{second}: effect"),
        format!("{first} less {second}"),
        "Holm p".to_owned(),
    ];
    let rows = transfer.rows.iter().map(|row| {
        let [a, b] = &row.effects;
        let (interaction, p) = match &row.interaction {
            Some(Interaction { test, holm_p }) => {
                let decimals = interval_decimals(&test.interval);
                let ends = interval(&test.interval, decimals);
                (format!("{} {ends}", signed(test.difference, decimals)), p_value(*holm_p))
            }
            None => ("n/a".to_owned(), "n/a".to_owned()),
        };
        let effect = |effect: &Effect| signed(effect.standardised, 1);
        vec![row.label.clone(), difference(a), difference(b), effect(a), effect(b), interaction, p]
    });
    let mut notes = vec![
        "effect: the difference in units of the game's pooled standard deviation over seeds, above zero is better; \
         the column before the last: whether a difference differs between the games (Welch's test, Holm-corrected over \
         these rows)"
            .to_owned(),
    ];
    notes.push(match &transfer.ranks {
        Some(RankCorrelation { tau, interval: ends }) => format!(
            "order of the rows in both games: Kendall's τ = {}, over draws of the seeds {} (1: the same order, −1: \
             reversed; with few rows or seeds a sketch)",
            fixed(*tau, 2),
            interval(ends, 2)
        ),
        None => {
            "order of the rows in both games: needs two rows or more beside the reference, with all seeds".to_owned()
        }
    });
    notes.extend(transfer.incomparable.map(|why| format!("! the metric does not compare across games: {why}")));
    let sheet = Sheet::new(header, &[0], rows).titled(&format!("{first} against {second}"));
    Sheet { notes, ..sheet }
}
