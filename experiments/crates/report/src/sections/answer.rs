//! The answer of a report: the hero figure, and the rows of all games beside each other.

use super::budgets::common;
use super::transfer::partners::Partners;
use super::verdicts;
use crate::comparison::{Comparison, Verdict};
use crate::document::capitalised;
use crate::figures::Figure;
use crate::model::{GameReport, Report, RowReport};
use crate::order::badness;
use facts::Role;
use figures::plot::Medium;
use figures::plot::hero::{self, HeroPanel, HeroPlot, HeroRow, HeroVerdict};

/// The most rows of a panel.
const MOST: usize = 20;

/// The hero figure of each game alone.
pub(crate) fn figures(report: &Report, medium: Medium) -> Vec<Figure> {
    let of_game = |game: &GameReport| figure(report, &[game], format!("{}-hero", game.game), medium);
    report.games.iter().filter_map(of_game).collect()
}

/// The hero figure with all games side by side; none with fewer than two.
pub(crate) fn of_all_games(report: &Report, medium: Medium) -> Option<Figure> {
    let games: Vec<&GameReport> = report.games.iter().collect();
    if games.len() < 2 { None } else { figure(report, &games, "hero".to_owned(), medium) }
}

fn figure(report: &Report, games: &[&GameReport], id: String, medium: Medium) -> Option<Figure> {
    let names: Vec<&str> = games.iter().map(|game| game.game.as_str()).collect();
    let title = format!("Differences to the reference on {}.", names.join(" and "));
    let plot = HeroPlot { title, panels: games.iter().map(|game| panel(report, game)).collect() };
    let svg = hero::draw(&plot, &id, medium)?;
    Some(Figure { id, svg, title: plot.title, caption: caption(games) })
}

/// What the hero figure of games shows.
pub(crate) fn caption(games: &[&GameReport]) -> String {
    let of_group = if games.iter().any(|game| verdicts::has_groups(game)) { " of each group" } else { "" };
    format!(
        "Differences to the reference, the best rows{of_group} first: means over seeds; thick: the plain 95 % interval, thin: Holm's over \
         the grid. Colour and shape: the verdict."
    )
}

fn panel(report: &Report, game: &GameReport) -> HeroPanel {
    let direction = report.primary.direction;
    let mut rows: Vec<HeroRow> = Vec::new();
    for group in game.rows.chunk_by(|_, next| next.role != Role::Reference) {
        let mut group: Vec<&RowReport> = group.iter().collect();
        group.sort_by(|a, b| badness(a, direction).total_cmp(&badness(b, direction)));
        rows.extend(group.into_iter().filter_map(|row| hero_row(row, row.comparison.as_ref()?)));
    }
    let all = rows.len();
    rows.truncate(MOST);
    HeroPanel {
        title: format!("{}: difference to {}", capitalised(&game.game), reference(game)),
        x_label: format!("difference in {}", report.primary.with_unit()),
        sides: report.primary.sides(),
        note: if all > MOST { format!("the first {MOST} of {all} rows") } else { String::new() },
        rows,
    }
}

fn reference(game: &GameReport) -> String {
    let mut references = game.rows.iter().filter(|row| row.role == Role::Reference);
    match references.next().filter(|_| !verdicts::has_groups(game)) {
        Some(row) => row.name(),
        None => "its reference".to_owned(),
    }
}

fn hero_row(row: &RowReport, comparison: &Comparison) -> Option<HeroRow> {
    let [.., verdict] = verdicts::against_reference(row);
    Some(HeroRow {
        label: row.name(),
        judged: match comparison.verdict {
            Verdict::Better => HeroVerdict::Better,
            Verdict::Worse => HeroVerdict::Worse,
            Verdict::Equivalent => HeroVerdict::Equivalent,
            Verdict::Open => HeroVerdict::Open,
            Verdict::DependsOnTuning => HeroVerdict::DependsOnTuning,
            Verdict::Missing | Verdict::Diverged | Verdict::ReferenceDiverged => HeroVerdict::Missing,
        },
        mean: comparison.mean().filter(|mean| mean.is_finite())?,
        plain: comparison.interval,
        corrected: comparison.holm.map(|corrected| corrected.interval),
        verdict,
    })
}

