//! What `posenc check` prints.

use super::phases::labels_by;
use super::{controls, phases};
use config::columns::{COLUMNS, all_shortened, width, wrapped};
use config::evaluate::Evaluations;
use config::setting::Setting;
use config::trials::{Trial, TunedRow};
use config::{Experiment, ReadAt, Role, Row, counted, grouped};
use dataset::{DataCost, DerivedOptions, GenerationCounts, Manifest};
use games::GameKind;
use games::map_labels::MapTask;
use report::numbers::mega;
use report::table::table;
use serde_json::{Map, Value, json};
use std::fmt::Write as _;
use std::path::Path;

pub(super) fn text(experiment: &Experiment, times: &[f64], warnings: &[String]) -> String {
    let mut out = String::new();
    heading(&mut out, experiment).expect("a String takes every text");
    let mut out = folded(&out);
    out += &rows(experiment, times);
    out.push('\n');
    out + &folded(&remarks(experiment, times, warnings))
}

/// Prose in lines that fit a terminal. Lines after the first are indented.
fn folded(text: &str) -> String {
    let indent = |line: &str| " ".repeat(line.len() - line.trim_start().len() + 4);
    text.lines().map(|line| wrapped(line, COLUMNS, &indent(line)) + "\n").collect()
}

/// What is said below the tables of rows.
fn remarks(experiment: &Experiment, times: &[f64], warnings: &[String]) -> String {
    let mut out = groups(experiment);
    out.push_str(&controls::text(experiment, times));
    out.push_str(&interactions(experiment));
    out.push_str(&by_rows(experiment, "epochs", epochs));
    out.push_str(&by_rows(experiment, "parameters outside the encoding", modules));
    out.push_str(&by_rows(experiment, "position sources beside the encoding", sources));
    out.push_str(&datasets(experiment));
    out.push_str(&phases::text(&experiment.rows));
    for warning in warnings {
        out.push_str(&format!("warning: {warning}\n"));
    }
    let cells = counted(experiment.cells().len() as u64, "cell");
    let rows = counted(experiment.rows.len() as u64, "row");
    let seeds = counted(experiment.seeds.len() as u64, "seed");
    let twins = match experiment.rows.iter().filter(|row| row.role == Role::Twin).count() {
        0 => String::new(),
        1 => " (1 of them an A/A control)".to_owned(),
        twins => format!(" ({twins} of them A/A controls)"),
    };
    out.push_str(&format!("{cells}: {rows}{twins} x {seeds}\n"));
    out.push_str(&tuning(experiment));
    out.push_str(&evaluations(experiment));
    out
}

/// The evaluations of finished cells as players.
fn evaluations(experiment: &Experiment) -> String {
    let of_game = |(game, evaluations): (&GameKind, &Evaluations)| {
        let files = [&evaluations.puzzles, &evaluations.suites, &evaluations.mates, &evaluations.no_mates]
            .map(Vec::len)
            .iter()
            .sum::<usize>();
        let games = evaluations.games.as_ref().map_or(0, |games| 2 * games.pairs);
        format!(
            "evaluated after: every cell of {} by each agent ({}); files: {files}, games: {games}\n",
            game.name(),
            evaluations.agents.join(", ")
        )
    };
    experiment.evaluate.iter().map(of_game).collect()
}

/// The trials of each row, and their cells.
fn tuning(experiment: &Experiment) -> String {
    let Some(tuning) = &experiment.tuning else { return String::new() };
    let trials = tuning.rows.first().map_or(0, |row| row.trials.len());
    format!(
        "tuned before: {} of each row, chosen by {} on validation, seeds {:?}: {}\n",
        counted(trials as u64, "trial"),
        experiment.primary.metric,
        tuning.seeds,
        counted(trial_cells(experiment) as u64, "cell")
    )
}

fn trial_cells(experiment: &Experiment) -> usize {
    experiment.trials().map_or(0, |grid| grid.cells().len())
}

/// The trials, for programs; null without any.
fn tuning_json(experiment: &Experiment) -> Value {
    let Some(tuning) = &experiment.tuning else { return Value::Null };
    let value = |(setting, value): &(Setting, String)| (setting.name().to_owned(), Value::from(value.clone()));
    let trial = |trial: &Trial| json!({ "values": trial.values.iter().map(value).collect::<Map<_, _>>(), "hash": trial.row.hash});
    let row = |row: &TunedRow| json!({"label": row.label, "trials": row.trials.iter().map(trial).collect::<Vec<_>>()});
    json!({
        "seeds": tuning.seeds,
        "cells": trial_cells(experiment),
        "rows": tuning.rows.iter().map(row).collect::<Vec<_>>(),
    })
}

