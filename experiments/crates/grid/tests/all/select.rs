//! `--only`: a value that the file has selects its cells.

use grid::Selector;
use testing::{EXPERIMENT, load};

#[test]
fn a_value_is_found_as_the_file_writes_it() {
    let text = EXPERIMENT
        .replace("    learning_rate: 1e-3\n", "")
        .replace("axes:\n", "axes:\n  learning_rate: [1e-3, 1e-2]\n")
        .replace("{encoding: none}", "{encoding: none, learning_rate: 1e-3}");
    let cells = load(&text).cells();
    let found = |only: &str| {
        let selector: Selector = only.parse().expect("a selection");
        cells.iter().filter(|cell| selector.matches(cell)).count()
    };
    // Three encodings on two boards, with three seeds; the twins have the reference's rate.
    assert_eq!(found("learning_rate=1e-2"), 18);
    assert_eq!(found("learning_rate=1e-3"), cells.len() - 18);
    assert_eq!(found("learning_rate=1e-2,1e-3"), cells.len());
    // A default, which `config.yaml` leaves out.
    assert_eq!([found("train.dtype=f32"), found("train.dtype=bf16")], [cells.len(), 0]);
    assert_eq!(found("encoding.shaw.terms=[q, k]"), found("encoding=shaw"));
    assert_eq!([found("learning_rate=2"), found("model.resnet.blocks=1"), found("encoding=rope")], [0; 3]);
}