/// A row in each game, in the order of the games; none where a game does not have it.
pub(crate) type SideBySide<'a> = Vec<Option<&'a RowReport>>;

/// The rows of all games with their partners beside them: each group with its reference, the best of the first game first, the
/// references at their place of no difference, the A/A controls last.
pub(crate) fn rows(report: &Report) -> Vec<SideBySide<'_>> {
    let mut lines: Vec<SideBySide<'_>> = match &report.games[..] {
        [] => Vec::new(),
        [first, others @ ..] => partnered(first, others, &report.axes),
    };
    let worst = |line: &SideBySide<'_>| {
        line.iter().flatten().next().map_or(f64::INFINITY, |row| badness(row, report.primary.direction))
    };
    lines.sort_by(|a, b| group(report, a).cmp(&group(report, b)).then(worst(a).total_cmp(&worst(b))));
    let twins: SideBySide<'_> = report.games.iter().map(|game| game.twin.as_ref()).collect();
    if twins.iter().any(Option::is_some) {
        lines.push(twins);
    }
    lines
}

/// What the labels of a row in several games have in common: each game may have its own learning rate.
pub(crate) fn label(rows: &SideBySide<'_>) -> String {
    let rows: Vec<&RowReport> = rows.iter().copied().flatten().collect();
    let labels: Vec<&str> = rows.iter().map(|row| row.label.as_str()).collect();
    match rows.first() {
        Some(first) if first.role == Role::Twin => first.name(),
        _ => common(&labels),
    }
}

/// The place of a row's reference among those of its game.
pub(crate) fn group(report: &Report, rows: &SideBySide<'_>) -> usize {
    let found = report.games.iter().zip(rows).find_map(|(game, row)| Some((game, (*row)?)));
    let Some((game, row)) = found.filter(|(_, row)| row.role != Role::Twin) else { return usize::MAX };
    let until = game.rows.iter().position(|own| std::ptr::eq(own, row)).map_or(0, |place| place + 1);
    game.rows[..until].iter().filter(|own| own.role == Role::Reference).count().saturating_sub(1)
}

/// The rows of the first game with their partners in each of the others, then the rows of the others that have no partner
/// in the first.
fn partnered<'a>(first: &'a GameReport, others: &'a [GameReport], axes: &[String]) -> Vec<SideBySide<'a>> {
    let alone = |place: usize, row: &'a RowReport| -> SideBySide<'a> {
        (0..=others.len()).map(|i| (i == place).then_some(row)).collect()
    };
    let mut lines: Vec<SideBySide<'a>> = first.rows.iter().map(|row| alone(0, row)).collect();
    for (place, game) in others.iter().enumerate().map(|(place, game)| (place + 1, game)) {
        for pair in pairs([first, game], axes) {
            let (own, Some(row)) = (pair[0], pair[1]) else { continue };
            match own.and_then(|own| first.rows.iter().position(|row| std::ptr::eq(row, own))) {
                Some(line) => lines[line][place] = Some(row),
                None => lines.push(alone(place, row)),
            }
        }
    }
    lines
}

fn pairs<'a>(games: [&'a GameReport; 2], axes: &[String]) -> Vec<SideBySide<'a>> {
    let Partners { pairs, unpaired } = Partners::of(games, axes);
    let [mut left, mut right] =
        games.map(|game| game.rows.iter().filter(|row| row.role == Role::Reference).collect::<Vec<_>>());
    let mut lines: Vec<SideBySide<'a>> = pairs.into_iter().map(|[one, other]| vec![Some(one), Some(other)]).collect();
    if let ([one], [other]) = (&left[..], &right[..]) {
        lines.push(vec![Some(*one), Some(*other)]);
        (left, right) = (Vec::new(), Vec::new());
    }
    left.retain(|row| {
        let partner = right.iter().position(|other| other.label == row.label).map(|place| right.remove(place));
        lines.extend(partner.map(|other| vec![Some(*row), Some(other)]));
        partner.is_none()
    });
    let [first, second] = unpaired;
    lines.extend(left.into_iter().chain(first).map(|row| vec![Some(row), None]));
    lines.extend(right.into_iter().chain(second).map(|row| vec![None, Some(row)]));
    lines
}
