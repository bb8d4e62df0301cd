//! The plots of a report as files.

use crate::report::folder::Folder;
use report::{figures, html};
use resvg::usvg::roxmltree::Document;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// A grid with every kind of plot.
pub(crate) fn folder() -> Folder {
    let folder = Folder::with_an_interaction();
    folder.tuned("train.encoding_rate", &[("shaw", &[(1, &[2.5, 2.6]), (4, &[2.3, 2.4]), (16, &[2.4, 2.5])], 1)]);
    folder
}

fn names(dir: &Path, end: &str) -> BTreeSet<String> {
    let files = fs::read_dir(dir).expect("a folder").map(|file| file.expect("a file").file_name());
    files.filter_map(|name| name.to_str()?.strip_suffix(end).map(str::to_owned)).collect()
}

#[test]
fn every_plot_of_the_page_is_written_in_both_formats() {
    let (folder, dir) = (folder(), tempfile::tempdir().expect("a folder"));
    let report = folder.report();
    let written = figures::write(&report, dir.path()).expect("figures");
    let page = html::draw(&report);
    let plots = page.split("<svg class=\"plot\" id=\"").skip(1);
    let of_page: BTreeSet<String> = plots.filter_map(|rest| Some(rest.split('"').next()?.to_owned())).collect();
    for name in ["chess-interactions-0", "chess-sensitivity-train-encoding-rate", "shogi-slice-move-type"] {
        assert!(of_page.contains(name), "{name}: {of_page:?}");
    }
    // The page has a hero figure for each game, which wrap on narrow screens; a paper has them side by side too.
    let all: BTreeSet<String> = of_page.into_iter().chain(["hero".to_owned()]).collect();
    assert_eq!(written.iter().map(|figure| figure.id.clone()).collect::<BTreeSet<_>>(), all);
    assert_eq!((names(dir.path(), ".svg"), names(dir.path(), ".pdf")), (all.clone(), all));
}

#[test]
fn files_need_no_other_have_no_background_and_are_one_column_wide() {
    let (folder, dir) = (folder(), tempfile::tempdir().expect("a folder"));
    for figure in figures::write(&folder.report(), dir.path()).expect("figures") {
        let path = dir.path().join(&figure.id);
        let svg = fs::read_to_string(path.with_extension("svg")).expect("an SVG");
        let tree = Document::parse(&svg).unwrap_or_else(|error| panic!("{}: {error}", figure.id));
        let root = tree.root_element();
        // Two columns and the gap between them.
        let wide = if figure.id == "hero" { 6.695 } else { 3.25 };
        let width = format!("{wide}in");
        assert_eq!((root.tag_name().name(), root.attribute("width")), ("svg", Some(&width[..])), "{}", figure.id);
        let number = |text: &str| text.trim_end_matches("in").parse::<f64>().expect("a number");
        let inches = number(root.attribute("height").expect("a height"));
        for part in ["var(", "url(", "href", "@import", "NaN", "inf\"", "#fff"] {
            assert!(!svg.contains(part), "{}: {part}", figure.id);
        }
        let view: Vec<f64> = root.attribute("viewBox").expect("a box").split(' ').map(number).collect();
        assert!((inches / wide - view[3] / view[2]).abs() < 1e-3, "{}", figure.id);

        let pdf = fs::read(path.with_extension("pdf")).expect("a PDF");
        assert!(pdf.starts_with(b"%PDF-") && pdf.trim_ascii_end().ends_with(b"%%EOF"));
        let text = String::from_utf8_lossy(&pdf);
        assert_eq!(text.matches("/Type /Page\n").count(), 1, "{}", figure.id);
        let size = text.split("/MediaBox [").nth(1).and_then(|rest| rest.split(']').next()).expect("a page");
        let size: Vec<f64> = size.split(' ').map(number).collect();
        // A paper has captions; an SVG has its title above it, in lines of 20 units.
        let titles = svg.matches("<text class=\"title\" x=\"200.0\"").count() as f64;
        let height = inches * 72.0 - titles * 20.0 * 72.0 * 3.25 / 400.0;
        assert!((size[2] - wide * 72.0).abs() < 0.05 && (size[3] - height).abs() < 0.05, "{size:?} {}", figure.id);
        // Text is text, in fonts of the file.
        assert!(text.contains("DejaVuSansCondensed") && text.contains("/FontFile"), "{}", figure.id);
    }
}

#[test]
fn a_report_without_plots_says_so_and_writes_nothing() {
    let (folder, dir) = (Folder::new(), tempfile::tempdir().expect("a folder"));
    let into = dir.path().join("figures");
    let error = figures::write(&folder.report(), &into).expect_err("no finished cell").to_string();
    assert!(error.starts_with("by-hand has no figures yet") && error.contains("posenc status"), "{error}");
    assert!(!into.exists());
}
