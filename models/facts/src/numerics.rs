//! Versions of the arithmetic: a change of numbers renames only the cells that it touches.
//!
//! [`BASE`] stands for all arithmetic. A *component* is a part of the arithmetic that only some cells use: an encoding,
//! an architecture, a head, an optimizer, an averaging, an input, a vocabulary of moves, an element type. A change that
//! touches one component raises its version in [`RAISED`]; the cells that use the component then have that version in
//! their hash and in their manifest, and all other cells keep both. A change of what every cell uses raises [`BASE`].

use super::run::RunConfig;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// The version of what every cell uses. Cells of an older version are not reused, and no verdict compares across the two.
pub const BASE: u32 = 5;

/// The components whose numbers changed since [`BASE`], with their versions: `("encoding.shaw", 2)`. Without an entry
/// the version is 1. When [`BASE`] rises, the list becomes empty.
const RAISED: &[(&str, u32)] = &[];

/// The versions of the arithmetic of one cell. Stored as [`BASE`]'s number, or as a map where a component was raised:
/// `{"base": 5, "encoding.shaw": 2}`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "Stored", into = "Stored")]
pub struct Numerics {
    base: u32,
    raised: BTreeMap<String, u32>,
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Stored {
    Base(u32),
    Raised(BTreeMap<String, u32>),
}

const BASE_KEY: &str = "base";

impl From<Numerics> for Stored {
    fn from(numerics: Numerics) -> Self {
        if numerics.raised.is_empty() {
            return Self::Base(numerics.base);
        }
        let base = std::iter::once((BASE_KEY.to_owned(), numerics.base));
        Self::Raised(numerics.raised.into_iter().chain(base).collect())
    }
}

impl TryFrom<Stored> for Numerics {
    type Error = &'static str;

    fn try_from(stored: Stored) -> Result<Self, Self::Error> {
        match stored {
            Stored::Base(base) => Ok(Self { base, raised: BTreeMap::new() }),
            Stored::Raised(mut raised) => {
                let base = raised.remove(BASE_KEY).ok_or("versions of components without the key base")?;
                Ok(Self { base, raised })
            }
        }
    }
}

impl fmt::Display for Numerics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.base)?;
        self.raised.iter().try_for_each(|(component, version)| write!(f, ", {component} {version}"))
    }
}

impl Numerics {
    /// The versions that this program computes a run with.
    pub fn of(run: &RunConfig) -> Self {
        Self::with(RAISED, run)
    }

    fn with(raised: &[(&str, u32)], run: &RunConfig) -> Self {
        let used = components(run);
        let raised = raised.iter().filter(|(component, _)| used.contains(*component));
        Self { base: BASE, raised: raised.map(|&(component, version)| (component.to_owned(), version)).collect() }
    }

    /// Whether two cells were computed by the same versions of all that both of them use. Each comes with its resolved
    /// run, if that can be read; without it every difference counts.
    pub fn agree(own: (&Self, Option<&RunConfig>), other: (&Self, Option<&RunConfig>)) -> bool {
        if own.0 == other.0 {
            return true;
        }
        let (Some(own_run), Some(other_run)) = (own.1, other.1) else { return false };
        let version = |numerics: &Self, component: &str| numerics.raised.get(component).copied().unwrap_or(1);
        let (own_parts, other_parts) = (components(own_run), components(other_run));
        own.0.base == other.0.base
            && own_parts.intersection(&other_parts).all(|part| version(own.0, part) == version(other.0, part))
    }
}

/// The components that a run uses: `encoding.shaw`, `model.chessformer`, `head.policy`, `optimizer.nadam`, …
pub fn components(run: &RunConfig) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut add = |kind: &str, name: &str| {
        found.insert(format!("{kind}.{name}"));
    };
    add("model", run.model.name());
    add("input", run.input.name());
    add("moves", run.moves.name());
    add("optimizer", run.train.optimizer.name());
    add("dtype", run.train.dtype.name());
    run.outputs().names().into_iter().for_each(|head| add("head", head));
    run.encoding.iter().filter_map(key).for_each(|encoding| add("encoding", &encoding));
    run.train.averaging.iter().filter_map(key).for_each(|averaging| add("averaging", &averaging));
    found
}

/// The name of a value that is stored as a name or as a map with one key.
fn key(value: &impl Serialize) -> Option<String> {
    match serde_json::to_value(value).ok()? {
        Value::String(name) => Some(name),
        Value::Object(map) => map.keys().next().cloned(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(encoding: &str) -> RunConfig {
        let text = format!(
            "game: chess\ndata: x\ninput: piece_tokens\nmodel: {{chessformer: {{layers: 1, width: 8, heads: 1, ff: 8}}}}\n\
             encoding: {encoding}\ntrain: {{steps: 1, batch: 1, optimizer: {{nadam: {{}}}}, learning_rate: {{values: [0.1]}}}}\n\
             eval: {{validation_positions: 1, test_positions: 1, every: 1}}\nseed: 0\n"
        );
        RunConfig::from_yaml(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
    }

    #[test]
    fn a_run_uses_the_components_that_it_names() {
        let expected = [
            "dtype.f32",
            "encoding.absolute",
            "encoding.shaw",
            "head.policy",
            "head.result",
            "input.piece_tokens",
            "model.chessformer",
            "moves.from_to",
            "optimizer.nadam",
        ];
        let found = components(&run("[absolute, shaw]"));
        assert_eq!(found.iter().map(String::as_str).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_raised_component_changes_only_the_cells_that_use_it() {
        let raised = &[("encoding.shaw", 2), ("optimizer.adamw", 3)];
        let of = |run: &RunConfig| Numerics::with(raised, run);
        let (shaw, absolute) = (run("[shaw]"), run("[absolute]"));
        assert_eq!(of(&absolute), Numerics { base: BASE, raised: BTreeMap::new() });
        assert_eq!(of(&shaw).to_string(), format!("{BASE}, encoding.shaw 2"));
        let stored = serde_json::to_string(&of(&shaw)).expect("JSON");
        assert_eq!(stored, format!(r#"{{"base":{BASE},"encoding.shaw":2}}"#));
        assert_eq!(serde_json::from_str::<Numerics>(&stored).expect("versions"), of(&shaw));
        assert_eq!(serde_json::to_string(&of(&absolute)).expect("JSON"), BASE.to_string());
        assert!(serde_json::from_str::<Numerics>(r#"{"encoding.shaw":2}"#).is_err());
    }

    #[test]
    fn cells_agree_if_what_both_use_has_the_same_version() {
        let raised = &[("encoding.shaw", 2)];
        let (shaw, stack, absolute) = (run("[shaw]"), run("[absolute, shaw]"), run("[absolute]"));
        let of = |run: &RunConfig| Numerics::with(raised, run);
        let old = |run: &RunConfig| Numerics::with(&[], run);
        let agree = |a: (&Numerics, &RunConfig), b: (&Numerics, &RunConfig)| {
            Numerics::agree((a.0, Some(a.1)), (b.0, Some(b.1)))
        };
        assert!(agree((&of(&shaw), &shaw), (&of(&absolute), &absolute)));
        assert!(agree((&of(&shaw), &shaw), (&of(&stack), &stack)));
        assert!(!agree((&of(&shaw), &shaw), (&old(&stack), &stack)));
        assert!(!Numerics::agree((&of(&shaw), None), (&of(&absolute), Some(&absolute))));
        let later = Numerics { base: BASE + 1, ..of(&absolute) };
        assert!(!agree((&later, &absolute), (&of(&shaw), &shaw)));
    }
}
