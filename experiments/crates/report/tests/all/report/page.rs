//! The HTML page: what it opens with, the order of its rows, what it folds away, and how headless Chromium shows it, where
//! there is one.

use crate::chromium::Chromium;
use crate::report::folder::{Folder, SEEDS, comparison, has, lacks, line};
use report::numbers::with_interval;
use report::{html, text};
use resvg::usvg::roxmltree::Document;
use serde_json::json;
use std::fs;

fn plot<'a>(page: &'a str, id: &str) -> &'a str {
    let start =
        page.find(&format!("<svg class=\"plot\" id=\"{id}\"")).unwrap_or_else(|| panic!("{id} is not on the page"));
    page[start..].split_inclusive("</svg>").next().expect("an end")
}

/// The names of a hero panel from top to bottom.
fn names(svg: &str) -> Vec<&str> {
    svg.split("<text class=\"name\"").skip(1).filter_map(|rest| rest.split_once('>')?.1.split('<').next()).collect()
}

#[test]
fn the_hero_has_every_compared_row_once_sorted_by_effect_and_text_keeps_the_order_of_the_file() {
    let folder = Folder::of_two_games();
    folder.row("shaw", [2.50, 2.53, 2.51]);
    folder.row("rope", [2.30, 2.33, 2.31]);
    let report = folder.report();
    let page = html::draw(&report);
    assert_eq!(names(plot(&page, "chess-hero")), ["RoPE", "Shaw"]);
    assert_eq!(names(plot(&page, "shogi-hero")), ["Shaw", "RoPE"], "shogi's cells are as before");
    let hero = plot(&page, "chess-hero");
    assert!(hero.contains("mark good\"><circle") && hero.contains("mark bad\"><polygon"), "{hero}");
    let before = |text: &str, one: &str, other: &str| text.find(one).zip(text.find(other)).is_some_and(|(a, b)| a < b);
    assert!(before(plot(&page, "chess-forest"), ">RoPE</text>", ">Shaw</text>"));
    assert!(before(&text::draw(&report), "Shaw is worse", "RoPE is better"), "{}", text::draw(&report));
    assert!(before(&page, "RoPE is better", "Shaw is worse"));
}

#[test]
fn many_rows_are_cut_with_a_note() {
    let folder = Folder::of_many_rows([2.6, 2.63, 2.61]);
    let page = html::draw(&folder.report());
    let names = names(plot(&page, "chess-hero"));
    assert_eq!((names.len(), names[0], names[1], names[19]), (20, "Shaw", "RoPE", "row-17"));
    assert!(plot(&page, "chess-hero").contains("the first 20 of 24 rows"));
    let has_row = |number: usize| page.contains(&format!("class=\"word\">row-{number}</th>"));
    assert!((0..22).all(has_row), "tables have all");
}

#[test]
fn the_page_opens_with_figure_and_table_and_folds_the_rest() {
    let page = html::draw(&Folder::with_an_interaction().report());
    let parts = ["id=\"chess-hero\"", "id=\"shogi-hero\"", "<h2>Results</h2>", "<nav ", "<details"];
    let places: Vec<usize> = parts.iter().map(|part| page.find(part).unwrap_or_else(|| panic!("{part}"))).collect();
    assert!(places.is_sorted(), "{places:?}");
    let (open, folded) = page.split_once("<details").expect("details");
    assert!(open.contains("▲ better") && !open.contains("Shaw is better than absolute"));
    has(folded, &["On chess, Shaw is better than absolute", "Holm-corrected interval", "trunk params", "detectable"]);
    has(folded, &["By phase on shogi."]);
    assert_eq!(folded.matches("<summary>").count(), page.matches("</details>").count());
    let results = open.split("<table class=\"answer\">").nth(1).expect("a table");
    let row = results.split("<tr>").find(|row| row.contains(">Shaw</th>")).expect("its row");
    assert_eq!(row.matches("better</td>").count(), 2, "both games in one line: {row}");
}

