//! The oracles: positions and their legal moves as other programs list them.

use std::path::Path;

/// One line of an oracle: FEN or SFEN, and every legal move.
pub(crate) type Case = (String, Vec<String>);

fn oracle(file: &str) -> Vec<Case> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(file);
    let packed = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let text = String::from_utf8(zstd::decode_all(packed.as_slice()).expect("zstd")).expect("UTF-8");
    text.lines().map(case).collect()
}

fn case(line: &str) -> Case {
    let (position, moves) = line.split_once('\t').expect("position, tab, moves");
    let moves = moves.split_whitespace().map(str::to_owned).collect();
    (position.to_owned(), moves)
}

/// python-chess' positions.
pub(crate) fn chess() -> Vec<Case> {
    let cases = oracle("chess_legal_20k.tsv.zst");
    assert_eq!(cases.len(), 20_000);
    cases
}

/// cshogi's positions.
pub(crate) fn shogi() -> Vec<Case> {
    let cases = oracle("shogi_legal_15k.tsv.zst");
    assert_eq!(cases.len(), 15_000);
    cases
}
