//! An inspection as Markdown, and as one HTML page without scripts or other files.

use super::ablation::Costs;
use super::drawing::svg::Scheme;
use super::layer::{REACHED, Statistics};
use super::maps::Picture;
use super::occupants::LEAST_SEEN;
use super::permutation::NEAR;
use super::tables::{self, MOST_PIECES, Table, percent};
use records::inspected::{HeadRecord, Inspected};
use report::html::escape;

const STYLE: &str = include_str!("page.css");

/// What the texts of a cell show.
pub(super) struct Texts<'a> {
    pub(super) inspected: &'a Inspected,
    pub(super) statistics: &'a [Statistics],
    pub(super) costs: Option<&'a Costs>,
}

/// A part of a page.
struct Section {
    title: String,
    text: String,
    table: Option<Table>,
}

impl Texts<'_> {
    fn sections(&self) -> Vec<Section> {
        let Inspected { control, alpha, .. } = self.inspected;
        let mut sections = vec![
            Section {
                title: "Heads and movements".to_owned(),
                text: self.summary(),
                table: Some(tables::heads(&self.inspected.heads, self.inspected.alpha)),
            },
            Section {
                title: "Pieces and movements".to_owned(),
                text: self.pieces(),
                table: Some(tables::pieces(&self.inspected.pieces)).filter(|table| !table.rows.is_empty()),
            },
            Section {
                title: "Attention and position".to_owned(),
                text: format!(
                    "Entropy: of the attention over all tokens, the mean over queries and positions; \"of even\" is its share of \
                     that of even attention. Distance: between query and key in king's moves. Reach: the distance within which \
                     {} of the attention among squares lies. Effective rank: of the position part, the exponential of the \
                     entropy of its normalised singular values. Position's share: of the variance of the logits over keys; the \
                     rest is the content part's. Fixed share: the part of that variance that is the same in all positions.",
                    percent(REACHED)
                ),
                table: Some(tables::statistics(self.statistics)),
            },
        ];
        sections.extend(self.costs.map(|costs| Section {
            title: "What parts of the encoding are worth".to_owned(),
            text: format!(
                "{} on {} test positions of {} games, {} with the whole network. Each line is an evaluation without a part, or \
                 with ranks and files exchanged in it. Intervals are 95 % bootstrap intervals of the difference over games.",
                costs.metric,
                costs.positions,
                costs.games,
                format_args!("{:.4}", costs.whole)
            ),
            table: Some(costs_table(costs)),
        }));
        if !control.is_empty() {
            let named = control.iter().filter(|head| head.movement.is_some()).count();
            sections.push(Section {
                title: "The same network with random weights".to_owned(),
                text: format!("{named} of {} heads are named at p < {alpha}; none is expected.", control.len()),
                table: Some(tables::heads(control, *alpha)),
            });
        }
        sections
    }

    fn pieces(&self) -> String {
        let Inspected { pieces, pieces_control, alpha, .. } = self.inspected;
        if pieces.is_empty() {
            return "The signal is the same in all positions, so pieces do not change it.".to_owned();
        }
        let named = |heads: &[HeadRecord]| heads.iter().filter(|head| head.movement.is_some()).count();
        format!(
            "The same tests, for the pairs of squares with a certain piece on the query or on the key; of each query its mean \
             over keys is taken off. Pieces that stood on {LEAST_SEEN} squares or more are looked at: {} heads and pieces, \
             for which p is corrected. {} follow a movement (p < {alpha}), and {} of {} in the same network with random \
             weights. The table has the {MOST_PIECES} best fits at most.",
            pieces.len(),
            named(pieces),
            named(pieces_control),
            pieces_control.len()
        )
    }

    fn summary(&self) -> String {
        let Inspected { heads, positions, permutations, controls, alpha, weights, .. } = self.inspected;
        let named = self.inspected.named().count();
        let controls = match controls {
            0 => String::new(),
            number => format!(" and {number} networks with random weights"),
        };
        format!(
            "{named} of {} heads follow a movement (p < {alpha}). Weights: {weights}. Maps are means over {positions} validation \
             positions. Tests use {permutations} permutations{controls}, corrected for relations and heads. Fit: the part of \
             the signal's variance over displacements that the relation explains by itself; beyond distance: what it adds to \
             distance. A star marks significant relations. Values at distances up to \
             {NEAR} are permuted together, others within their distance. Distance: the share that distance explains. \
             Displacement: the share of the variance over pairs of squares that displacements explain.",
            heads.len()
        )
    }

    /// The whole text as Markdown.
    pub(super) fn markdown(&self) -> String {
        let mut text = format!(
            "# {}\n\nRow `{}`, {}, seed {}.\n",
            self.inspected.cell,
            self.inspected.row,
            self.inspected.game.name(),
            self.inspected.seed
        );
        for section in self.sections() {
            let table = section.table.map(|table| format!("\n{}", table.markdown())).unwrap_or_default();
            text += &format!("\n## {}\n\n{}\n{table}", section.title, section.text);
        }
        text
    }
}

