//! An inspection as Markdown, and as one HTML page that needs no other file: a board, pictures, and statistics.

use super::ablation::Costs;
use super::hover_board::{self, HoverBoard};
use super::layer::{REACHED, Statistics};
use super::maps::Picture;
use super::permutation::NEAR;
use super::signal_by_piece::LEAST_SEEN;
use super::tables::{self, MOST_PIECES, percent, table};
use facts::row_name::readable;
use figures::board::Scheme;
use figures::escape;
use records::inspected::{HeadRecord, Inspected};
use report::figures::Figure;
use report::html::page;
use report::markdown::draw_table;
use report::table::Table;

/// The most bytes of drawn pictures on a page.
const MOST_DRAWN: usize = 4_000_000;

pub(super) struct PageCell {
    pub(super) inspected: Inspected,
    pub(super) hover_board: HoverBoard,
    pub(super) pictures: Vec<Picture>,
}

pub(super) struct Texts<'a> {
    pub(super) inspected: &'a Inspected,
    pub(super) statistics: &'a [Statistics],
    pub(super) costs: Option<&'a Costs>,
}

struct Section {
    title: String,
    text: String,
    table: Table,
}

impl Section {
    fn new(title: &str, text: impl Into<String>, table: Table) -> Self {
        Self { title: title.to_owned(), text: text.into(), table }
    }

    fn html(&self) -> String {
        let text = if self.text.is_empty() { String::new() } else { format!("<p>{}</p>\n", escape(&self.text)) };
        let (title, table) = (escape(&self.title), page::table(&self.table));
        format!("<details>\n<summary>{title}</summary>\n{text}{table}</details>\n")
    }
}

impl Texts<'_> {
    fn sections(&self) -> Vec<Section> {
        let Inspected { control, alpha, .. } = self.inspected;
        let position = format!(
            "Entropy: of the attention over all tokens, the mean over queries and positions; \"of even\" is its share of that of \
             even attention. Distance: between query and key in king's moves. Reach: the distance within which {} of the \
             attention among squares lies. Effective rank: of the position part, the exponential of the entropy of its \
             normalised singular values. Position's share: of the variance of the logits over keys; the rest is the content \
             part's. Fixed share: the part of that variance that is the same in all positions.",
            percent(REACHED)
        );
        let mut sections = vec![
            Section::new("Heads and movements", self.summary(), tables::heads(&self.inspected.heads, *alpha)),
            Section::new("Attention and position", position, tables::statistics(self.statistics)),
        ];
        if self.inspected.by_piece {
            let table = tables::pieces(&self.inspected.pieces);
            sections.insert(1, Section::new("Pieces and movements", self.pieces(), table));
        }
        sections.extend(self.costs.map(|costs| {
            let text = format!(
                "{} on {} test positions of {} games, {:.4} with the whole network. Each line is an evaluation without a part, \
                 or with ranks and files exchanged in it. Intervals are 95 % bootstrap intervals of the difference over games.",
                costs.measured(),
                costs.positions,
                costs.games,
                costs.whole
            );
            Section::new("What parts of the encoding are worth", text, costs_table(costs))
        }));
        if !control.is_empty() {
            let named = control.iter().filter(|head| head.movement.is_some()).count();
            let text = format!("{named} of {} heads are named at p < {alpha}; none is expected.", control.len());
            sections.push(Section::new("The same network with random weights", text, tables::heads(control, *alpha)));
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
            0 => ", not networks with random weights".to_owned(),
            number => format!(" and {number} networks with random weights"),
        };
        format!(
            "{named} of {} heads follow a movement (p < {alpha}). Weights: {weights}. Maps are means over {positions} validation \
             positions. Tests use at most {permutations} permutations{controls}, corrected for relations and heads. Fit: the part \
             of the signal's variance over displacements that the relation explains by itself; beyond distance: what it adds to \
             distance. A star marks significant relations. Values at distances up to \
             {NEAR} are permuted together, others within their distance. Distance: the share that distance explains. \
             Displacement: the share of the variance over pairs of squares that displacements explain.",
            heads.len()
        )
    }

    pub(super) fn markdown(&self) -> String {
        let Inspected { cell, row, game, seed, .. } = self.inspected;
        markdown(cell, format!("Row `{row}`, {}, seed {seed}.", game.name()), &self.sections())
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
    table(&header, &["part", "95 % interval", "excludes 0"], costs.parts.iter().map(row).collect())
}

