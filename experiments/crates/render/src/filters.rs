//! Filters: the digits of numbers, as reports show them.

use crate::clocks::shown;
use crate::fields::fault;
use facts::grouped;
use minijinja::{Environment, Error, Value};
use report::numbers::{fixed, p_value, signed};

/// Adds the filters to an environment.
pub(crate) fn add(environment: &mut Environment<'_>) {
    environment.add_filter("fixed", |value: f64, decimals: usize| fixed(value, decimals));
    environment.add_filter("signed", |value: f64, decimals: usize| signed(value, decimals));
    environment.add_filter("size", |value: f64, decimals: usize| fixed(value.abs(), decimals));
    environment.add_filter("percent", |share: f64, decimals: Option<usize>| {
        fixed(share * 100.0, decimals.unwrap_or_default())
    });
    environment.add_filter("grouped", |count: u64| grouped(u128::from(count)));
    environment.add_filter("p", p_value);
    environment.add_filter("time", |unix_s: f64| shown(unix_s, "%H:%M:%S"));
    environment.add_filter("date", |unix_s: f64| shown(unix_s, "%Y-%m-%d"));
    environment.add_filter("column", |rows: Vec<Value>, field: String| column(&rows, &field));
}

/// A field of each of several rows. Minijinja's own `map(attribute=…)` would leave out the error of an unknown field.
fn column(rows: &[Value], field: &str) -> Result<Vec<Value>, Error> {
    let get = |row: &Value| match row.get_attr(field)? {
        value if value.is_undefined() => Err(fault(format!("{row} has no field {field:?}"))),
        value if value.kind() == minijinja::value::ValueKind::Invalid => Err(fault(value.to_string())),
        value => Ok(value),
    };
    rows.iter().map(get).collect()
}
