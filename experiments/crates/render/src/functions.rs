//! The functions and filters of templates.
//!
//! | function | fields |
//! |---|---|
//! | `row(bundle, game, name)` | a row: `mean`, `sd`, `value` (mean ± sd), `mark` (▲, ▼), `cell` (both); `difference`, `low`, `high`, `with_interval`, `p`, and with Holm's correction `holm_p`, `holm_low`, `holm_high`, `with_holm_interval`; `verdict`, `games_share`, `learnt`, `test.METRIC.mean`, `test.METRIC.value`, `parameters`, `encoding_parameters`, `step`, `epochs`, `per_doubling`, `choice`, `is_edge` |
//! | `rows(bundle, game, names)` | these rows; without names all, the best first |
//! | `equivalence(bundle, game, name, margin, encoding)` | `p`, `holm_p`, `low`, `high`, `interval`, `verdict`; with an encoding its rows are the references |
//! | `against(bundle, game, name, encoding)` | the fields of `row`, whose reference is the row with this encoding; exploratory |
//! | `game(bundle, game)` | `test_positions`, `test_games`, `targets`, `uniform`, `floor`, `log_linear`, `log_linear_weights` |
//! | `grid(bundle)` | `question`, `expect`, `cells`, `cells_done`, `comparisons`, `interactions`; with two games `tau`, `tau_low`, `tau_high` |
//! | `trial(bundle, game, name, value)` | the score of a row's trial, on validation |
//! | `gap(bundle, game, "shaw less absolute", "layers 1")`, `change(…, "layers 1", ["steps 250", "steps 750"])` | a gap of an interaction and its change: `mean`, `low`, `high`, `with_interval`, `p`, `holm_p`, `verdict` |
//! | `scaling(bundle, game)` | curves over budgets: the `budgets` that are finished, `reference`, `rows`, `floor` |
//! | `budget(bundle, game, name, positions)` | `loss`, `low`, `high`, `shown` |
//! | `multiplier(bundle, game, name, positions)` | `at`, `bound` (empty, `at least`, `at most`), `low` and `high` within the budgets, `shown` |
//! | `exponent(bundle, game, name, "known")`, or `"fitted"` | `exponent`, `low`, `high`, `shown`, `floor`, `first` and `last` budget, `difference`, `with_interval`, `holm_p` |
//! | `predicted(bundle, game, name)` | `positions`; `known` and `fitted`, each with `loss`, `low`, `high`, `shown`; `cells`, `blake3` |
//! | `outcome(bundle, game, name)` | `ratio` of the measured and the predicted loss with the known floor, `low`, `high`, `shown`, `holm_p` |
//! | `compare(bundle, other, game, name)` | a row in two grids: `first`, `second`, `difference`, `low`, `high`, `holm_p`, `with_interval` |
//! | `asked(bundle, game, about, name)` | an answer to `evaluate:`: `mean`, `value`, `difference`, `low`, `high`, `with_interval`, `tau`, `tau_low`, `tau_high` |
//! | `tau(values, others)` | Kendall's τ of two lists: `tau`, `low`, `high` |
//! | `family(bundles)`, `family_p(bundles, bundle, game, name)` | several grids corrected together: `comparisons`, `significant`, `kept`, `lost`; the p-value of one |
//! | `figure(bundle, "chess-forest", file)` | writes a figure of `posenc report --figures` beside the page; its value is `file` |
//! | `trained(bundle, of="trial", rows="steps250", without=other)` | `count`, `began`, `ended` |
//! | `committed(hash, "2026-11-24 04:47:52")`, `came_first(time, other)` | the time of a commit (UTC); an error if it did not come first |

