//! Documents whose meaning is changed.

use super::counts::Counts;
use super::{documents, laws, seeded};
use config::RunConfig;
use config::experiment::MOST_CELLS;
use config::name::is_name;
use serde_json::Value;
use testing::{CONFIG, EXPERIMENT, load_with};

const USUAL: u32 = 1_000;

#[test]
fn a_changed_configuration_is_refused_or_the_same_once_it_was_written() {
    let document: Value = serde_yaml::from_str(CONFIG).expect("YAML");
    seeded::hold("config.yaml", USUAL, &documents::texts(document), laws::run_config);
}

/// Without the check a network was declared for an input that its game lacks, which panicked.
#[test]
fn a_configuration_with_another_games_input_or_moves_is_refused() {
    let shogi = CONFIG.replace("game: chess", "game: shogi");
    let refused = |text: &str| RunConfig::from_yaml(text).expect_err("another game's").to_string();
    let input = refused(&shogi.replace("input: piece_tokens", "input: lc0_112"));
    assert!(input.contains("shogi has no input lc0_112"), "{input}");
    let moves = refused(&format!("{shogi}moves: chessdecoder_1924\n"));
    assert!(moves.contains("shogi has no moves chessdecoder_1924"), "{moves}");
}

/// Whether a folder of this name lies where it is made, and a terminal prints it as it is.
fn is_plain(name: &str) -> bool {
    let forbidden = |c: char| c.is_control() || "/\\:".contains(c);
    !matches!(name, "" | "." | "..") && name.len() <= 255 && !name.contains(forbidden)
}

/// An experiment file: refused, or a grid of limited size whose names are plain.
fn experiment(text: &[u8]) -> Counts {
    Counts::of(load_with(std::str::from_utf8(text).expect("a text"), &[]), |experiment| {
        assert!(is_name(&experiment.name));
        assert!(experiment.rows.iter().all(|row| is_plain(&row.folder())));
        assert!(experiment.cells().len() <= MOST_CELLS);
    })
}

#[test]
fn a_changed_experiment_is_refused_or_a_grid() {
    let document: Value = serde_yaml::from_str(EXPERIMENT).expect("YAML");
    seeded::hold("experiment.yaml", USUAL, &documents::texts(document), experiment);
}
