//! A run folder that is written by hand, so that every number in it is known.

use crate::by_hand;
use dataset::{MoveTraits, PositionTraits};
use facts::{Direction, Interaction, Role, Weights};
use games::{GameKind, Phase, Relation};
use records::TuningRecord;
use records::plan::{Plan, Row};
use records::positions::{self, PositionMetrics};
use records::status::{State, Status};
use records::step_times::{StepTime, StepTimes};
use records::tuning::{TrialRecord, TunedRowRecord};
use report::comparison::Comparison;
use report::figures::Figure;
use report::model::RowReport;
use report::{Report, csv, figures, html, latex, markdown, text};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

pub(crate) const SEEDS: [u64; 3] = [0, 1, 2];
pub(crate) const ABSOLUTE: [f64; 3] = [2.40, 2.42, 2.41];
pub(crate) const SHAW: [f64; 3] = [2.30, 2.33, 2.31];
pub(crate) const ROPE: [f64; 3] = [2.41, 2.40, 2.43];
pub(crate) const LOSSES: [(&str, [f64; 3]); 4] =
    [("absolute", ABSOLUTE), ("shaw", SHAW), ("rope", ROPE), ("absolute-twin", [2.39, 2.44, 2.40])];

/// Test games of cells that store positions, and the plies of each that are policy targets.
pub(crate) const GAMES: u32 = 60;
pub(crate) const TARGETS: u16 = 3;

/// The folder of a chess row.
pub(crate) fn in_chess(label: &str) -> String {
    format!("chess-{label}-0123456789ab")
}

