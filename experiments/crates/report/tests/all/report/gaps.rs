//! The plot of a gap with each value that it is compared over, the games side by side.

use crate::report::folder::{Folder, has, in_chess, lacks, written};
use facts::Interaction;
use games::GameKind;
use report::html;
use report::sections::interactions::Change;
use resvg::usvg::roxmltree::{Document, Node};

const DENSE: [f64; 3] = [2.40, 2.42, 2.41];
/// What a gated layer changes with each encoding: as with the first, by more, as with the first, and the other way.
static GAPS: [(&str, [f64; 3]); 4] = [
    ("absolute", [-0.100, -0.101, -0.099]),
    ("shaw", [-0.200, -0.202, -0.199]),
    ("rope", [-0.100, -0.099, -0.102]),
    ("alibi", [0.100, 0.101, 0.098]),
];
const PLOT: &str = "gaps-ff-kind-gated-less-ff-kind-dense-against-absolute";

/// Every cell of two games, with a question about the gap in both.
fn folder() -> Folder {
    let mut folder = asked();
    for (value, gaps) in GAPS {
        folder.row(&label(value, "dense"), DENSE);
        folder.row(&label(value, "gated"), [0, 1, 2].map(|seed| DENSE[seed] + gaps[seed]));
    }
    folder.add_shogi();
    folder
}

/// The same before the first cell, without the rows of shogi.
fn asked() -> Folder {
    let mut folder = Folder::new();
    let labels = GAPS.iter().flat_map(|(value, _)| ["dense", "gated"].map(|layer| label(value, layer)));
    let rows = folder.rows(labels);
    let questions =
        [GameKind::Chess, GameKind::Shogi].map(|game| GAPS[1..].iter().map(move |&(value, _)| ask(game, value)));
    folder.edit(|plan| {
        plan.rows = rows;
        plan.interactions = questions.into_iter().flatten().collect();
    });
    folder
}

fn label(value: &str, layer: &str) -> String {
    format!("{value}-{layer}")
}

fn ask(game: GameKind, value: &str) -> Interaction {
    let values = [GAPS[0].0, value];
    let in_game = |label: String| in_chess(&label).replace("chess", game.name());
    Interaction {
        game,
        gap: ["ff_kind dense", "ff_kind gated"].map(str::to_owned),
        by: values.map(str::to_owned),
        within: None,
        rows: values.map(|value| ["dense", "gated"].map(|layer| in_game(label(value, layer)))),
    }
}

/// The plot of a game on the page; none without one.
fn plot<'a>(page: &'a str, game: &str) -> Option<&'a str> {
    let start = page.find(&format!("<svg class=\"plot\" id=\"{game}-{PLOT}\""))?;
    page[start..].split_inclusive("</svg>").next()
}

fn number(node: Node<'_, '_>, name: &str) -> f64 {
    node.attribute(name).and_then(|value| value.parse().ok()).unwrap_or_else(|| panic!("{name} of {node:?}"))
}

fn of_class<'a, 'b>(tree: &'a Document<'b>, class: &str) -> Vec<Node<'a, 'b>> {
    let is_meant =
        |node: &Node<'_, '_>| node.attribute("class").is_some_and(|own| own.split(' ').next() == Some(class));
    tree.descendants().filter(is_meant).collect()
}

/// The class, the place from left to right and the tooltip of each dot; those of a legend have no interval.
fn dots<'a>(tree: &'a Document<'_>) -> Vec<(&'a str, f64, &'a str)> {
    let dot = |mark: Node<'a, '_>| {
        let shape = mark.first_element_child().expect("a shape");
        let text = shape.first_element_child().and_then(|title| title.text()).expect("a tooltip");
        let middle = shape.attribute("points").map(|points| {
            let across = points.split(' ').filter_map(|corner| corner.split(',').next()?.parse::<f64>().ok());
            let across: Vec<f64> = across.collect();
            across.iter().sum::<f64>() / across.len() as f64
        });
        let middle = middle.unwrap_or_else(|| number(shape, "cx"));
        text.contains('[').then(|| (mark.attribute("class").unwrap_or_default(), middle, text))
    };
    of_class(tree, "mark").into_iter().filter_map(dot).collect()
}

fn names<'a>(tree: &'a Document<'_>) -> Vec<&'a str> {
    of_class(tree, "name").into_iter().filter_map(|text| text.text()).collect()
}