fn costs_table(costs: &Costs) -> Table {
    let row = |cost: &super::ablation::Cost| {
        let [low, high] = cost.interval;
        let sign = if low > 0.0 || high < 0.0 { "yes" } else { "" };
        vec![
            cost.part.clone(),
            format!("{:.4}", cost.without),
            format!("{:+.4}", cost.difference),
            format!("{low:+.4} to {high:+.4}"),
            sign.to_owned(),
        ]
    };
    let header = ["part", "without it", "difference", "95 % interval", "excludes 0"];
    Table { header: header.map(str::to_owned).to_vec(), rows: costs.parts.iter().map(row).collect() }
}

/// The page of a cell.
pub(super) fn of_cell(texts: &Texts<'_>, pictures: &[Picture]) -> String {
    let mut body: String = texts.sections().iter().map(section).collect();
    body += "<section><h2>Maps</h2>\n";
    for picture in pictures {
        let svg = picture.svg.file(&picture.name, &picture.title, &picture.caption, Scheme::Reader);
        body += &format!(
            "<figure><figcaption><b>{}.</b> {}</figcaption>\n<div class=\"wide\">{svg}</div></figure>\n",
            escape(&picture.title),
            escape(&picture.caption)
        );
    }
    body += "</section>\n";
    let Inspected { cell, row, game, seed, .. } = texts.inspected;
    page(cell, &format!("{}, {row}, seed {seed}", game.name()), &body)
}

fn of_seeds(cells: &[Inspected]) -> [Section; 2] {
    let section =
        |title: &str, text: &str, table| Section { title: title.to_owned(), text: text.to_owned(), table: Some(table) };
    [
        section(
            "Movements by row",
            "How many heads of each finished cell follow each movement; numbers are in the order of the seeds.",
            tables::seeds(cells),
        ),
        section(
            "Pieces and movements by row",
            "The same for the pairs of squares with a certain piece on the query or on the key.",
            tables::pieces_by_row(cells),
        ),
    ]
}

/// The page of a run folder.
pub(super) fn of_run(experiment: &str, cells: &[Inspected]) -> String {
    let of_cell = |cell: &Inspected| {
        section(&Section {
            title: cell.cell.clone(),
            text: String::new(),
            table: Some(tables::heads(&cell.heads, cell.alpha)),
        })
    };
    let of_cells: String = cells.iter().map(of_cell).collect();
    let over_seeds: String = of_seeds(cells).iter().map(section).collect();
    page(experiment, "heads and movements", &(over_seeds + &of_cells))
}

pub(super) fn run_markdown(experiment: &str, cells: &[Inspected]) -> String {
    let over_seeds = of_seeds(cells).map(|Section { title, text, table }| {
        let table = table.map(|table| table.markdown()).unwrap_or_default();
        format!("\n## {title}\n\n{text}\n\n{table}")
    });
    let of_cells: String = cells
        .iter()
        .map(|cell| format!("\n## {}\n\n{}", cell.cell, tables::heads(&cell.heads, cell.alpha).markdown()))
        .collect();
    format!("# {experiment}\n{}{of_cells}", over_seeds.concat())
}

fn section(section: &Section) -> String {
    let text = if section.text.is_empty() { String::new() } else { format!("<p>{}</p>\n", escape(&section.text)) };
    let table = section.table.as_ref().map(html_table).unwrap_or_default();
    format!("<section><h2>{}</h2>\n{text}{table}</section>\n", escape(&section.title))
}

fn html_table(table: &Table) -> String {
    let cell = |tag: &str, text: &String| {
        // The only mark-up that tables of heads have.
        let plain = escape(&text.replace("**", ""));
        let text = if text.starts_with("**") { format!("<b>{plain}</b>") } else { plain };
        format!("<{tag}>{text}</{tag}>")
    };
    let header: String = table.header.iter().map(|text| cell("th", text)).collect();
    let row = |row: &Vec<String>| format!("<tr>{}</tr>\n", row.iter().map(|text| cell("td", text)).collect::<String>());
    let rows: String = table.rows.iter().map(row).collect();
    format!("<div class=\"wide\"><table>\n<thead><tr>{header}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n")
}