pub(super) fn of_cell(texts: &Texts<'_>, cell: &PageCell) -> String {
    html(&name_of(texts.inspected), &texts.inspected.cell, std::slice::from_ref(cell), &texts.sections())
}

/// The name of a cell in a title, without the hash of its folder.
pub(super) fn name_of(inspected: &Inspected) -> String {
    let Inspected { row, game, seed, .. } = inspected;
    format!("{} {}, seed {seed}", game.name(), readable(row))
}

/// The page of several cells, of which some are shown.
pub(super) fn of_cells(title: &str, cells: &[Inspected], shown: &[PageCell]) -> String {
    html(title, &format!("heads of {} cells", cells.len()), shown, &over_seeds(cells))
}

/// Tables over seeds, and one for each cell.
fn over_seeds(cells: &[Inspected]) -> Vec<Section> {
    let movements = Section::new(
        "Movements by row",
        "How many heads of each cell follow each movement; numbers are in the order of the seeds.",
        tables::seeds(cells),
    );
    let by_piece = || {
        let text = "The same for the pairs of squares with a certain piece on the query or on the key.";
        Section::new("Pieces and movements by row", text, tables::pieces_by_row(cells))
    };
    let by_piece = cells.iter().any(|cell| cell.by_piece).then(by_piece);
    let of_cell = |cell: &Inspected| Section::new(&cell.cell, "", tables::heads(&cell.heads, cell.alpha));
    [movements].into_iter().chain(by_piece).chain(cells.iter().map(of_cell)).collect()
}

pub(super) fn cells_markdown(experiment: &str, cells: &[Inspected]) -> String {
    markdown(experiment, String::new(), &over_seeds(cells))
}

fn markdown(title: &str, introduction: String, sections: &[Section]) -> String {
    let of_section =
        |section: &Section| [format!("## {}", section.title), section.text.clone(), draw_table(&section.table)];
    let parts = [format!("# {title}"), introduction].into_iter().chain(sections.iter().flat_map(of_section));
    parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n") + "\n"
}

/// The board, the pictures and, folded, the statistics.
fn html(title: &str, subtitle: &str, cells: &[PageCell], statistics: &[Section]) -> String {
    let boards: Vec<&HoverBoard> = cells.iter().map(|cell| &cell.hover_board).collect();
    let statistics: String = statistics.iter().map(Section::html).collect();
    let inspected: Vec<Inspected> = cells.iter().map(|cell| cell.inspected.clone()).collect();
    let untested = match tables::untested(&inspected) {
        text if text.is_empty() => text,
        text => format!("<p class=\"small\">{}</p>\n", escape(&text)),
    };
    let parts = [
        page::section("board", "Touch a head", &(hover_board::html(&boards) + &untested)),
        page::section("pictures", "Pictures", &pictures(cells)),
        page::section("statistics", "Statistics", &statistics),
    ];
    page::page("posenc inspect", title, subtitle, &parts)
}