#[test]
fn each_value_has_a_dot_in_the_colour_of_its_verdict_inside_of_its_interval() {
    let report = folder().report();
    let changes: Vec<Change> = report.games[1].interactions.iter().map(|one| one.change).collect();
    assert_eq!(changes, [Change::Grows, Change::NotDistinguishable, Change::Reverses]);
    let page = html::draw(&report);
    for game in ["chess", "shogi"] {
        let svg = plot(&page, game).expect("a plot");
        has(svg, &[">reference</text>", ">lower</text>", ">open</text>", ">higher</text>"]);
        let tree = Document::parse(svg).expect("an SVG");
        assert_eq!(names(&tree), ["absolute", "Shaw", "RoPE", "ALiBi"], "the reference, then the order of the file");
        let (dots, intervals) = (dots(&tree), of_class(&tree, "thick"));
        let classes: Vec<&str> = dots.iter().map(|(class, ..)| *class).collect();
        assert_eq!(classes, ["mark ref", "mark good", "mark open", "mark bad"]);
        assert_eq!(intervals.len(), dots.len());
        for ((_, middle, text), interval) in dots.iter().zip(&intervals) {
            assert!(number(*interval, "x1") < *middle && *middle < number(*interval, "x2"), "{text}: {interval:?}");
        }
        let across: Vec<f64> = dots.iter().map(|(_, middle, _)| *middle).collect();
        assert!(across[1] < across[0] && across[0] < across[3], "{across:?}");
        for ((.., text), part) in dots.iter().zip(["the reference", "grows", "not distinguishable", "reverses"]) {
            has(text, &[part]);
        }
        has(dots[1].2, &["Shaw: -0.2003 [-0.20"]);
        let root = tree.root_element();
        assert!(root.attribute("viewBox").is_some_and(|view| view.starts_with("0 0 360 ")), "as wide as a phone");
    }
    let fold =
        page.split("id=\"verdicts\"").nth(1).and_then(|rest| rest.split("</section>").next()).expect("a section");
    has(fold, &["<h3>Interactions</h3>", &format!("chess-{PLOT}")]);
}

#[test]
fn a_file_has_all_games_side_by_side() {
    let written = written(&folder().report());
    let svg = |name: &str| &written.iter().find(|figure| figure.id == name).unwrap_or_else(|| panic!("{name}")).svg;
    ["chess", "shogi"].iter().for_each(|game| has(svg(&format!("{game}-{PLOT}")), &["<svg "]));
    let svg = svg(PLOT);
    let tree = Document::parse(svg).expect("an SVG");
    assert_eq!((dots(&tree).len(), tree.root_element().attribute("width")), (8, Some("6.695in")));
    has(svg, &["Chess: policy_loss", "Shogi: policy_loss", "ff_kind gated less ff_kind dense [nats]"]);
    lacks(svg, &["var("]);
}

#[test]
fn a_value_that_lacks_a_cell_has_no_row_and_without_the_reference_there_is_no_plot() {
    let folder = folder();
    folder.failed("shaw-gated", 1, "a test");
    let page = html::draw(&folder.report());
    let [chess, shogi] = ["chess", "shogi"].map(|game| plot(&page, game).expect("a plot"));
    assert_eq!(names(&Document::parse(chess).expect("an SVG")), ["absolute", "RoPE", "ALiBi"]);
    assert_eq!(names(&Document::parse(shogi).expect("an SVG")).len(), 4);
    folder.failed("absolute-dense", 0, "a test");
    let report = folder.report();
    let page = html::draw(&report);
    assert_eq!((plot(&page, "chess"), plot(&page, "shogi").is_some()), (None, true));
    assert!(written(&report).iter().all(|figure| figure.id != PLOT), "one game has nothing beside it");
}

#[test]
fn nothing_is_drawn_before_the_cells_are_finished() {
    let folder = asked();
    lacks(&html::draw(&folder.report()), &["-gaps-"]);
    for (value, gaps) in GAPS {
        folder.done(&label(value, "dense"), 0, DENSE[0]);
        folder.done(&label(value, "gated"), 0, DENSE[0] + gaps[0]);
        folder.done(&label(value, "dense"), 1, DENSE[1]);
        folder.done(&label(value, "gated"), 1, DENSE[1] + gaps[1]);
    }
    lacks(&html::draw(&folder.report()), &["-gaps-"]);
}

#[test]
fn names_are_escaped() {
    let mut folder = folder();
    folder.edit(|plan| {
        for one in &mut plan.interactions {
            one.gap[1] = "<i>gated</i> & more".to_owned();
            one.by[0] = "<b>absolute</b>".to_owned();
        }
        plan.interactions[1].gap[1] = "i gated i more".to_owned();
    });
    let page = html::draw(&folder.report());
    lacks(&page, &["<b>absolute", "<i>gated"]);
    let id = "<svg class=\"plot\" id=\"chess-gaps-i-gated-i-more-less-ff-kind-dense-against-b-absolute-b\"";
    has(&page, &[&id.replace("b\"", "b-2\"")]);
    has(&page, &[id, ">&lt;b&gt;absolute&lt;/b&gt;</text>", "&lt;i&gt;gated&lt;/i&gt; &amp; more less"]);
}
