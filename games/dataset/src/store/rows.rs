//! Converts Arrow arrays to rows.

use super::GameRow;
use crate::split::Split;
use arrow_array::cast::AsArray as _;
use arrow_array::types::{ArrowPrimitiveType, Float32Type, Int8Type, Int32Type, UInt16Type, UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray};
use games::record::{Candidate, is_rating};
use games::{GameResult, Termination};

/// The rows of a batch whose columns have the store's types.
pub(super) fn rows(batch: &RecordBatch) -> Result<Vec<GameRow>, String> {
    (0..batch.num_rows()).map(|row| Row { batch, row }.read()).collect()
}

struct Row<'a> {
    batch: &'a RecordBatch,
    row: usize,
}

impl Row<'_> {
    fn read(&self) -> Result<GameRow, String> {
        let row = GameRow {
            id: self.column("id")?.as_primitive::<UInt32Type>().value(self.row),
            split: self.named("split", &Split::ALL, Split::name)?,
            start: self.later_text("start"),
            moves: self.text("moves")?,
            plies: self.column("plies")?.as_primitive::<UInt16Type>().value(self.row),
            result: self.named("result", &GameResult::ALL, GameResult::name)?,
            termination: self.named("termination", &Termination::ALL, Termination::name)?,
            policy_from_ply: self.column("policy_from_ply")?.as_primitive::<UInt16Type>().value(self.row),
            value: self.numbers("value").unwrap_or_default(),
            clock: self.numbers("clock"),
            time: self.numbers("time"),
            seen_in_train: self.marks("seen_in_train"),
            ratings: ["first_rating", "second_rating"].map(|name| self.rating(name)),
            source_file: self.text("source_file")?,
            source_game: self.column("source_game")?.as_primitive::<UInt64Type>().value(self.row),
            used: self.marks("used"),
            policy: self.policy()?,
            mean_result: self.numbers("mean_result"),
            count: self.number::<UInt32Type>("count"),
            group: self.number::<UInt64Type>("group"),
            rating_bucket: self.later_text("rating_bucket"),
            time_control: self.later_text("time_control"),
            map: self.map(),
            draw: self.numbers("draw"),
        };
        row.check()?;
        Ok(row)
    }

    fn column(&self, name: &str) -> Result<&ArrayRef, String> {
        self.batch.column_by_name(name).ok_or_else(|| format!("no column \"{name}\""))
    }

    /// A column that has a value in this row; `None` also if the shard lacks the column.
    fn present(&self, name: &str) -> Option<&ArrayRef> {
        self.batch.column_by_name(name).filter(|column| !column.is_null(self.row))
    }

    fn strings(&self, name: &str) -> Result<&StringArray, String> {
        Ok(self.column(name)?.as_string::<i32>())
    }

    fn text(&self, name: &str) -> Result<String, String> {
        Ok(self.strings(name)?.value(self.row).to_owned())
    }

    fn later_text(&self, name: &str) -> Option<String> {
        Some(self.present(name)?.as_string::<i32>().value(self.row).to_owned())
    }

    fn named<T: Copy>(&self, column: &str, all: &[T], name: fn(T) -> &'static str) -> Result<T, String> {
        let text = self.strings(column)?.value(self.row);
        all.iter().copied().find(|&item| name(item) == text).ok_or_else(|| format!("unknown {column} \"{text}\""))
    }

    fn number<T: ArrowPrimitiveType>(&self, name: &str) -> Option<T::Native> {
        Some(self.present(name)?.as_primitive::<T>().value(self.row))
    }

    fn rating(&self, name: &str) -> Option<i32> {
        self.number::<Int32Type>(name).filter(|&rating| is_rating(rating))
    }

    fn list(&self, name: &str) -> Option<ArrayRef> {
        Some(self.present(name)?.as_list::<i32>().value(self.row))
    }

    fn numbers(&self, name: &str) -> Option<Vec<Option<f32>>> {
        Some(self.list(name)?.as_primitive::<Float32Type>().iter().collect())
    }

    fn marks(&self, name: &str) -> Option<Vec<bool>> {
        Some(self.list(name)?.as_boolean().iter().map(|mark| mark.unwrap_or(false)).collect())
    }

    fn map(&self) -> Option<Vec<Vec<i8>>> {
        let maps = self.list("map")?;
        let maps = maps.as_list::<i32>();
        let of = |ply| maps.value(ply).as_primitive::<Int8Type>().values().to_vec();
        Some((0..maps.len()).map(of).collect())
    }

    fn policy(&self) -> Result<Option<Vec<Vec<Candidate>>>, String> {
        let (Some(moves), Some(probabilities)) = (self.list("policy_moves"), self.list("policy_probs")) else {
            return Ok(None);
        };
        let (moves, probabilities) = (moves.as_list::<i32>(), probabilities.as_list::<i32>());
        if moves.len() != probabilities.len() {
            return Err("\"policy_moves\" and \"policy_probs\" have different plies".to_owned());
        }
        let ply = |ply: usize| {
            let (moves, probabilities) = (moves.value(ply), probabilities.value(ply));
            let (moves, probabilities) = (moves.as_string::<i32>(), probabilities.as_primitive::<Float32Type>());
            if moves.len() != probabilities.len() {
                return Err(format!("{} moves and {} probabilities at ply {ply}", moves.len(), probabilities.len()));
            }
            if let Some(wrong) = probabilities.values().iter().find(|share| !(share.is_finite() && **share >= 0.0)) {
                return Err(format!("a probability of {wrong} at ply {ply}"));
            }
            let text = moves.iter().map(|mv| mv.unwrap_or_default().to_owned());
            Ok(text.zip(probabilities.values().iter().copied()).collect())
        };
        (0..moves.len()).map(ply).collect::<Result<_, _>>().map(Some)
    }
}
