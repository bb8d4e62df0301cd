//! Versions of the arithmetic: a change of numbers renames only the cells that it touches.
//!
//! [`BASE`] covers all arithmetic. A *component* is a part of the arithmetic that only some cells use: an encoding,
//! an architecture, a head, an optimizer, an averaging, an input, a vocabulary of moves, a map that is computed, an element type,
//! the sum of four or more micro-batches. A change that touches one component raises its version in [`RAISED`]; the cells that use the
//! component then have that version in their hash and in their manifest, and all other cells keep both. A change of
//! arithmetic that every cell uses raises [`BASE`].

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// The version of the arithmetic that every cell uses. Cells of an older version are not reused, and no
/// verdict compares across the two.
pub const BASE: u32 = 5;

/// The components whose numbers changed since [`BASE`], with their versions: `("encoding.shaw", 2)`. Without an entry
/// the version is 1. When [`BASE`] rises, the list becomes empty.
const RAISED: &[(&str, u32)] = &[(MICRO_BATCHES, 2), (MUON, 2), (FROZEN, 2), (EPOCHS, 2), (NO_TOKENS, 2)];

/// Version 2 takes W and V of a gated feed-forward layer as two matrices.
const MUON: &str = "optimizer.muon";

/// Encodings that `train.start` freezes beside groups of the optimiser. In version 2 no group trains them.
const FROZEN: &str = "start.frozen";

/// The steps of a decoder's phases with `epochs`. Version 2 counts all rows of its sequences.
const EPOCHS: &str = "phases.decoder";

/// A decoder without a head that predicts tokens. Version 2 has no logits of tokens.
const NO_TOKENS: &str = "decoder.without_tokens";

/// The order in which the gradients of four or more micro-batches are added. Version 2 adds by halves.
const MICRO_BATCHES: &str = "sum.micro_batches";

/// From this number of micro-batches on, posenc has added them in more than one order.
const ORDERED_FROM: u64 = 4;

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
    /// The versions that this program computes a run of these components with.
    pub fn of(components: &BTreeSet<String>) -> Self {
        Self::with(RAISED, components)
    }

    fn with(raised: &[(&str, u32)], used: &BTreeSet<String>) -> Self {
        let raised = raised.iter().filter(|(component, _)| used.contains(*component));
        Self { base: BASE, raised: raised.map(|&(component, version)| (component.to_owned(), version)).collect() }
    }

    /// Whether two cells were computed by the same versions of all that both of them use. Each comes with its components, if
    /// its resolved run can be read; without them every difference counts.
    pub fn agree(own: (&Self, Option<&BTreeSet<String>>), other: (&Self, Option<&BTreeSet<String>>)) -> bool {
        if own.0 == other.0 {
            return true;
        }
        let (Some(own_parts), Some(other_parts)) = (own.1, other.1) else { return false };
        let version = |numerics: &Self, component: &str| numerics.raised.get(component).copied().unwrap_or(1);
        own.0.base == other.0.base
            && own_parts.intersection(other_parts).all(|part| version(own.0, part) == version(other.0, part))
    }
}

/// The components that a resolved run uses, from the run as JSON: `encoding.shaw`, `model.chessformer`, `head.policy`,
/// `optimizer.nadam`, …; none if it is not a run. A run leaves out default values.
pub fn components(run: &Value) -> Option<BTreeSet<String>> {
    let train = run.get("train")?;
    let (model, options) = run.get("model")?.as_object()?.iter().next()?;
    let list = |kind: &str| run.get(kind).and_then(Value::as_array).into_iter().flatten();
    let named = [
        ("model", Some(model.clone())),
        ("input", Some(name(run.get("input")?)?)),
        ("moves", run.get("moves").map_or_else(|| Some("from_to".to_owned()), name)),
        ("optimizer", Some(name(train.get("optimizer")?)?)),
        ("dtype", train.get("dtype").map_or_else(|| Some("f32".to_owned()), name)),
        ("averaging", train.get("averaging").and_then(name)),
        ("map", run.get("view").and_then(|view| view.get("map")).and_then(name)),
    ];
    let heads = heads(options);
    let further = [
        (MICRO_BATCHES, micro_batches(train, options)? >= ORDERED_FROM),
        (FROZEN, is_frozen_beside_groups(train)),
        (EPOCHS, model == "decoder" && has_epochs(train)),
        (NO_TOKENS, model == "decoder" && !heads.iter().any(|head| head == "policy" || head == "board")),
    ];
    let further = further.into_iter().filter(|(_, is_used)| *is_used).map(|(name, _)| name.to_owned());
    let heads = heads.into_iter().map(|head| ("head", Some(head)));
    let encodings = list("encoding").map(|encoding| ("encoding", name(encoding)));
    let all = named.into_iter().chain(heads).chain(encodings);
    Some(all.filter_map(|(kind, name)| Some(format!("{kind}.{}", name?))).chain(further).collect())
}

