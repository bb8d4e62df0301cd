//! "Did you mean": the valid name that is nearest to a wrong one.

use super::run::{BaseConfig, EvalConfig, TrainConfig};

/// Words of other programs and papers, and what they are called here.
const SYNONYMS: [(&str, &str); 33] = [
    ("adam", "adamw"),
    ("baseline", "reference"),
    ("batch_size", "batch"),
    ("bfloat16", "bf16"),
    ("bs", "batch"),
    ("d_ff", "ff"),
    ("d_model", "width"),
    ("dataset", "data"),
    ("depth", "layers"),
    ("dim", "width"),
    ("dim_feedforward", "ff"),
    ("encodings", "encoding"),
    ("ffn", "ff"),
    ("float32", "f32"),
    ("fp32", "f32"),
    ("grad_clip", "clip"),
    ("gradient_clipping", "clip"),
    ("hidden_size", "width"),
    ("learned", "absolute"),
    ("lr", "learning_rate"),
    ("max_steps", "steps"),
    ("n_heads", "heads"),
    ("n_layers", "layers"),
    ("network", "model"),
    ("num_heads", "heads"),
    ("num_layers", "layers"),
    ("optim", "optimizer"),
    ("pos_encoding", "encoding"),
    ("position_encoding", "encoding"),
    ("positional_encoding", "encoding"),
    ("relative", "relative_bias"),
    ("rotary", "rope"),
    ("seed", "seeds"),
];

/// Sizes of the usual network.
const SIZES: [&str; 4] = ["layers", "width", "heads", "ff"];

fn meant(word: &str) -> Option<&'static str> {
    SYNONYMS.iter().find(|(synonym, _)| *synonym == word).map(|(_, name)| *name)
}

/// The candidate that was probably meant: by a synonym, or by a typing mistake of at most one edit in three characters. An
/// edit inserts, deletes or replaces a character, or swaps two neighbours; case does not count.
pub(crate) fn nearest<'a>(wrong: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wrong = wrong.to_lowercase();
    let meant = meant(&wrong);
    candidates
        .into_iter()
        .map(|candidate| match meant == Some(candidate) {
            true => (0, candidate),
            false => (strsim::osa_distance(&wrong, &candidate.to_lowercase()), candidate),
        })
        .filter(|(edits, candidate)| *edits <= candidate.chars().count().max(3) / 3)
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, candidate)| candidate)
}

/// Where a setting has its place: its way below `base`.
pub(crate) fn home(word: &str) -> Option<String> {
    let word = meant(word).unwrap_or(word);
    let holds = |docs: &[(&str, &[&str])]| docs.iter().any(|(key, _)| *key == word);
    match word {
        size if SIZES.contains(&size) => Some(format!("model.chessformer.{size}")),
        "warmup" => Some("train.learning_rate.warmup".to_owned()),
        _ if holds(BaseConfig::DOCS) => Some(word.to_owned()),
        _ if holds(TrainConfig::DOCS) => Some(format!("train.{word}")),
        _ if holds(EvalConfig::DOCS) => Some(format!("eval.{word}")),
        _ => None,
    }
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
        assert!(SYNONYMS.is_sorted() && SYNONYMS.iter().all(|(word, name)| word != name));
    }

    #[test]
    fn a_setting_is_found_at_its_place() {
        let places = [
            ("depth", "model.chessformer.layers"),
            ("layers", "model.chessformer.layers"),
            ("steps", "train.steps"),
            ("batch_size", "train.batch"),
            ("test_positions", "eval.test_positions"),
            ("encoding", "encoding"),
        ];
        for (word, place) in places {
            assert_eq!(home(word).as_deref(), Some(place));
        }
        assert_eq!(home("momentum"), None);
    }
}
