//! One sentence for each comparison.

use super::model::comparison::{ALPHA, Comparison, Corrected, Missing, Verdict};
use super::model::interactions::{Change, InteractionReport};
use super::model::noise::Noise;
use super::model::{GameReport, PrimaryMetric, Report, RowReport};
use super::numbers::{fixed, interval, interval_decimals, p_in_words, signed};
use std::fmt::Write as _;

/// The conclusion of one comparison.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Conclusion {
    pub(super) verdict: Verdict,
    pub(super) sentence: String,
}

pub(super) fn method(report: &Report) -> String {
    let all = report.games.iter().flat_map(|game| &game.rows).filter_map(|row| row.comparison.as_ref());
    let noise = counted(all.filter_map(|comparison| comparison.noise.as_ref()));
    let equivalent = report.primary.within().map(|within| {
        format!(
            "; equivalent: two one-sided tests with the same variance, within {within}, Holm-corrected over the same \
             comparisons"
        )
    });
    format!(
        "{}, paired t-tests over {noise}, Holm-corrected over the grid's {} comparisons, α = {ALPHA}{}",
        tuning(report),
        report.family,
        equivalent.unwrap_or_default()
    )
}

/// The noise that a list of tests counts.
fn counted<'a>(all: impl Iterator<Item = &'a Noise>) -> &'static str {
    let (of_both, of_seeds): (Vec<&Noise>, Vec<&Noise>) = all.partition(|noise| noise.crossed().is_some());
    match (of_both.is_empty(), of_seeds.is_empty()) {
        (false, true) => "seeds and test games",
        (false, false) => "seeds and test games where every cell stored its positions, otherwise over seeds only",
        (true, _) => "seeds only",
    }
}

/// What a verdict says about learning rates: it begins every method and every table of verdicts.
fn tuning(report: &Report) -> &'static str {
    if report.games.iter().any(|game| game.tuning.is_some()) {
        return "tuned";
    }
    if report.games.iter().any(|game| game.own_rates) {
        return "at the rate that the file gives each row";
    }
    "at one learning rate"
}

/// The line below a table of verdicts on learning rates.
pub(super) fn rates(report: &Report) -> String {
    let tuned = report.games.iter().find_map(|game| game.tuning.as_ref());
    if let Some(tuned) = tuned {
        return format!(
            "verdicts are tuned: the settings of each row are the best of {} trials by {} on validation, on seeds {:?}",
            tuned.trials, tuned.metric, tuned.seeds
        );
    }
    format!(
        "verdicts are {}: this grid tuned no row, and other rates or more steps can change the order of the rows",
        tuning(report)
    )
}

/// A conclusion for each comparison of the grid, game by game, and one for all exploratory rows of a game.
pub(super) fn conclusions(report: &Report) -> Vec<Conclusion> {
    report.games.iter().flat_map(|game| of_game(report, game)).collect()
}

fn of_game(report: &Report, game: &GameReport) -> Vec<Conclusion> {
    let compared = game.rows.iter().filter_map(|row| Some((row, row.comparison.as_ref()?)));
    let (exploratory, planned): (Vec<_>, Vec<_>) =
        compared.partition(|(_, comparison)| comparison.missing.contains(&Missing::Exploratory));
    let of_row = |(row, comparison): (&RowReport, &Comparison)| Conclusion {
        verdict: comparison.verdict,
        sentence: format!("On {}, {}.", game.game, sentence(&row.label, comparison, &report.primary)),
    };
    let of_others = match exploratory.len() {
        0 => None,
        1 => Some("one other row has".to_owned()),
        many => Some(format!("{many} other rows have")),
    };
    let of_others = of_others.map(|rows| Conclusion {
        verdict: Verdict::Missing,
        sentence: format!("On {}, {rows} no verdict: {}.", game.game, Missing::Exploratory),
    });
    planned.into_iter().map(of_row).chain(of_others).collect()
}

fn sentence(label: &str, comparison: &Comparison, primary: &PrimaryMetric) -> String {
    let reference = &comparison.reference;
    let claim = match comparison.verdict {
        Verdict::Better => format!("{label} is better than {reference}"),
        Verdict::Worse => format!("{label} is worse than {reference}"),
        Verdict::Equivalent => format!("{label} is equivalent to {reference}{}", within(comparison, primary)),
        Verdict::Open => format!("whether {label} differs from {reference} is open"),
        Verdict::DependsOnTuning => format!("whether {label} is better than {reference} depends on tuning"),
        Verdict::Diverged => format!("{label} cannot be better than {reference}"),
        Verdict::Missing => {
            let why = missing(&comparison.missing);
            return format!("{label} against {reference} has no verdict: {why}{}", divergence(comparison));
        }
    };
    let left_out = match missing(&comparison.missing) {
        none if none.is_empty() => none,
        some => format!("; left out: {some}"),
    };
    let small = match comparison.verdict {
        Verdict::Better | Verdict::Worse | Verdict::DependsOnTuning if comparison.is_within_margin() => {
            format!("; the difference is{}", within(comparison, primary))
        }
        _ => String::new(),
    };
    format!("{claim}: {} {}{small}{left_out}{}", primary.name, numbers(comparison), divergence(comparison))
}

/// ` within ±0.02 nats`, if the comparison was tested for it.
fn within(comparison: &Comparison, primary: &PrimaryMetric) -> String {
    let within = comparison.equivalence.and_then(|_| primary.within());
    within.map_or_else(String::new, |within| format!(" within {within}"))
}

