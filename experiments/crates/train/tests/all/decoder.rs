//! Cells of a decoder: batches of sequences in the same loop, and predictions for positions with their games.

use crate::heads::last;
use crate::steps::{final_weights, gradient_step, relative_distance};
use config::{MicroBatch, Phase, RunConfig, Weights};
use dataset::Manifest;
use games::{GameKind, InputName, MovesName};
use records::Part;
use tch::Device;
use testing::{Bench, GAME_PLIES, encoding, lines};
use train::inference::predict::{Prediction, predictions};
use train::inference::{Answers, Loaded, Request, positions};

const DECODER: &str = r#"{"decoder": {"layers": 1, "width": 16, "heads": 2, "ff": 16}}"#;
const ENCODER: &str = r#"{"chessformer": {"layers": 1, "width": 16, "heads": 2, "ff": 16, "embedding": "table",
    "value": {"pool": "token"}}}"#;

/// A run on words, 9 positions a step: 3 sequences, of which some end in padding.
fn run(bench: &Bench, model: &str, steps: u64) -> RunConfig {
    let mut run = bench.run(steps);
    run.input = InputName::Tokens68;
    run.moves = MovesName::Chessdecoder1924;
    run.model = serde_json::from_str(model).expect("a model");
    run.encoding = vec![encoding("rope: {layout: flat_1d, theta: 10000}")];
    run.train.batch = 9;
    run.eval.batch = 33;
    run
}

#[test]
fn a_decoder_is_measured_on_the_positions_of_an_encoder() {
    let bench = Bench::new();
    let tested = |name: &str, model: &str| last(&bench.trained(name, &run(&bench, model, 12)), Part::Test).metrics;
    let [decoder, encoder] = [tested("decoder", DECODER), tested("encoder", ENCODER)];
    for same in ["positions", "policy_targets", "value_targets", "uniform_baseline", "positions.opening"] {
        assert_eq!(decoder.get(same), encoder.get(same), "{same}");
    }
    for own in ["policy_loss", "policy_accuracy", "value_loss", "board_loss", "board_accuracy"] {
        assert!(decoder.get(own).is_some_and(f64::is_finite), "{own}");
    }
    assert_eq!(encoder.get("board_loss"), None);
    // Two of three boards are asked for, 68 words each.
    let games = decoder.get("positions").expect("positions") / GAME_PLIES as f64;
    assert_eq!(decoder.get("board_words"), Some(games * 16.0 * 68.0), "games of 24 plies");
}

#[test]
fn a_decoder_that_crashed_goes_on_to_the_same_bits() {
    let bench = Bench::new();
    bench.resumed(&run(&bench, DECODER, 29), 28);
}

/// Games of 24 plies are 25 rows each in sequences of five.
#[test]
fn an_epoch_of_a_phase_is_a_pass_through_all_sequences() {
    let bench = Bench::new();
    let mut run = run(&bench, &DECODER.replace("\"ff\": 16", "\"ff\": 16, \"plies\": 5"), 40);
    (run.train.batch, run.eval.batch, run.train.log_every) = (20, 30, 1);
    let slow = Phase { learning_rate: Some(0.5), ..Phase::default() };
    run.train.phases = vec![Phase { epochs: Some(1.0), ..Phase::default() }, slow];
    let games = Manifest::read(&run.data).expect("a dataset").split.games.train;
    let pass = (games * 25).div_ceil(20);
    assert!(games * 24 <= (pass - 1) * 20 && pass < 40, "{games} games have fewer positions");
    for line in lines(&bench.trained("epochs", &run)).iter().filter(|line| line.split == Part::Train) {
        let factor = if line.step <= pass { 1.0 } else { 0.5 };
        let expected = factor * run.train.learning_rate.at(line.step - 1);
        assert_eq!(line.metrics.get("learning_rate"), Some(expected), "step {}", line.step);
    }
}

