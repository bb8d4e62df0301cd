//! Laws of the sources that no lint has.

use crate::expect_none;
use crate::metadata::{packages, root};
use crate::rooms::ONE_BUILD;
use crate::source::{Source, integers, paths, sources};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// No file may be longer.
const MOST_LINES: usize = 500;

/// Sides, squares and displacement classes of particular boards: 8×8 and 9×9.
const BOARD_NUMBERS: [&str; 6] = ["8", "9", "64", "81", "225", "289"];

/// Numbers that look like a board's and are something else: (file, the code around it, what it is).
const NOT_A_BOARD: [(&str, &str, &str); 23] = [
    ("models/nn/kernels/src/attention.rs", "BLOCK: usize = 8;", "positions of a unit of work"),
    ("models/nn/kernels/src/buffer.rs", "repr(C, align(64))", "bytes of a line of the cache"),
    ("models/nn/kernels/src/dense/backward.rs", "TILES: usize = 8;", "tiles that fit into the first cache"),
    ("models/nn/kernels/src/operands.rs", "TILE: usize = 8;", "numbers in an AVX register"),
    ("models/nn/kernels/src/instructions.rs", "ROWS_AVX512: usize = 8;", "half of what fits into the registers"),
    ("models/nn/kernels/src/row_blocks.rs", "STRIP: usize = 64;", "rows that fit into the cache"),
    ("encodings/src/injection_points.rs", "LOGITS: Self = Self(8);", "the fourth bit of a set"),
    ("experiments/src/commands/show/text.rs", "MOVES_A_LINE: usize = 8;", "moves that fit into a line of a terminal"),
    ("experiments/crates/config/src/matched/sizes.rs", "ALIGNED: usize = 8;", "what GPUs multiply without padding"),
    ("experiments/crates/config/src/run_name.rs", "DIGITS: usize = 8;", "digits of a hash in a name"),
    (
        "experiments/crates/train/src/fit/activations.rs",
        "dense + 8 * config.width",
        "tensors of a token, counted generously",
    ),
    ("games/dataset/src/build.rs", "let mut bytes = [0; 8];", "bytes of a 64-bit hash"),
    ("games/dataset/src/build/training_keys.rs", "KEYS_IN_MEMORY: usize = 8 << 20;", "a limit of memory"),
    ("games/dataset/src/import/container.rs", "[0x1f, 0x8b, 8, ..]", "gzip's magic number and its method"),
    ("games/dataset/src/import/format.rs", "[3..=9, 0, 0, 0, ..]", "versions of Lc0's records"),
    ("games/dataset/src/loader/batch.rs", "mask[usize::from(index) / 8] |= 1 << (index % 8);", "bits of a byte"),
    ("models/src/layers/parts.rs", "DEGREE: i64 = 8;", "degree of the polynomial in a document"),
    ("models/src/config/preset.rs", "usual(8, 256, 8, 256)", "layers and heads of the paper's CF-6M"),
    ("models/src/config/preset.rs", "layers: 8,", "attention layers of dlshogi's"),
    ("models/src/config/preset.rs", "heads: 8,", "heads of dlshogi's"),
    ("models/nn/src/layout.rs", "ALIGNMENT: usize = 64;", "elements that an offset is padded to"),
    ("games/src/input.rs", "ALL: [Self; 8]", "inputs of all games together"),
    ("games/streams/src/lib.rs", "(product >> 64) as u64", "the high half of a 128-bit product"),
];

fn every_source() -> Vec<Source> {
    packages().iter().flat_map(|package| sources(root(), package.dir())).collect()
}

#[test]
fn no_file_is_long() {
    let long = |source: &Source| {
        let lines = source.text.lines().count();
        (lines > MOST_LINES).then(|| format!("{}: {lines} lines", source.path.display()))
    };
    let breaches: Vec<String> = every_source().iter().filter_map(long).collect();
    expect_none(
        &format!("Files of more than {MOST_LINES} lines:"),
        "One idea a file: split it by its ideas.",
        &breaches,
    );
}

#[test]
fn board_sizes_are_written_in_the_games_only() {
    let mut breaches = vec![];
    for source in every_source().iter().filter(|source| !is_of_one_game(&source.path)) {
        for (line, _) in
            integers(source.shipped()).iter().filter(|(_, number)| BOARD_NUMBERS.contains(&number.as_str()))
        {
            let text = source.text.lines().nth(line - 1).unwrap_or_default();
            let is_known =
                NOT_A_BOARD.iter().any(|(path, code, _)| source.path == Path::new(path) && text.contains(code));
            if !is_known {
                breaches.push(format!("{}: {}", source.place(*line), text.trim()));
            }
        }
    }
    let remedy = "Take the number from `Geometry`; if it is no board's, add it with its meaning to NOT_A_BOARD in \
                  experiments/tests/house/laws.rs.";
    expect_none("Numbers of a particular board outside games/src/chess and games/src/shogi:", remedy, &breaches);
}

