//! Maia through `import-net` says what Lc0 says with it: of every legal move, on real games with their history.

use crate::maia::{ABSENT, Said, imported, said};
use games::chess::ChessPosition;
use games::{InputName, Position as _};
use std::collections::BTreeMap;
use train::inference::predict::{Meaning, Prediction, predictions};
use train::inference::{Answers, Request, positions};

/// Lc0 and LibTorch add in different orders.
const LOGIT_TOLERANCE: f64 = 5e-4;
const PROBABILITY_TOLERANCE: f64 = 1e-4;

/// The position as Lc0 asked its network: what is before a start FEN is made up from it, where `lc0_112` has nothing.
fn asked(stored: &Said) -> Request {
    let mut asked = stored.request();
    let packed = asked.row.clone();
    positions::fill_history(std::slice::from_mut(&mut asked), InputName::Lc0_112).expect("an input with history");
    if stored.startfen == ChessPosition::start().to_text() {
        assert_eq!(packed, asked.row, "with a whole game both are one");
    }
    asked
}

#[test]
fn maia_says_what_lc0_says_with_it() {
    let dir = tempfile::tempdir().expect("a folder");
    let Some(loaded) = imported(dir.path()) else {
        eprintln!("{ABSENT}");
        return;
    };
    let stored = said();
    assert_eq!(stored.len(), 60);
    let asked: Vec<Request> = stored.iter().map(asked).collect();
    let answers = Answers::of(&loaded, &asked).expect("answers");
    let found = predictions(&asked, &answers.outputs, 1.0).expect("predictions");
    let mut largest = [0f64; 3];
    for (stored, found) in stored.iter().zip(&found) {
        let own = differences(stored, found);
        largest = std::array::from_fn(|i| largest[i].max(own[i]));
        let what = format!("{} {:?}: {own:?}", stored.startfen, stored.moves);
        assert!(own[0] < LOGIT_TOLERANCE && own[1] < PROBABILITY_TOLERANCE && own[2] < PROBABILITY_TOLERANCE, "{what}");
    }
    println!("largest differences of logits, probabilities, win/draw/loss: {largest:?}");
}

/// The largest difference of a logit, of a move's probability, and of win, draw and loss.
fn differences(stored: &Said, found: &Prediction) -> [f64; 3] {
    let by_index: BTreeMap<u16, &String> = stored.idx.iter().map(|(text, &index)| (index, text)).collect();
    assert_eq!(by_index.len(), found.moves.len(), "the same legal moves");
    let mut largest = [0f64; 3];
    for mv in &found.moves {
        let text = by_index[&mv.index];
        let share = mv.policy.expect("a policy");
        largest[0] = largest[0].max((f64::from(share.logit) - stored.logit[text]).abs());
        largest[1] = largest[1].max((share.probability - stored.policy[text]).abs());
    }
    let Some((_, Meaning::Wdl(wdl))) = found.others.first() else { panic!("win, draw and loss come first") };
    largest[2] = wdl.iter().zip(stored.wdl).map(|(found, stored)| (found - stored).abs()).fold(0.0, f64::max);
    largest
}
