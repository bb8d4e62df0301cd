//! `model: {preset: cf-6m}`: a published network by name. The preset's sizes are merged into the tree before it is read,
//! below what stands beside the preset, so that `model.chessformer.layers` can be an axis over a preset.

use super::reader::{Problem, Refusal, read};
use super::run::BaseConfig;
use super::tree::{Content, Node};
use models::{Preset, presets};

/// The key of a preset's name, beside the names of architectures.
pub(crate) const PRESET: &str = "preset";

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
    let sizes = serde_json::to_value((preset.model)()).expect("a network has string keys only");
    let way = ["model".to_owned()];
    if let Some(model) = tree.entry_mut(&way[0]) {
        model.remove(&[PRESET.to_owned()]);
        model.fill(Node::from_json(sizes, &name.origin), &|_, own, other| !names_another(own, other));
    }
    Ok(tree)
}

/// Whether both are maps of one name, the choice of an option, and the choices differ.
fn names_another(own: &Node, other: &Node) -> bool {
    let (Content::Map(own), Content::Map(other)) = (&own.content, &other.content) else { return false };
    matches!((&own[..], &other[..]), ([(own, _)], [(other, _)]) if own != other)
}

/// Where names of architectures are expected, the key of presets is offered too.
fn offered(mut refusal: Refusal) -> Refusal {
    if let (Problem::Name(_, names) | Problem::Key(_, names), ["model"]) =
        (&mut refusal.problem, &refusal.way.iter().map(String::as_str).collect::<Vec<_>>()[..])
    {
        names.push(PRESET.to_owned());
    }
    refusal
}
