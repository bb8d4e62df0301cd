//! The first screen of a report: the hero figure, and one table of all games.

use super::page::{badge, figures, scrolling};
use crate::comparison::Verdict;
use crate::document::capitalised;
use crate::figures::Figure;
use crate::model::{GameReport, Report, RowReport};
use crate::numbers::{fixed, mean_sd, or_absent, two_cells};
use crate::sections::{answer, baselines, named_heads, scaling, verdicts};
use facts::row_name::readable;
use facts::{Role, grouped};
use figures::escape;
use figures::plot::Medium;

/// The curves over positions, then the panels of the games and the pictures of heads, which wrap where there is no room; panels are
/// left out without finished pairs.
pub(super) fn hero(report: &Report) -> String {
    let curves = |game: &GameReport| scaling::figures(&game.game, &game.scaling, &report.primary, Medium::Page);
    let first: Vec<Figure> = report.games.iter().filter_map(|game| curves(game).into_iter().next()).collect();
    let curves = figures("one", first);
    let panels = answer::figures(report, Medium::Page);
    if panels.is_empty() {
        return curves;
    }
    let heads = named_heads::figure(&report.named_heads, Medium::Page);
    let games: Vec<&GameReport> = report.games.iter().collect();
    let captions = [answer::caption(&games)].into_iter().chain(heads.as_ref().map(|heads| heads.caption.clone()));
    let captions = escape(&captions.collect::<Vec<_>>().join(" "));
    let svgs: String = panels.iter().chain(&heads).map(|Figure { svg, .. }| format!("<div>{svg}</div>\n")).collect();
    format!(
        "{curves}<figure class=\"hero\">\n<div class=\"panels\">\n{svgs}</div>\n<figcaption>{captions}</figcaption>\n</figure>\n"
    )
}

/// The name of a row, with the parts of its label that the name does not have, and its mark.
pub(super) fn name(row: &RowReport) -> String {
    named(&answer::label(&vec![Some(row)]), row)
}

/// The same for a label that a row has in common with others.
fn named(label: &str, row: &RowReport) -> String {
    let (name, own) = (readable(label), row.name());
    let mark = baselines::marked(row).strip_prefix(&own).unwrap_or_default().to_owned();
    let others = other_parts(&name, label);
    let key = if others.is_empty() { others } else { format!(" <span class=\"key\">{}</span>", escape(&others)) };
    format!("{}{}{key}", escape(&name), escape(&mark))
}

/// The parts of a label that a name lacks, in whatever spelling.
fn other_parts(name: &str, label: &str) -> String {
    let plain = |part: &str| part.to_lowercase().replace('_', " ").replace("encoding rate", "rate");
    let named: Vec<String> = name.split(", ").map(plain).collect();
    label.split(", ").filter(|part| !named.contains(&plain(part))).collect::<Vec<_>>().join(", ")
}

/// The verdict of a row as a cell: in colour, with a sign, and in words.
pub(super) fn verdict(row: &RowReport) -> String {
    let [.., words] = verdicts::against_reference(row);
    match row.comparison.as_ref().filter(|_| row.role == Role::Compared) {
        Some(comparison) => {
            let (class, sign) = badge(comparison.verdict);
            let sign: String = sign.chars().take(1).collect();
            format!("<td class=\"word verdict {class}\">{sign} {}</td>", escape(&words))
        }
        None => format!("<td class=\"word verdict\">{}</td>", escape(&words)),
    }
}

