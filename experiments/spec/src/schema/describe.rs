//! A sentence for the keys that editors show first.

use serde_json::{Value, json};

/// Keys of a document, dotted, and what they mean.
const DESCRIPTIONS: [(&str, &str); 37] = [
    ("name", "The experiment's name, a folder below the output folder."),
    ("question", "The question that the experiment answers."),
    ("expect", "What its author expects."),
    ("cost", "What it costs, in words."),
    ("anchors", "A place for values with a YAML anchor (&name) that the rest repeats (*name); read by nobody."),
    ("base", "A complete run, less what the axes vary."),
    ("axes", "What is varied; every combination is a row."),
    ("zip", "Groups of axes whose values advance together instead of being combined."),
    ("conditional", "Further axes for the rows that have certain values."),
    ("exclude", "Rows to leave out: those that have all the values named."),
    ("include", "Values to add to the rows that they fit to, or rows of their own."),
    ("controls", "Rows to add whose network is made as large, as expensive or as slow as another's."),
    ("seeds", "Each is run for every row; a verdict needs 3 or more."),
    ("reference", "The row that every difference is taken against, one for each game."),
    ("primary", "The metric that verdicts are about, when it is read, and of which weights."),
    ("twin", "Whether each reference gets a twin with other parameter streams, the A/A row."),
    ("interactions", "Gaps between rows that are compared over something else that the rows vary."),
    ("base.from", "Another experiment file, relative to this one, whose `base` says what this one leaves open."),
    ("base.data", "The dataset's folder, or one for each game; relative to the experiment file."),
    ("base.input", "How a position becomes tokens."),
    ("base.moves", "How moves are numbered."),
    ("base.model", "The network."),
    ("base.missing_targets", "What happens to heads that the dataset has no targets for."),
    ("base.encoding", "The position encodings: one, or a list."),
    ("base.train", "How it is trained."),
    ("base.train.steps", "Optimiser steps."),
    ("base.train.batch", "Positions a step."),
    ("base.train.learning_rate", "A constant, or a map with warm-up and either values and boundaries or a cosine."),
    ("base.train.clip", "Largest global norm of the gradient."),
    ("base.train.mask", "When illegal moves are masked."),
    ("base.train.log_every", "Steps between two lines of training metrics."),
    ("base.train.checkpoint_every", "Steps between two checkpoints."),
    ("base.eval", "How it is measured."),
    ("base.eval.validation_positions", "Validation positions an evaluation looks at; the same in every cell."),
    ("base.eval.test_positions", "Test positions that the end looks at; the same in every cell."),
    ("base.eval.every", "Steps between two evaluations on validation."),
    ("base.eval.pictures", "When pictures of the encodings are drawn: ends, none, or every so many steps as well."),
];

/// Adds the sentences.
pub(super) fn describe(schema: &mut Value) {
    for (path, text) in DESCRIPTIONS {
        if let Some(node) = node(schema, path).and_then(Value::as_object_mut) {
            node.insert("description".to_owned(), json!(text));
        }
    }
}

fn node<'a>(schema: &'a mut Value, path: &str) -> Option<&'a mut Value> {
    path.split('.').try_fold(schema, |node, key| {
        let map = match node.get("anyOf").is_some() {
            false => node,
            true => node.get_mut("anyOf")?.as_array_mut()?.iter_mut().find(|form| form.get("properties").is_some())?,
        };
        map.get_mut("properties")?.get_mut(key)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sentence_has_its_key() {
        let mut schema = super::super::explore(&mut Vec::new()).schema;
        for (path, _) in DESCRIPTIONS {
            assert!(node(&mut schema, path).is_some(), "there is no key {path}");
        }
    }
}