/// The maps by displacement, and folded the others, as far as the page has room for them.
fn pictures(cells: &[PageCell]) -> String {
    let mut drawn: [Vec<Figure>; 2] = Default::default();
    let (mut room, mut left_out) = (MOST_DRAWN, 0);
    let numbered = cells.iter().enumerate().flat_map(|(number, cell)| cell.pictures.iter().map(move |it| (number, it)));
    let (first, other): (Vec<_>, Vec<_>) = numbered.partition(|(_, picture)| picture.is_by_displacement());
    for (group, pictures) in [first, other].into_iter().enumerate() {
        for (number, Picture { name, title, caption, map }) in pictures {
            let Inspected { game, row, .. } = &cells[number].inspected;
            let of = if cells.len() > 1 { format!("{}, {}: ", game.name(), readable(row)) } else { String::new() };
            let id = format!("cell-{number}-{name}");
            let svg = format!("<div class=\"wide\">{}</div>\n", map.map(Scheme::Reader, &id, title, caption));
            let Some(rest) = room.checked_sub(svg.len()) else {
                left_out += 1;
                continue;
            };
            room = rest;
            drawn[group].push(Figure { id, svg, title: format!("{of}{title}."), caption: caption.clone() });
        }
    }
    let [first, other] = drawn.map(|figures| page::figures("maps", figures));
    let folded = |shown: String| format!("<details>\n<summary>More pictures</summary>\n{shown}</details>\n");
    let other = if other.is_empty() { other } else { folded(other) };
    let note = match left_out {
        0 => String::new(),
        number => format!("<p class=\"small\">{number} more pictures are in the folder maps of each cell.</p>\n"),
    };
    first + &other + &note
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terminal::tests::{cell, head};
    use figures::Canvas;
    use games::GameKind;
    use records::inspected::{End, Movement, Occupant, RelationRecord};

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
        let knight = |favours| Some(Movement { relation: "knight".to_owned(), favours });
        let head = HeadRecord { layer: 0, movement: knight(false), relations: vec![found], ..head(1) };
        Inspected {
            cell: HOSTILE.to_owned(),
            game: GameKind::Chess,
            weights: HOSTILE.to_owned(),
            controls: 120,
            by_piece: true,
            control: vec![HeadRecord { movement: None, ..head.clone() }],
            pieces: vec![HeadRecord {
                occupant: Some(Occupant { on: End::Key, piece: "own knight".to_owned(), seen: 31 }),
                movement: knight(true),
                ..head.clone()
            }],
            pieces_control: vec![head.clone()],
            heads: vec![head],
            ..cell(HOSTILE, 3, 0)
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
            map: Canvas::default(),
        };
        let (hover_board, _) = hover_board::tests::hover_board(GameKind::Chess, HOSTILE);
        let cell = PageCell { inspected: inspected.clone(), hover_board, pictures: vec![picture] };
        let cells = of_cells(HOSTILE, std::slice::from_ref(&inspected), std::slice::from_ref(&cell));
        for page in [of_cell(&texts, &cell), cells] {
            // Links lead into the page, and its icon is empty.
            let links = page.replace("href=\"#", "").replace("href=\"data:,\"", "");
            for unwanted in ["<script>alert", "src=", "href=", "@import", "url("] {
                assert!(!links.contains(unwanted), "{unwanted}");
            }
            // The data and the program.
            assert_eq!((page.matches("<script").count(), page.matches("</script>").count()), (2, 2));
            let order = ["id=\"touch-board\"", "cell-0-layer-00-position", "<summary>Heads and movements"];
            let places: Vec<usize> = order.iter().filter_map(|part| page.find(part)).collect();
            assert!(places.is_sorted() && places.len() >= 2, "pictures come before statistics: {places:?}");
            assert!(page.contains(">avoids knight<") && page.contains("&lt;script&gt;"));
            assert_eq!(page.matches("<section ").count(), page.matches("</section>").count());
        }
        let text = texts.markdown();
        assert!(text.contains("1 of 1 heads follow a movement (p < 0.01)"), "{text}");
        assert!(
            text.contains("| own knight on the key | 31 | 0 | 1 | knight | 62 % | 50 % | 0.001 | 0.008 |"),
            "{text}"
        );
        assert!(text.contains("0 of 1 heads are named at p < 0.01; none is expected."), "{text}");
        let quick = Inspected { controls: 0, by_piece: false, ..inspected.clone() };
        let cell = PageCell { inspected: quick.clone(), ..cell };
        let page = of_cell(&Texts { inspected: &quick, statistics: &[], costs: None }, &cell);
        assert!(page.contains("Not tested: against random weights (--controls 120), by piece (--pieces)."));
        assert!(!page.contains("Pieces and movements") && page.contains("not networks with random weights"));
        assert!(
            text.contains(
                "| 0 | 1 | avoids knight | 62 % | 50 % | 0.001 | 0.008 | 25 % | 100 % | knight\\* 62 % | position |"
            ),
            "{text}"
        );
    }

    #[test]
    fn a_title_names_the_row_and_the_seed() {
        let inspected = Inspected {
            row: "shaw(q,k), encoding rate × 64".to_owned(),
            cell: "a-hash/seed-3".to_owned(),
            ..inspected()
        };
        assert_eq!(name_of(&inspected), "chess Shaw q,k, rate × 64, seed 3");
        let (hover_board, _) = hover_board::tests::hover_board(GameKind::Chess, "a label");
        let cell = PageCell { inspected: inspected.clone(), hover_board, pictures: Vec::new() };
        let page = of_cell(&Texts { inspected: &inspected, statistics: &[], costs: None }, &cell);
        assert!(page.contains("<h1>chess Shaw q,k, rate × 64, seed 3</h1>\n<p class=\"status\">a-hash/seed-3</p>"));
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
