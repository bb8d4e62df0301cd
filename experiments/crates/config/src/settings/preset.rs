//! `model: {preset: cf-6m}`: a published network by name. The preset's sizes are merged into the tree before it is read,
//! below what stands beside the preset, so that `model.chessformer.layers` can be an axis over a preset. The heads that stand
//! there replace the preset's: `outputs` is a set.

use super::run::BaseConfig;
use crate::yaml::reader::{Problem, Refusal, read};
use crate::yaml::source::ConfigError;
use crate::yaml::tree::{Content, Node};
use models::{Preset, presets};

/// The key of a preset's name, beside the names of architectures.
pub(crate) const PRESET: &str = "preset";

const OUTPUTS: &str = "outputs";

pub(crate) fn read_run(tree: &Node) -> Result<BaseConfig, Refusal> {
    let run: BaseConfig = match tree.get(&["model", PRESET]) {
        Some(name) => read(&expanded(tree.clone(), name)?)?,
        None => read(tree).map_err(offered)?,
    };
    Ok(BaseConfig { model: run.model.normalised(), ..run })
}

/// The tree with the preset of this name in place.
fn expanded(mut tree: Node, name: &Node) -> Result<Node, Refusal> {
    let wrong = |problem| Refusal::of(problem, name, &["model", PRESET]);
    let text = name.text().ok_or_else(|| wrong(Problem::Type("a string".to_owned())))?;
    let names = || presets().iter().map(|preset| preset.name.to_owned()).collect();
    let preset = Preset::named(text).ok_or_else(|| wrong(Problem::Name(text.to_owned(), names())))?;
    if let Some(model) = tree.entry_mut("model") {
        model.remove(&[PRESET.to_owned()]);
        model.fill(sizes(preset, name), &|key, own, other| key != OUTPUTS && !names_another(own, other));
    }
    Ok(tree)
}

/// The sizes of a preset, at the place of its name.
fn sizes(preset: &Preset, name: &Node) -> Node {
    let json = serde_json::to_value((preset.model)()).expect("a network has string keys only");
    Node::from_json(json, &name.origin)
}

/// Puts a value at a path. One inside of `outputs` (`model.chessformer.outputs.q.buckets`) changes a preset's heads; `outputs`
/// itself replaces them.
pub(crate) fn put(tree: &mut Node, key_path: &[String], value: Node) -> Result<(), ConfigError> {
    if let Some((key_path, heads)) = replaced_heads(tree, key_path) {
        tree.set(key_path, heads)?;
    }
    tree.set(key_path, value)
}

/// The heads of the tree's preset, and their path, if `key_path` leads into them and the tree does not name its own.
fn replaced_heads<'a>(tree: &Node, key_path: &'a [String]) -> Option<(&'a [String], Node)> {
    let heads = key_path
        .iter()
        .position(|step| step == OUTPUTS)
        .filter(|&at| key_path[0] == "model" && at + 1 < key_path.len())?;
    let name = tree.get(&["model", PRESET]).filter(|_| tree.get(&key_path[..=heads]).is_none())?;
    let preset = Preset::named(name.text()?)?;
    let outputs = sizes(preset, name).get(&key_path[1..=heads])?.clone();
    Some((&key_path[..=heads], outputs))
}

/// Whether both are maps of one name, the choice of an option, and the choices differ.
fn names_another(own: &Node, other: &Node) -> bool {
    let (Content::Map(own), Content::Map(other)) = (&own.content, &other.content) else { return false };
    matches!((&own[..], &other[..]), ([(own, _)], [(other, _)]) if own != other)
}

/// Where names of architectures are expected, the key of presets is offered too.
fn offered(mut refusal: Refusal) -> Refusal {
    if let (Problem::Name(_, names) | Problem::Key(_, names), ["model"]) =
        (&mut refusal.problem, &refusal.key_path.iter().map(String::as_str).collect::<Vec<_>>()[..])
    {
        names.push(PRESET.to_owned());
    }
    refusal
}