#[test]
fn a_difference_stands_with_the_interval_of_its_verdict() {
    let report = Folder::of_two_games().report();
    let page = html::draw(&report);
    let shaw = comparison(&report, "shaw");
    let corrected = shaw.holm.expect("a correction").interval;
    let shown = with_interval(shaw.mean().expect("a difference"), &corrected);
    has(&page, &[">difference, Holm's interval</th>", &format!("<td class=\"word\">{shown}</td>")]);
    let control = report.games[0].twin.as_ref().and_then(|twin| twin.comparison.as_ref()).expect("a control");
    let shown = with_interval(control.mean().expect("a difference"), &control.interval.expect("its interval"));
    has(&page, &[&format!("<td class=\"word\">{shown}</td>"), "without a verdict with the plain 95 % one"]);
    let mut folder = Folder::finished();
    folder.edit(|plan| plan.seeds = vec![0]);
    has(&html::draw(&folder.report()), &[">difference</th><th scope=\"col\" class=\"word\">verdict</th>"]);
}

#[test]
fn a_row_whose_rate_differs_between_games_is_named_without_it() {
    let mut folder = Folder::of_two_games();
    folder.edit_rows("absolute", |row| {
        row.label = format!("absolute, encoding rate × {}", if row.folder.starts_with("chess") { 4 } else { 16 });
    });
    let page = html::draw(&folder.report());
    let results = page.split("<table class=\"answer\">").nth(1).and_then(|rest| rest.split("</table>").next());
    let results = results.expect("a table");
    has(results, &["class=\"word\">absolute</th>"]);
    lacks(results, &["rate ×"]);
}

#[test]
fn the_table_of_rows_has_a_column_for_each_varied_setting_and_needs_no_script() {
    let folder = Folder::finished();
    for (label, rate) in [("absolute", 1), ("shaw", 64), ("rope", 4), ("absolute-twin", 1)] {
        folder.run(label, &json!({"encoding": [label.replace("-twin", "")], "train": {"encoding_rate": rate}}));
    }
    let page = html::draw(&folder.report());
    let table =
        page.split("<div class=\"filtered\">").nth(1).and_then(|rest| rest.split("<script>").next()).expect("a table");
    let header = table.split("</thead>").next().expect("a header");
    for column in ["game", "row", "encoding", "train.encoding_rate", "policy_loss", "verdict", "step ms"] {
        assert!(header.contains(&format!(">{column}</th>")), "{column}: {header}");
    }
    assert_eq!(table.matches("<tr").count(), 1 + 4, "a line for each row and the A/A control");
    // Boxes hide verdicts by a rule of their own; there is one game.
    has(table, &["<input type=\"checkbox\" data-verdict=\"0\" checked> ", ":not(:checked)) tr[data-verdict=\"0\"] {"]);
    lacks(table, &["checkbox\" data-game"]);
    assert!(table.contains("<label hidden>") && table.contains("data-value=\"64\">64</td>"), "{table}");
}

#[test]
fn curves_start_at_the_first_logged_training_point() {
    let folder = Folder::finished();
    for label in ["absolute", "shaw", "rope", "absolute-twin"] {
        for seed in SEEDS {
            let path = folder.cell(label, seed).join("metrics.jsonl");
            let logged = [10, 20, 30]
                .map(|step| line(step, "train", &json!({"policy_loss": 3.5 - 0.01 * step as f64 + seed as f64})));
            let lines = fs::read_to_string(&path).expect("metrics");
            fs::write(&path, logged.concat() + &lines).expect("metrics");
        }
    }
    let report = folder.report();
    let training = &report.games[0].rows[0].training;
    assert_eq!(training.iter().map(|(step, _)| *step).collect::<Vec<_>>(), [10, 20, 30, 100]);
    // The mean over seeds 0, 1 and 2.
    assert!((training[0].1 - 4.4).abs() < 1e-9, "{training:?}");
    let page = html::draw(&report);
    // The left end of the axis.
    has(plot(&page, "chess-curves"), &["<path class=\"line faint ref\" d=\"M64.0 "]);
}

