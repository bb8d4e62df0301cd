//! Names of rows, labels, questions and failures in every format and figure. Nothing acts where it is shown: in a terminal, a
//! page, a document or a spreadsheet.

use crate::report::folder::{Folder, comparison, drawn, has, lacks, written};
use report::figures::Figure;
use report::{csv, curves, html, latex, markdown, side_by_side, text};
use resvg::usvg::roxmltree::Document;

/// A formula, a title for the window, a line of TeX, a heading, HTML, an image, a link, a turned text and a character without XML.
const LABEL: &str = "=x\u{1b}]0;t\u{7}\r\\input{/etc/passwd}\n# forged <script>a</script> ![i](http://a/b.png) \
                     [l](javascript:1) \u{202e}\u{ffff}";

pub(crate) fn folder() -> Folder {
    let mut folder = Folder::of_two_games();
    folder.plan.question = Some(LABEL.to_owned());
    folder.edit_rows("shaw", |row| row.label = LABEL.to_owned());
    folder.failed("rope", 1, LABEL);
    folder
}

#[test]
fn nothing_acts_in_any_format() {
    let report = folder().report();
    let compared = side_by_side::compare(&[report.clone(), report.clone()]);
    let compared = || compared.iter().map(|table| table.text()).collect::<String>();
    let drawn = [text::draw, markdown::draw, latex::draw, html::draw, csv::draw].map(|draw| draw(&report));
    for drawn in drawn.iter().cloned().chain([compared()]) {
        let shown = drawn.replace("\r\n", "\n");
        let acts = |c: &char| *c != '\n' && (c.is_control() || matches!(c, '\u{202e}' | '\u{ffff}'));
        assert_eq!(shown.chars().find(acts), None, "{shown}");
        assert!(shown.contains("�]0;t�"), "{shown}");
    }
    let [_, markdown, latex, page, table] = drawn;
    let active = markdown.replace("\\<", "").replace("\\]", "");
    lacks(&active, &["<script", "]("]);
    assert_eq!(markdown.lines().filter(|line| line.starts_with("# ")).count(), 1, "{markdown}");
    assert!(latex.lines().filter(|line| line.contains("\\input{")).all(|line| line.starts_with('%')), "{latex}");
    assert_eq!(page.matches("<script").count(), 1, "its own: {page}");
    assert!(table.contains(",'=x") && !table.contains(",=x"), "{table}");
}

#[test]
fn figures_are_written_with_such_labels() {
    for Figure { id, svg, .. } in written(&folder().report()) {
        Document::parse(&svg).unwrap_or_else(|error| panic!("{id}: {error}"));
    }
}

const NAMES: [(&str, &str); 3] = [("shaw", "Shaw q,k"), ("absolute", "Learned table"), ("rope", "Axial RoPE")];

fn figures_of(folder: &Folder) -> String {
    written(&folder.report()).into_iter().map(|figure| figure.svg).collect()
}

#[test]
fn every_format_and_figure_has_the_names_of_rows() {
    let mut named = Folder::of_two_games();
    NAMES.iter().for_each(|(label, name)| named.edit_rows(label, |row| row.name = Some((*name).to_owned())));
    let (report, plain) = (named.report(), Folder::of_two_games().report());
    let shaw = comparison(&report, "Shaw q,k");
    assert_eq!((&shaw.reference[..], shaw.verdict), ("Learned table", comparison(&plain, "shaw").verdict));
    let mut table = Vec::new();
    curves::write(named.path(), &mut table).expect("a table");
    let drawn = [text::draw, markdown::draw, latex::draw, html::draw, csv::draw].map(|draw| draw(&report));
    for drawn in drawn.into_iter().chain([String::from_utf8(table).expect("UTF-8"), figures_of(&named)]) {
        has(&drawn, &NAMES.map(|(_, name)| name));
    }
    lacks(&figures_of(&named), &NAMES.map(|(label, _)| format!(">{label}<")).each_ref().map(String::as_str));
}

#[test]
fn a_row_without_a_name_has_that_of_the_literature_and_its_label_in_tables_of_values() {
    let label = "relative_bias, encoding rate × 64";
    let mut folder = crate::report::figures::folder();
    folder.edit_rows("shaw", |row| row.label = label.to_owned());
    let report = folder.report();
    let compared = side_by_side::compare(&[report.clone(), report.clone()]);
    let compared: String = compared.iter().map(|table| table.text()).collect();
    for drawn in drawn(&report).into_iter().chain([compared, figures_of(&folder)]) {
        has(&drawn, &["relative bias"]);
        lacks(&drawn.replace('\\', ""), &["relative_bias", "encoding rate × 64"]);
    }
    assert!(csv::draw(&report).contains(label));
}
