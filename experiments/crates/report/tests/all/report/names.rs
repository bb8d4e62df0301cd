//! The names of rows, those of an experiment or else those of the literature, stand in every format and figure.

use crate::report::folder::{Folder, comparison, drawn, has, lacks, written};
use report::{csv, curves, html, latex, markdown, side_by_side, text};

const NAMES: [(&str, &str); 3] = [("shaw", "Shaw q,k"), ("absolute", "Learned table"), ("rope", "Axial RoPE")];

/// A folder whose rows have names, and the same without.
fn folders() -> [Folder; 2] {
    let mut named = Folder::of_two_games();
    NAMES.iter().for_each(|(label, name)| named.edit_rows(label, |row| row.name = Some((*name).to_owned())));
    [named, Folder::of_two_games()]
}

fn figures_of(folder: &Folder) -> String {
    written(&folder.report()).into_iter().map(|figure| figure.svg).collect()
}

#[test]
fn every_format_and_figure_has_them() {
    let [named, plain] = folders();
    let report = named.report();
    assert_eq!(comparison(&report, "Shaw q,k").reference, "Learned table");
    let verdicts = |folder: &Folder, label: &str| comparison(&folder.report(), label).verdict;
    assert_eq!(verdicts(&named, "Shaw q,k"), verdicts(&plain, "shaw"));
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
