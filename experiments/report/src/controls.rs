//! How equal matched controls are to what they were matched to.

use super::model::{GameReport, MatchedReport};

/// A line for each control of a game.
pub(super) fn lines(game: &GameReport) -> Vec<String> {
    let line = |(label, matched): (&str, &MatchedReport)| {
        let (what, goal) = (matched.quantity.words(), &matched.goal);
        match matched.ratio {
            Some(ratio) => format!("{label} has {ratio:.4} times the {what} of {goal}"),
            None => format!("{label}: its {what} is not measured, nothing shows that it is that of {goal}"),
        }
    };
    game.rows.iter().filter_map(|row| Some((row.label.as_str(), row.matched.as_ref()?))).map(line).collect()
}
