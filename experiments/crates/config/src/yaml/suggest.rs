//! "Did you mean": the valid name that is nearest to a wrong one.

use crate::settings::run::{BaseConfig, EvalConfig, TrainConfig};
use encodings::EncodingConfig;

/// Names, and what other programs and papers call the same.
const SYNONYMS: [(&str, &str); 18] = [
    ("absolute", "learned"),
    ("adamw", "adam"),
    ("batch", "batch_size bs"),
    ("bf16", "bfloat16"),
    ("clip", "grad_clip gradient_clipping"),
    ("data", "dataset"),
    ("encoding", "encodings pos_encoding position_encoding positional_encoding"),
    ("f32", "float32 fp32"),
    ("ff", "d_ff dim_feedforward ffn"),
    ("heads", "n_heads num_heads"),
    ("layers", "depth n_layers num_layers"),
    ("learning_rate", "lr"),
    ("model", "network"),
    ("optimizer", "optim"),
    ("relative_bias", "relative"),
    ("rope", "rotary"),
    ("steps", "epochs iterations max_epochs max_steps num_epochs"),
    ("width", "d_model dim hidden_size"),
];

const SIZES: [&str; 4] = ["layers", "width", "heads", "ff"];

/// posenc's name of what another program calls `word`.
fn canonical_name(word: &str) -> Option<&'static str> {
    SYNONYMS.iter().find(|(_, words)| words.split(' ').any(|other| other == word)).map(|(name, _)| *name)
}

/// The candidate that was probably meant: by a synonym, or by a typing mistake of at most one edit in three characters. An
/// edit inserts, deletes or replaces a character, or swaps two neighbours; case does not count.
pub fn nearest<'a>(wrong: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wrong = wrong.to_lowercase();
    let canonical = canonical_name(&wrong);
    candidates
        .into_iter()
        .map(|candidate| match canonical == Some(candidate) {
            true => (0, candidate),
            false => (strsim::osa_distance(&wrong, &candidate.to_lowercase()), candidate),
        })
        .filter(|(edits, candidate)| *edits <= candidate.chars().count().max(3) / 3)
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, candidate)| candidate)
}

pub(crate) fn path_in_base(word: &str) -> Option<String> {
    let word = canonical_name(word).unwrap_or(word);
    let holds = |docs: &[(&str, &[&str])]| docs.iter().any(|(key, _)| *key == word);
    match word {
        size if SIZES.contains(&size) => Some(format!("model.chessformer.{size}")),
        "warmup" => Some("train.learning_rate.warmup".to_owned()),
        "weight_decay" => Some("train.optimizer.adamw.weight_decay".to_owned()),
        _ if holds(BaseConfig::DOCS) => Some(word.to_owned()),
        _ if holds(TrainConfig::DOCS) => Some(format!("train.{word}")),
        _ if holds(EvalConfig::DOCS) => Some(format!("eval.{word}")),
        _ => None,
    }
}

/// How an experiment writes the encoding that has its options at this path.
pub(crate) fn example(key_path: &[String]) -> Option<&'static str> {
    let name = key_path.last().filter(|_| key_path.iter().any(|step| step == "encoding"))?;
    EncodingConfig::REGISTRY.iter().find(|info| info.name == name.as_str()).map(|info| info.example)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_of_the_finger_are_understood() {
        let names = ["encoding", "game", "learning_rate", "steps"];
        assert_eq!(nearest("encodng", names), Some("encoding"));
        assert_eq!(nearest("learnign_rate", names), Some("learning_rate"));
        assert_eq!(nearest("Steps", names), Some("steps"));
        assert_eq!(nearest("width", names), None);
    }

    #[test]
    fn words_of_other_programs_are_understood() {
        assert_eq!(nearest("lr", ["loss", "learning_rate"]), Some("learning_rate"));
        assert_eq!(nearest("adam", ["nadam", "nadam_torch", "adamw", "muon"]), Some("adamw"));
        assert_eq!(nearest("batch_size", ["steps", "batch"]), Some("batch"));
        assert_eq!(nearest("adam", ["nadam"]), Some("nadam"), "a synonym that is not valid is not offered");
    }

    #[test]
    fn a_setting_is_found_at_its_path() {
        let paths = [
            ("depth", "model.chessformer.layers"),
            ("layers", "model.chessformer.layers"),
            ("steps", "train.steps"),
            ("batch_size", "train.batch"),
            ("num_epochs", "train.steps"),
            ("weight_decay", "train.optimizer.adamw.weight_decay"),
            ("test_positions", "eval.test_positions"),
            ("encoding", "encoding"),
        ];
        for (word, path) in paths {
            assert_eq!(path_in_base(word).as_deref(), Some(path));
        }
        assert_eq!(path_in_base("momentum"), None);
    }
}