fn interactions(experiment: &Experiment) -> String {
    let lines = experiment.interactions.iter().map(|one| {
        let ([from, to], [first, second]) = (&one.gap, &one.by);
        let within = one.within.as_ref().map_or_else(String::new, |label| format!(", {label}"));
        format!("  {}{within}: {to} less {from}, with {second} against {first}\n", one.game.name())
    });
    let lines: String = lines.collect();
    if lines.is_empty() { lines } else { format!("interactions:\n{lines}") }
}

fn heading(out: &mut String, experiment: &Experiment) -> std::fmt::Result {
    writeln!(out, "{}", experiment.name)?;
    let words = [("question", &experiment.question), ("expect", &experiment.expect), ("cost", &experiment.cost)];
    for (key, text) in words {
        if let Some(text) = text {
            writeln!(out, "  {key}: {}", text.trim())?;
        }
    }
    writeln!(out, "  primary: {}, {}", experiment.primary.metric, read_at(experiment.primary.at))?;
    match experiment.equivalent_within.of(&experiment.primary.metric) {
        Some(margin) => writeln!(out, "  equivalent within: {margin}"),
        None => Ok(()),
    }
}

fn read_at(at: ReadAt) -> String {
    match at {
        ReadAt::Last => "on test after the last step".to_owned(),
        ReadAt::Step(step) => format!("on validation after step {step}"),
    }
}

/// With several references in a game, the rows that each is compared with.
fn groups(experiment: &Experiment) -> String {
    let compared = experiment.rows.iter().filter(|row| row.role == Role::Compared && !row.exploratory);
    let sets = labels_by(compared, |row| row.reference.clone());
    let line = |(reference, labels): (Option<String>, Vec<&str>)| {
        reference.map(|reference| format!("against {reference}: {}\n", labels.join(", ")))
    };
    sets.into_iter().filter_map(line).collect()
}

fn role(row: &Row) -> &'static str {
    match row.role {
        Role::Compared if row.exploratory => "exploratory",
        Role::Compared => "",
        Role::Reference => "reference",
        Role::Twin => "twin",
    }
}

const SHORTEST: usize = 20;

/// A table for each game: what its rows have that others have not.
fn rows(experiment: &Experiment, times: &[f64]) -> String {
    let rows: Vec<(&Row, Option<&f64>)> =
        experiment.rows.iter().enumerate().map(|(i, row)| (row, times.get(i))).collect();
    let of_game = |game: GameKind| {
        let rows: Vec<_> = rows.iter().filter(|(row, _)| row.run.game == game).collect();
        let drawn = rows_of(&rows, usize::MAX);
        let excess = drawn.lines().map(width).max().unwrap_or(0).saturating_sub(COLUMNS);
        let longest = rows.iter().map(|(row, _)| width(&row.label)).max().unwrap_or(0);
        let fits = if excess == 0 { drawn } else { rows_of(&rows, longest.saturating_sub(excess).max(SHORTEST)) };
        format!("\n{fits}")
    };
    experiment.games().into_iter().map(of_game).collect()
}

/// The rows of a game, with labels of at most this number of columns.
fn rows_of(rows: &[&(&Row, Option<&f64>)], label: usize) -> String {
    let mut header = vec!["row", "", "encoding", "MFLOPs", "injects into"];
    let mut right = vec![2, 3];
    if rows.iter().any(|(_, time)| time.is_some()) {
        right.push(header.len());
        header.push("ms/step");
    }
    let labels: Vec<&str> = rows.iter().map(|(row, _)| row.label.as_str()).collect();
    let line = |((row, time), label): (&&(&Row, Option<&f64>), String)| {
        let facts = &row.cost.facts;
        let mut cells = vec![
            label,
            role(row).to_owned(),
            grouped(facts.encoding as u128),
            mega(Some(row.cost.macs.flops())),
            facts.injection_points.clone(),
        ];
        cells.extend(time.map(|seconds| format!("{:.1}", 1000.0 * seconds)));
        cells
    };
    table(&header, &right, rows.iter().zip(all_shortened(&labels, label)).map(line))
}

