//! What functions hand to templates: objects whose unknown fields are errors that list the known ones.

use minijinja::value::{Enumerator, Object};
use minijinja::{Error, ErrorKind, Value};
use report::numbers::with_interval;
use report::sections::scaling::estimate;
use report::statistics::Interval;
use report::statistics::across::RankCorrelation;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Fields of something, by name. Printed as a whole it shows them, for writers of templates.
#[derive(Debug)]
pub(crate) struct Fields {
    what: String,
    values: BTreeMap<String, Value>,
}

impl Fields {
    pub(crate) fn of(what: impl Into<String>) -> Self {
        Self { what: what.into(), values: BTreeMap::new() }
    }

    /// The same with one more field.
    pub(crate) fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.values.insert(name.to_owned(), value.into());
        self
    }

    /// The same with one more, if it has a value.
    pub(crate) fn with_some(self, name: &str, value: Option<impl Into<Value>>) -> Self {
        if let Some(value) = value { self.with(name, value) } else { self }
    }

    /// The same with the ends of an interval, if there is one: `low` and `high` after a prefix.
    pub(crate) fn with_ends(self, prefix: &str, ends: Option<Interval>) -> Self {
        self.with_some(&format!("{prefix}low"), ends.map(|ends| ends.low))
            .with_some(&format!("{prefix}high"), ends.map(|ends| ends.high))
    }

    /// The same with a mean of this name and its interval, as numbers and as one text, which is empty without an interval.
    pub(crate) fn with_difference(self, name: &str, mean: Option<f64>, ends: Option<Interval>) -> Self {
        let shown = mean.zip(ends).map(|(mean, ends)| with_interval(mean, &ends));
        self.with_some(name, mean).with_ends("", ends).with("with_interval", shown.unwrap_or_default())
    }

    /// The same with an estimate of this name and its interval, as numbers and as the text `shown`.
    pub(crate) fn with_estimate(self, name: &str, mean: f64, ends: Interval) -> Self {
        self.with(name, mean).with_ends("", Some(ends)).with("shown", estimate(mean, &ends))
    }

    /// The same with a rank correlation, if there is one: `tau`, `tau_low` and `tau_high`.
    pub(crate) fn with_ranks(self, ranks: Option<RankCorrelation>) -> Self {
        self.with_some("tau", ranks.map(|ranks| ranks.tau)).with_ends("tau_", ranks.map(|ranks| ranks.interval))
    }

    pub(crate) fn value(self) -> Value {
        Value::from_object(self)
    }
}

impl Object for Fields {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        let name = key.as_str()?;
        let unknown = || Value::from(unknown("field", name, &self.what, self.values.keys()));
        Some(self.values.get(name).cloned().unwrap_or_else(unknown))
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Values(self.values.keys().map(|name| Value::from(name.as_str())).collect())
    }
}

/// A name that there is not, with those that there are.
pub(crate) fn unknown(kind: &str, name: &str, of: &str, known: impl Iterator<Item = impl Into<String>>) -> Error {
    let known: Vec<String> = known.map(Into::into).collect();
    let known = if known.is_empty() { "there are none".to_owned() } else { format!("it has: {}", known.join("; ")) };
    fault(format!("{of} has no {kind} {name:?}; {known}"))
}

pub(crate) fn fault(text: impl Into<String>) -> Error {
    Error::new(ErrorKind::InvalidOperation, text.into())
}