/// The seeds that diverged, of the row and of its reference.
fn divergence(comparison: &Comparison) -> String {
    let own = comparison.divergence().map(|seeds| match comparison.verdict {
        Verdict::Diverged | Verdict::Missing => format!("; {seeds}: cannot be better"),
        _ => format!("; {seeds}"),
    });
    let of_reference = (comparison.reference_diverged > 0).then(|| {
        format!("; {} of {} seeds of the reference diverged", comparison.reference_diverged, comparison.planned)
    });
    own.into_iter().chain(of_reference).collect()
}

/// `−0.123, Holm-corrected interval [−0.171, −0.074], p = 0.0021`, in the digits of the table; of an equivalence, those of
/// its tests.
fn numbers(comparison: &Comparison) -> String {
    let (Some(test), Some(plain)) = (comparison.decisive, comparison.interval) else { return String::new() };
    let decimals = interval_decimals(&plain);
    let mut text = signed(test.mean, decimals);
    if let (Verdict::Equivalent, Some(tests)) = (comparison.verdict, comparison.equivalence) {
        let ends = interval(&tests.interval, decimals);
        let _ = write!(text, ", Holm-corrected interval of the equivalence tests {ends}, {}", p_in_words(tests.holm.p));
        return text;
    }
    if let Some(Corrected { holm, interval: corrected }) = &comparison.holm {
        let ends = interval(corrected, decimals);
        let _ = write!(text, ", Holm-corrected interval {ends}, {}", p_in_words(holm.p));
    }
    text
}

/// The conclusion of one interaction.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Answer {
    pub(super) change: Change,
    pub(super) sentence: String,
}

pub(super) fn interactions_method(report: &Report) -> String {
    let noise = counted(report.games.iter().flat_map(|game| &game.interactions).filter_map(|one| one.noise.as_ref()));
    format!(
        "differences of differences, paired t-tests over {noise}, Holm-corrected over the grid's {} interactions, α = {ALPHA}",
        report.interaction_family
    )
}

/// An answer for each interaction of the grid, game by game.
pub(super) fn interactions(report: &Report) -> Vec<Answer> {
    let all = report.games.iter().flat_map(|game| game.interactions.iter().map(move |one| (game, one)));
    all.map(|(game, one)| {
        let sentence = format!("On {}, {}.", game.game, of_interaction(one, &report.primary));
        Answer { change: one.change, sentence }
    })
    .collect()
}

fn of_interaction(one: &InteractionReport, primary: &PrimaryMetric) -> String {
    let ([from, to], [first, second]) = (&one.definition.gap, &one.definition.by);
    let within = one.definition.within.as_ref().map_or_else(String::new, |label| format!(" ({label})"));
    let gap = format!("the gap between {from} and {to}{within}");
    let ([Some(at_first), Some(then)], Some(test), Some(Corrected { holm, interval: corrected })) =
        (&one.gaps, one.decisive, &one.holm)
    else {
        return format!("{gap} with {first} against that with {second} has no verdict: {}", missing(&one.missing));
    };
    let decimals = interval_decimals(corrected);
    let change = match one.change {
        Change::Shrinks => format!("it shrinks by {}", fixed(test.mean.abs(), decimals)),
        Change::Grows => format!("it grows by {}", fixed(test.mean.abs(), decimals)),
        Change::Reverses => format!("it reverses, changing by {}", signed(test.mean, decimals)),
        Change::Changes => format!("it changes by {}", signed(test.mean, decimals)),
        Change::NotDistinguishable | Change::Missing => {
            format!("its change of {} is not distinguishable from 0", signed(test.mean, decimals))
        }
    };
    let left_out = match missing(&one.missing) {
        none if none.is_empty() => none,
        some => format!("; left out: {some}"),
    };
    format!(
        "{gap} in {} is {} with {first} and {} with {second}: {change}, Holm-corrected interval of the change {}, \
         {}{left_out}",
        primary.name,
        signed(at_first.mean, decimals),
        signed(then.mean, decimals),
        interval(corrected, decimals),
        p_in_words(holm.p)
    )
}

/// The reasons, with seeds of one kind together: `needs ≥ 3 complete pairs, has 1 (seeds 1, 2 failed)`.
pub(super) fn missing(all: &[Missing]) -> String {
    let seeds_of = |wanted: fn(&Missing) -> Option<u64>| -> Vec<String> {
        all.iter().filter_map(wanted).map(|seed| seed.to_string()).collect()
    };
    let seeds = |seeds: Vec<String>, one: &str, many: &str| match seeds.as_slice() {
        [] => None,
        [seed] => Some(format!("seed {seed} {one}")),
        _ => Some(format!("seeds {} {many}", seeds.join(", "))),
    };
    let failed = |missing: &Missing| if let Missing::Failed { seed } = missing { Some(*seed) } else { None };
    let unfinished = |missing: &Missing| if let Missing::Unfinished { seed } = missing { Some(*seed) } else { None };
    let valueless = |missing: &Missing| if let Missing::NoValue { seed } = missing { Some(*seed) } else { None };
    let unknown = |missing: &Missing| if let Missing::NoManifest { seed } = missing { Some(*seed) } else { None };
    let mut details: Vec<String> = [
        seeds(seeds_of(failed), "failed", "failed"),
        seeds(seeds_of(unfinished), "is not done", "are not done"),
        seeds(seeds_of(valueless), "has no value", "have no value"),
        seeds(seeds_of(unknown), "has no manifest", "have no manifest"),
    ]
    .into_iter()
    .flatten()
    .collect();
    details.extend(all.iter().filter(|m| matches!(m, Missing::Differs { .. })).map(Missing::to_string));
    let general: Vec<_> = all.iter().filter(|m| m.rules_out_a_verdict()).map(Missing::to_string).collect();
    match (general.join("; "), details.join("; ")) {
        (general, details) if general.is_empty() => details,
        (general, details) if details.is_empty() => general,
        (general, details) => format!("{general} ({details})"),
    }
}