/// A micro-batch of 4 is one sequence.
#[test]
fn a_step_in_micro_batches_is_the_step_of_the_batch() {
    let bench = Bench::new();
    let weights = |name: &str, micro: Option<MicroBatch>| {
        let run = gradient_step(&run(&bench, DECODER, 1), micro);
        final_weights(&bench.trained(name, &run), &run)
    };
    let expected = weights("whole", None);
    for size in [1, 4, 6] {
        let found = weights(&format!("micro-{size}"), Some(MicroBatch::Of(size)));
        let distance = relative_distance(&found, &expected);
        assert!(distance < 1e-6, "{size}: {distance}");
    }
}

fn asked(text: &str) -> Request {
    positions::read(text, "", GameKind::Chess, InputName::Tokens68, MovesName::Chessdecoder1924).expect("a position")
}

fn predicted(cell: &Loaded, text: &str, temperature: f64) -> Prediction {
    let asked = [asked(text)];
    let answers = Answers::of(cell, &asked).expect("a forward pass");
    predictions(&asked, &answers.outputs, temperature).expect("numbers").remove(0)
}

#[test]
fn a_decoder_answers_positions_with_the_game_that_led_there() {
    let bench = Bench::new();
    let cell = bench.trained("done", &run(&bench, DECODER, 12));
    let cell = Loaded::cell(&cell, Weights::Raw, Device::Cpu).expect("it is done");
    let castles = "r1bqk1nr/pppp1ppp/2n5/2b1p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4";
    let played = "startpos moves e2e4 e7e5 g1f3 b8c6 f1c4 f8c5";
    let (bare, known) = (predicted(&cell, castles, 1.0), predicted(&cell, played, 1.0));
    let shares = |prediction: &Prediction| -> Vec<f64> {
        prediction.moves.iter().map(|mv| mv.policy.expect("a policy").probability).collect()
    };
    assert_ne!(shares(&bare), shares(&known), "what was played is seen");
    for prediction in [&bare, &known] {
        // Legal moves only, castling as the king's own step, and nothing left for others.
        let mut moves: Vec<&str> = prediction.moves.iter().map(|mv| mv.text.as_str()).collect();
        assert_eq!(moves.len(), 33);
        assert!(moves.contains(&"e1g1") && !moves.contains(&"e1h1"));
        assert!((shares(prediction).iter().sum::<f64>() - 1.0).abs() < 1e-9);
        moves.sort_unstable();
        moves.dedup();
        assert_eq!(moves.len(), 33);
    }
    assert_eq!(shares(&predicted(&cell, played, 0.0))[0], 1.0, "cold: the likeliest has all of it");
    assert!(shares(&predicted(&cell, played, 4.0))[0] < shares(&known)[0], "hot: less of it");
    // It reads three plies: moves before the last two have no effect.
    let other_way = "startpos moves e2e4 e7e5 f1c4 b8c6 g1f3 f8c5";
    assert_ne!(shares(&predicted(&cell, other_way, 1.0)), shares(&known), "the last but one move was another");
    let longer = "startpos moves g1f3 b8c6 e2e4 e7e5 f1c4 f8c5";
    let (short, rows) = (asked(played).sequence(3), asked(longer).sequence(3));
    assert_eq!(short, rows, "the same last plies are the same question");
    assert_eq!(shares(&predicted(&cell, longer, 1.0)), shares(&known));
}

/// For a position of a game the network gets the same rows as in training.
#[test]
fn a_question_is_a_row_of_a_sequence() {
    let asked = asked("startpos moves d2d4 d7d5");
    let (rows, place) = asked.sequence(3);
    assert_eq!((place, rows.len()), (2, 3 * 68));
    let of = |index: usize| &rows[index * 68..][..68];
    let played = |index: usize| u16::from_le_bytes([of(index)[66], of(index)[67]]);
    assert_eq!([played(0), played(1), played(2)], [asked.earlier[0].played, asked.earlier[1].played, u16::MAX]);
    assert_eq!((&of(0)[..66], &of(2)[..66]), (&asked.earlier[0].row[..], &asked.row[..]));
    let alone = self::asked("startpos").sequence(3);
    assert_eq!((alone.1, &alone.0[68..134]), (0, &[0; 66][..]), "padding follows it");
}
