//! Which row of one game is which row of another: by their labels, or by their encodings where a setting is chosen by game.

use crate::model::{GameReport, RowReport};
use crate::sections::variants::is_part_of;
use facts::Role;
use facts::row_name::without_options;
use records::axes::ENCODING;
use std::iter::once;
use std::ptr;

/// Settings that are tuned row by row, with everything below them.
const TUNED: [&str; 4] = ["train.encoding_rate", "train.learning_rate", "train.optimizer", "train.clip"];

/// The compared rows of two games.
pub(crate) struct Partners<'a> {
    pub(crate) pairs: Vec<[&'a RowReport; 2]>,
    /// The rows of each game without a partner.
    pub(crate) unpaired: [Vec<&'a RowReport>; 2],
}

pub(crate) fn compared(game: &GameReport) -> impl Iterator<Item = &RowReport> {
    game.rows.iter().filter(|row| row.role == Role::Compared)
}

impl<'a> Partners<'a> {
    /// First by label. Then, if the encoding is an axis, by the encoding and all settings that are not tuned, and by the names of the
    /// encodings in place of their options.
    pub(crate) fn of(games: [&'a GameReport; 2], axes: &[String]) -> Self {
        let mut partners = Self { pairs: Vec::new(), unpaired: games.map(|game| compared(game).collect()) };
        partners.pair(|row| Some(vec![row.label.clone()]));
        if let Some(place) = axes.iter().position(|axis| axis == ENCODING) {
            let encoding = |row: &RowReport| Some(row.axes.get(place)?.clone()).filter(|encoding| !encoding.is_empty());
            partners.pair(|row| Some(once(encoding(row)?).chain(settings(row, axes)).collect()));
            // A row of which no cell has begun has the values of the plan only.
            let planned =
                |row: &RowReport| Some(without_options(&encoding(row)?).trim_matches(['[', ']']).replace(", ", "+"));
            let names = |row: &RowReport| match &row.system {
                Some(system) => Some(system.encoding.clone()),
                None => planned(row),
            };
            partners.pair(|row| Some(once(names(row)?).chain(settings(row, axes)).collect()));
        }
        // In the order of the first game.
        partners.pairs.sort_by_key(|pair| compared(games[0]).position(|row| ptr::eq(row, pair[0])));
        partners
    }

    /// Pairs the rows without a partner that have the same key, if each is the only one of its game that has it.
    fn pair(&mut self, key: impl Fn(&RowReport) -> Option<Vec<String>>) {
        let only = |rows: &[&'a RowReport], wanted: &[String]| -> Option<&'a RowReport> {
            let mut same = rows.iter().copied().filter(|row| key(row).is_some_and(|key| key == wanted));
            same.next().filter(|_| same.next().is_none())
        };
        let [first, second] = &self.unpaired;
        let keys: Vec<Vec<String>> = first.iter().filter_map(|row| key(row)).collect();
        let pairs: Vec<[&'a RowReport; 2]> =
            keys.iter().filter_map(|key| Some([only(first, key)?, only(second, key)?])).collect();
        for (side, rows) in self.unpaired.iter_mut().enumerate() {
            rows.retain(|row| !pairs.iter().any(|pair| ptr::eq(pair[side], *row)));
        }
        self.pairs.extend(pairs);
    }
}

/// A row's values on the axes beside the encoding that are not tuned.
fn settings<'a>(row: &'a RowReport, axes: &'a [String]) -> impl Iterator<Item = String> + 'a {
    let fixed = axes.iter().zip(&row.axes).filter(|(axis, _)| *axis != ENCODING && !is_tuned(axis));
    fixed.map(|(_, value)| value.clone())
}

fn is_tuned(axis: &str) -> bool {
    TUNED.iter().any(|tuned| is_part_of(axis, tuned))
}

#[cfg(test)]
mod tests {
    use super::is_tuned;

    #[test]
    fn settings_below_a_tuned_one_are_tuned() {
        assert!(["train.clip", "train.learning_rate.cosine.from"].iter().all(|axis| is_tuned(axis)));
        assert!(!["train.clipped", "train.steps", "train.start", "model"].iter().any(|axis| is_tuned(axis)));
    }
}
