//! From a run folder to a report.

use super::comparison::{ALPHA, Comparison, RowCells, Verdict, compare, reference_of, sort_by_group};
use super::model::{CellCounts, FailedCell, GameReport, MatchedReport, Report, RowReport, StepTimeReport};
use super::no_verdict::Missing;
use super::noise::{Positions, are_single};
use super::primary::{Margin, PrimaryMetric, ReportOptions};
use super::run_folder::{CellFacts, CellRecord, CellResult, RunFolder, on_training_positions};
use super::sections::GameSource;
use super::sections::{
    budgets, heads, interactions, learnable, named_heads, provenance, scaling, settings, sizes, slices, strength,
    systems, ties, training, transfer, tuning, warnings,
};
use super::statistics::{Summary, holm};
use anyhow::Context as _;
use facts::metrics::{self, NOVEL};
use facts::{Mask, Quantity, Role, by_key, distinct};
use games::GameKind;
use records::baselines::BaselineName;
use records::identity::Identity;
use records::inspected::by_row;
use records::plan::Row;
use records::{Axes, CellState};
use std::collections::BTreeSet;
use std::path::Path;

impl Report {
    /// The report of a run folder, also while its cells run.
    pub fn of(run_dir: &Path) -> anyhow::Result<Self> {
        Self::with_options(run_dir, &ReportOptions::default())
    }

    /// The same with options of its reader.
    pub fn with_options(run_dir: &Path, options: &ReportOptions) -> anyhow::Result<Self> {
        let mut folder = RunFolder::read(run_dir)?;
        if let Some(cells) = &options.cells {
            folder.keep(cells);
        }
        if let Some((axis, value)) = &options.reference {
            folder.compare_with(axis, value)?;
        }
        let folder = &folder;
        let plan = &folder.plan;
        let metric = metrics::find(&plan.primary.metric)
            .context("the grid's primary metric cannot be read; use the version of posenc that wrote the run folder")?;
        let primary = PrimaryMetric {
            name: metric.name.to_owned(),
            unit: metric.unit,
            direction: metric.direction,
            at: plan.primary.at,
            weights: plan.primary.weights,
            difference: options.difference.or(plan.primary.difference),
            margin: options.margin(plan)?,
        };
        let axes = folder.axes();
        let to = options.extrapolate.or(plan.extrapolate.map(|extrapolate| extrapolate.to));
        let mut games: Vec<_> =
            plan.games().into_iter().map(|game| game_report(folder, game, &primary, &axes, to)).collect();
        let family = correct(&mut games, &primary);
        mark_tuning_dependence(folder, &mut games);
        ties::correct(games.iter_mut().filter_map(|game| game.ties.as_mut()));
        scaling::correct(folder, &mut games.iter_mut().flat_map(|game| &mut game.scaling).collect::<Vec<_>>());
        let interaction_family = interactions::correct(games.iter_mut().flat_map(|game| &mut game.interactions));
        let mut report = Self {
            experiment: plan.experiment.clone(),
            question: plan.question.clone(),
            expect: plan.expect.clone(),
            smoke: plan.smoke,
            cells: counts(folder, |role| role != Role::Twin),
            twins: counts(folder, |role| role == Role::Twin),
            transfer: transfer::of(&games, &primary, axes.names()),
            primary,
            family,
            interaction_family,
            axes: axes.names().to_vec(),
            games,
            movements: by_row(folder.inspected()),
            named_heads: named_heads::of(folder),
            failures: failures(folder),
            warnings: Vec::new(),
            conditions: conditions(folder),
            step_times: folder.step_times.clone(),
            provenance: provenance::of(folder),
            settings: settings::of(folder),
        };
        report.warnings = warnings::of(&report, folder, to);
        Ok(report)
    }
}