fn page(title: &str, subtitle: &str, body: &str) -> String {
    let (title, subtitle) = (escape(title), escape(subtitle));
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title} – posenc inspect</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n<header><h1>{title}</h1><p>{subtitle}</p></header>\n<main>\n{body}</main>\n\
         </body>\n</html>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drawing::svg::Svg;
    use games::GameKind;
    use records::inspected::{End, FORMAT, Movement, Occupant, RelationRecord, Signal};

    const HOSTILE: &str = "<script>alert(\"&\")</script>";

    fn inspected() -> Inspected {
        let found = RelationRecord {
            relation: "knight".to_owned(),
            share: 0.5,
            fit: 0.625,
            z: 9.0,
            p: 0.001,
            p_control: Some(0.008),
        };
        let head = HeadRecord {
            layer: 0,
            head: 1,
            occupant: None,
            signal: Signal::Position,
            displacement_share: 1.0,
            distance_share: 0.25,
            movement: Some(Movement { relation: "knight".to_owned(), favours: false }),
            relations: vec![found],
        };
        Inspected {
            format: FORMAT,
            cell: HOSTILE.to_owned(),
            row: HOSTILE.to_owned(),
            game: GameKind::Chess,
            seed: 3,
            weights: HOSTILE.to_owned(),
            positions: 50,
            permutations: 9_999,
            controls: 120,
            alpha: 0.01,
            control: vec![HeadRecord { movement: None, ..head.clone() }],
            pieces: vec![HeadRecord {
                occupant: Some(Occupant { on: End::Key, piece: "own knight".to_owned(), seen: 31 }),
                movement: Some(Movement { relation: "knight".to_owned(), favours: true }),
                ..head.clone()
            }],
            pieces_control: vec![head.clone()],
            heads: vec![head],
        }
    }

    #[test]
    fn a_page_of_heads_needs_no_other_file_and_escapes_what_it_is_given() {
        let inspected = inspected();
        let texts = Texts { inspected: &inspected, statistics: &[], costs: None };
        let picture = Picture {
            name: "layer-00-position".to_owned(),
            title: HOSTILE.to_owned(),
            caption: HOSTILE.to_owned(),
            svg: Svg::default(),
        };
        let cells = std::slice::from_ref(&inspected);
        let run = of_run(HOSTILE, cells);
        for page in [of_cell(&texts, &[picture]), run] {
            for unwanted in ["<script", "src=", "href=", "@import", "url("] {
                assert!(!page.contains(unwanted), "{unwanted}");
            }
            assert!(page.contains("<b>avoids knight</b>") && page.contains("&lt;script&gt;"));
            assert_eq!(page.matches("<section>").count(), page.matches("</section>").count());
        }
        let text = texts.markdown();
        assert!(text.contains("1 of 1 heads follow a movement (p < 0.01)"), "{text}");
        assert!(
            text.contains("| own knight on the key | 31 | 0 | 1 | **knight** | 62 % | 50 % | 0.001 | 0.008 |"),
            "{text}"
        );
        assert!(text.contains("0 of 1 heads are named at p < 0.01; none is expected."), "{text}");
        assert!(
            text.contains(
                "| 0 | 1 | **avoids knight** | 62 % | 50 % | 0.001 | 0.008 | 25 % | 100 % | knight* 62 % | position |"
            ),
            "{text}"
        );
    }

    #[test]
    fn heads_are_counted_by_row_and_seed() {
        let first = inspected();
        let second = Inspected { seed: 4, heads: first.control.clone(), ..first.clone() };
        let other = Inspected { row: "shaw".to_owned(), ..first.clone() };
        let cells = [first, other, second];
        let table = tables::seeds(&cells);
        let counts: Vec<&[String]> = table.rows.iter().map(|row| &row[2..]).collect();
        assert_eq!(counts[0], ["3, 4", "1", "1, 0", "0, 0", "avoids knight 1, 0"]);
        assert_eq!(counts[1], ["3", "1", "1", "0", "avoids knight 1"]);
        let pieces = tables::pieces_by_row(&cells);
        assert_eq!(&pieces.rows[0][2..], ["3, 4", "1, 1", "own knight on the key: knight 1, 1"]);
    }
}
