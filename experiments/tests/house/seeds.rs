//! The list of what the seeds describe, `docs/seeds-items.csv`: what is built as written, what deviates, what is missing.

use crate::expect_none;
use crate::metadata::root;
use std::fs;

const LIST: &str = "docs/seeds-items.csv";
const STATUSES: [&str; 4] = ["faithful", "deviating", "missing", "unrun"];

/// Number, seed, item, status, where, reason of each row; no field has a comma or a quote.
fn rows() -> Vec<[String; 6]> {
    let text = fs::read_to_string(root().join(LIST)).expect(LIST);
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("number,seed,item,status,where,reason"));
    let fields = |line: &str| -> [String; 6] {
        assert!(!line.contains('"'), "{LIST}: a quote in {line}");
        let fields: Vec<String> = line.split(',').map(str::to_owned).collect();
        fields.try_into().unwrap_or_else(|found: Vec<String>| panic!("{LIST}: {} fields in {line}", found.len()))
    };
    lines.map(fields).collect()
}

#[test]
fn every_item_of_the_seeds_has_a_status_a_place_and_where_it_needs_one_a_reason() {
    let mut breaches = Vec::new();
    for (expected, [number, seed, item, status, places, reason]) in (1..).zip(rows()) {
        let number_is_next = number == expected.to_string();
        let has_seed = ["000", "001", "002", "003", "004", "all"].contains(&seed.as_str());
        let has_status = STATUSES.contains(&status.as_str());
        let places_exist = places.split(';').all(|place| !place.is_empty() && root().join(place).exists());
        let has_reason = status == "faithful" || !reason.is_empty();
        if !(number_is_next && has_seed && !item.is_empty() && has_status && places_exist && has_reason) {
            breaches.push(format!("item {number}: {item} ({status}, {places}, {reason})"));
        }
    }
    let remedy = "Number items from 1, with a status, files that exist, and a reason unless the item is faithful.";
    expect_none(&format!("Rows of {LIST} that say too little:"), remedy, &breaches);
}

/// Also where a deviation or an absence is named: in a page of the documentation.
#[test]
fn what_is_not_as_the_seeds_say_is_named_in_the_documentation() {
    let unnamed = rows().into_iter().filter(|[_, _, _, status, places, _]| {
        ["deviating", "missing"].contains(&status.as_str())
            && !places.split(';').any(|place| place.starts_with("docs/"))
    });
    let breaches: Vec<String> = unnamed.map(|[number, _, item, ..]| format!("item {number}: {item}")).collect();
    expect_none(
        "Deviations without a page that names them:",
        "Name them in docs/systems.md or limitations.md.",
        &breaches,
    );
}

#[test]
fn the_documentation_gives_the_lists_counts() {
    let rows = rows();
    let [faithful, deviating, missing, unrun] =
        STATUSES.map(|status| rows.iter().filter(|row| row[3] == status).count());
    let sentence = format!(
        "Of the {} items of the five seeds ([seeds-items.csv](seeds-items.csv)) {faithful} are faithful, {deviating} deviating, \
         {missing} missing and {unrun} unrun.",
        rows.len()
    );
    let page = fs::read_to_string(root().join("docs/systems.md")).expect("docs/systems.md");
    let page = page.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(page.contains(&sentence), "docs/systems.md lacks: {sentence}");
}