/// Marks the verdicts that a neighbouring choice of the tuned settings would reverse.
fn mark_tuning_dependence(folder: &RunFolder, games: &mut [GameReport]) {
    let Some(record) = &folder.tuning else { return };
    let tuned = |game: &str, label: &str| {
        let row = folder.plan.rows.iter().find(|row| row.game.name() == game && row.display_name() == label)?;
        record.rows.iter().find(|own| own.folder == row.folder)
    };
    for game in games {
        for row in &mut game.rows {
            let Some(comparison) = &mut row.comparison else { continue };
            let both = tuned(&game.game, &row.label).zip(tuned(&game.game, &comparison.reference));
            let difference = comparison.decisive.map(|test| test.mean);
            let is_robust = |((own, other), mean)| tuning::is_robust(own, other, mean, record.lower_is_better);
            if matches!(comparison.verdict, Verdict::Better | Verdict::Worse)
                && both.zip(difference).is_some_and(|compared| !is_robust(compared))
            {
                comparison.verdict = Verdict::DependsOnTuning;
            }
        }
    }
}

/// Corrects the comparisons of a grid together, exploratory ones excepted; returns their number.
fn correct(games: &mut [GameReport], primary: &PrimaryMetric) -> usize {
    let compared = games.iter_mut().flat_map(|game| &mut game.rows).filter_map(|row| row.comparison.as_mut());
    let mut family: Vec<&mut Comparison> =
        compared.filter(|comparison| !comparison.missing.contains(&Missing::Exploratory)).collect();
    let p_values: Vec<_> = family.iter().map(|comparison| comparison.p()).collect();
    let size = family.len();
    for (comparison, holm) in family.iter_mut().zip(holm(&p_values, ALPHA)) {
        comparison.correct(holm, primary.direction);
        comparison.add_precision(size, primary.difference);
    }
    if let Some(Margin { size: margin, .. }) = primary.margin {
        let p_values: Vec<_> = family.iter().map(|comparison| comparison.p_of_equivalence(margin)).collect();
        for (comparison, holm) in family.iter_mut().zip(holm(&p_values, ALPHA)) {
            comparison.add_equivalence(margin, holm);
        }
    }
    family.len()
}

fn game_report(
    folder: &RunFolder,
    game: GameKind,
    primary: &PrimaryMetric,
    axes: &Axes,
    to: Option<u64>,
) -> GameReport {
    let mut lines: Vec<RowCells<'_>> = folder.lines_of(game).collect();
    sort_by_group(&mut lines);
    let common = common_sources(&lines);
    let positions = Positions::read(folder, game, primary);
    let source = GameSource { folder, game, primary, positions: positions.as_ref() };
    let compared = |line: RowCells<'_>| {
        let mut comparison = compare(source, reference_of(&lines, line.0)?, line);
        let without_verdict = [(folder.plan.smoke, Missing::Smoke), (line.0.exploratory, Missing::Exploratory)];
        let reasons = without_verdict.into_iter().filter_map(|(holds, reason)| holds.then_some(reason));
        reasons.for_each(|reason| comparison.missing.insert(0, reason));
        Some(comparison)
    };
    let report = |line: &RowCells<'_>| RowReport {
        comparison: compared(*line),
        axes: axes.values(line.0),
        ..row_report(source, *line, reference_of(&lines, line.0), &common)
    };
    let is_twin = |line: &&RowCells<'_>| line.0.role == Role::Twin;
    let cells = || lines.iter().flat_map(|(_, cells)| *cells);
    // These are the same in every cell.
    let measured = |name: &str| cells().find_map(|cell| cell.result.as_ref()?.test.metrics.get(name));
    let rows: Vec<RowReport> = lines.iter().filter(|line| !is_twin(line)).map(report).collect();
    let floor = folder.plan.floor.of(&primary.name).or_else(|| scaling::floor(primary, &rows));
    let mut report = GameReport {
        game: game.name().to_owned(),
        learnable: learnable::of(&rows, ""),
        heads: heads::of(&rows, primary),
        rows,
        twin: lines.iter().find(is_twin).map(report),
        uniform_baseline: measured("uniform_baseline"),
        baselines: lines.iter().find_map(|(row, _)| folder.baselines.as_ref()?.of_row(&row.folder)).cloned(),
        test_positions: measured("positions").map(|positions| positions as u64),
        test_set: cells().find_map(|cell| cell.facts.as_ref()?.dataset.test.clone()),
        novel_share: share(measured(&format!("positions.{NOVEL}")), measured("positions"))
            .or_else(|| cells().find_map(|cell| Some(cell.facts.as_ref()?.dataset.novel_test_positions))),
        tuning: tuning::of(folder.tuning.as_ref(), lines.iter().filter(|line| !is_twin(line)).map(|(row, _)| *row)),
        own_rates: distinct(lines.iter().filter_map(|(_, cells)| rates(cells))).len() > 1,
        common_sources: common,
        ties: ties::of(source, &lines),
        interactions: interactions::of(source),
        slices: Vec::new(),
        sizes: sizes::of(source),
        budgets: budgets::of(folder, game, primary),
        scaling: scaling::of(source, floor, to),
        strength: strength::of(folder, game, primary),
    };
    if let Some(positions) = positions.as_ref().filter(|positions| are_single(&positions.rows)) {
        report.slices = slices::of(folder, game, &report.rows, positions);
    }
    report
}

