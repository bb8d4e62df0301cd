//! docs/encodings.md lists every encoding as the program knows it.

use crate::common::{Network, sequences};
use encodings::{Auxiliary, EncodingConfig, EncodingInfo, Guarantees, InjectionPoints};
use std::collections::BTreeSet;
use std::path::Path;

const START: &str = "<!-- encodings: made by a test, see below -->\n";
const END: &str = "<!-- end of encodings -->\n";

/// What some or all examples of an encoding do on some sequence.
struct Facts {
    points: BTreeSet<String>,
    guarantees: Vec<Guarantees>,
}

fn facts(info: &EncodingInfo) -> Facts {
    let mut facts = Facts { points: BTreeSet::new(), guarantees: Vec::new() };
    for config in EncodingConfig::examples().into_iter().filter(|config| config.info() == *info) {
        for tokens in sequences() {
            let network = Network::small(std::slice::from_ref(&config), &tokens);
            facts.points.extend(points(network.stack.injection_points()));
            facts.guarantees.push(network.stack.guarantees());
        }
    }
    facts
}

fn points(points: InjectionPoints) -> Vec<String> {
    points.names().into_iter().map(|name| format!("`{name}`")).collect()
}

fn share(guarantees: &[Guarantees], of: impl Fn(&Guarantees) -> bool) -> &'static str {
    match guarantees.iter().filter(|one| of(one)).count() {
        0 => "no",
        n if n == guarantees.len() => "yes",
        _ => "in part",
    }
}

fn auxiliary(guarantees: &[Guarantees]) -> String {
    let names: BTreeSet<_> = guarantees
        .iter()
        .map(|one| match one.auxiliary {
            Auxiliary::Untouched => "untouched",
            Auxiliary::OwnParameters => "own parameters",
            Auxiliary::AsSquares => "as squares",
        })
        .collect();
    names.into_iter().collect::<Vec<_>>().join(" or ")
}

fn table() -> String {
    let mut table = String::from(
        "| encoding | acts at | starts as the identity | translation-invariant | auxiliary tokens | for decoders |\n\
         |---|---|---|---|---|---|\n",
    );
    for info in EncodingConfig::REGISTRY {
        let Facts { points, guarantees } = facts(info);
        let points =
            if points.is_empty() { "–".to_owned() } else { points.into_iter().collect::<Vec<_>>().join(", ") };
        table += &format!(
            "| `{}` | {points} | {} | {} | {} | {} |\n",
            info.name,
            share(&guarantees, |one| one.identity_at_start),
            share(&guarantees, |one| one.translation_invariant),
            auxiliary(&guarantees),
            share(&guarantees, |one| one.pairwise),
        );
    }
    table.push('\n');
    for EncodingInfo { name, summary, source, .. } in EncodingConfig::REGISTRY {
        table += &format!("**`{name}`**: {summary}. Source: {source}.\n\n");
    }
    table
}

#[test]
fn the_page_of_encodings_lists_what_there_is() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace").join("docs/encodings.md");
    let page = std::fs::read_to_string(&path).expect("docs/encodings.md");
    let (before, rest) = page.split_once(START).expect("the mark of the list's start");
    let (_, after) = rest.split_once(END).expect("the mark of its end");
    let expected = format!("{before}{START}{}{END}{after}", table());
    if page != expected {
        let written = Path::new(env!("CARGO_TARGET_TMPDIR")).join("encodings.md");
        std::fs::write(&written, expected).expect("a file below target/");
        panic!("docs/encodings.md is out of date: copy {} over it", written.display());
    }
}