fn has_epochs(train: &Value) -> bool {
    let mut phases = train.get("phases").and_then(Value::as_array).into_iter().flatten();
    phases.any(|phase| phase.get("epochs").is_some())
}

fn is_frozen_beside_groups(train: &Value) -> bool {
    let frozen = train.pointer("/start/frozen").and_then(Value::as_bool);
    frozen.unwrap_or(false) && train["optimizer"].to_string().contains("\"groups\"")
}

/// How many micro-batches a step has: one if the device decides, or if the run names no number.
fn micro_batches(train: &Value, model: &Value) -> Option<u64> {
    let Some(positions) = train.get("micro_batch").and_then(Value::as_u64) else { return Some(1) };
    let batch = train.get("batch")?.as_u64()?;
    // A decoder takes whole sequences.
    let plies = model.get("plies").and_then(Value::as_u64).unwrap_or(1).max(1);
    Some(batch.div_ceil((positions.min(batch) / plies).max(1) * plies))
}

/// The heads of a network by the options of its model: the policy and the result, where it names none.
fn heads(options: &Value) -> Vec<String> {
    let outputs = options.get("outputs").or_else(|| options.get("resnet")?.get("outputs"));
    match outputs.and_then(Value::as_object) {
        Some(outputs) => outputs.keys().cloned().collect(),
        None => ["policy", "result"].map(str::to_owned).to_vec(),
    }
}