use crate::fields::{fault, unknown};
use crate::library::{Grid, Library, VerdictOptions};
use crate::times;
use crate::{across_grids, gaps, grids, rows, scaling};
use facts::grouped;
use minijinja::value::Kwargs;
use minijinja::{Environment, Error, Value};
use report::numbers::{fixed, p_value, signed, time};
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// What a page gives beside its text.
#[derive(Debug, Clone, Default)]
pub(crate) struct PageOutputs {
    /// Remarks on how it was rendered.
    pub(crate) remarks: Arc<Mutex<Vec<String>>>,
    /// The figures that it shows, by path.
    pub(crate) figures: Arc<Mutex<BTreeMap<PathBuf, String>>>,
}

/// Adds all functions and filters to an environment. Commits are looked for in the repository of `folder`.
pub(crate) fn add(environment: &mut Environment<'_>, library: &Arc<Library>, folder: &Path, outputs: &PageOutputs) {
    add_filters(environment);
    add_figures(environment, library, folder, outputs);
    add_rows(environment, library);
    add_grids(environment, library);
    add_curves(environment, library);
    add_times(environment, library, folder, outputs);
}

/// Adds functions of a bundle: they get its grid and what is written after `=`.
macro_rules! of_bundle {
    ($environment:ident, $library:ident; $($name:literal($($argument:ident: $kind:ty),*) = $file:ident::$function:ident($($passed:expr),*);)+) => {$(
        let own = Arc::clone($library);
        $environment.add_function($name, move |bundle: String, $($argument: $kind),*| {
            $file::$function(&*own.grid(&bundle)?, $($passed),*)
        });
    )+};
}

fn add_rows(environment: &mut Environment<'_>, library: &Arc<Library>) {
    of_bundle! {
        environment, library;
        "row"(game: String, name: String) = rows::named(&game, &name);
        "rows"(game: String, names: Option<Vec<String>>) = rows::rows(&game, names);
        "gap"(game: String, name: String, place: String) = gaps::gap(&game, &name, &place);
        "change"(game: String, name: String, place: String, by: Vec<String>) = gaps::change(&game, &name, &place, &by);
    }
    let own = Arc::clone(library);
    let equivalence = move |bundle: String, game: String, name: String, margin: f64, encoding: Option<String>| {
        rows::equivalence(&*own.grid_with(&bundle, &VerdictOptions { margin: Some(margin), encoding })?, &game, &name)
    };
    environment.add_function("equivalence", equivalence);
    let own = Arc::clone(library);
    environment.add_function("against", move |bundle: String, game: String, name: String, encoding: String| {
        rows::named(&*own.grid_with(&bundle, &VerdictOptions { encoding: Some(encoding), margin: None })?, &game, &name)
    });
    let own = Arc::clone(library);
    environment.add_function("compare", move |first: String, second: String, game: String, name: String| {
        across_grids::between(&*own.grid(&first)?, &*own.grid(&second)?, &game, &name)
    });
}

fn add_grids(environment: &mut Environment<'_>, library: &Arc<Library>) {
    of_bundle! {
        environment, library;
        "game"(game: String) = grids::game(&game);
        "trial"(game: String, name: String, value: String) = grids::trial(&game, &name, &value);
        "asked"(game: String, about: String, name: String) = grids::evaluation(&game, &about, &name);
    }
    let own = Arc::clone(library);
    environment
        .add_function("grid", move |bundle: String| -> Result<Value, Error> { Ok(grids::grid(&*own.grid(&bundle)?)) });
    environment.add_function("tau", |first: Vec<f64>, second: Vec<f64>| across_grids::tau(&first, &second));
    let own = Arc::clone(library);
    environment.add_function("family", move |bundles: Vec<String>| -> Result<Value, Error> {
        Ok(across_grids::family(&all(&own, &bundles)?))
    });
    let own = Arc::clone(library);
    environment.add_function("family_p", move |bundles: Vec<String>, bundle: String, game: String, name: String| {
        across_grids::family_p(&all(&own, &bundles)?, &bundle, &game, &name)
    });
}

