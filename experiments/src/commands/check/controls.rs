//! What `posenc check` says about matched controls.

use config::grouped;
use config::matched::TOLERANCE;
use config::{Experiment, Matched, Row};
use serde_json::{Value, json};

/// A line for each control; `times` are seconds of a step of each row, empty if none was timed.
pub(super) fn text(experiment: &Experiment, times: &[f64]) -> String {
    let controls = experiment.rows.iter().enumerate().filter_map(|(i, row)| Some((i, row, row.matched.as_ref()?)));
    let lines: Vec<String> = controls
        .map(|(i, row, matched)| {
            let outcome = match matched.counts {
                Some([own, goal]) => counted(own, goal),
                None => Times::of(experiment, times, i, matched)
                    .map_or_else(|| "not timed; --measure times it on this machine".to_owned(), |t| t.words(matched)),
            };
            format!("  {}: {}: {outcome}\n", row.label, change(matched))
        })
        .collect();
    if lines.is_empty() { String::new() } else { format!("matched controls:\n{}", lines.concat()) }
}

fn counted(own: u64, goal: u64) -> String {
    format!("{} of {} ({:.4})", grouped(own), grouped(goal), own as f64 / goal as f64)
}

/// `params of shaw by ffn 192 → 520`.
fn change(matched: &Matched) -> String {
    let sizes = matched.sizes.iter().map(|size| format!("{} {} → {}", size.name, size.from, size.to));
    let sizes = sizes.collect::<Vec<_>>().join(" and ");
    format!("{} of {} by {sizes}", matched.quantity.words(), matched.goal)
}

/// Seconds of a step of the row that a control was made from, of the control, and of the row that it is matched to.
struct Times {
    source: f64,
    own: f64,
    goal: f64,
}

impl Times {
    fn of(experiment: &Experiment, times: &[f64], control: usize, matched: &Matched) -> Option<Self> {
        let place = |is: &dyn Fn(&Row) -> bool| experiment.rows.iter().position(is);
        let source = place(&|row| row.label == matched.source)?;
        let goal = place(&|row| row.folder() == matched.goal_folder)?;
        let time = |row: usize| times.get(row).copied();
        Some(Self { source: time(source)?, own: time(control)?, goal: time(goal)? })
    }

    fn words(&self, matched: &Matched) -> String {
        let ratio = self.own / self.goal;
        let measured = format!("{:.1} ms of {:.1} ms ({ratio:.4})", 1e3 * self.own, 1e3 * self.goal);
        if (ratio - 1.0).abs() <= TOLERANCE {
            return measured;
        }
        match self.interpolated_size(matched) {
            Some((name, size)) => format!("{measured}, not within 1 %: in a straight line {name} {size} would be"),
            None => format!("{measured}, not within 1 %: give other sizes"),
        }
    }

    /// Where the line through source and control meets the goal, if one size changed and the step got longer with it.
    fn interpolated_size<'a>(&self, matched: &'a Matched) -> Option<(&'a str, u64)> {
        let [size] = &matched.sizes[..] else { return None };
        let per_unit = (self.own - self.source) / (size.to as f64 - size.from as f64);
        let wanted = size.from as f64 + (self.goal - self.source) / per_unit;
        (per_unit > 0.0 && wanted >= 1.0).then_some((size.name.as_str(), wanted.round() as u64))
    }
}

/// What a row was matched to, or null.
pub(super) fn json(row: &Row) -> Value {
    row.matched.as_ref().map_or(Value::Null, |matched| {
        let sizes = matched.sizes.iter().map(|size| json!({"name": size.name, "from": size.from, "to": size.to}));
        json!({
            "source": matched.source,
            "quantity": matched.quantity.name(),
            "goal": matched.goal,
            "goal_folder": matched.goal_folder,
            "sizes": sizes.collect::<Vec<_>>(),
            "count": matched.counts.map(|[own, _]| own),
            "goal_count": matched.counts.map(|[_, goal]| goal),
            "ratio": matched.ratio(),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use config::Quantity;
    use config::matched::ChangedSize;

    fn matched() -> Matched {
        Matched {
            source: "chess-absolute".to_owned(),
            quantity: Quantity::StepTime,
            goal: "shaw".to_owned(),
            goal_folder: "chess-shaw-0".to_owned(),
            sizes: vec![ChangedSize { name: "ffn".to_owned(), from: 100, to: 300 }],
            counts: None,
        }
    }

    #[test]
    fn a_measured_control_says_which_size_would_do() {
        // 200 more cost 50 ms, 20 ms are wanted: 80 more.
        let words = Times { source: 0.1, own: 0.15, goal: 0.12 }.words(&matched());
        assert_eq!(words, "150.0 ms of 120.0 ms (1.2500), not within 1 %: in a straight line ffn 180 would be");
        let near = Times { source: 0.1, own: 0.121, goal: 0.12 }.words(&matched());
        assert_eq!(near, "121.0 ms of 120.0 ms (1.0083)");
        let noise = Times { source: 0.1, own: 0.09, goal: 0.12 }.words(&matched());
        assert_eq!(noise, "90.0 ms of 120.0 ms (0.7500), not within 1 %: give other sizes");
    }
}