/// The name of a value that is stored as a name or as a map with one key.
fn name(value: &Value) -> Option<String> {
    match value {
        Value::String(name) => Some(name.clone()),
        Value::Object(map) => map.keys().next().cloned(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn used(encodings: &Value) -> BTreeSet<String> {
        let run = json!({
            "input": "piece_tokens", "model": {"chessformer": {"layers": 1}}, "encoding": encodings,
            "train": {"steps": 1, "optimizer": {"nadam": {}}}, "view": {"map": "pins"},
        });
        components(&run).expect("a run")
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
            "map.pins",
            "model.chessformer",
            "moves.from_to",
            "optimizer.nadam",
        ];
        let found = used(&json!([{"absolute": {"at": "gate"}}, "shaw"]));
        assert_eq!(found.iter().map(String::as_str).collect::<Vec<_>>(), expected);
        assert_eq!(components(&json!({"train": {}})), None);
        assert_eq!(components(&Value::Null), None);
    }

    #[test]
    fn the_order_of_additions_counts_from_four_micro_batches_on() {
        let ordered = |batch: u64, micro: &Value, plies: u64| {
            let train = json!({"steps": 1, "batch": batch, "micro_batch": micro, "optimizer": "nadam"});
            let run = json!({"input": "piece_tokens", "model": {"decoder": {"plies": plies}}, "train": train});
            components(&run).expect("a run").contains(MICRO_BATCHES)
        };
        assert!(ordered(32, &json!(8), 1) && ordered(31, &json!(8), 1) && ordered(9, &json!(1), 1));
        assert!(!ordered(24, &json!(8), 1) && !ordered(32, &json!(64), 1));
        assert!(!ordered(32, &json!("auto"), 1) && !ordered(32, &Value::Null, 1));
        assert!(ordered(32, &json!(11), 4) && !ordered(32, &json!(11), 1), "sequences of four make eight of eleven");
    }

    /// The version of a run after a change.
    fn version(change: impl Fn(&mut Value)) -> String {
        let mut run = json!({
            "input": "piece_tokens", "model": {"chessformer": {"layers": 1}},
            "train": {"steps": 1, "optimizer": {"nadam": {}}},
        });
        change(&mut run);
        Numerics::of(&components(&run).expect("a run")).to_string()
    }

    #[test]
    fn runs_whose_numbers_changed_have_another_version() {
        assert_eq!(version(|_| {}), BASE.to_string());
        let muon = version(|run| run["train"]["optimizer"] = json!({"muon": {}}));
        assert_eq!(muon, format!("{BASE}, optimizer.muon 2"));
        let frozen = |optimizer: Value| {
            version(|run| {
                run["train"]["start"] = json!({"frozen": true});
                run["train"]["optimizer"] = optimizer.clone();
            })
        };
        assert_eq!(frozen(json!({"adamw": {"weight_decay": 0}})), BASE.to_string());
        let groups = json!({"adamw": {"groups": [{"match": "*", "learning_rate": 0.5}]}});
        assert_eq!(frozen(groups), format!("{BASE}, start.frozen 2"));
        let phased = |model: &str, phase: Value| {
            version(|run| {
                run["model"] = json!({model: {"layers": 1}});
                run["train"]["phases"] = json!([phase, {}]);
            })
        };
        assert_eq!(phased("decoder", json!({"epochs": 1.0})), format!("{BASE}, phases.decoder 2"));
        assert_eq!(phased("decoder", json!({"steps": 1})), BASE.to_string());
        assert_eq!(phased("chessformer", json!({"epochs": 1.0})), BASE.to_string());
        let decoder = |outputs: Value| version(|run| run["model"] = json!({"decoder": {"outputs": outputs.clone()}}));
        assert_eq!(decoder(json!({"result": {}})), format!("{BASE}, decoder.without_tokens 2"));
        assert_eq!(decoder(json!({"policy": {}})), BASE.to_string());
        assert_eq!(decoder(json!({"board": {}})), BASE.to_string());
    }

    #[test]
    fn a_raised_component_changes_only_the_cells_that_use_it() {
        let raised = &[("encoding.shaw", 2), ("optimizer.adamw", 3)];
        let [shaw, absolute] = ["shaw", "absolute"].map(|encoding| Numerics::with(raised, &used(&json!([encoding]))));
        assert_eq!(absolute, Numerics { base: BASE, raised: BTreeMap::new() });
        assert_eq!(shaw.to_string(), format!("{BASE}, encoding.shaw 2"));
        let stored = serde_json::to_string(&shaw).expect("JSON");
        assert_eq!(stored, format!(r#"{{"base":{BASE},"encoding.shaw":2}}"#));
        assert_eq!(serde_json::from_str::<Numerics>(&stored).expect("versions"), shaw);
        assert_eq!(serde_json::to_string(&absolute).expect("JSON"), BASE.to_string());
        assert!(serde_json::from_str::<Numerics>(r#"{"encoding.shaw":2}"#).is_err());
    }

    #[test]
    fn cells_agree_if_what_both_use_has_the_same_version() {
        let raised = &[("encoding.shaw", 2)];
        let [shaw, stack, absolute] =
            [json!(["shaw"]), json!(["absolute", "shaw"]), json!(["absolute"])].map(|encodings| used(&encodings));
        let agree = |a: (&Numerics, &BTreeSet<String>), b: (&Numerics, &BTreeSet<String>)| {
            Numerics::agree((a.0, Some(a.1)), (b.0, Some(b.1)))
        };
        let (of_shaw, of_absolute) = (Numerics::with(raised, &shaw), Numerics::with(raised, &absolute));
        assert!(agree((&of_shaw, &shaw), (&of_absolute, &absolute)));
        assert!(agree((&of_shaw, &shaw), (&Numerics::with(raised, &stack), &stack)));
        assert!(!agree((&of_shaw, &shaw), (&Numerics::with(&[], &stack), &stack)));
        assert!(!Numerics::agree((&of_shaw, None), (&of_absolute, Some(&absolute))));
        let later = Numerics { base: BASE + 1, ..of_absolute.clone() };
        assert!(!agree((&later, &absolute), (&of_shaw, &shaw)));
    }
}