fn add_curves(environment: &mut Environment<'_>, library: &Arc<Library>) {
    of_bundle! {
        environment, library;
        "scaling"(game: String) = scaling::scaling(&game);
        "budget"(game: String, name: String, positions: u64) = scaling::budget(&game, &name, positions);
        "multiplier"(game: String, name: String, positions: u64) = scaling::multiplier(&game, &name, positions);
        "exponent"(game: String, name: String, floor: String) = scaling::exponent(&game, &name, &floor);
        "predicted"(game: String, name: String) = scaling::predicted(&game, &name);
        "outcome"(game: String, name: String) = scaling::outcome(&game, &name);
    }
}

fn add_figures(environment: &mut Environment<'_>, library: &Arc<Library>, folder: &Path, outputs: &PageOutputs) {
    let (own, folder, drawn) = (Arc::clone(library), folder.to_owned(), Arc::clone(&outputs.figures));
    environment.add_function("figure", move |bundle: String, id: String, file: String| -> Result<String, Error> {
        // Templates may come from others: they write below their own folder, and SVGs only.
        let is_below = Path::new(&file).components().all(|part| matches!(part, Component::Normal(_)));
        if !is_below || !file.ends_with(".svg") {
            return Err(fault(format!("{file:?} is not a file below the page's folder that ends in .svg")));
        }
        let grid = own.grid(&bundle)?;
        let Some(figure) = grid.figures().iter().find(|figure| figure.id == id) else {
            return Err(unknown("figure", &id, &bundle, grid.figures().iter().map(|figure| figure.id.as_str())));
        };
        let mut drawn = drawn.lock().unwrap_or_else(PoisonError::into_inner);
        match drawn.insert(folder.join(&file), figure.svg.clone()) {
            Some(other) if other != figure.svg => Err(fault(format!("{file:?} is two figures of this page"))),
            _ => Ok(file),
        }
    });
}

fn all(library: &Library, bundles: &[String]) -> Result<Vec<Arc<Grid>>, Error> {
    bundles.iter().map(|bundle| library.grid(bundle)).collect()
}

fn add_times(environment: &mut Environment<'_>, library: &Arc<Library>, folder: &Path, outputs: &PageOutputs) {
    let own = Arc::clone(library);
    environment.add_function("trained", move |bundle: String, options: Kwargs| -> Result<Value, Error> {
        let without: Option<String> = options.get("without")?;
        let without = without.map(|bundle| own.grid(&bundle)).transpose()?;
        let (of, rows): (Option<String>, Option<String>) = (options.get("of")?, options.get("rows")?);
        options.assert_all_used()?;
        grids::trained(&*own.grid(&bundle)?, of.as_deref(), rows.as_deref(), without.as_deref())
    });
    let (folder, remarks) = (folder.to_owned(), Arc::clone(&outputs.remarks));
    environment.add_function("committed", move |hash: String, recorded: String| -> Result<f64, Error> {
        let (time, remark) = times::committed(&folder, &hash, &recorded)?;
        remarks.lock().unwrap_or_else(PoisonError::into_inner).extend(remark);
        Ok(time)
    });
    environment.add_function("came_first", |first: f64, then: f64| times::came_first(first, then));
}

fn add_filters(environment: &mut Environment<'_>) {
    environment.add_filter("fixed", |value: f64, decimals: usize| fixed(value, decimals));
    environment.add_filter("signed", |value: f64, decimals: usize| signed(value, decimals));
    environment.add_filter("size", |value: f64, decimals: usize| fixed(value.abs(), decimals));
    environment.add_filter("percent", |share: f64, decimals: Option<usize>| {
        fixed(share * 100.0, decimals.unwrap_or_default())
    });
    environment.add_filter("grouped", |count: u64| grouped(u128::from(count)));
    environment.add_filter("p", p_value);
    environment.add_filter("time", |unix_s: f64| time(unix_s, "%H:%M:%S"));
    environment.add_filter("date", |unix_s: f64| time(unix_s, "%Y-%m-%d"));
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