#[test]
fn every_plot_is_well_formed_and_has_no_background() {
    let page = html::draw(&Folder::with_an_interaction().report());
    let svgs: Vec<&str> =
        page.split_inclusive("</svg>").filter_map(|part| part.find("<svg ").map(|at| &part[at..])).collect();
    assert!(svgs.len() > 8);
    for svg in svgs {
        Document::parse(svg).unwrap_or_else(|error| panic!("{error}: {svg}"));
        lacks(svg, &["<rect", "#fff", "NaN", "inf"]);
    }
}

/// Unfolds everything, measures every plot in the page and writes what it finds into the document.
const LOOK: &str = r#"<script>
const faults = [];
addEventListener("error", event => faults.push("error: " + event.message));
addEventListener("load", () => {
  const seen = [], apart = (a, b) => a.right < b.left + 2 || b.right < a.left + 2 || a.bottom < b.top + 4 || b.bottom < a.top + 4;
  document.querySelectorAll("details").forEach(part => part.open = true);
  for (const plot of document.querySelectorAll("svg.plot")) {
    const box = plot.getBoundingClientRect();
    const marks = [...plot.querySelectorAll(".mark")].filter(mark => {
      const own = mark.getBoundingClientRect(), style = getComputedStyle(mark);
      const inside = own.left >= box.left - 1 && own.right <= box.right + 1 && own.top >= box.top - 1 && own.bottom <= box.bottom + 1;
      return inside && own.width > 2 && style.visibility === "visible" && style.fill !== "none";
    });
    const texts = [...plot.querySelectorAll("text")].filter(text => {
      const own = text.getBoundingClientRect();
      return own.left < box.left - 2 || own.right > box.right + 2 || own.top < box.top - 2 || own.bottom > box.bottom + 2;
    });
    const labels = [...plot.querySelectorAll(".label, .name")].map(text => [text.textContent, text.getBoundingClientRect()]);
    labels.forEach(([one, a], i) => labels.slice(0, i).forEach(([other, b]) => {
      if (!apart(a, b)) faults.push(plot.id + ": " + one + " lies on " + other);
    }));
    for (const text of plot.querySelectorAll("text")) {
      const high = parseFloat(getComputedStyle(text).fontSize) * box.width / plot.viewBox.baseVal.width;
      if (high < 10.9) faults.push(plot.id + ": " + text.textContent + " is " + high + " pixels high");
    }
    if (box.width < 200 || box.height < 60) faults.push(plot.id + " is " + box.width + " by " + box.height);
    if (marks.length === 0) faults.push(plot.id + " shows no mark");
    texts.forEach(text => faults.push(plot.id + " cuts off " + text.textContent));
    seen.push(plot.id);
  }
  if (document.documentElement.scrollWidth > innerWidth + 1) faults.push("the page is wider than the window");
  const result = document.createElement("pre");
  result.id = "seen";
  result.textContent = "seen:" + seen.join(",") + ";faults:" + faults.join("|") + ";";
  document.body.append(result);
});
</script>"#;

#[test]
fn every_plot_is_visible_in_a_browser() {
    let Some(browser) = Chromium::found() else { return };
    let folder = Folder::with_an_interaction();
    let page = html::draw(&folder.report());
    let ids: Vec<&str> =
        page.split("<svg class=\"plot\" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert!(ids.len() >= 8 && ids.contains(&"chess-interactions-0"), "{ids:?}");
    let path = folder.path().join("report.html");
    fs::write(&path, page.replace("</head>", &format!("{LOOK}</head>"))).expect("the page is written");
    for options in [["--window-size=1200,900"], ["--window-size=500,900"], ["--blink-settings=preferredColorScheme=0"]]
    {
        let document = browser.open(&path, "", &[options, ["--dump-dom"]].concat());
        let part = |name: &str| {
            let rest = document.split("id=\"seen\">").nth(1).and_then(|seen| seen.split(name).nth(1));
            rest.and_then(|rest| rest.split(';').next()).unwrap_or_else(|| panic!("{options:?}: {document}"))
        };
        assert_eq!(part("seen:").split(',').collect::<Vec<_>>(), ids, "{options:?}");
        assert_eq!(part("faults:"), "", "{options:?}");
    }
}
