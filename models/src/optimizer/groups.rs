//! Parameters with a learning rate or a weight decay of their own, as ranges of the flat store.

use super::config::{Common, Group, GroupPart, OptimizerError};
use nn::{Layout, ParamSpec, Part, Range};

impl GroupPart {
    const fn part(self) -> Part {
        match self {
            Self::Trunk => Part::Trunk,
            Self::Encoding => Part::Encoding,
            Self::Head => Part::Head,
        }
    }
}

/// A run of elements of the flat store that share a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Span {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) value: f64,
}

/// How far from a pattern a name may be to be worth naming, and how many are named.
const NEAREST: usize = 3;

impl Group {
    fn holds(&self, param: &ParamSpec) -> bool {
        // A parameter that is not learnt has neither a learning rate nor a decay, whatever its name.
        param.part != Part::Statistic
            && self.part.is_none_or(|part| part.part() == param.part)
            && self.pattern.as_deref().is_none_or(|pattern| fits(pattern, &param.name))
    }
}

/// Refuses a pattern that fits no parameter of the network. (A part may be empty: the control of a grid over encodings
/// has no encoding.)
pub(super) fn check(groups: &[Group], layout: &Layout) -> Result<(), OptimizerError> {
    for group in groups {
        let Some(pattern) = &group.pattern else { continue };
        if !layout.params().iter().any(|param| group.holds(param)) {
            return Err(OptimizerError::NoSuchParameter { group: group.to_string(), near: near(pattern, layout) });
        }
    }
    Ok(())
}

/// Without what others take: runs of a store of which `taken` ranges, in order, are left out.
pub(super) fn without(all: &[Span], taken: &[std::ops::Range<usize>]) -> Vec<Span> {
    let rest = |span: &Span| {
        let mut parts = Vec::new();
        let mut start = span.start;
        for range in taken.iter().filter(|range| range.start < span.end && span.start < range.end) {
            parts.push(Span { start, end: range.start.max(start), ..*span });
            start = range.end.min(span.end);
        }
        parts.push(Span { start, ..*span });
        parts
    };
    all.iter().flat_map(rest).filter(|span| span.start < span.end).collect()
}

/// The factor on the learning rate of every element.
pub(super) fn rates(config: Common<'_>, layout: &Layout) -> Vec<Span> {
    spans(layout, |param| last(config.groups, param, |group| group.learning_rate).unwrap_or(1.0))
}

/// The weight decay of every element that decays: matrix weights outside the encodings, if asked everything that
/// belongs to the encodings, and whatever a group names.
pub(super) fn decays(config: Common<'_>, layout: &Layout) -> Vec<Span> {
    let unless_grouped = |param: &ParamSpec| {
        let decays = match param.part {
            Part::Encoding => config.decay_encodings,
            Part::Trunk | Part::Head => param.range == Range::Matrix,
            Part::Statistic => false,
        };
        if decays { config.weight_decay } else { 0.0 }
    };
    let own = |param: &ParamSpec| last(config.groups, param, |group| group.weight_decay);
    let mut all = spans(layout, |param| own(param).unwrap_or_else(|| unless_grouped(param)));
    all.retain(|span| span.value != 0.0);
    all
}

fn last(groups: &[Group], param: &ParamSpec, option: impl Fn(&Group) -> Option<f64>) -> Option<f64> {
    groups.iter().rev().filter(|group| group.holds(param)).find_map(option)
}

/// Runs of equal values that together cover the store; the padding after a parameter, which is 0, belongs to it.
fn spans(layout: &Layout, value: impl Fn(&ParamSpec) -> f64) -> Vec<Span> {
    let mut params: Vec<_> = layout.params().iter().collect();
    params.sort_by_key(|param| param.offset);
    let ends = params.iter().skip(1).map(|next| next.offset).chain([layout.len()]);
    let mut spans: Vec<Span> = Vec::new();
    for (param, end) in params.iter().zip(ends) {
        let value = value(param);
        match spans.last_mut() {
            Some(last) if last.value == value => last.end = end,
            _ => spans.push(Span { start: param.offset, end, value }),
        }
    }
    spans
}

/// Whether a name fits a pattern in which `*` matches any characters. Each part between two stars is taken where it occurs first,
/// so that the time does not grow with the number of ways to fit.
fn fits(pattern: &str, name: &str) -> bool {
    let Some((before, rest)) = pattern.split_once('*') else { return pattern == name };
    let (between, after) = rest.rsplit_once('*').unwrap_or(("", rest));
    let Some(mut left) = name.strip_prefix(before).and_then(|left| left.strip_suffix(after)) else { return false };
    between.split('*').all(|part| match left.split_once(part) {
        Some((_, behind)) => {
            left = behind;
            true
        }
        None => false,
    })
}

/// The learnt parameters whose names are nearest to a pattern.
fn near(pattern: &str, layout: &Layout) -> Vec<String> {
    let wanted = pattern.replace('*', "");
    let learnt = layout.params().iter().filter(|param| param.part != Part::Statistic);
    let mut names: Vec<&String> = learnt.map(|param| &param.name).collect();
    names.sort_by_cached_key(|name| {
        let beginning: String = name.chars().take(wanted.chars().count()).collect();
        strsim::levenshtein(&wanted, &beginning).min(strsim::levenshtein(&wanted, name))
    });
    names.into_iter().take(NEAREST).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_characters() {
        for (pattern, name) in
            [("policy.*", "policy.query.weight"), ("*.bias", "a.b.bias"), ("b*c*", "bc"), ("x", "x"), ("*", "any")]
        {
            assert!(fits(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [
            ("policy.*", "policy"),
            ("*.bias", "a.biases"),
            ("x", "xy"),
            ("b*c*d", "bcc"),
            ("b*b", "b"),
            ("*b*a*", "ab"),
            ("", "x"),
        ] {
            assert!(!fits(pattern, name), "{pattern} {name}");
        }
        // There are more ways to share these characters among the stars than a processor can try.
        assert!(!fits(&format!("{}x", "*".repeat(40)), "body.0.feed_forward.hidden.weight"));
    }
}
