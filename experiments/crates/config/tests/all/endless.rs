//! `data: {generate: …}` in experiment files.

use config::{Experiment, RunConfig};
use testing::{DATA, EXPERIMENT, assert_says, load_in};

const CHESS: &str = "{probe: attacked-squares, game: chess, seed: 1}";

fn text(data: &str) -> String {
    EXPERIMENT
        .replace("data: {chess: chess, shogi: shogi}", &format!("data: {data}"))
        .replace("heads: 2, ff: 16}", "heads: 2, ff: 16, outputs: {per_square: {classes: 4}}}")
        .replace("game: [chess, shogi]", "game: [chess]")
        .replace("metric: policy_loss", "metric: map_accuracy")
}

fn loaded(data: &str) -> Result<Experiment, String> {
    load_in(DATA.path(), &text(data), &[])
}

fn refuses(data: &str, parts: &[&str]) {
    assert_says(&loaded(data).expect_err(data), parts);
}

#[test]
fn rows_have_positions_without_end_and_their_identity() {
    let experiment = loaded(&format!("{{generate: {CHESS}}}")).unwrap_or_else(|error| panic!("{error}"));
    let row = &experiment.rows[0];
    let data = &row.data;
    let positions = [data.train_positions, data.validation_positions, data.test_positions];
    assert_eq!((positions, row.epochs()), ([8 * 4, 8, 8], 1.0));
    let per_game = loaded(&format!("{{chess: {{generate: {CHESS}}}}}")).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((&per_game.rows[0].hash, &per_game.rows[0].run), (&row.hash, &row.run));
    let text = row.run.to_yaml().expect("YAML");
    assert_eq!(RunConfig::from_yaml(&text).expect("readable"), row.run);
    for other in
        ["{probe: attacked-squares, game: chess, seed: 2}", "{probe: attacked-squares, game: chess, seed: 1, every: 8}"]
    {
        let other = loaded(&format!("{{generate: {other}}}")).unwrap_or_else(|error| panic!("{error}"));
        assert_ne!(other.rows[0].hash, row.hash);
    }
}

#[test]
fn every_budget_is_one_epoch_of_its_own_positions() {
    let text = text(&format!("{{generate: {CHESS}}}"))
        .replace("    steps: 8\n", "")
        .replace("axes:\n", "axes:\n  steps: [8, 16]\n");
    let experiment = load_in(DATA.path(), &text, &[]).unwrap_or_else(|error| panic!("{error}"));
    // With the twin of one reference.
    assert_eq!(experiment.rows.len(), 7);
    for row in &experiment.rows {
        assert_eq!((row.data.train_positions, row.epochs()), (4 * row.run.train.steps, 1.0));
    }
}

#[test]
fn what_cannot_be_generated_is_refused() {
    refuses("{generate: {probe: endgame, game: chess}}", &["there is no", "endgame", "attacked-squares"]);
    let parts = ["it makes positions of shogi, but chess is played"];
    refuses("{generate: {probe: attacked-squares, game: shogi}}", &parts);
    refuses("{generate: {probe: attacked-squares, game: chess, every: 200}}", &["200 plies are a whole game"]);
    refuses(&format!("{{generate: {CHESS}, path: chess}}"), &["leave the keys beside it out"]);
    refuses("{generate: {probe: legal-moves, game: chess}}", &["per_square"]);
}