/// The values of a setting that were tried, each with the scores of the tuning seeds.
type Tried<'a> = &'a [(u64, &'a [f64])];

/// A run folder of three chess rows and a twin.
pub(crate) struct Folder {
    dir: TempDir,
    pub(crate) plan: Plan,
}

impl Folder {
    pub(crate) fn new() -> Self {
        let row = |label: &str, role: &str, encoding: usize| by_hand::row(label, &in_chess(label), role, encoding);
        // The reference is not the first, as an experiment may list it anywhere.
        let rows = [
            row("shaw", "compared", 1_382_400),
            row("absolute", "reference", 64),
            row("rope", "compared", 0),
            row("absolute-twin", "twin", 64),
        ];
        let plan = serde_json::from_value(by_hand::plan(&SEEDS, &rows)).expect("a plan");
        let folder = Self { dir: tempfile::tempdir().expect("a folder for the test"), plan };
        folder.write_plan();
        folder
    }

    /// The same with every cell done.
    pub(crate) fn finished() -> Self {
        let folder = Self::new();
        LOSSES.iter().for_each(|(label, losses)| folder.row(label, *losses));
        folder
    }

    /// The same with 22 further rows; `losses` are those of the first, and each next row has 0.01 more.
    pub(crate) fn of_many_rows(losses: [f64; 3]) -> Self {
        let mut folder = Self::finished();
        let labels: Vec<String> = (0..22).map(|number| format!("row-{number}")).collect();
        let rows: Vec<Row> = labels.iter().map(|label| folder.like(label)).collect();
        folder.edit(|plan| plan.rows.extend(rows));
        for (number, label) in labels.iter().enumerate() {
            folder.row(label, losses.map(|loss| loss + 0.01 * number as f64));
        }
        folder
    }

    /// A finished grid of two games with everything that a report can show.
    pub(crate) fn of_two_games() -> Self {
        let mut folder = Self::finished();
        folder.plan.question = Some("Which <one> is best?".to_owned());
        for (row, label) in folder.plan.rows.iter().map(|row| row.label.clone()).enumerate() {
            for seed in SEEDS {
                folder.positions(&label, seed, row as f32 * 0.1);
            }
        }
        folder.add_shogi();
        let time = |(i, row): (usize, &Row)| {
            let (median_s, ratio) = (0.02 + 0.01 * i as f64, Some(1.0 + 0.5 * i as f64));
            StepTime { folder: row.folder.clone(), batch: 4, median_s, ratio }
        };
        folder.times(folder.plan.rows.iter().enumerate().map(time).collect());
        folder
    }

    /// Adds a row of shogi for each one of chess, with copies of its cells.
    pub(crate) fn add_shogi(&mut self) {
        let shogi: Vec<Row> = self.plan.rows.iter().map(Self::in_shogi).collect();
        for (chess, shogi) in self.plan.rows.iter().zip(&shogi) {
            for seed in SEEDS {
                let (from, to) = [chess, shogi].map(|row| Plan::cell_dir(self.path(), row, seed)).into();
                fs::create_dir_all(&to).expect("the cell's folder");
                for file in fs::read_dir(from).expect("a cell").map(|entry| entry.expect("a file")) {
                    fs::copy(file.path(), to.join(file.file_name())).expect("a copy");
                }
            }
        }
        self.plan.rows.extend(shogi);
        self.write_plan();
    }

    /// Of two games, with a question about an interaction.
    pub(crate) fn with_an_interaction() -> Self {
        let mut folder = Self::of_two_games();
        folder.ask(["cls_tokens_white", "cls_tokens"], [["absolute", "shaw"], ["rope", "absolute-twin"]]);
        folder
    }

    /// Asks about the interaction of a gap between four chess rows.
    pub(crate) fn ask(&mut self, gap: [&str; 2], rows: [[&str; 2]; 2]) {
        let one = Interaction {
            game: GameKind::Chess,
            gap: gap.map(str::to_owned),
            by: ["pieces thirteen".to_owned(), "pieces nine".to_owned()],
            within: None,
            rows: rows.map(|side| side.map(in_chess)),
        };
        self.edit(|plan| plan.interactions = vec![one]);
    }

    pub(crate) fn in_shogi(row: &Row) -> Row {
        Row { game: GameKind::Shogi, folder: row.folder.replace("chess-", "shogi-"), ..row.clone() }
    }

    /// What a cell measured on 60 games of 4 positions: 1 nat, and `off` more where a knight moves. It is not the cell's
    /// metric.
    pub(crate) fn positions(&self, label: &str, seed: u64, off: f32) {
        let noise = |i: u32| ((i * 7 + seed as u32 * 3) % 11) as f32 * 0.001;
        self.measured(label, seed, |game, ply| {
            1.0 + noise(game * 4 + u32::from(ply)) + if ply == 2 { off } else { 0.0 }
        });
    }

    /// A grid whose cells stored the losses of 60 games of 3 policy targets, by the row's place in [`LOSSES`], seed, game
    /// and ply. A cell's metric is their mean.
    pub(crate) fn stored(loss: impl Fn(usize, u64, u32, u16) -> f32) -> Self {
        let folder = Self::new();
        for (row, (label, _)) in LOSSES.iter().enumerate() {
            for seed in SEEDS {
                let loss = |game: u32, ply: u16| loss(row, seed, game, ply);
                let all = (0..GAMES).flat_map(|game| (0..TARGETS).map(move |ply| (game, ply)));
                let sum: f64 = all.map(|(game, ply)| f64::from(loss(game, ply))).sum();
                folder.done(label, seed, sum / f64::from(GAMES * u32::from(TARGETS)));
                folder.measured(label, seed, loss);
            }
        }
        folder
    }

    fn measured(&self, label: &str, seed: u64, loss: impl Fn(u32, u16) -> f32) {
        let phases = [Phase::Opening, Phase::Middlegame, Phase::Endgame, Phase::Endgame];
        let way = [("pawn", Relation::File, 1), ("rook", Relation::Rank, 6), ("knight", Relation::Knight, 2)];
        let (measured, traits) = (0..GAMES * 4)
            .map(|i| {
                let (game, ply) = (i / 4, (i % 4) as u16);
                let target = way.get(usize::from(ply)).map(|&(piece, relation, distance)| MoveTraits {
                    kind: "quiet",
                    piece,
                    way: Some((relation, distance)),
                });
                // Some rows have a map beside the policy.
                let (map_cells, map) = Some((64, 0.5)).filter(|_| label.starts_with("shaw")).unzip();
                let values = [target.map(|_| loss(game, ply)), target.map(|_| 0.0), Some(0.9), Some(1.0), map];
                let row = PositionMetrics { game, ply, novel: true, map_cells, values };
                (row, PositionTraits { game, ply, phase: phases[usize::from(ply)], target })
            })
            .unzip::<_, _, Vec<_>, Vec<_>>();
        let bytes = positions::encode(&measured, &traits).expect("the same positions");
        fs::write(self.cell(label, seed).join(positions::file(Weights::Raw)), bytes).expect("positions");
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn write_plan(&self) {
        self.plan.write(self.path()).expect("the plan is written");
    }

    /// Changes the plan in memory and on the disk.
    pub(crate) fn edit(&mut self, change: impl FnOnce(&mut Plan)) {
        change(&mut self.plan);
        self.write_plan();
    }

    /// Changes the planned rows with this label.
    pub(crate) fn edit_rows(&mut self, label: &str, change: impl FnMut(&mut Row)) {
        self.edit(|plan| plan.rows.iter_mut().filter(|row| row.label == label).for_each(change));
    }

    /// Plans a fourth seed, which is finished in these rows.
    pub(crate) fn fourth_seed(&mut self, labels: &[&str]) {
        self.edit(|plan| plan.seeds.push(3));
        labels.iter().for_each(|label| self.done(label, 3, if *label == "shaw" { 2.3 } else { 2.4 }));
    }

    /// Chess rows with these labels, which are not in the plan; the first is the reference.
    pub(crate) fn rows(&self, labels: impl IntoIterator<Item = String>) -> Vec<Row> {
        let role = |place: usize| if place == 0 { Role::Reference } else { Role::Compared };
        labels.into_iter().enumerate().map(|(place, label)| Row { role: role(place), ..self.like(&label) }).collect()
    }

    /// A compared chess row with this label, which is not in the plan.
    pub(crate) fn like(&self, label: &str) -> Row {
        Row { label: label.to_owned(), folder: in_chess(label), ..self.plan.rows[0].clone() }
    }

    /// A chess row with this label and reference, which is not in the plan; a reference names itself.
    pub(crate) fn beside(&self, label: &str, reference: &str) -> Row {
        let role = match label.strip_prefix(reference) {
            Some("") => Role::Reference,
            Some("-twin") => Role::Twin,
            _ => Role::Compared,
        };
        Row { role, reference: Some(in_chess(reference)), ..self.like(label) }
    }

    pub(crate) fn cell(&self, label: &str, seed: u64) -> PathBuf {
        let dir = self.path().join(in_chess(label)).join(format!("seed-{seed}"));
        fs::create_dir_all(&dir).expect("the cell's folder");
        dir
    }

    pub(crate) fn row(&self, label: &str, losses: [f64; 3]) {
        SEEDS.into_iter().zip(losses).for_each(|(seed, loss)| self.done(label, seed, loss));
    }

    /// A finished cell with this loss on test.
    pub(crate) fn done(&self, label: &str, seed: u64, loss: f64) {
        let dir = self.cell(label, seed);
        Status::new(State::Done, 100, 100).write(&dir).expect("a status");
        self.manifest(label, seed, |_| {});
        let test = json!({
            "policy_loss": loss, "policy_accuracy": 0.4, "policy_top5": 0.8, "uniform_baseline": 3.4,
            "value_loss": 0.9, "value_accuracy": 0.6, "positions": 4000.0, "policy_targets": 3000.0,
            "positions.novel": 3600.0, "policy_loss.novel": loss + 0.1,
            "policy_loss.opening": loss + 0.2, "policy_accuracy.opening": 0.3, "policy_targets.opening": 1000.0,
            "policy_kl": loss - 0.3, "value_targets": 3600.0, "value_targets.opening": 1200.0, "value_loss.opening": 0.95,
            "value_accuracy.opening": 0.55,
        });
        let lines = by_hand::lines(&test).map(|line| line.to_string() + "\n");
        fs::write(dir.join("metrics.jsonl"), lines.concat()).expect("metrics");
    }

    /// Writes a cell's manifest, after a change of the usual one.
    pub(crate) fn manifest(&self, label: &str, seed: u64, change: impl Fn(&mut Value)) {
        let mut manifest = by_hand::manifest();
        manifest["macs"] = json!({"trunk": 1000, "encoding": 100 * label.len(), "head": 200, "paper": 1000});
        manifest["a key of a later version"] = json!(true);
        change(&mut manifest);
        fs::write(self.cell(label, seed).join("manifest.json"), manifest.to_string()).expect("a manifest");
    }

    /// The same for every cell of some rows.
    pub(crate) fn manifests(&self, labels: &[&str], change: impl Fn(&str, u64, &mut Value)) {
        for (label, seed) in labels.iter().flat_map(|label| SEEDS.map(|seed| (*label, seed))) {
            self.manifest(label, seed, |manifest| change(label, seed, manifest));
        }
    }

    /// Gives the cells of a row a resolved run, with their seeds.
    pub(crate) fn run(&self, label: &str, run: &Value) {
        self.manifests(&[label], |_, seed, manifest| {
            manifest["config"] = run.clone();
            manifest["config"]["seed"] = json!(seed);
        });
    }

    /// Changes every line of metrics of a cell.
    pub(crate) fn lines(&self, label: &str, seed: u64, change: impl Fn(&mut Value)) {
        change_lines(&self.cell(label, seed).join("metrics.jsonl"), change);
    }

    /// The same for every cell of a row.
    pub(crate) fn lines_of(&self, label: &str, change: impl Fn(&mut Value)) {
        SEEDS.iter().for_each(|&seed| self.lines(label, seed, &change));
    }

    /// The same for all cells of the finished grid, each with its loss.
    pub(crate) fn by_loss(&self, change: impl Fn(f64, &mut Value)) {
        for (label, losses) in LOSSES {
            SEEDS.into_iter().zip(losses).for_each(|(seed, loss)| self.lines(label, seed, |line| change(loss, line)));
        }
    }

    /// Leaves the times of a training step of some rows.
    pub(crate) fn times(&self, rows: Vec<StepTime>) {
        let (device, cpu) = ("cpu".to_owned(), "a processor".to_owned());
        StepTimes { device, cpu, threads: 1, unix_s: 0, rounds: 7, rows }.write(self.path()).expect("step times");
    }

    /// Leaves the trials of a setting in some rows, each with the number of the chosen trial.
    pub(crate) fn tuned(&self, setting: &str, rows: &[(&str, Tried<'_>, usize)]) {
        let trial = |(place, &(value, scores)): (usize, &(u64, &[f64]))| TrialRecord {
            values: vec![(setting.to_owned(), value.to_string())],
            place: vec![place],
            scores: vec![scores.iter().copied().map(Some).collect()],
        };
        let row = |&(label, tried, chosen): &(&str, Tried<'_>, usize)| TunedRowRecord {
            game: GameKind::Chess,
            folder: in_chess(label),
            trials: tried.iter().enumerate().map(trial).collect(),
            chosen: Some(chosen),
        };
        let seeds = (100..).take(rows[0].1[0].1.len()).collect();
        let mut record = TuningRecord::new(&self.plan.primary.metric, Direction::Lower, Weights::Raw, seeds);
        record.rows = rows.iter().map(row).collect();
        record.write(self.path()).expect("the trials are written");
    }

    pub(crate) fn failed(&self, label: &str, seed: u64, error: &str) {
        let mut status = Status::new(State::Failed, 7, 100);
        status.error = Some(error.to_owned());
        status.write(&self.cell(label, seed)).expect("a status");
    }

    pub(crate) fn report(&self) -> Report {
        Report::of(self.path()).expect("a report")
    }
}

/// A line of metrics, with its end.
pub(crate) fn line(step: u64, split: &str, metrics: &Value) -> String {
    by_hand::line(step, split, metrics).to_string() + "\n"
}

pub(crate) fn change_lines(path: &Path, change: impl Fn(&mut Value)) {
    let lines = fs::read_to_string(path).expect("metrics");
    let changed = lines.lines().map(|line| {
        let mut line: Value = serde_json::from_str(line).expect("a line");
        change(&mut line);
        line.to_string() + "\n"
    });
    fs::write(path, changed.collect::<String>()).expect("metrics");
}

/// A report in every format that a person reads: text, Markdown, LaTeX and HTML.
pub(crate) fn drawn(report: &Report) -> [String; 4] {
    [text::draw, markdown::draw, latex::draw, html::draw].map(|draw| draw(report))
}

/// The figures of a report, which can be written.
pub(crate) fn written(report: &Report) -> Vec<Figure> {
    let dir = tempfile::tempdir().expect("a folder");
    figures::write(report, dir.path()).expect("figures")
}

pub(crate) struct Csv(pub(crate) Vec<Vec<String>>);

impl Csv {
    pub(crate) fn of(report: &Report) -> Self {
        let cells = |line: &str| line.split(',').map(str::to_owned).collect();
        let lines: Vec<Vec<String>> = csv::draw(report).lines().map(cells).collect();
        assert!(lines.iter().all(|line| line.len() == lines[0].len()), "lines of one length");
        Self(lines)
    }

    /// A column of the line of a row with its policy loss.
    pub(crate) fn at(&self, row: &str, column: &str) -> &str {
        let column = self.0[0].iter().position(|name| name == column).expect("a column");
        let line = self.0.iter().find(|line| line[2] == row && line[4] == "policy_loss").expect("a line");
        &line[column]
    }

    pub(crate) fn number(&self, row: &str, column: &str) -> f64 {
        self.at(row, column).parse().expect("a number")
    }
}

#[track_caller]
pub(crate) fn has(text: &str, parts: &[&str]) {
    parts.iter().for_each(|part| assert!(text.contains(part), "{part:?} is not in\n{text}"));
}

/// Checks that the text of a report has these parts.
#[track_caller]
pub(crate) fn says(report: &Report, parts: &[&str]) {
    has(&text::draw(report), parts);
}

#[track_caller]
pub(crate) fn lacks(text: &str, parts: &[&str]) {
    parts.iter().for_each(|part| assert!(!text.contains(part), "{part:?} is in\n{text}"));
}

pub(crate) fn is_warned(report: &Report, part: &str) -> bool {
    report.warnings.iter().any(|warning| warning.contains(part))
}

pub(crate) fn row<'a>(report: &'a Report, label: &str) -> &'a RowReport {
    report.games[0].rows.iter().find(|row| row.label == label).expect("the row")
}

pub(crate) fn comparison<'a>(report: &'a Report, label: &str) -> &'a Comparison {
    row(report, label).comparison.as_ref().expect("a comparison")
}

#[track_caller]
pub(crate) fn close(got: f64, expected: f64) {
    assert!((got - expected).abs() < 1e-9, "got {got}, expected {expected}");
}