/// The rows with the primary metric, the difference and the verdict in each game.
pub(super) fn table(report: &Report) -> String {
    let rows = answer::rows(report);
    let metric = escape(&report.primary.name);
    let of_game = |game: &GameReport| {
        format!("<th scope=\"colgroup\" colspan=\"3\" class=\"word\">{}</th>", escape(&capitalised(&game.game)))
    };
    let games: String = report.games.iter().map(of_game).collect();
    let difference = if is_judged(&rows) { "difference, Holm's interval" } else { "difference" };
    let columns = format!(
        "<th scope=\"col\" class=\"number\">{metric}</th><th scope=\"col\" class=\"word\">{difference}</th>\
         <th scope=\"col\" class=\"word\">verdict</th>"
    )
    .repeat(report.games.len());
    let line = |line: &answer::SideBySide<'_>| {
        let Some(first) = line.iter().copied().flatten().next() else { return String::new() };
        let step = or_absent(first.step_time.and_then(|time| time.ratio), |ratio| format!("{}×", fixed(ratio, 2)));
        let size = grouped(first.network.encoding as u64);
        let cells: String = line.iter().map(|row| row.map_or_else(|| EMPTY.to_owned(), cells)).collect();
        format!(
            "<tr><th scope=\"row\" class=\"word\">{}</th>{cells}<td class=\"number\">{step}</td><td class=\"number\">{size}</td></tr>\n",
            named(&answer::label(line), first)
        )
    };
    let lines: String = rows.iter().map(line).collect();
    let table = format!(
        "<table class=\"answer\">\n<thead><tr><th rowspan=\"2\" scope=\"col\" class=\"word\">row</th>{games}\
         <th rowspan=\"2\" scope=\"col\" class=\"number\">step time</th><th rowspan=\"2\" scope=\"col\" class=\"number\">encoding params</th></tr>\n\
         <tr>{columns}</tr></thead>\n<tbody>\n{lines}</tbody>\n</table>"
    );
    scrolling("results", &table) + &format!("<p class=\"small\">{}</p>\n", escape(&remarks(report, &rows)))
}

const EMPTY: &str = "<td></td><td></td><td></td>";

fn cells(row: &RowReport) -> String {
    let level = or_absent(row.primary.as_ref(), |summary| mean_sd(summary, 1.0));
    let difference = row.comparison.as_ref().map_or_else(String::new, |comparison| {
        let interval = comparison.judged_interval();
        let [mean, ends] = two_cells(comparison.mean(), interval);
        if interval.is_some() { format!("{mean} {ends}") } else { mean }
    });
    let verdict = verdict(row);
    format!("<td class=\"number\">{}</td><td class=\"word\">{}</td>{verdict}", escape(&level), escape(&difference))
}

/// Whether a difference has a verdict.
fn is_judged(rows: &[answer::SideBySide<'_>]) -> bool {
    let mut compared = rows.iter().flatten().flatten().filter_map(|row| row.comparison.as_ref());
    compared.any(|comparison| comparison.verdict != Verdict::Missing)
}

/// How the verdicts were reached, and what step time and size are those of.
fn remarks(report: &Report, rows: &[answer::SideBySide<'_>]) -> String {
    let mut remarks = vec![format!("verdicts: {}", verdicts::method(report))];
    let interval = match is_judged(rows) {
        true => "the Holm-corrected interval of its verdict, without a verdict with the plain 95 % one",
        false => "its plain 95 % interval",
    };
    remarks.push(format!("±: standard deviation over seeds; difference: with {interval}"));
    let first = report.games.first().map_or("", |game| game.game.as_str());
    let of = if report.games.len() > 1 { format!(" on {first}, if the row is there") } else { String::new() };
    remarks.push(format!("step time: relative to the reference{of}; encoding params: parameters of the encoding{of}"));
    if report.games.iter().any(verdicts::has_groups) {
        remarks
            .push("rows stand in groups, each with its own reference: differences and step times are to it".to_owned());
    }
    if rows.iter().flatten().flatten().any(|row| row.misses_log_linear()) {
        remarks.push("†: does not beat the log-linear baseline".to_owned());
    }
    remarks.join(". ") + "."
}

#[cfg(test)]
mod tests {
    use super::other_parts;

    #[test]
    fn a_label_repeats_no_part_of_the_name() {
        assert_eq!(other_parts("relative bias, rate × 4, width 48", "relative_bias, encoding rate × 4, width 48"), "");
        assert_eq!(other_parts("Shaw", "shaw, steps 750"), "steps 750");
        assert_eq!(other_parts("Spherical RoPE", "spherical"), "spherical");
        assert_eq!(other_parts("none, steps 750", "none, steps 750"), "");
    }
}