#[test]
fn exceptions_for_numbers_are_in_use() {
    for (path, code, meaning) in NOT_A_BOARD {
        let text = fs::read_to_string(root().join(path)).unwrap_or_default();
        assert!(
            text.contains(code),
            "NOT_A_BOARD names `{code}` ({meaning}) in {path}, where it is no longer: remove the row"
        );
    }
}

fn is_of_one_game(path: &Path) -> bool {
    ["chess", "shogi"].iter().any(|game| {
        let folder = Path::new("games/src").join(game);
        path.starts_with(&folder) || path == folder.with_extension("rs")
    })
}

#[test]
fn libraries_never_print() {
    const MACROS: [&str; 5] = ["print!", "println!", "eprint!", "eprintln!", "dbg!"];
    let mut breaches = vec![];
    for package in packages().iter().filter(|package| package.name != "experiments") {
        for source in sources(root(), package.dir()).iter().filter(|source| !source.path.ends_with("build.rs")) {
            for (index, line) in source.shipped().lines().enumerate() {
                let prints = line.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '!'));
                if prints.into_iter().any(|word| MACROS.contains(&word)) {
                    breaches.push(format!("{}: {}", source.place(index + 1), line.trim()));
                }
            }
        }
    }
    expect_none("Libraries that print:", "Return the value or a typed error; the binary says it.", &breaches);
}

#[test]
fn no_module_is_a_drawer() {
    const DRAWERS: [&str; 4] = ["utils", "util", "helpers", "misc"];
    let is_drawer = |source: &&Source| {
        let names = source.path.components().filter_map(|part| Path::new(part.as_os_str()).file_stem());
        names.into_iter().any(|name| DRAWERS.iter().any(|drawer| name == *drawer))
    };
    let sources = every_source();
    let breaches: Vec<String> = sources.iter().filter(is_drawer).map(|source| source.place(1)).collect();
    expect_none("Modules named after nothing:", "Name a module after its one idea.", &breaches);
}

#[test]
fn no_test_is_switched_off() {
    let ignored = |source: &Source| {
        let lines = source.code().lines().enumerate();
        let hits = lines.filter(|(_, line)| line.contains("#[ignore"));
        hits.map(|(index, _)| source.place(index + 1)).collect::<Vec<_>>()
    };
    let breaches: Vec<String> = every_source().iter().flat_map(ignored).collect();
    expect_none("Tests that never run:", "Mend the test or remove it.", &breaches);
}

#[test]
fn randomness_comes_from_streams() {
    const OTHERS: [&str; 5] = ["thread_rng", "randn", "rand_like", "randn_like", "manual_seed"];
    let mut breaches = vec![];
    for package in packages().iter().filter(|package| package.name != "streams") {
        for source in sources(root(), package.dir()) {
            let strange = paths(source.shipped())
                .into_iter()
                .filter(|(_, path)| path.last().is_some_and(|name| OTHERS.contains(&name.as_str())));
            breaches.extend(strange.map(|(line, path)| format!("{}: {}", source.place(line), path.join("::"))));
        }
    }
    let remedy = "Draw from a stream keyed by (seed, purpose), so that paired cells stay paired.";
    expect_none("Randomness from elsewhere than crate `streams`:", remedy, &breaches);
}

#[test]
fn every_dependency_has_its_reason() {
    let page = fs::read_to_string(root().join("docs/dependencies.md")).expect("docs/dependencies.md");
    let rows: BTreeSet<String> = page
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once('`'))
        .map(|(name, _)| name.to_owned())
        .collect();
    let packages = packages();
    let own: BTreeSet<&str> = packages.iter().map(|package| package.name.as_str()).collect();
    let used: BTreeSet<String> = packages
        .iter()
        .filter(|package| package.name != ONE_BUILD)
        .flat_map(|package| package.dependencies.iter().map(|dependency| dependency.name.clone()))
        .filter(|name| !own.contains(name.as_str()))
        .collect();
    let unexplained: Vec<String> = used.difference(&rows).cloned().collect();
    expect_none("Dependencies without a row in docs/dependencies.md:", "Say there why it is needed.", &unexplained);
    let gone: Vec<String> = rows.difference(&used).cloned().collect();
    expect_none("Rows of docs/dependencies.md that no crate depends on:", "Remove them.", &gone);
}

#[test]
fn every_invariant_names_the_test_that_holds_it() {
    let page = fs::read_to_string(root().join("docs/architecture.md")).expect("docs/architecture.md");
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| **")).collect();
    assert!(!rows.is_empty(), "docs/architecture.md has no table of invariants");
    let mut breaches = vec![];
    for row in rows {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let [_, invariant, tests, file, _] = cells[..] else { panic!("not a row of three cells: {row}") };
        let text = fs::read_to_string(root().join(file.trim_matches('`'))).unwrap_or_default();
        for test in tests.split(", ").map(|test| test.trim_matches('`')) {
            if !text.contains(&format!("fn {test}(")) {
                breaches.push(format!("{file} has no test `{test}`, which should hold {invariant}"));
            }
        }
    }
    expect_none("Invariants without their test:", "Name the test that holds it now, or write one.", &breaches);
}