/// The learning rate of a row and the encoding's factor on it, as text; none before a cell has a manifest.
fn rates(cells: &[CellRecord]) -> Option<String> {
    let train = cells.iter().find_map(|cell| cell.facts.as_ref()?.config.get("train"))?;
    Some(format!("{:?}", ["learning_rate", "encoding_rate"].map(|key| train.get(key))))
}

fn share(part: Option<f64>, whole: Option<f64>) -> Option<f64> {
    Some(part? / whole.filter(|&whole| whole > 0.0)?)
}

/// The position sources that every row of a game has.
fn common_sources(lines: &[RowCells<'_>]) -> Vec<String> {
    let Some((first, _)) = lines.first() else { return Vec::new() };
    let in_all = |source: &&String| lines.iter().all(|(row, _)| row.network.position_sources.contains(source));
    first.network.position_sources.iter().filter(in_all).cloned().collect()
}

/// A row without its comparison and its values on axes.
fn row_report(
    source: GameSource<'_>,
    (row, cells): RowCells<'_>,
    reference: Option<RowCells<'_>>,
    common: &[String],
) -> RowReport {
    let GameSource { folder, primary, .. } = source;
    let results: Vec<&CellResult> = cells.iter().filter_map(|cell| cell.result.as_ref()).collect();
    let over_seeds = |value: &dyn Fn(&CellResult) -> Option<f64>| {
        Summary::of(&results.iter().filter_map(|result| value(result)).collect::<Vec<_>>())
    };
    let test_less_train = |result: &CellResult| {
        let trained_on = result.train_sample.as_ref()?.metrics.get(on_training_positions(&primary.name))?;
        Some(result.test.metrics.get(&primary.name)? - trained_on)
    };
    let names: BTreeSet<&str> =
        results.iter().flat_map(|result| result.test.metrics.iter().map(|(name, _)| name)).collect();
    let not_applicable = metrics::all().iter().filter(|metric| !metric.applies(row.mask));
    let on_test = |name: &str| Some((name.to_owned(), over_seeds(&|result| result.test.metrics.get(name))?));
    let time = folder.step_times.as_ref().and_then(|times| times.of(&row.folder));
    RowReport {
        label: row.display_name().to_owned(),
        role: row.role,
        axes: Vec::new(),
        mask: row.mask,
        cells: count(cells),
        own_sources: row.network.position_sources.iter().filter(|source| !common.contains(source)).cloned().collect(),
        network: row.network.clone(),
        encodings: cells.iter().find_map(|cell| cell.facts.as_ref()?.config.get("encoding").cloned()),
        system: systems::of(cells),
        matched: matched(folder, row),
        primary: over_seeds(&|result| result.primary.metrics.get(&primary.name)),
        test: names.into_iter().filter_map(on_test).collect(),
        not_applicable: not_applicable.map(|metric| metric.name).collect(),
        gap: over_seeds(&test_less_train),
        epochs: results.iter().map(|result| result.test.epochs).reduce(f64::max),
        inactive: training::inactive(cells),
        clipped: over_seeds(&|result| result.clipped),
        step_time: time.map(|time| StepTimeReport { seconds: time.median_s, ratio: time.ratio }),
        flops: CellRecord::flops(cells),
        training: training::logged(&results),
        curve: training::curve(cells, reference.map(|(_, cells)| cells), &primary.name),
        comparison: None,
        log_linear: log_linear(folder, row),
    }
}

/// The loss of the log-linear baseline where the row is tested; a row that is judged on illegal moves too has none.
fn log_linear(folder: &RunFolder, row: &Row) -> Option<f64> {
    let set = folder.baselines.as_ref().filter(|_| row.mask != Mask::None)?.of_row(&row.folder)?;
    set.get(BaselineName::LogLinear).map(|baseline| baseline.loss)
}

fn matched(folder: &RunFolder, row: &Row) -> Option<MatchedReport> {
    let matched = row.matched.as_ref()?;
    let goal = folder.plan.rows.iter().find(|other| other.folder == matched.goal);
    let seconds = |of: &str| Some(folder.step_times.as_ref()?.of(of)?.median_s);
    let ratio = match matched.quantity {
        Quantity::StepTime => seconds(&row.folder).zip(seconds(&matched.goal)).map(|(own, goal)| own / goal),
        Quantity::Params | Quantity::Flops => matched.ratio,
    };
    let goal = goal.map_or_else(|| matched.goal.clone(), |goal| goal.display_name().to_owned());
    Some(MatchedReport { quantity: matched.quantity, goal, ratio })
}

fn count<'a>(cells: impl IntoIterator<Item = &'a CellRecord>) -> CellCounts {
    let mut counts = CellCounts::default();
    for cell in cells {
        counts.all += 1;
        let counter = match cell.state {
            CellState::Pending => &mut counts.pending,
            CellState::Running(_) => &mut counts.running,
            CellState::Interrupted(_) => &mut counts.interrupted,
            CellState::Done => &mut counts.done,
            CellState::Failed(_) => &mut counts.failed,
        };
        *counter += 1;
    }
    counts
}