/// A line for each set of rows that share a property.
fn by_rows(experiment: &Experiment, title: &str, property: fn(&Row) -> String) -> String {
    let sets = labels_by(experiment.rows.iter(), property);
    let all = |game: GameKind| experiment.rows.iter().filter(move |row| row.run.game == game);
    let rows = |labels: &[&str]| {
        let is_in = |row: &Row| labels.contains(&row.label.as_str());
        let mut games = experiment.games().into_iter();
        match games.find(|&game| all(game).all(is_in) && all(game).count() == labels.len()) {
            _ if sets.len() == 1 => "every row".to_owned(),
            Some(game) => format!("{} rows", game.name()),
            None => labels.join(", "),
        }
    };
    sets.iter().map(|(text, labels)| format!("{title} ({}): {text}\n", rows(labels))).collect()
}

fn epochs(row: &Row) -> String {
    let (steps, batch) = (grouped(row.run.train.steps), grouped(row.run.train.batch as u128));
    let what = if row.run.plies() == 1 { "training positions" } else { "rows of training sequences" };
    format!("{:.3} = {steps} steps x {batch} / {} {what}", row.epochs(), grouped(row.data.train_rows))
}

/// The parameters of each module but the encoding.
fn modules(row: &Row) -> String {
    let shared = row.cost.parts.iter().filter(|part| part.name != "encoding");
    shared.map(|part| format!("{} {}", part.name, grouped(part.parameters as u128))).collect::<Vec<_>>().join(", ")
}

fn sources(row: &Row) -> String {
    let sources = &row.cost.facts.position_sources;
    if sources.is_empty() { "none".to_owned() } else { sources.join("; ") }
}

/// The splits of which an evaluation asks for more positions than there are, and so reads all.
fn read_whole(row: &Row) -> String {
    let asked = [
        ("validation", row.run.eval.validation_positions as u64, row.data.validation_positions),
        ("test", row.run.eval.test_positions as u64, row.data.test_positions),
    ];
    let more = asked.into_iter().filter(|(_, asked, there)| asked > there);
    more.map(|(split, asked, _)| format!("; all {split} positions are read, of {} asked for", grouped(asked))).collect()
}

fn datasets(experiment: &Experiment) -> String {
    let game = |game| {
        let row = experiment.rows.iter().find(|row| row.run.game == game)?;
        let data = &row.data;
        let [train, validation, test] =
            [data.train_positions, data.validation_positions, data.test_positions].map(grouped);
        let trained = || experiment.rows.iter().filter(|row| row.run.game == game).map(|row| row.data.train_positions);
        let train = match trained().min().zip(trained().max()) {
            Some((least, most)) if least < most => format!("{} to {}", grouped(least), grouped(most)),
            _ => train,
        };
        let (game, name) = (row.run.game.name(), &data.name);
        let read = read_whole(row);
        let counted = match &data.test {
            None if row.run.generate.is_some() => format!(
                "{game}: {name}: {train} training positions are made while a row trains, none twice in a block of 16,384; \
                 {validation} validation and {test} test positions, which are left out of these{read}\n"
            ),
            None => format!(
                "{game}: dataset {name} with {train} training, {validation} validation and {test} test positions{read}\n"
            ),
            Some(set) => format!(
                "{game}: dataset {name} with {train} training and {validation} validation positions,\n  \
                 dataset {} with {test} test positions{read};\n  \
                 {} training and {} validation positions that occur in these are left out\n",
                set.name,
                grouped(set.left_out_of_train),
                grouped(set.left_out_of_validation)
            ),
        };
        let map =
            experiment.rows.iter().filter(|other| other.run.game == row.run.game).find_map(|row| row.run.view.map);
        let of_test = row.run.test_data.as_ref().map(|folder| cost("its test set", folder, None));
        let own = cost("it", &row.run.data, map);
        Some(counted + &generation_cost(experiment, row.run.game) + &own + &of_test.unwrap_or_default())
    };
    experiment.games().into_iter().filter_map(game).collect()
}

/// What making a cell's endless training positions takes.
struct GenerationCost {
    positions: u64,
    /// Positions that a core makes in a second, if that was measured.
    rate: Option<u32>,
}

impl GenerationCost {
    /// `None` for stored positions.
    fn of(row: &Row) -> Option<Self> {
        let probe = row.run.generate.as_ref()?.probe().ok()?;
        let positions = GenerationCounts::whole_blocks(row.run.trained_positions());
        Some(Self { positions, rate: probe.assumed_rate() })
    }

    fn seconds(&self) -> Option<f64> {
        self.rate.map(|rate| self.positions as f64 / f64::from(rate))
    }

