//! The runs that `posenc bench` compares.

use anyhow::{Context as _, bail};
use config::{Experiment, Role, Row, RunConfig, Source, encoding_stacks};
use encodings::EncodingConfig;
use games::GameKind;
use models::{ModelConfig, Preset, presets};
use serde_yaml::with::singleton_map_recursive;
use std::path::Path;
use train::bench::BenchRun;

/// The option that names encodings; errors show it as the place of its value.
const OPTION: &str = "--encodings";

/// The encoding that ratios are taken to.
const CONTROL: &str = "none";

pub(super) fn preset(name: &str) -> anyhow::Result<ModelConfig> {
    match Preset::named(name) {
        Some(found) => Ok((found.model)()),
        None => {
            let names: Vec<_> = presets().iter().map(|preset| preset.name).collect();
            bail!("there is no preset \"{name}\"; the presets are {}", names.join(", "))
        }
    }
}

/// The stacks that a text asks for, after the control: `all`, names, or YAML.
pub(super) fn encodings(asked: &str) -> anyhow::Result<Vec<Vec<EncodingConfig>>> {
    let mut all = vec![example(CONTROL)?];
    let stacks = match asked {
        "all" => EncodingConfig::NAMES.iter().map(|name| example(name)).collect::<anyhow::Result<Vec<_>>>()?,
        yaml if yaml.trim_start().starts_with('[') => encoding_stacks(&Source::new(Path::new(OPTION), yaml))?,
        names => names.split(',').map(|name| example(name.trim())).collect::<anyhow::Result<Vec<_>>>()?,
    };
    let control = all[0].clone();
    all.extend(stacks.into_iter().filter(|stack| *stack != control));
    Ok(all)
}

/// An encoding by name, as `posenc list encodings` shows how to write it.
fn example(name: &str) -> anyhow::Result<Vec<EncodingConfig>> {
    let Some(entry) = EncodingConfig::REGISTRY.iter().find(|entry| entry.name == name) else {
        bail!("there is no encoding \"{name}\"; the encodings are {}", EncodingConfig::NAMES.join(", "));
    };
    Ok(vec![from_yaml(entry.example).with_context(|| format!("the example of {name}"))?])
}

fn from_yaml<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, serde_yaml::Error> {
    singleton_map_recursive::deserialize(serde_yaml::Deserializer::from_str(text))
}

/// A run for random positions instead of data; [`contender`] gives it a game, a network, encodings and a batch.
const RUN: &str = "\
game: chess
data: \"\"
input: piece_tokens
model: {chessformer: {layers: 1, width: 16, heads: 2, ff: 16}}
encoding: []
train: {steps: 1, batch: 1, optimizer: {nadam: {}}, learning_rate: {values: [0.00001]}, clip: 10.0}
eval: {validation_positions: 1, test_positions: 1, every: 1}
seed: 0
";

/// A run that differs from the others in its encoding only.
pub(super) fn contender(game: GameKind, model: &ModelConfig, stack: Vec<EncodingConfig>, batch: usize) -> BenchRun {
    let name = stack.iter().map(EncodingConfig::label).collect::<Vec<_>>().join(" + ");
    let mut run = RunConfig::from_yaml(RUN).expect("a run");
    run.game = game;
    run.model = model.clone();
    run.encoding = stack;
    run.train.batch = batch;
    BenchRun { name, run }
}

/// The rows of an experiment but the twins, whose steps are the references', and for each the place of its reference.
pub(in crate::commands) fn rows(experiment: &Experiment) -> (Vec<BenchRun>, Vec<usize>) {
    let rows: Vec<&Row> = experiment.rows.iter().filter(|row| row.role != Role::Twin).collect();
    let reference = |of: &&Row| rows.iter().position(|row| of.is_compared_with(row)).unwrap_or(0);
    let contender = |row: &&Row| BenchRun { name: row.label.clone(), run: row.run.clone() };
    (rows.iter().map(contender).collect(), rows.iter().map(reference).collect())
}

#[cfg(test)]
mod tests {
    use super::encodings;

    #[test]
    fn a_list_of_encodings_may_hold_stacks() {
        let stacks = encodings("[none, absolute: {at: input}, [{absolute: {at: gate}}, shaw]]").expect("a list");
        assert_eq!(stacks.iter().map(Vec::len).collect::<Vec<_>>(), [1, 1, 2]);
        let refused = encodings("[[shaw, show]]").expect_err("no encoding").to_string();
        let shown =
            "--encodings:1:9: unknown value `show` in `[0][1]`\n   1 | [[shaw, show]]\n     |         ^^^^\n  valid: ";
        assert!(refused.starts_with(shown) && refused.ends_with("\n  help: did you mean `shaw`?"), "{refused}");
    }
}