fn counts(folder: &RunFolder, wanted: impl Fn(Role) -> bool) -> CellCounts {
    count(folder.lines().filter(|(row, _)| wanted(row.role)).flat_map(|(_, cells)| cells))
}

fn failures(folder: &RunFolder) -> Vec<FailedCell> {
    let failed = |(row, cell, folder): (&Row, &CellRecord, String)| match &cell.state {
        CellState::Failed(failure) => {
            let name = format!("{} {} seed {}", row.game.name(), row.display_name(), cell.seed);
            Some(FailedCell { name, failure: failure.clone(), folder })
        }
        _ => None,
    };
    folder.placed_cells().filter_map(failed).collect()
}

/// The conditions of finished cells, the most common first.
fn conditions(folder: &RunFolder) -> Vec<(Identity, usize)> {
    let done = folder.cells.iter().flatten().filter(|cell| cell.state == CellState::Done);
    let own = |facts: &CellFacts| {
        // Fields of a single cell are not conditions.
        let (config, dataset, micro_batch) = (String::new(), String::new(), None);
        (Identity { config, dataset, micro_batch, ..facts.identity.clone() }, ())
    };
    let cells = by_key(done.filter_map(|cell| cell.facts.as_ref()).map(own));
    let mut conditions: Vec<_> = cells.into_iter().map(|(own, cells)| (own, cells.len())).collect();
    conditions.sort_by_key(|&(_, cells)| std::cmp::Reverse(cells));
    conditions
}