    fn json(&self) -> Value {
        json!({"positions": self.positions, "assumed_positions_per_s": self.rate, "seconds": self.seconds()})
    }
}

/// What the cells of a game make, at most.
fn generation_cost(experiment: &Experiment, game: GameKind) -> String {
    let of_rows = || experiment.rows.iter().filter(|row| row.run.game == game).filter_map(GenerationCost::of);
    let Some(most) = of_rows().max_by_key(|own| own.positions) else { return String::new() };
    let up_to = if of_rows().any(|own| own.positions < most.positions) { "up to " } else { "" };
    let time = match (most.seconds(), most.rate) {
        (Some(seconds), Some(rate)) => {
            format!(", about {} s of CPU (assuming {} a second)", grouped(seconds.ceil() as u64), grouped(rate))
        }
        _ => " (how fast was not measured)".to_owned(),
    };
    format!("  to make them: {up_to}{} positions a cell{time}\n", grouped(most.positions))
}

/// What reading a dataset takes of a machine; nothing without a folder or if the shards cannot be read.
fn data_cost(folder: &Path, map: Option<MapTask>) -> Option<DataCost> {
    let folder = Some(folder).filter(|folder| !folder.as_os_str().is_empty())?;
    let manifest = Manifest::read(folder).ok()?;
    let cost = DataCost::of(folder, &manifest, &DerivedOptions::default()).ok()?;
    Some(map.map_or(cost, |task| cost.with_map(&manifest, task)))
}

fn cost(what: &str, folder: &Path, map: Option<MapTask>) -> String {
    let Some(cost) = data_cost(folder, map) else { return String::new() };
    let megabytes = |bytes: u64| grouped(bytes.div_ceil(1_000_000));
    let rate = DataCost::ASSUMED_BYTES_A_SECOND / 1e6;
    let time = format!("in about {} s (assuming {rate} MB a second)", cost.seconds.ceil());
    let memory = megabytes(cost.memory);
    let disk = match (cost.disk, cost.is_made) {
        (0, _) => format!("read {time}"),
        (disk, true) => format!("{} MB of disk, made already", megabytes(disk)),
        (disk, false) => format!("{} MB of disk, made once {time}", megabytes(disk)),
    };
    format!("  to read {what}: {memory} MB of memory a cell; {disk}\n")
}

pub(super) fn json(experiment: &Experiment, times: &[f64], warnings: &[String]) -> Value {
    let row = |(i, row): (usize, &Row)| {
        json!({
            "label": row.label,
            "hash": row.hash,
            "role": match role(row) { "" => "candidate", role => role },
            "reference": row.reference,
            "game": row.run.game,
            "encoding": row.run.encoding,
            "parameters": {
                "trunk": row.cost.facts.trunk,
                "encoding": row.cost.facts.encoding,
                "heads": row.cost.facts.heads,
                "total": row.cost.facts.parameters(),
            },
            "parts": row.cost.parts,
            "macs": row.cost.macs.total(),
            "flops": row.cost.macs.flops(),
            "weight_macs": row.cost.macs.weights,
            "paper_macs": row.cost.macs.paper,
            "injection_points": row.cost.facts.injection_points,
            "position_sources": row.cost.facts.position_sources,
            "epochs": row.epochs(),
            "phases": phases::json(row),
            "matched": controls::json(row),
            "seconds_per_step": times.get(i),
            "dataset": {
                "name": row.data.name,
                "content_hash": row.data.content_hash,
                "test": row.data.test,
                "train_positions": row.data.train_positions,
                "validation_positions": row.data.validation_positions,
                "test_positions": row.data.test_positions,
                "making": GenerationCost::of(row).map(|cost| cost.json()),
                "cost": data_cost(&row.run.data, row.run.view.map),
                "test_cost": row.run.test_data.as_deref().and_then(|folder| data_cost(folder, None)),
            },
        })
    };
    json!({
        "name": experiment.name,
        "question": experiment.question,
        "expect": experiment.expect,
        "cost": experiment.cost,
        "primary": {
            "metric": experiment.primary.metric,
            "at": experiment.primary.at,
            "weights": experiment.primary.weights,
        },
        "equivalent_within": experiment.equivalent_within,
        "seeds": experiment.seeds,
        "cells": experiment.cells().len(),
        "tuning": tuning_json(experiment),
        "rows": experiment.rows.iter().enumerate().map(row).collect::<Vec<_>>(),
        "interactions": experiment.interactions,
        "warnings": warnings,
    })
}
